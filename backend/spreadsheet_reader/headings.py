"""Comparison of headings."""

from backend.core.collation import fold


def normalize_heading(heading: str) -> str:
    """Return the heading without case, accents and signs, for comparison."""
    return " ".join("".join(letter if letter.isalnum() else " " for letter in fold(heading)).split())
