"""Normalization of texts for comparison, sorting and prefix search."""

import unicodedata

AFTER_ANY_LETTER = "\U0010ffff"
"""A character that sorts after every letter.

The texts that begin with `word` sort between `word` and `word + AFTER_ANY_LETTER`.
"""
MAX_SEARCH_WORDS = 6
"""Maximum number of words of a staff search. Each word adds a condition on every row, or a lookup in an index."""


def fold(text: str) -> str:
    """Return the text without accents and in lower case, for searching and sorting."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter)).casefold()
