"""The program's only source of the current time. Every time in the program is UTC and aware."""

from datetime import UTC, datetime


def now() -> datetime:
    """Return the current moment, aware, in UTC."""
    return datetime.now(UTC)
