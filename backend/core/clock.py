"""The one source of time. Every time in the program is UTC and aware."""

from datetime import UTC, datetime


def now() -> datetime:
    """The current moment, in UTC, aware."""
    return datetime.now(UTC)
