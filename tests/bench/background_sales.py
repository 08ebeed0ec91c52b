"""Continuous sales in a shop while another part of it is measured."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, closing
from itertools import count
from typing import Any

from sqlalchemy import select

from backend.channels.models import PublishableKey
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from tests.bench import generated_products, servers
from tests.bench.load import connect
from tests.bench.purchase import buy, get_customer_ip
from tests.ports import find_free_port

PURCHASE_INTERVAL_S = 0.5
"""Seconds between the end of a purchase and the start of the next one."""


@asynccontextmanager
async def run_in_background(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run `work` in the background until the block ends. If it has failed by then, raise its error."""
    running = asyncio.create_task(work)
    yield
    running.cancel()
    await asyncio.wait([running])
    if not running.cancelled():
        running.result()


@asynccontextmanager
async def sell_in_background(database: Database, settings: Settings) -> AsyncIterator[None]:
    """Run a shop on this database in separate processes, and buy in it as a guest, again and again."""
    async with database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
    variants = await generated_products.sample_variants(database, 100)
    shop_settings = settings.model_copy(update={"port": find_free_port(), "trusted_proxies": "127.0.0.1"})

    async def sell() -> None:
        connection = await connect(shop_settings.port)
        with closing(connection):  # an open connection would delay the shop's shutdown
            for number in count():
                headers = {"x-publishable-api-key": key, "x-forwarded-for": get_customer_ip(number)}
                await buy(connection.send_json, headers, variants[number % len(variants)])
                await asyncio.sleep(PURCHASE_INTERVAL_S)

    async with servers.start_shop(shop_settings), run_in_background(sell()):
        yield
