"""A shop that sells while something else of it is measured."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, closing
from itertools import count
from typing import Any

from sqlalchemy import select

from backend.channels.models import PublishableKey
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from tests.bench import scene, toys
from tests.bench.load import connect
from tests.bench.purchase import buy, buyers_address
from tests.ports import free_port

SECONDS_BETWEEN = 0.5
"""From the end of a purchase to the beginning of the next one."""


@asynccontextmanager
async def beside(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run this meanwhile. It has no end of its own; what it raises is raised when the block is left."""
    running = asyncio.create_task(work)
    yield
    running.cancel()
    await asyncio.wait([running])
    if not running.cancelled():
        running.result()


@asynccontextmanager
async def selling(database: Database, settings: Settings) -> AsyncIterator[None]:
    """Open the shop on this database, in processes of its own, and let one guest after the other buy there."""
    async with database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
    variants = await toys.some_variants(database, 100)
    opened = settings.model_copy(update={"port": free_port(), "trusted_proxies": "127.0.0.1"})

    async def sell() -> None:
        connection = await connect(opened.port)
        with closing(connection):  # the shop would wait for it when it closes
            for number in count():
                headers = {"x-publishable-api-key": key, "x-forwarded-for": buyers_address(number)}
                await buy(connection.ask_json, headers, variants[number % len(variants)])
                await asyncio.sleep(SECONDS_BETWEEN)

    async with scene.shop_process(opened), beside(sell()):
        yield
