"""What commands of the console script run with: an open database, or a whole shop."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from backend.settings import load_settings

if TYPE_CHECKING:
    from backend.database import Database
    from backend.shop import Shop

T = TypeVar("T")


def with_database(work: Callable[["Database"], Awaitable[T]], *, migrated: bool = False) -> T:
    """What `work` returns. It gets an open database; migrated before and nobody else's to open, if that is wanted."""
    from backend.database import Database
    from backend.migrations import upgrade
    from backend.opening.lock import alone

    async def run() -> T:
        database = Database.from_settings(load_settings())
        try:
            if not migrated:
                return await work(database)
            async with alone(database):
                await upgrade(database)
                return await work(database)
        finally:
            await database.close()

    return asyncio.run(run())


def with_shop(work: Callable[["Shop"], Awaitable[T]]) -> T:
    """What `work` returns. It gets a shop whose background work does not run."""
    from backend.shop import Shop

    async def run() -> T:
        shop = Shop(load_settings())
        try:
            return await work(shop)
        finally:
            await shop.stop()

    return asyncio.run(run())
