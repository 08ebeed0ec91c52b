"""Whether this process can serve: what `/readyz` asks, and whether the process is about to end.

Each check has a time limit: a database that hangs is as good as none. Checks are added by those who know what they
depend on: the storefront adds the renderer and Redis.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

from backend.core.caching.single_flight import SingleFlight
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database, database_now

log = logging.getLogger(__name__)

CHECK_SECONDS = 2.0
MOST_APART = 30.0
"""Seconds between this machine's clock and the database's, beyond which the process is not ready."""
OK = "ok"
NO_ANSWER = "no answer in time"

Check = Callable[[], Awaitable[str]]
"""Returns `ok`, or what is wrong in a few words without names or addresses. What it raises counts as wrong, too."""


@dataclass
class Readiness:
    """The checks of one process by name. `is_draining`: it ends soon, so nothing new may come to it."""

    checks: dict[str, Check]
    is_draining: bool = False

    def __post_init__(self) -> None:
        self._looks = SingleFlight[str, Mapping[str, str]]()

    @classmethod
    def of(cls, settings: Settings, database: Database) -> "Readiness":
        """The checks of every shop: database, disk, and the clock where the database is another machine's."""
        checks: dict[str, Check] = {
            "database": lambda: _database(database),
            "disk": lambda: asyncio.to_thread(_disk, settings.data_dir),
        }
        if not database.is_sqlite:
            checks["clock"] = lambda: _clock(database)
        return cls(checks)

    async def look(self) -> Mapping[str, str]:
        """By check: `ok`, or what is wrong. Those who ask meanwhile share one look."""
        return await self._looks.share("", self._look)

    async def _look(self) -> Mapping[str, str]:
        return dict(zip(self.checks, await asyncio.gather(*map(_bounded, self.checks.values())), strict=True))


async def _bounded(check: Check) -> str:
    try:
        return await asyncio.wait_for(check(), CHECK_SECONDS)
    except TimeoutError:
        return NO_ANSWER
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is wrong
        return type(error).__name__


async def _database(database: Database) -> str:
    try:
        async with asyncio.timeout(CHECK_SECONDS / 2):
            return OK if await database.is_up() else "wrong answer"
    except TimeoutError:
        # every connection may be at work: a process that is busy must not be taken for one that cannot serve
        return OK if database.served_seconds_ago < CHECK_SECONDS / 2 else NO_ANSWER


async def _clock(database: Database) -> str:
    """Compare the clocks. Tokens bear this machine's time, and other replicas read them."""
    try:
        async with asyncio.timeout(CHECK_SECONDS / 2), database.read() as session:
            before = now()
            theirs = await database_now(session)
    except TimeoutError:
        return OK  # that is the other check's to tell
    apart = abs((theirs - before - (now() - before) / 2).total_seconds())
    return OK if apart <= MOST_APART else f"{apart:.0f} s apart from the database's"


def _disk(folder: Path) -> str:
    """Write into the data folder: a full disk refuses, and so does one that became read-only."""
    with TemporaryFile(dir=folder) as file:
        file.write(bytes(4096))
        file.flush()
    return OK
