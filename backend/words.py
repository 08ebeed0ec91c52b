"""Texts as they are compared and sorted."""

import unicodedata


def fold(text: str) -> str:
    """The text without accents and in lower case: what search compares, and what lists are sorted by."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter)).casefold()
