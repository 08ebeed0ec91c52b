"""The database is away, or every connection to it is busy: one error for all the ways in which that shows.

An outage is told when it begins and when it ends, not with every request that meets it.
"""

import logging
import math
import time
from typing import Any

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from backend.core.errors import DatabaseUnavailable

__all__ = ["POOL", "PROBE", "RETRY_AFTER", "DatabaseUnavailable", "Outage", "as_unavailable"]

RETRY_AFTER = 5
"""Seconds after which it makes sense to try again."""

log = logging.getLogger(__name__)

AWAY_STATES = ("08", "57P", "53", "25006", "58")
"""How SQLSTATEs begin that mean: the connection broke, the server ends or starts, it lacks connections, memory or disk,
it takes no writes, its files fail (PostgreSQL, appendix A)."""
AWAY_CODES = frozenset({5, 6, 8, 10, 13, 14})
"""SQLite's primary result codes BUSY, LOCKED, READONLY, IOERR, FULL and CANTOPEN."""


def as_unavailable(error: Exception) -> DatabaseUnavailable | None:
    """The error as an outage; None when it is another one."""
    if isinstance(error, DatabaseUnavailable):
        return error
    if isinstance(error, PoolTimeout):
        return DatabaseUnavailable("Too many requests wait for the database: try again")
    if isinstance(error, DBAPIError) and (error.connection_invalidated or _means_away(error.orig)):
        return DatabaseUnavailable("The database does not answer: try again")
    return None


def _means_away(error: Any) -> bool:
    state, code = getattr(error, "sqlstate", None), getattr(error, "sqlite_errorcode", None)
    return (isinstance(state, str) and state.startswith(AWAY_STATES)) or (
        isinstance(code, int) and code & 0xFF in AWAY_CODES
    )


POOL, PROBE = "pool", "probe"
"""Which connections were asked: those of the sessions, or that of the catalogue's version. One may fail alone."""


class Outage:
    """Whether a database is away now, as those find who use it.

    `served_at`: when a session was last served by it, monotonic.
    """

    def __init__(self) -> None:
        self._away: set[str] = set()
        self.served_at = -math.inf

    def met(self, error: DatabaseUnavailable, cause: BaseException, asked: str = POOL) -> None:
        """A statement failed: log the first failure of an outage."""
        if not self._away:
            log.error("%s (%s); this is not told again until it is over", error.message, type(cause).__name__)
        self._away.add(asked)

    def over(self, asked: str = POOL) -> None:
        """A statement was answered: log the end of an outage, once all connections that met it are answered again."""
        if asked == POOL:
            self.served_at = time.monotonic()
        if self._away:
            self._away.discard(asked)
            if not self._away:
                log.warning("the database answers again")
