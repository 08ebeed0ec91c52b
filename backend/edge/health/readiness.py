"""Readiness of this process: the checks behind `/readyz`, and a flag that the process ends soon.

Each check has a time limit, so that a database that hangs counts as unavailable. Other packages add checks for
their dependencies: the storefront adds the renderer and Redis.
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

CHECK_TIMEOUT_S = 2.0
MAX_CLOCK_DIFFERENCE_S = 30.0
"""Maximum difference in seconds between this machine's clock and the database's; above it, the process is not ready."""
OK = "ok"
NO_ANSWER = "no answer in time"

Check = Callable[[], Awaitable[str]]
"""A check returns `ok`, or the problem in a few words without names or addresses. An exception is a problem too."""


@dataclass
class Readiness:
    """The checks of one process, by name.

    `is_draining` is True if the process ends soon and must get no new requests.
    """

    checks: dict[str, Check]
    is_draining: bool = False

    def __post_init__(self) -> None:
        self._shared_runs = SingleFlight[str, Mapping[str, str]]()

    @classmethod
    def for_shop(cls, settings: Settings, database: Database) -> "Readiness":
        """Create the checks of every shop: database, disk, and with PostgreSQL the difference of the clocks."""
        checks: dict[str, Check] = {
            "database": lambda: _check_database(database),
            "disk": lambda: asyncio.to_thread(_check_disk, settings.data_dir),
        }
        if not database.is_sqlite:
            checks["clock"] = lambda: _check_clock(database)
        return cls(checks)

    async def run_checks(self) -> Mapping[str, str]:
        """Run the checks. Return, by name, `ok` or the problem. Concurrent callers share one run."""
        return await self._shared_runs.share("", self._run_checks)

    async def _run_checks(self) -> Mapping[str, str]:
        return dict(
            zip(self.checks, await asyncio.gather(*map(_run_with_timeout, self.checks.values())), strict=True)
        )


async def _run_with_timeout(check: Check) -> str:
    try:
        return await asyncio.wait_for(check(), CHECK_TIMEOUT_S)
    except TimeoutError:
        return NO_ANSWER
    except Exception as error:  # noqa: BLE001 - any error is the result of the check
        return type(error).__name__


async def _check_database(database: Database) -> str:
    try:
        async with asyncio.timeout(CHECK_TIMEOUT_S / 2):
            return OK if await database.is_up() else "wrong answer"
    except TimeoutError:
        # every connection may be in use: a busy process must not count as unable to serve
        return OK if database.seconds_since_success < CHECK_TIMEOUT_S / 2 else NO_ANSWER


async def _check_clock(database: Database) -> str:
    """Compare this machine's clock with the database's. Return `ok`, or the difference.

    If the clocks differ, other replicas may refuse tokens that this machine has issued, because tokens contain its
    time.
    """
    try:
        async with asyncio.timeout(CHECK_TIMEOUT_S / 2), database.read() as session:
            started = now()
            database_time = await database_now(session)
    except TimeoutError:
        return OK  # the database check reports this
    difference_s = abs((database_time - started - (now() - started) / 2).total_seconds())
    return OK if difference_s <= MAX_CLOCK_DIFFERENCE_S else f"{difference_s:.0f} s apart from the database's"


def _check_disk(folder: Path) -> str:
    """Write into the data folder, to detect a full or read-only disk."""
    with TemporaryFile(dir=folder) as file:
        file.write(bytes(4096))
        file.flush()
    return OK
