"""Normalization of column headings for comparison."""

from backend.core.collation import fold


def normalize_heading(heading: str) -> str:
    """Return the heading in lower case, without accents, and with a space in place of signs."""
    return " ".join("".join(letter if letter.isalnum() else " " for letter in fold(heading)).split())
