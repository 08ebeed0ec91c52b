"""A worker that is told to end (SIGTERM) first stops to be ready, and lets what is under way finish.

1. `/readyz` answers 503 from then on. Everything is served as before for `DRAIN_SECONDS`, until each proxy has noticed.
2. Events of pages that are under way finish, for some seconds at most.
3. The server ends as it does on SIGINT: it takes no new connection, closes the websockets, so that pages connect to
   another replica at once, and lets requests finish, again for some seconds at most.

Ctrl+C sends SIGINT to the workers themselves, so it skips the first two.
"""

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import reflex as rx
from reflex.utils.exec import is_prod_mode

from backend.app import current_shop
from backend.edge.health.readiness import Readiness
from storefront.reflex_ext.event_processor import has_events_under_way
from storefront.server.processes import EVENTS_WITHIN

log = logging.getLogger(__name__)

BETWEEN_LOOKS = 0.02
LAST_ANSWERS = 0.05
"""Seconds for the answers of the last events to leave."""


@asynccontextmanager
async def drain_at_sigterm(app: rx.App) -> AsyncIterator[None]:
    """Drain at SIGTERM while the app runs (Reflex lifespan task). In development the server's own way is left alone."""
    if not is_prod_mode():
        yield
        return
    shop = current_shop()
    drain = Drain(
        shop.readiness,
        shop.settings.drain_seconds,
        is_busy=lambda: has_events_under_way(app),
        end=lambda: os.kill(os.getpid(), signal.SIGINT),
    )
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, drain.begin)
    try:
        yield
    finally:
        shop.readiness.is_draining = True  # it ends already: a SIGTERM that comes now changes nothing


class Drain:
    """How one worker comes to its end. `end` makes the server end."""

    def __init__(
        self,
        readiness: Readiness,
        seconds: float,
        *,
        is_busy: Callable[[], bool],
        end: Callable[[], None],
    ) -> None:
        self._readiness = readiness
        self._seconds = seconds
        self._is_busy = is_busy
        self._end = end
        self.task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Begin, unless that was done before."""
        if not self._readiness.is_draining:
            self._readiness.is_draining = True
            log.info("the shop drains: not ready any more")
            self.task = asyncio.create_task(self._drain(), name="drain")

    async def _drain(self) -> None:
        await asyncio.sleep(self._seconds)
        try:
            async with asyncio.timeout(EVENTS_WITHIN):
                while self._is_busy():  # noqa: ASYNC110 - Reflex tells nobody when it has nothing to do
                    await asyncio.sleep(BETWEEN_LOOKS)
            await asyncio.sleep(LAST_ANSWERS)
        except TimeoutError:
            log.warning("events of pages are cut off: they took longer than %.0f s", EVENTS_WITHIN)
        self._end()
