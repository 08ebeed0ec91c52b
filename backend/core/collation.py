"""Texts as they are compared and sorted."""

import unicodedata

AFTER_ANY_LETTER = "\U0010ffff"
"""What begins with a word lies from the word up to the word with this behind it."""
MOST_WORDS = 6
"""Words of what staff search for that are looked at: each costs a condition on every row, or a look-up."""


def fold(text: str) -> str:
    """The text without accents and in lower case: what search compares, and what lists are sorted by."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter)).casefold()
