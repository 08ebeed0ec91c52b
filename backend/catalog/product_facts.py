"""The known facts about a product that its page lists, such as material, sizes, weight and safety."""

import re
from dataclasses import dataclass

from backend.catalog.countries import country_names
from backend.catalog.models import Product
from backend.core.texts import _, language_rules
from backend.core.web.contact import to_one_line, to_paragraphs
from backend.core.web.html_text import to_plain_text

MAX_VALUE_LENGTH = 300
CONTENTS = "contents"
SAFETY_MARK = "safety_mark"
"""Metadata key of the safety mark. It has no column, like the box contents (`CONTENTS`)."""
IN_METADATA = (CONTENTS, SAFETY_MARK)
MAX_SEO_TITLE_LENGTH, MAX_SEO_DESCRIPTION_LENGTH = 70, 160
NOT_UNDER_THREE = re.compile(
    r"menor(?:es)? de (?:3|tres)|36 meses|under (?:3|three)|\b0\s?[-–]\s?3\b", re.IGNORECASE
)
"""Phrases in a warning that mean: not for children under three."""


@dataclass(frozen=True, slots=True)
class FactView:
    """A fact about a product: its name (`term`) and its value.

    `is_not_under_three` is True if the product's warnings say that it is not for children under three.
    """

    term: str
    value: str
    is_not_under_three: bool = False


def product_facts(product: Product) -> list[FactView]:
    """Return the product's known facts, in the order of the page."""
    country = country_names().get((product.origin_country or "").casefold(), "")
    facts_by_term = [
        (_("Material"), to_one_line(product.material)),
        (_("Medidas"), _format_dimensions(product)),
        (_("Peso"), _format_weight(product.weight)),
        (_("Hecho en"), country),
        (_("Contenido"), to_plain_text(to_paragraphs(product.extra_metadata.get(CONTENTS)))),
        (_("Sello de seguridad"), to_one_line(product.extra_metadata.get(SAFETY_MARK))),
        (_("Seguridad"), to_plain_text(to_paragraphs(product.warnings))),
    ]
    facts = [FactView(term, value[:MAX_VALUE_LENGTH]) for term, value in facts_by_term if value]
    if facts and NOT_UNDER_THREE.search(product.warnings):
        facts[-1] = FactView(facts[-1].term, facts[-1].value, is_not_under_three=True)
    return facts


def _format_dimensions(product: Product) -> str:
    """Return length, width and height in centimetres; empty if one of them is unknown."""
    sides = [product.length, product.width, product.height]
    facts_by_term = [side for side in sides if side]
    return " × ".join(map(_format_number, facts_by_term)) + " cm" if len(facts_by_term) == len(sides) else ""


def _format_weight(kilograms: float | None) -> str:
    if not kilograms:
        return ""
    return f"{_format_number(kilograms * 1000)} g" if kilograms < 1 else f"{_format_number(kilograms)} kg"


def _format_number(value: float) -> str:
    """Return the number with at most two decimals, in the format of the shop's language."""
    written = f"{value:.2f}".rstrip("0").rstrip(".")
    return written.replace(".", language_rules.decimal_mark)
