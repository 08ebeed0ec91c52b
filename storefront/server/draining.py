"""Graceful shutdown of a worker after SIGTERM.

1. From now on `/readyz` answers 503. For `DRAIN_SECONDS` all requests are served as before, until each proxy has
   noticed.
2. Events of pages that are in progress may finish, for a limited number of seconds.
3. The server stops as after SIGINT: it accepts no new connection and closes the websockets, so that pages connect
   to another replica immediately. Requests may finish, again for a limited number of seconds.

Ctrl+C sends SIGINT to the workers themselves, and so skips the first two steps.
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
from storefront.reflex_ext.event_processor import has_running_events
from storefront.server.processes import EVENTS_TIMEOUT_S

log = logging.getLogger(__name__)

BETWEEN_LOOKS = 0.02
LAST_ANSWERS = 0.05
"""Seconds to send the answers of the latest events."""


@asynccontextmanager
async def drain_at_sigterm(app: rx.App) -> AsyncIterator[None]:
    """Drain the worker at SIGTERM while the app runs (Reflex lifespan task). In development, do not handle SIGTERM."""
    if not is_prod_mode():
        yield
        return
    shop = current_shop()
    drain = Drain(
        shop.readiness,
        shop.settings.drain_seconds,
        is_busy=lambda: has_running_events(app),
        end=lambda: os.kill(os.getpid(), signal.SIGINT),
    )
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, drain.begin)
    try:
        yield
    finally:
        shop.readiness.is_draining = True  # it is ending already: another SIGTERM changes nothing


class Drain:
    """The shutdown of one worker. `end` stops the server."""

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
        """Begin the shutdown, unless it has begun already."""
        if not self._readiness.is_draining:
            self._readiness.is_draining = True
            log.info("the shop drains: not ready any more")
            self.task = asyncio.create_task(self._drain(), name="drain")

    async def _drain(self) -> None:
        await asyncio.sleep(self._seconds)
        try:
            async with asyncio.timeout(EVENTS_TIMEOUT_S):
                while self._is_busy():  # noqa: ASYNC110 - Reflex has no signal for being idle
                    await asyncio.sleep(BETWEEN_LOOKS)
            await asyncio.sleep(LAST_ANSWERS)
        except TimeoutError:
            log.warning("events of pages are cut off: they took longer than %.0f s", EVENTS_TIMEOUT_S)
        self._end()
