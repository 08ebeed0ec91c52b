"""Cursors, which a client sends back to get the next page."""

from datetime import UTC, datetime

import pytest

from backend.core.cursors import format_cursor, parse_cursor
from backend.core.errors import InvalidData

MOMENT = datetime(2026, 11, 21, 15, 5, 0, 123456, tzinfo=UTC)


@pytest.mark.parametrize("key", ["audit_01", "a|b", 17])
def test_formatted_cursor_is_parsed_to_the_same_values(key: str | int) -> None:
    assert parse_cursor(format_cursor(MOMENT, key)) == (MOMENT, str(key))


@pytest.mark.parametrize(
    "cursor",
    [
        "", "x", "|", "|a", "2026-11-21|a", "2026-11-21T15:05:00+00:00|", "9" * 50,
        "0001-01-01T00:00:00+05:00|a", "\x00|a",
    ],
)  # fmt: skip
def test_invalid_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidData):
        parse_cursor(cursor)
