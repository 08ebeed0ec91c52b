"""Cursors for lists that are sorted by a time and a key.

A cursor is a text that a client sends back to get the next page.
"""

from datetime import UTC, datetime

from backend.core.errors import InvalidData

SEPARATOR = "|"


def format_cursor(moment: datetime, key: str | int) -> str:
    """Return the cursor that continues after the row with this (timezone-aware) moment and this key."""
    return f"{moment.isoformat()}{SEPARATOR}{key}"


def parse_cursor(cursor: str) -> tuple[datetime, str]:
    """Return the moment and the key in the cursor.

    Raises:
        InvalidData: it is not a valid cursor.
    """
    written, _separator, key = cursor.partition(SEPARATOR)
    try:
        moment = datetime.fromisoformat(written)
        if moment.tzinfo is not None and key:
            return moment.astimezone(UTC), key
    except (ValueError, OverflowError):
        pass
    raise InvalidData("not a cursor")
