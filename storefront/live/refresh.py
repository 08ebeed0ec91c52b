"""Refreshing of open pages: states that display a changed product read it again, and browsers receive the differences.

Data that several pages share (the same page at the same address) are read once for all of them. A page is not
refreshed if its displayed data are still the same. For example, an order changes a product's stock, but few pages
display the stock.
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

PAUSE_S = 0.2
"""Seconds between two rounds: a product that changes constantly refreshes its pages five times a second.

If a round needed more time to read the data, the pause after it has the same length. So customers' own events have
priority.
"""
CONCURRENCY = 4
"""Number of concurrent readings, and of concurrently refreshed pages. Customers' own events run in between."""
MAX_LOCKED_PAGES = 32
"""Number of pages whose states are locked at the same time for a refresh. Their customers' own events wait."""


class Refreshable(Protocol):
    """A state that displays products, or data of topics."""

    async def _update(self) -> EventType[()] | None:
        """Read the displayed data again, and display them if they have changed.

        Returns:
            Events for the browser.
        """


async def update_state(state: object) -> list[Event]:
    """Let the state read its displayed data again. Return events for the browser."""
    # not public: every public method of a state is an event that any client may send
    return Event.from_event_type(await cast(Refreshable, state)._update())  # noqa: SLF001


class Refresher:
    """Refreshes the open pages of this process. Changes that arrive during a refresh are combined in the next one.

    A page whose customer is waiting for a long-running event is refreshed after this event. Other pages are not
    delayed.
    """

    def __init__(self, app: rx.App, pages: OpenPages) -> None:
        self._app = app
        self._pages = pages
        self._changed: set[str] = set()
        self._everything = False
        self._changes_arrived = asyncio.Event()
        self._readings = asyncio.Semaphore(CONCURRENCY)
        self._locks = asyncio.Semaphore(MAX_LOCKED_PAGES)
        self._places = asyncio.Semaphore(CONCURRENCY)
        self._waiting: dict[str, tuple[Showing, ...]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._rounds: asyncio.Task[None] | None = None

    def notify(self, product_ids: Collection[str] | None) -> None:
        """Request a refresh of the pages that display these products or topics; None: of all pages."""
        if product_ids is None:
            self._everything = True
        else:
            self._changed.update(product_ids)
        self._changes_arrived.set()

    def start(self) -> None:
        """Start refreshing open pages in the background."""
        if self._rounds is None:
            self._rounds = asyncio.create_task(self._run(), name="refresh open pages")

    async def stop(self) -> None:
        """Stop refreshing. Browsers reload all data when they connect to the next process."""
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
                await self.refresh_pages(None if everything else changed)
            except Exception:
                log.exception("open pages could not be refreshed")
            await asyncio.sleep(max(PAUSE_S, monotonic() - begun))

    async def refresh_pages(self, changed: Collection[str] | None) -> None:
        """Refresh the pages that display changed data. Skip a page if its displayed data equal the current data.

        `changed` contains product ids and topics. If it is None, refresh all pages: Redis was unavailable, so changes
        may have been missed and stored Reflex states may be lost.
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
        """Read the data that all these pages display, and refresh the pages whose displayed data differ.

        If reading fails, refresh all these pages; each page then reads its data separately.
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
            while token in self._waiting:  # also after a failure: another change may have arrived
                try:
                    await self._update(token, self._waiting.pop(token))
                except Exception:
                    log.exception("an open page could not be refreshed")
        finally:
            del self._tasks[token]

    async def _update(self, token: str, due: Collection[Showing]) -> None:
        """Make these states of a page read their displayed data again.

        If one of them fails, the others are still updated. If the page's stored states were lost, let the browser
        connect again.
        """
        page = modify_page(self._app, token, next(iter(due)).state)
        # in this order: a page that waits for its customer's own event occupies no slot
        async with self._locks, page as root, self._places:
            has_to_start_over = await is_lost(root)  # a lost state has neither choices nor cart
            events: list[Event] = []
            for showing in due:
                state = await root.get_state(showing.state)
                if not has_to_start_over and address_of(state) == showing.address:
                    try:
                        events += await update_state(state)
                    except Exception:
                        log.exception("%s of an open page could not be refreshed", showing.state.__name__)
                else:
                    self._pages.forget(token, showing)
        if has_to_start_over:
            await start_over(self._app, token)
        else:
            await send_events(self._app, token, events)
