"""The shop's words for its products: «juguete» and «juguetes» in the demo, until the owner chooses others.

Texts about all products of the shop use these words. All other texts say «producto».
"""

from dataclasses import dataclass

from backend.core.texts import _

FEMININE = "f"
"""Grammatical gender of a feminine word such as «revista». The gender of a masculine word is stored as empty."""


@dataclass(frozen=True, slots=True)
class Goods:
    """The shop's words for one product, for several, and for all of them, such as «Todos los libros»."""

    one: str = _("producto")
    many: str = _("productos")
    every: str = _("Todos los productos")


NEUTRAL_GOODS = Goods()
"""The words of a shop that is not the demo and has not chosen its own."""
DEMO_GOODS = Goods(_("juguete"), _("juguetes"), _("Todos los juguetes"))


def name_goods(one: str, many: str, gender: str) -> Goods:
    """Return the shop's words for its products: the owner's words `one` and `many`, and those for all of them.

    The words for all products are «Todos los …» or, if the owner's word is feminine, «Todas las …».
    """
    every = _("Todas las {goods}") if gender == FEMININE else _("Todos los {goods}")
    return Goods(one, many, every.format(goods=many))


def capitalize_first(text: str) -> str:
    """Return the text with a capital first letter."""
    return text[:1].upper() + text[1:]
