"""How to find the door, spread over the three fields of a label that hold it (wire: carrier 2.3).

An address is never shortened: what is longer than `address` goes on in `reference` or `crossStreet`.
"""

import re
from dataclasses import dataclass

from backend.core.web.contact import one_line

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
    """The fields of a label that say where the door is. An empty one may be filled with something else."""

    address: str
    cross_street: str
    reference: str


def fit_label_address(address: str, reference: str = "", cross_street: str = "") -> LabelAddress | None:
    """Return the fields that together hold all words of the three texts; None if they are too long.

    Each text stays in its own field where it fits, abbreviated as Colombians do only if it must be.
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
    """Return the address with its usual words abbreviated."""
    return re.sub(r"\w+", lambda word: ABBREVIATIONS.get(word[0].casefold(), word[0]), address)


def _shorten(text: str, most: int) -> str:
    """Return the text on one line, abbreviated if it is longer than `most`."""
    line = one_line(text)
    return line if len(line) <= most else abbreviate(line)


def _split(text: str, most: int) -> tuple[str, str]:
    """Return the first `most` characters, to the last whole word if that keeps half of them, and the rest."""
    if len(text) <= most:
        return text, ""
    words = text[: most + 1].rpartition(" ")[0]
    kept = len(words) if len(words) * 2 >= most else most
    return text[:kept].rstrip(SEPARATORS), text[kept:].lstrip(SEPARATORS)


def _spread(text: str) -> tuple[str, str]:
    """Return the text as cross street and reference, the reference first; between words if it fits so."""
    reference, cross_street = _split(text, MAX_REFERENCE)
    if len(cross_street) > MAX_CROSS_STREET:
        reference, cross_street = text[:MAX_REFERENCE].strip(), text[MAX_REFERENCE:].strip()
    return cross_street, reference


def _lengthen(part: str) -> str:
    """Return the part in the two characters that a field has at least («3» is a door too)."""
    return f"Ref. {part}" if 0 < len(part) < MIN_PART else part
