"""Pages of products that programs asked for, found again only after something changed that decides what is in them.

This is no cache by time or tag (spec: Storefront view rules 5): the request itself has read the version of lists, and
a page is given again only at the version that it was found at. A price changes no page, so what is left of an answer
is to read its products.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from cachetools import LRUCache
from fastapi import Request

from backend.catalog.api.list_queries import Page
from backend.catalog.schemas.store import ProductsParameters
from backend.edge.middleware.response_cache import MADE_OF, MadeOf, shows_only

MAX_BYTES = 4 * 1024 * 1024
"""How much memory the pages of a process may take; the least recently used go first."""
OVERHEAD, OF_AN_ID = 500, 90
"""What a page takes beside its query, and each id on it, in bytes."""
_NOT_OF_LISTS = frozenset({"price", "updated_at"})
"""Orders that change while the version of lists does not."""
_CHANGED = frozenset(
    {
        *("updated_at", "updated_then", "updated_after", "updated_from", "updated_before", "updated_until"),
        *("option_id", "option_value_id", "variant_id", "variant_sku", "variant_ean", "variant_title"),
    }
)

Key = tuple[bytes, str]


@dataclass(frozen=True, slots=True)
class _Found:
    """A page, the version of lists that it was found at, and how many bytes it takes."""

    lists: int
    page: Page
    size: int


class FoundPages:
    """The pages, by the request's query and its sales channel."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._pages: LRUCache[Key, _Found] = LRUCache(max_bytes, getsizeof=lambda found: found.size)

    @property
    def size(self) -> int:
        """Bytes that the pages take."""
        return int(self._pages.currsize)

    async def find(
        self, request: Request, channel: str, asked: ProductsParameters, read: Callable[[], Awaitable[Page]]
    ) -> Page:
        """The page that `read` finds; read again only after its list may have changed.

        Where lists decide of the page, its response shows only these products (`shows_only`).
        """
        made_of: MadeOf | None = request.scope.get(MADE_OF)
        if made_of is None or not _is_of_lists(asked):
            return await read()
        page = await self._of_lists((request.scope["query_string"], channel), made_of.version.lists, read)
        shows_only(request, page.ids)
        return page

    async def _of_lists(self, key: Key, lists: int, read: Callable[[], Awaitable[Page]]) -> Page:
        known = self._pages.get(key)
        if known is not None and known.lists == lists:
            return known.page
        page = await read()
        found = _Found(lists, page, _size(key, page))
        if found.size <= self._pages.maxsize:
            self._pages[key] = found
        return page


def _is_of_lists(asked: ProductsParameters) -> bool:
    """Whether the page is the same for as long as the version of lists is."""
    if (asked.order or "").removeprefix("-") in _NOT_OF_LISTS:
        return False
    return not any(_CHANGED & part.model_fields_set for part in asked.parts())


def _size(key: Key, page: Page) -> int:
    return len(key[0]) + OF_AN_ID * len(page.ids) + OVERHEAD
