"""Work that a running shop does again and again behind its requests."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

from backend.errors import ShopError

log = logging.getLogger(__name__)


class Rounds:
    """Does a piece of work, waits, and does it again, until it is stopped.

    A round begins `every` seconds after the last one ended, or at once when somebody calls for it. One that fails is
    logged, and the next one follows as if nothing had happened.
    """

    def __init__(self, name: str, work: Callable[[], Awaitable[object]], every: float) -> None:
        self._name = name
        self._work = work
        self._every = every
        self._call = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    def call(self) -> None:
        """Say that there is something to do now."""
        self._call.set()

    def start(self) -> None:
        """Begin with the first round. Does nothing when it has begun."""
        if self._running is None:
            self._running = asyncio.create_task(self._run(), name=self._name)

    async def stop(self) -> None:
        """Stop, in the middle of a round if there is one. Does nothing when it never began."""
        running, self._running = self._running, None
        if running is not None:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            self._call.clear()
            try:
                await self._work()
            except ShopError as error:
                log.warning("%s: a round failed, another follows: %s", self._name, error.message)
            except Exception:
                log.exception("%s: a round failed, another follows", self._name)
            with suppress(TimeoutError):
                async with asyncio.timeout(self._every):
                    await self._call.wait()
