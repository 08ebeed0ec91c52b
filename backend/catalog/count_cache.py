"""Numbers of products that pages show, counted again only after something changed that decides of them.

Counting looks through every product: with 100,000 of them it took a second of each page. This is no cache by time or
tag (spec: Storefront view rules 5): the catalogue's version is read first, and a number is given again only at the
version that it was counted at.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import TypeVar, cast

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.derived_models import CatalogVersion
from backend.core.db.database import known_values

T = TypeVar("T")


@dataclass(slots=True)
class _Number:
    """What was counted, and the version that it holds for: a later one may be a lower number on PostgreSQL."""

    version: int = -1
    value: object = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


_VERSION = select(CatalogVersion.lists, CatalogVersion.catalog).where(CatalogVersion.id == 1)


async def counted(
    session: AsyncSession, name: Hashable, count: Callable[[], Awaitable[T]], *, of_prices: bool = False
) -> T:
    """What `count` finds in a session for reading; counted again only after lists have changed.

    `name` says all that the value depends on besides the database; nobody changes the value. With `of_prices` it is
    counted again after any change of the catalogue. One reader of a process counts, and those beside it wait. What a
    transaction counts is not kept: it may see what is never committed.
    """
    known = known_values(session)
    if known is None:
        return await count()
    lists, catalog = (await session.execute(_VERSION)).one()
    version = catalog if of_prices else lists
    number: _Number = known.setdefault(name, _Number())
    async with number.lock:
        if number.version != version:
            number.value, number.version = await count(), version
        return cast("T", number.value)
