"""Readings that are taken again for as long as nothing they are made of has changed.

This is no cache by time or tag (spec: Storefront view rules 5): the database is asked before each document whether the
catalogue or the stock has changed since (`backend/catalog/version.py`).
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable

from backend.app import current_shop
from backend.catalog.version import Version
from storefront.documents.addresses import Address
from storefront.documents.reading import Reading, read_nowhere, read_page
from storefront.documents.together import Together
from storefront.pages.routes import Page

ROOM = 16 * 2**20
"""Bytes of seeds that are kept; the ones asked for least lately go first."""


class Readings:
    """What documents are made of, read at most once for each state of the catalogue and the stock."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._size = 0
        self._together: Together[Reading] = Together()
        self._kept: OrderedDict[str, tuple[Version, Reading]] = OrderedDict()

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
            return await self._together.ask(name, read)
        version = await current_shop().versions.now()  # before the reading, which is never older than it says
        kept = self._kept.get(name)
        if kept is not None and kept[0] == version:
            self._kept.move_to_end(name)
            return kept[1]
        reading = await self._together.ask(name, read)
        self._keep(name, version, reading)
        return reading

    def _keep(self, name: str, version: Version, reading: Reading) -> None:
        if (former := self._kept.pop(name, None)) is not None:
            self._size -= len(former[1].seed)
        self._kept[name] = (version, reading)
        self._size += len(reading.seed)
        while self._size > self._room:
            _, (_, oldest) = self._kept.popitem(last=False)
            self._size -= len(oldest.seed)
