"""What a shopper may want to know of a toy before buying, as far as it is known."""

import re
from dataclasses import dataclass

from backend.catalog.countries import country_names
from backend.catalog.models import Product
from backend.core.texts import _, language
from backend.core.web.contact import one_line

LONGEST = 300
CONTENTS = "contents"
SAFETY_MARK = "safety_mark"
"""What is in the box, and the safety mark on it, have no fields of their own: they are in the product's metadata."""
IN_METADATA = (CONTENTS, SAFETY_MARK)
NOT_UNDER_THREE = re.compile(
    r"menor(?:es)? de (?:3|tres)|36 meses|under (?:3|three)|\b0\s?[-–]\s?3\b", re.IGNORECASE
)
"""How a warning says that a toy is not for children under three."""


@dataclass(frozen=True, slots=True)
class FactView:
    """A fact and its name. `is_not_under_three`: it is that the toy is not for children under three."""

    term: str
    value: str
    is_not_under_three: bool = False


def product_facts(product: Product) -> list[FactView]:
    """The facts that are known, in the order in which they are asked for."""
    country = country_names().get((product.origin_country or "").casefold(), "")
    known = [
        (_("Material"), one_line(product.material)),
        (_("Medidas"), _measures(product)),
        (_("Peso"), _weight(product.weight)),
        (_("Hecho en"), country),
        (_("Contenido"), one_line(product.extra_metadata.get(CONTENTS))),
        (_("Sello de seguridad"), one_line(product.extra_metadata.get(SAFETY_MARK))),
        (_("Seguridad"), one_line(product.warnings)),
    ]
    facts = [FactView(term, value[:LONGEST]) for term, value in known if value]
    if facts and NOT_UNDER_THREE.search(product.warnings):
        facts[-1] = FactView(facts[-1].term, facts[-1].value, is_not_under_three=True)
    return facts


def _measures(product: Product) -> str:
    """Length, width and height in centimetres; nothing where one of them is not known."""
    sides = [product.length, product.width, product.height]
    known = [side for side in sides if side]
    return " × ".join(map(_number, known)) + " cm" if len(known) == len(sides) else ""


def _weight(kilograms: float | None) -> str:
    if not kilograms:
        return ""
    return f"{_number(kilograms * 1000)} g" if kilograms < 1 else f"{_number(kilograms)} kg"


def _number(value: float) -> str:
    """The number with two decimals at most, as the shop's language writes it."""
    written = f"{value:.2f}".rstrip("0").rstrip(".")
    return written if language == "en" else written.replace(".", ",")
