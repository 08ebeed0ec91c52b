"""Refreshing open pages: states that show a changed product read it again, and their browsers get what differs.

What several pages show alike (the same page at the same address) is read once for all of them, and where it is what a
page shows already, the page is left alone: a toy that is sold is another number of units to few pages.
"""

import asyncio
import logging
from collections.abc import Collection, Hashable, Sequence
from time import monotonic
from typing import Protocol, cast

import reflex as rx
from reflex.event import Event, EventType

from storefront.live.open_pages import OpenPages, Seen, Showing, address_of, digest_of
from storefront.reflex_ext.page_states import modify_page, send_events
from storefront.reflex_ext.state_loss import is_lost, start_over

log = logging.getLogger(__name__)

PAUSE = 0.2
"""Seconds between two rounds: a product that changes all the time refreshes its pages five times a second. After a
round that read for longer than that, the pause is as long as its reading: shoppers' own events go before."""
AT_ONCE = 4
"""Readings, and pages that are refreshed, at the same time; shoppers' own events come in between."""
MOST_LOCKED = 32
"""Pages whose states are locked at the same time, to be refreshed in turn: their shoppers' own events wait."""


class Refreshable(Protocol):
    """A state that shows products."""

    async def _update(self) -> EventType[()] | None:
        """Read again what is shown, and show it if it differs.

        Returns:
            Events that the browser is sent then.
        """


class Refresher:
    """Refreshes the open pages of this process. Changes that come while it works are taken together in its next round.

    A page whose shopper's own event takes long waits for that event, and holds up no other page.
    """

    def __init__(self, app: rx.App, pages: OpenPages) -> None:
        self._app = app
        self._pages = pages
        self._changed: set[str] = set()
        self._everything = False
        self._changes_arrived = asyncio.Event()
        self._readings = asyncio.Semaphore(AT_ONCE)
        self._locks = asyncio.Semaphore(MOST_LOCKED)
        self._places = asyncio.Semaphore(AT_ONCE)
        self._waiting: dict[str, tuple[Showing, ...]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._rounds: asyncio.Task[None] | None = None

    def notify(self, product_ids: Collection[str] | None) -> None:
        """Refresh the pages that show these products; all pages for None."""
        if product_ids is None:
            self._everything = True
        else:
            self._changed.update(product_ids)
        self._changes_arrived.set()

    def start(self) -> None:
        """Start the rounds."""
        if self._rounds is None:
            self._rounds = asyncio.create_task(self._run(), name="refresh open pages")

    async def stop(self) -> None:
        """Stop. Browsers that stay open load everything again when they connect to the next process."""
        rounds, self._rounds = self._rounds, None
        tasks = [task for task in (rounds, *self._tasks.values()) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            await self._changes_arrived.wait()
            self._changes_arrived.clear()
            changed, everything = self._changed, self._everything
            self._changed, self._everything = set(), False
            begun = monotonic()
            try:
                await self._round(None if everything else changed)
            except Exception:
                log.exception("open pages could not be refreshed")
            await asyncio.sleep(max(PAUSE, monotonic() - begun))

    async def _round(self, changed: Collection[str] | None) -> None:
        """Have every page refreshed that shows something else than is read now, or of which that is not known.

        For None all of them: Redis may have been away, and the states of pages with it.
        """
        alike: dict[Hashable, list[tuple[str, Showing, Seen]]] = {}
        for token, showings in self._pages.showing(changed).items():
            for showing in showings:
                if changed is None or showing.seen is None:
                    self._refresh_soon(token, showing)
                else:
                    alike.setdefault(showing.seen.key, []).append((token, showing, showing.seen))
        await asyncio.gather(*(self._look(pages) for pages in alike.values()))

    async def _look(self, pages: Sequence[tuple[str, Showing, Seen]]) -> None:
        """Read what these pages show alike; those that show something else are refreshed.

        Where it cannot be read all are, and each tries again.
        """
        _token, _showing, seen = pages[0]
        digest = None
        try:
            async with self._readings:
                digest = digest_of(await seen.read())
        except Exception:
            log.exception("what open pages show could not be read for all of them")
        for token, showing, seen in pages:
            if seen.digest != digest:
                self._refresh_soon(token, showing)

    def _refresh_soon(self, token: str, showing: Showing) -> None:
        due = self._waiting.get(token, ())
        self._waiting[token] = tuple(dict.fromkeys((*due, showing)))
        if token not in self._tasks:
            self._tasks[token] = asyncio.create_task(self._refresh(token), name="refresh an open page")

    async def _refresh(self, token: str) -> None:
        try:
            while token in self._waiting:  # also after a failure: a change may have come meanwhile
                try:
                    await self._update(token, self._waiting.pop(token))
                except Exception:
                    log.exception("an open page could not be refreshed")
        finally:
            del self._tasks[token]

    async def _update(self, token: str, due: Collection[Showing]) -> None:
        """Let these states of a page read again what they show; one that fails takes no other with it."""
        page = modify_page(self._app, token, next(iter(due)).state)
        # in this order: a page that waits for its shopper's own event takes no place meanwhile
        async with self._locks, page as root, self._places:
            has_to_start_over = await is_lost(root)  # what it would show knows no choices and no cart
            events: list[Event] = []
            for showing in due:
                state = await root.get_state(showing.state)
                if not has_to_start_over and address_of(state) == showing.address:
                    try:
                        # not public: every public method of a state is an event that anybody may send
                        events += Event.from_event_type(await cast(Refreshable, state)._update())  # noqa: SLF001
                    except Exception:
                        log.exception("%s of an open page could not be refreshed", showing.state.__name__)
                else:
                    self._pages.forget(token, showing)
        if has_to_start_over:
            await start_over(self._app, token)
        else:
            await send_events(self._app, token, events)
