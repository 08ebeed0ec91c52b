"""Units as they are typed."""

from backend.inventory.movements import MOST_UNITS


def typed_units(text: str) -> int | None:
    """The number of units that was typed; None for anything else."""
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(MOST_UNITS))
    return int(text) if is_number and int(text) <= MOST_UNITS else None
