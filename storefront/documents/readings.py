"""Readings that are taken again for as long as nothing they are made of has changed.

This is no cache by time or tag (spec: Storefront view rules 5): the database is asked before each document whether the
catalogue or the stock has changed since (`backend/catalog/version_probe.py`).
"""

from collections.abc import Awaitable, Callable

from cachetools import LRUCache

from backend.app import current_shop
from backend.catalog.version_probe import Version
from backend.single_flight import SingleFlight
from storefront.documents.addresses import Address
from storefront.documents.reading import Reading, read_nowhere, read_page
from storefront.pages.routes import Page

ROOM = 16 * 2**20
"""Bytes of seeds that are kept; the ones asked for least lately go first."""


class Readings:
    """What documents are made of, read at most once for each state of the catalogue and the stock."""

    def __init__(self, room: int = ROOM) -> None:
        self._reading = SingleFlight[str, Reading]()
        self._kept: LRUCache[str, tuple[Version, Reading]] = LRUCache(
            room, getsizeof=lambda kept: len(kept[1].seed)
        )

    async def page(self, page: Page, address: Address) -> Reading:
        """What the page shows at this address.

        Raises:
            Exception: the page's loader failed.
        """
        return await self._ask(address.url, lambda: read_page(page, address), is_kept=page.is_public)

    async def nowhere(self) -> Reading:
        """What an address shows that leads nowhere.

        Raises:
            Exception: the departments could not be read.
        """
        return await self._ask("", read_nowhere, is_kept=True)

    async def _ask(self, name: str, read: Callable[[], Awaitable[Reading]], *, is_kept: bool) -> Reading:
        if not is_kept:
            return await self._reading.share_next(name, read)
        version = (
            await current_shop().catalog_version.now()
        )  # before the reading, which is never older than it says
        kept = self._kept.get(name)
        if kept is not None and kept[0] == version:
            return kept[1]
        reading = await self._reading.share_next(name, read)
        if len(reading.seed) <= self._kept.maxsize:
            self._kept[name] = (version, reading)
        return reading
