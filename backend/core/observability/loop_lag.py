"""Lag of the event loop: a handler that blocks the loop delays every request of the process."""

import asyncio
from collections import deque

SAMPLE_SECONDS = 0.25
MAX_SAMPLES = 40


class LoopLag:
    """A sampler that measures by how much timers are late. It stores the values of the previous ten seconds."""

    def __init__(self) -> None:
        self._samples: deque[float] = deque(maxlen=MAX_SAMPLES)
        self._task: asyncio.Task[None] | None = None

    @property
    def worst_ms(self) -> float:
        """Worst recent lag in milliseconds; 0.0 before the first sample."""
        return round(max(self._samples, default=0.0) * 1000, 1)

    def start(self) -> None:
        """Start sampling on the running event loop."""
        self._task = asyncio.create_task(self._sample(), name="loop lag")

    async def stop(self) -> None:
        """Stop sampling. Do nothing if it was not started."""
        if self._task is None:
            return
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self._task = None

    async def _sample(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + SAMPLE_SECONDS
            await asyncio.sleep(SAMPLE_SECONDS)
            self._samples.append(max(0.0, loop.time() - due))
