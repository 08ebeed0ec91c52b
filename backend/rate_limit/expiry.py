"""Deletion of expired counters of rate limits."""

from backend.core.db.database import Database, db_now
from backend.jobs import JobRun, periodic
from backend.jobs.tidy_rule import Rule
from backend.rate_limit.limiter import WINDOW
from backend.rate_limit.models import RateLimitCounter

MAX_BATCHES = 1000
EXPIRED = Rule("counters of tries", RateLimitCounter, (RateLimitCounter.expires_at < db_now(-WINDOW),))
"""Deleted a window late, so that replicas whose clocks differ agree on what is counted."""


class ExpiredCounters:
    """The job that deletes counters whose window is over."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @periodic("rate_limit.delete_expired", every=WINDOW)
    async def delete_expired(self, _run: JobRun) -> None:
        """Follow the rule `EXPIRED`. What a try is counting at this moment is not waited for."""
        await EXPIRED.follow(self._database, MAX_BATCHES)
