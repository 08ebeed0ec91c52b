"""Parsing of typed units."""

from backend.inventory.movements import MAX_MOVED_UNITS


def parse_units(text: str) -> int | None:
    """Return the typed number of units, or None for anything else."""
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(MAX_MOVED_UNITS))
    return int(text) if is_number and int(text) <= MAX_MOVED_UNITS else None
