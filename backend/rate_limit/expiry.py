"""Deletion of expired rate limit counters."""

from backend.core.db.database import Database, db_now
from backend.jobs import JobRun, periodic
from backend.jobs.tidy_rule import TidyRule
from backend.rate_limit.limiter import WINDOW
from backend.rate_limit.models import RateLimitCounter

MAX_BATCHES = 1000
EXPIRED = TidyRule("counters of tries", RateLimitCounter, (RateLimitCounter.expires_at < db_now(-WINDOW),))
"""Deletes counters one window after they expire, so that replicas with different clocks count alike."""


class ExpiredCounters:
    """Job that deletes counters whose window has ended."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @periodic("rate_limit.delete_expired", every=WINDOW)
    async def delete_expired(self, _run: JobRun) -> None:
        """Delete the counters that match the rule `EXPIRED`, except those that a transaction has locked."""
        await EXPIRED.apply(self._database, MAX_BATCHES)
