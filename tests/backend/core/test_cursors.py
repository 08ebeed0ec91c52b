"""What a program sends back to read on."""

from datetime import UTC, datetime

import pytest

from backend.core.cursors import cursor_at, read_cursor
from backend.core.errors import InvalidData

MOMENT = datetime(2026, 11, 21, 15, 5, 0, 123456, tzinfo=UTC)


@pytest.mark.parametrize("key", ["audit_01", "a|b", 17])
def test_what_is_written_is_read(key: str | int) -> None:
    assert read_cursor(cursor_at(MOMENT, key)) == (MOMENT, str(key))


@pytest.mark.parametrize(
    "cursor",
    [
        "", "x", "|", "|a", "2026-11-21|a", "2026-11-21T15:05:00+00:00|", "9" * 50,
        "0001-01-01T00:00:00+05:00|a", "\x00|a",
    ],
)  # fmt: skip
def test_anything_else_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidData):
        read_cursor(cursor)
