"""Outages: the database is unavailable, or all its connections are busy. Both raise the same error.

An outage is logged when it begins and when it ends, not with every request that fails because of it.
"""

import logging
import math
import time
from typing import Any

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from backend.core.errors import DatabaseUnavailable

__all__ = ["POOL", "PROBE", "RETRY_AFTER_S", "DatabaseUnavailable", "Outage", "to_unavailable"]

RETRY_AFTER_S = 5
"""Seconds until a retry makes sense."""

log = logging.getLogger(__name__)

UNAVAILABLE_STATES = ("08", "57P", "53", "25006", "58")
"""First characters of the SQLSTATEs that mean an outage (PostgreSQL, appendix A).

The connection broke, the server stops or starts, it lacks connections, memory or disk, it accepts no writes, or its
files fail.
"""
UNAVAILABLE_CODES = frozenset({5, 6, 8, 10, 13, 14})
"""SQLite's primary result codes BUSY, LOCKED, READONLY, IOERR, FULL and CANTOPEN."""


def to_unavailable(error: Exception) -> DatabaseUnavailable | None:
    """Convert an error that means an outage to `DatabaseUnavailable`. Return None for any other error."""
    if isinstance(error, DatabaseUnavailable):
        return error
    if isinstance(error, PoolTimeout):
        return DatabaseUnavailable("Too many requests wait for the database: try again")
    if isinstance(error, DBAPIError) and (error.connection_invalidated or _is_unavailable(error.orig)):
        return DatabaseUnavailable("The database does not answer: try again")
    return None


def _is_unavailable(error: Any) -> bool:
    state, code = getattr(error, "sqlstate", None), getattr(error, "sqlite_errorcode", None)
    return (isinstance(state, str) and state.startswith(UNAVAILABLE_STATES)) or (
        isinstance(code, int) and code & 0xFF in UNAVAILABLE_CODES
    )


POOL, PROBE = "pool", "probe"
"""Sources of failures: the sessions' connections, and the connection of `VersionProbe`.

One of them may fail while the other works.
"""


class Outage:
    """The availability of a database, as reported by its users.

    `last_success_at` is the time of the latest successful session, in seconds of the monotonic clock.
    """

    def __init__(self) -> None:
        self._failing_sources: set[str] = set()
        self.last_success_at = -math.inf

    def record_failure(self, error: DatabaseUnavailable, cause: BaseException, source: str = POOL) -> None:
        """Record a failed statement. Log the first failure of an outage."""
        if not self._failing_sources:
            log.error(
                "%s (%s); this is not logged again until it is over", error.message, type(cause).__name__
            )
        self._failing_sources.add(source)

    def record_success(self, source: str = POOL) -> None:
        """Record a successful statement of a source, such as the connection pool.

        When all sources that had failed have succeeded again, log that the outage has ended.
        """
        if source == POOL:
            self.last_success_at = time.monotonic()
        if self._failing_sources:
            self._failing_sources.discard(source)
            if not self._failing_sources:
                log.warning("the database answers again")
