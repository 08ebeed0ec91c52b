"""`trompo tidy`, and the same once a day: everything that goes by itself, in small batches beside the running shop."""

import logging
from dataclasses import dataclass
from datetime import timedelta

from backend.core.clock import now
from backend.core.db.database import Database
from backend.jobs import JobRun, periodic
from backend.jobs.tidy_rule import BATCH, MAX_BATCHES
from backend.media.picture_store import PictureStore
from backend.operations.table_registry import all_tables
from backend.operations.tidy.orphan_pictures import MOST_FOLDERS, YOUNG, find_orphans
from backend.operations.tidy.rules import RULES

log = logging.getLogger(__name__)

DELETED_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class Tidied:
    """What came of one rule: how many rows or files, and whether there may be more for the next run."""

    name: str
    count: int
    is_more: bool = False

    def __str__(self) -> str:
        return f"{self.name}: {self.count}" + (", and more for the next run" if self.is_more else "")


class Tidy:
    """Follows every rule, and deletes pictures that nothing names."""

    def __init__(self, database: Database, pictures: PictureStore) -> None:
        self._database = database
        self._pictures = pictures

    @periodic("tidy", every=timedelta(days=1), timeout=timedelta(minutes=15))
    async def daily(self, _run: JobRun) -> None:
        """Tidy, and log what went."""
        for done in await self.tidy():
            if done.count:
                log.info("tidied %s", done)

    async def look(self) -> list[Tidied]:
        """What would go. Nothing is changed.

        Raises:
            PicturesUnavailable: the store of pictures does not answer.
        """
        counted = [Tidied(rule.name, await rule.count(self._database)) for rule in RULES]
        return [*counted, Tidied(*await self._orphans(delete=False))]

    async def tidy(self) -> list[Tidied]:
        """Do it, for a bounded number of rows a rule. A rule that fails stops no other.

        Raises:
            Exception: that of the last rule that failed, after all of them.
        """
        done: list[Tidied] = []
        failed: Exception | None = None
        for rule in RULES:
            try:
                count = await rule.follow(self._database)
                done.append(Tidied(rule.name, count, count >= BATCH * MAX_BATCHES))
            except Exception as error:  # noqa: BLE001 - the other rules are followed first
                failed = error
        try:
            done.append(Tidied(*await self._orphans(delete=True)))
        except Exception as error:  # noqa: BLE001 - told like that of a rule
            failed = error
        if failed is not None:
            raise failed
        return done

    async def _orphans(self, *, delete: bool) -> tuple[str, int, bool]:
        orphans = await find_orphans(self._database, self._pictures, all_tables())
        if delete:
            for start in range(0, len(orphans.names), DELETED_AT_ONCE):
                some = orphans.names[start : start + DELETED_AT_ONCE]
                await self._pictures.delete(some, unless_stored_after=now() - YOUNG)
        folders = len({name.partition("/")[0] for name in orphans.names})
        megabytes = orphans.size / 1e6
        return (
            f"files of pictures that nothing names ({megabytes:.1f} MB)",
            len(orphans.names),
            folders >= MOST_FOLDERS,
        )
