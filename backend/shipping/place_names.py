"""Comparable forms of the place names that people type: abbreviations, the country's name, misspelt sounds."""

import re
import unicodedata

COUNTRY = "colombia"
ABBREVIATIONS = {"sta": "santa", "sto": "santo", "sn": "san", "pto": "puerto", "vlla": "villa"}
"""Full words by their everyday abbreviation. Both are normalized: see `fold_text`."""
_LEAD = re.compile(r"^(municipio|ciudad) de (?=.)")
_SOUNDS = [
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"ch", "X"),
        (r"h", ""),
        (r"qu(?=[ei])", "k"),
        (r"gu(?=[ei])", "G"),
        (r"g(?=[ei])", "j"),
        (r"c(?=[ei])|z", "s"),
        (r"c|q", "k"),
        (r"v", "b"),
        (r"ll|y", "i"),
        (r"m(?=[pbv])", "n"),
        (r"([a-z])\1+", r"\1"),
    )
]
"""Spellings that sound the same in Colombian Spanish, in the order of their replacement."""


def fold_text(text: str) -> str:
    """Normalize the text for comparison: lower case, no accents or punctuation, one space between words."""
    letters = unicodedata.normalize("NFD", text.casefold())
    cleaned = "".join(c if c.isalnum() else " " for c in letters if not unicodedata.combining(c))
    return " ".join(cleaned.split())


def fold_place_name(text: str) -> str:
    """Normalize the name of a place: see `fold_text`. Abbreviations are written out, "municipio de" is removed."""
    words = [ABBREVIATIONS.get(word, word) for word in fold_text(text).split()]
    return _LEAD.sub("", " ".join(words))


def remove_country(folded: str) -> str:
    """Return the normalized name without the country at its end; empty if it does not end with the country."""
    return folded.removesuffix(f" {COUNTRY}") if folded.endswith(f" {COUNTRY}") else ""


def spell_sounds(folded: str) -> str:
    """Return a spelling of the sounds of a normalized text; equal for texts that sound the same in Spanish."""
    for pattern, sound in _SOUNDS:
        folded = pattern.sub(sound, folded)
    return folded
