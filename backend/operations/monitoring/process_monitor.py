"""Momentary values of this process, taken every few seconds: whoever is scraped reads those of its neighbours."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from backend.core.db.database import Database
from backend.core.observability.loop_lag import LoopLag
from backend.core.observability.metrics import CONNECTIONS, LOOP_LAG, MEMORY

EVERY = 5.0
"""Seconds."""
PAGE_SIZE = 4096


class Monitor:
    """Takes samples of what this process holds. `samples`: what others want taken with them."""

    def __init__(self, database: Database, loop_lag: LoopLag) -> None:
        self._database = database
        self._loop_lag = loop_lag
        self._task: asyncio.Task[None] | None = None
        self.samples: list[Callable[[], None]] = []

    def start(self) -> None:
        """Start sampling on the running event loop."""
        self._task = asyncio.create_task(self._run(), name="monitor")

    async def stop(self) -> None:
        """Stop sampling. Does nothing when it never started."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    def sample(self) -> None:
        """Take the values now."""
        LOOP_LAG.set(self._loop_lag.worst_ms / 1000)
        MEMORY.set(resident_bytes())
        in_use, idle = self._database.connections
        CONNECTIONS.labels("in_use").set(in_use)
        CONNECTIONS.labels("idle").set(idle)
        for sample in self.samples:
            sample()

    async def _run(self) -> None:
        while True:
            self.sample()
            await asyncio.sleep(EVERY)


def resident_bytes() -> int:
    """The memory of this process; 0 where the system does not tell (it is Linux's /proc)."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_SIZE
    except OSError:
        return 0
