"""Cache of product list pages of the Store API, invalidated when `CatalogVersion.lists` changes.

The cache has no expiry time and no tags (spec: Storefront view rules 5): each request reads `CatalogVersion.lists`
first, and uses a page only if it was found at the same version. A change of a price does not invalidate a page,
because a page stores only ids: the products are read for each response.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from cachetools import LRUCache
from fastapi import Request

from backend.catalog.api.list_queries import Page
from backend.catalog.schemas.store import ProductsParameters
from backend.edge.middleware.response_cache import SOURCES_KEY, ResponseSources, declare_products

MAX_BYTES = 4 * 1024 * 1024
"""Memory of the cached pages in a process, in bytes; the least recently used pages are evicted first."""
PAGE_OVERHEAD_BYTES, BYTES_PER_ID = 500, 90
"""Estimated size of a page in bytes: its query string, `PAGE_OVERHEAD_BYTES`, and `BYTES_PER_ID` for each id."""
_UNTRACKED_ORDERS = frozenset({"price", "updated_at"})
"""Sort orders whose result can change while `CatalogVersion.lists` stays the same."""
_UNTRACKED_FILTERS = frozenset(
    {
        *("updated_at", "updated_then", "updated_after", "updated_from", "updated_before", "updated_until"),
        *("option_id", "option_value_id", "variant_id", "variant_sku", "variant_ean", "variant_title"),
    }
)

Key = tuple[bytes, str]


@dataclass(frozen=True, slots=True)
class _CachedPage:
    """A cached page of ids, the value of `CatalogVersion.lists` at which it was found, and its size in bytes."""

    lists: int
    page: Page
    size: int


class PageCache:
    """Cached pages of ids, by the request's query string and sales channel."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._pages: LRUCache[Key, _CachedPage] = LRUCache(max_bytes, getsizeof=lambda found: found.size)

    @property
    def size(self) -> int:
        """Total size of the cached pages in bytes."""
        return int(self._pages.currsize)

    async def find(
        self, request: Request, channel: str, params: ProductsParameters, read: Callable[[], Awaitable[Page]]
    ) -> Page:
        """Return the page that `read` returns.

        It is cached if it cannot change while `CatalogVersion.lists` stays the same. Then its products are
        declared as sources of the response (`declare_products`). So the cached response stays valid until one
        of these products, the lists or shared data changes.
        """
        made_of: ResponseSources | None = request.scope.get(SOURCES_KEY)
        if made_of is None or not _depends_only_on_lists(params):
            return await read()
        page = await self._find_cached((request.scope["query_string"], channel), made_of.version.lists, read)
        declare_products(request, page.ids)
        return page

    async def _find_cached(self, key: Key, lists: int, read: Callable[[], Awaitable[Page]]) -> Page:
        cached = self._pages.get(key)
        if cached is not None and cached.lists == lists:
            return cached.page
        page = await read()
        found = _CachedPage(lists, page, _size_in_bytes(key, page))
        if found.size <= self._pages.maxsize:
            self._pages[key] = found
        return page


def _depends_only_on_lists(params: ProductsParameters) -> bool:
    """Return True if the page cannot change while `CatalogVersion.lists` stays the same."""
    if (params.order or "").removeprefix("-") in _UNTRACKED_ORDERS:
        return False
    return not any(_UNTRACKED_FILTERS & part.model_fields_set for part in params.parts())


def _size_in_bytes(key: Key, page: Page) -> int:
    return len(key[0]) + BYTES_PER_ID * len(page.ids) + PAGE_OVERHEAD_BYTES
