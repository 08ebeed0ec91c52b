"""The shop's words for the things that it sells: «juguete» and «juguetes» in the demo, until the owner chooses others.

Texts that name everything the shop sells use these words. All other texts say «producto».
"""

from dataclasses import dataclass

from backend.core.texts import _

FEMININE = "f"
"""Grammatical gender of words such as «revista»; empty for «libro»."""


@dataclass(frozen=True, slots=True)
class Goods:
    """The words for one thing, for several, and for all of them, such as «Todos los libros»."""

    one: str = _("producto")
    many: str = _("productos")
    every: str = _("Todos los productos")


NEUTRAL_GOODS = Goods()
"""The words of a shop that has not chosen any."""
DEMO_GOODS = Goods(_("juguete"), _("juguetes"), _("Todos los juguetes"))


def name_goods(one: str, many: str, gender: str) -> Goods:
    """Return the words of the owner."""
    every = _("Todas las {goods}") if gender == FEMININE else _("Todos los {goods}")
    return Goods(one, many, every.format(goods=many))


def capitalize_first(text: str) -> str:
    """Return the text with a capital first letter."""
    return text[:1].upper() + text[1:]
