"""Texts in the form in which they are compared and sorted."""

import unicodedata

AFTER_ANY_LETTER = "\U0010ffff"
"""Upper bound of a prefix search: texts that begin with a word sort between the word and the word plus this."""
MAX_SEARCH_WORDS = 6
"""Maximum number of words of a staff search: each costs a condition on every row, or a lookup."""


def fold(text: str) -> str:
    """Return the text without accents and in lower case, for searching and sorting."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter)).casefold()
