"""The program's only source of the current time. All moments in the program are timezone-aware and in UTC."""

from datetime import UTC, datetime


def now() -> datetime:
    """Return the current moment in UTC, timezone-aware."""
    return datetime.now(UTC)
