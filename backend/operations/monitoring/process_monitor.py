"""Sampling of this process's gauges every few seconds.

The metrics are collected from one process of a machine at a time; its response includes the gauges of the other
processes.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path

from backend.core.db.database import Database
from backend.core.observability.loop_lag import LoopLag
from backend.core.observability.metrics import CONNECTIONS, LOOP_LAG, MEMORY

SAMPLE_INTERVAL_S = 5.0
"""Interval between samples."""
MEMORY_PAGE_BYTES = 4096


class Monitor:
    """Samples the gauges of this process. `samples` are additional functions that it calls at each sampling."""

    def __init__(self, database: Database, loop_lag: LoopLag) -> None:
        self._database = database
        self._loop_lag = loop_lag
        self._task: asyncio.Task[None] | None = None
        self.samples: list[Callable[[], None]] = []

    def start(self) -> None:
        """Start sampling on the running event loop."""
        self._task = asyncio.create_task(self._run(), name="monitor")

    async def stop(self) -> None:
        """Stop sampling. Do nothing if it was not started."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    def sample(self) -> None:
        """Set the gauges of this process to the current values."""
        LOOP_LAG.set(self._loop_lag.worst_ms / 1000)
        MEMORY.set(read_resident_bytes())
        in_use, idle = self._database.connections
        CONNECTIONS.labels("in_use").set(in_use)
        CONNECTIONS.labels("idle").set(idle)
        for sample in self.samples:
            sample()

    async def _run(self) -> None:
        while True:
            self.sample()
            await asyncio.sleep(SAMPLE_INTERVAL_S)


def read_resident_bytes() -> int:
    """Return the memory of this process in bytes; 0 on systems other than Linux, which have no `/proc`."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * MEMORY_PAGE_BYTES
    except OSError:
        return 0
