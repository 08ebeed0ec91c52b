"""Cache of product counts that pages show, invalidated by the catalogue's version.

Counting reads every product: with 100,000 products it added a second to each page. The cache has no expiry time and
no tags (spec: Storefront view rules 5): each read first reads the catalogue's version, and uses a cached number
only if it was counted at that version.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import TypeVar, cast

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.derived_models import CatalogVersion
from backend.core.db.database import shared_values

T = TypeVar("T")


@dataclass(slots=True)
class _CachedCount:
    """A cached value and the version at which it was counted.

    Compare versions only for equality: on PostgreSQL, a later version may be a lower number.
    """

    version: int = -1
    value: object = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


_VERSION = select(CatalogVersion.lists, CatalogVersion.catalog).where(CatalogVersion.id == 1)


async def get_or_count(
    session: AsyncSession, name: Hashable, count: Callable[[], Awaitable[T]], *, of_prices: bool = False
) -> T:
    """Return the result of `count`, cached until `CatalogVersion.lists` changes.

    `name` must identify everything that the value depends on, except the database. Callers must not modify the
    value. With `of_prices`, the value is cached until `CatalogVersion.catalog` changes. In each process one caller
    counts while the others wait for its result. In a write transaction nothing is cached, because the count may
    include rows that are never committed.
    """
    cache = shared_values(session)
    if cache is None:
        return await count()
    lists, catalog = (await session.execute(_VERSION)).one()
    version = catalog if of_prices else lists
    cached: _CachedCount = cache.setdefault(name, _CachedCount())
    async with cached.lock:
        if cached.version != version:
            cached.value, cached.version = await count(), version
        return cast("T", cached.value)
