"""Deletion of old rows about presses (form submissions and button clicks), which no browser sends again."""

from datetime import timedelta

from backend.core.db.database import Database, db_now
from backend.jobs import JobRun, periodic
from backend.jobs.tidy_rule import TidyRule
from backend.presses.models import Press

RETENTION = timedelta(days=2)
"""Time for which a press is stored.

A browser stops sending it earlier: see `MAX_AGE_MS` in `assets/scripts/presses.js`.
"""
EXPIRED = TidyRule("presses that no browser sends again", Press, (Press.created_at <= db_now(-RETENTION),))
MAX_BATCHES = 500
"""Maximum number of batches in one hourly run."""


class ExpiredPresses:
    """Job that deletes old presses."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @periodic("presses.delete_expired", every=timedelta(hours=1))
    async def delete_expired(self, _run: JobRun) -> None:
        """Delete the presses that match the rule `EXPIRED`."""
        await EXPIRED.apply(self._database, MAX_BATCHES)
