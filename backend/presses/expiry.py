"""Deletes presses that no browser sends again."""

from datetime import timedelta

from backend.core.db.database import Database, db_now
from backend.jobs import JobRun, periodic
from backend.jobs.tidy_rule import Rule
from backend.presses.models import Press

KEPT_FOR = timedelta(days=2)
"""Longer than a browser sends a press again: see `MAX_AGE_MS` in `assets/scripts/presses.js`."""
EXPIRED = Rule("presses that no browser sends again", Press, (Press.created_at <= db_now(-KEPT_FOR),))
MAX_BATCHES = 500
"""Of one hour's run."""


class ExpiredPresses:
    """The job that deletes old presses."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @periodic("presses.delete_expired", every=timedelta(hours=1))
    async def delete_expired(self, _run: JobRun) -> None:
        """Follow the rule `EXPIRED`."""
        await EXPIRED.follow(self._database, MAX_BATCHES)
