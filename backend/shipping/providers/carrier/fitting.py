"""Texts made to fit the carrier's fields (wire: carrier 2.3). It refuses what is too long or too short.

Too long: shortened at a word where there is one to cut at. Too short: replaced by a fallback that is true of
any shipment. What cannot be made to fit without inventing facts (a phone number) is left as it is, to be
refused by name.
"""

import re

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

_COUNTRY_CODE = "57"
PHONE_DIGITS = 10


def fit(text: str, most: int, least: int = 2, fallback: str = "") -> str:
    """The text on one line with at most `most` characters; the fallback when fewer than `least` are left."""
    fitted = _cut(one_line(text), most)
    return fitted if len(fitted) >= least else fallback


def fit_address(text: str, most: int) -> str:
    """An address in at most `most` characters: first abbreviated as Colombians do, then cut at a word."""
    address = one_line(text)
    return address if len(address) <= most else _cut(_abbreviated(address), most)


def fit_reference(text: str, most: int) -> str:
    """Our reference in at most `most` characters: its end, which is what tells two of them apart."""
    return one_line(text)[-most:].strip()


def fit_phone(text: str) -> str:
    """The digits of a Colombian phone number without the country's prefix."""
    digits = re.sub(r"\D", "", text)
    has_prefix = digits.startswith(_COUNTRY_CODE) and len(digits) == len(_COUNTRY_CODE) + PHONE_DIGITS
    return digits.removeprefix(_COUNTRY_CODE) if has_prefix else digits


def one_line(text: str) -> str:
    """The text with every run of white space and control characters as one space."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _cut(text: str, most: int) -> str:
    """The first `most` characters, to the last whole word if that keeps at least half of them."""
    if len(text) <= most:
        return text
    whole_words = text[: most + 1].rpartition(" ")[0]
    kept = whole_words if len(whole_words) * 2 >= most else text[:most]
    return kept.rstrip(" ,;.-#")


def _abbreviated(address: str) -> str:
    return re.sub(r"\w+", lambda word: ABBREVIATIONS.get(word[0].casefold(), word[0]), address)
