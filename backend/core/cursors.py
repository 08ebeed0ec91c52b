"""Where a page of a list ends that is sorted by a moment and then by a key: as a text that a program sends back."""

from datetime import UTC, datetime

from backend.core.errors import InvalidData

SEPARATOR = "|"


def cursor_at(moment: datetime, key: str | int) -> str:
    """The cursor after the row with this moment (aware) and this key."""
    return f"{moment.isoformat()}{SEPARATOR}{key}"


def read_cursor(cursor: str) -> tuple[datetime, str]:
    """The moment and the key that the cursor holds.

    Raises:
        InvalidData: it is none of ours.
    """
    written, _separator, key = cursor.partition(SEPARATOR)
    try:
        moment = datetime.fromisoformat(written)
        if moment.tzinfo is not None and key:
            return moment.astimezone(UTC), key
    except (ValueError, OverflowError):
        pass
    raise InvalidData("not a cursor")
