"""`trompo tidy`, also run once a day: delete expired data in small batches while the shop runs."""

import logging
from dataclasses import dataclass
from datetime import timedelta

from backend.core.clock import now
from backend.core.db.database import Database
from backend.jobs import JobRun, periodic
from backend.jobs.tidy_rule import BATCH_SIZE, MAX_BATCHES
from backend.media.picture_store import PictureStore
from backend.operations.table_registry import all_tables
from backend.operations.tidy.orphan_pictures import MAX_FOLDERS, MIN_AGE, find_orphans
from backend.operations.tidy.rules import RULES

log = logging.getLogger(__name__)

PICTURE_BATCH_SIZE = 50


@dataclass(frozen=True, slots=True)
class TidyResult:
    """Number of rows or files that one tidy rule deleted or found. `has_more`: more remain for the next run."""

    name: str
    count: int
    has_more: bool = False

    def __str__(self) -> str:
        return f"{self.name}: {self.count}" + (", and more for the next run" if self.has_more else "")


class Tidy:
    """Applies every tidy rule, and deletes pictures that no text in the database refers to."""

    def __init__(self, database: Database, pictures: PictureStore) -> None:
        self._database = database
        self._pictures = pictures

    @periodic("tidy", every=timedelta(days=1), timeout=timedelta(minutes=15))
    async def run_daily(self, _run: JobRun) -> None:
        """Delete expired data, and log the counts."""
        for done in await self.tidy():
            if done.count:
                log.info("tidied %s", done)

    async def count_expired(self) -> list[TidyResult]:
        """Count the rows and files that would be deleted. Change nothing.

        Raises:
            PicturesUnavailable: the picture store does not answer.
        """
        counted = [TidyResult(rule.name, await rule.count(self._database)) for rule in RULES]
        return [*counted, TidyResult(*await self._orphans(delete=False))]

    async def tidy(self) -> list[TidyResult]:
        """Apply every rule, each to a limited number of rows. A failing rule does not stop the others.

        Raises:
            Exception: the error of the rule that failed most recently, raised after all rules ran.
        """
        done: list[TidyResult] = []
        failed: Exception | None = None
        for rule in RULES:
            try:
                count = await rule.apply(self._database)
                done.append(TidyResult(rule.name, count, count >= BATCH_SIZE * MAX_BATCHES))
            except Exception as error:  # noqa: BLE001 - the other rules are followed first
                failed = error
        try:
            done.append(TidyResult(*await self._orphans(delete=True)))
        except Exception as error:  # noqa: BLE001 - reported like the error of a rule
            failed = error
        if failed is not None:
            raise failed
        return done

    async def _orphans(self, *, delete: bool) -> tuple[str, int, bool]:
        orphans = await find_orphans(self._database, self._pictures, all_tables())
        if delete:
            for start in range(0, len(orphans.names), PICTURE_BATCH_SIZE):
                some = orphans.names[start : start + PICTURE_BATCH_SIZE]
                await self._pictures.delete(some, unless_stored_after=now() - MIN_AGE)
        folders = len({name.partition("/")[0] for name in orphans.names})
        megabytes = orphans.size / 1e6
        return (
            f"files of pictures that nothing names ({megabytes:.1f} MB)",
            len(orphans.names),
            folders >= MAX_FOLDERS,
        )
