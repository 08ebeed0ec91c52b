"""Distribution of an address with directions to three fields of a label (wire: carrier 2.3).

An address is never cut: text that does not fit in `address` continues in `reference` or `crossStreet`.
"""

import re
from dataclasses import dataclass

from backend.core.web.contact import to_one_line

MAX_ADDRESS, MAX_CROSS_STREET, MAX_REFERENCE = 50, 35, 25
MIN_PART = 2
SEPARATORS = " ,;"
ABBREVIATIONS = {
    "carrera": "Cra",
    "calle": "Cl",
    "avenida": "Av",
    "diagonal": "Dg",
    "transversal": "Tv",
    "circular": "Cir",
    "autopista": "Aut",
    "kilómetro": "Km",
    "número": "#",
    "apartamento": "Apto",
    "edificio": "Ed",
    "conjunto": "Conj",
    "residencial": "Resid",
    "urbanización": "Urb",
    "manzana": "Mz",
    "interior": "Int",
    "bloque": "Bl",
    "torre": "To",
    "oficina": "Of",
    "local": "Lc",
    "barrio": "Br",
    "bodega": "Bg",
    "norte": "N",
    "vereda": "Vda",
}
"""How Colombian addresses are abbreviated; used only when an address does not fit."""


@dataclass(frozen=True, slots=True)
class LabelAddress:
    """The address fields of a label."""

    address: str
    cross_street: str
    reference: str


def fit_label_address(address: str, reference: str = "", cross_street: str = "") -> LabelAddress | None:
    """Return label fields that contain every word of address, reference and cross street; None if they are too long.

    A text that fits stays in its own field. Texts that are too long are abbreviated, and continue in other fields.
    """
    head, rest = _split(_shorten(address, MAX_ADDRESS), MAX_ADDRESS)
    near, cross = _shorten(reference, MAX_REFERENCE), _shorten(cross_street, MAX_CROSS_STREET)
    end = ", ".join(filter(None, (rest, near)))
    layouts = [
        *([] if rest else [(cross, near)]),
        (cross, end),
        *([] if cross else [(rest, near)]),
        _spread(", ".join(filter(None, (end, cross)))),
    ]
    for in_cross_street, in_reference in layouts:
        if len(in_cross_street) <= MAX_CROSS_STREET and len(in_reference) <= MAX_REFERENCE:
            return LabelAddress(head, _lengthen(in_cross_street), _lengthen(in_reference))
    return None


def abbreviate(address: str) -> str:
    """Return the address with every word in `ABBREVIATIONS` replaced by its abbreviation."""
    return re.sub(r"\w+", lambda word: ABBREVIATIONS.get(word[0].casefold(), word[0]), address)


def _shorten(text: str, max_length: int) -> str:
    """Return the text on one line, abbreviated if it is longer than `max_length`."""
    line = to_one_line(text)
    return line if len(line) <= max_length else abbreviate(line)


def _split(text: str, max_length: int) -> tuple[str, str]:
    """Return the first `max_length` characters and the rest.

    The first part ends at a whole word if it then has at least half of `max_length`.
    """
    if len(text) <= max_length:
        return text, ""
    words = text[: max_length + 1].rpartition(" ")[0]
    length = len(words) if len(words) * 2 >= max_length else max_length
    return text[:length].rstrip(SEPARATORS), text[length:].lstrip(SEPARATORS)


def _spread(text: str) -> tuple[str, str]:
    """Split the text for the fields reference (its beginning) and cross street (the rest).

    The text is split between words if both parts then fit.

    Returns:
        The cross street and the reference.
    """
    reference, cross_street = _split(text, MAX_REFERENCE)
    if len(cross_street) > MAX_CROSS_STREET:
        reference, cross_street = text[:MAX_REFERENCE].strip(), text[MAX_REFERENCE:].strip()
    return cross_street, reference


def _lengthen(part: str) -> str:
    """Lengthen a non-empty part to the two characters that a field requires: the door «3» becomes «Ref. 3»."""
    return f"Ref. {part}" if 0 < len(part) < MIN_PART else part
