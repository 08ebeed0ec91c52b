"""All statements of the shop also work through PgBouncer in transaction mode."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import select

from backend.app import Shop, create_api
from backend.channels.models import PublishableKey
from backend.core.config.settings import Settings
from backend.jobs.models import Job
from backend.migrations.runner import upgrade
from backend.operations.demo.seed import seed
from backend.outbox.publisher import REVALIDATE_PATH
from tests.gateway_kit import serve_app
from tests.pgbouncer import needs_pgbouncer, run_pooler

pytestmark = needs_pgbouncer
VISITORS = 60


@pytest.fixture
def revalidated() -> asyncio.Event:
    """Return an event that is set when the storefront has received changed products."""
    return asyncio.Event()


@pytest.fixture
async def storefront(revalidated: asyncio.Event) -> AsyncIterator[str]:
    """Return the URL of a storefront that receives the changes of the demo's products."""
    app = FastAPI()

    @app.post(REVALIDATE_PATH)
    async def revalidate() -> None:
        revalidated.set()

    async with serve_app(app) as address:
        yield address


@pytest.fixture
async def shop(empty_postgresql_url: str, storefront: str, tmp_path: Path) -> AsyncIterator[Shop]:
    """Yield a started shop with demo data, whose database is reached only through the pooler."""
    with run_pooler(empty_postgresql_url) as url:
        settings = Settings(
            data_dir=tmp_path,
            database_url=url,
            database_pooler="transaction",
            storefront_url=storefront,
        )
        shop = Shop(settings)
        await upgrade(shop.database)
        await seed(shop.database, settings)
        await shop.start()
        yield shop
        await shop.stop()


async def test_many_visitors_are_served_through_the_pooler(shop: Shop, revalidated: asyncio.Event) -> None:
    async with shop.database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
    transport = httpx.ASGITransport(create_api(shop))
    async with httpx.AsyncClient(
        transport=transport, base_url="http://shop", headers={"x-publishable-api-key": key}, timeout=60
    ) as client:

        async def visit(number: int) -> int:
            paths = (
                "/store/products?limit=5",
                f"/store/products?offset={number}",
                "/store/regions",
                "/readyz",
            )
            answers = [await client.get(path) for path in paths]
            answers.append(await client.post("/store/carts", json={}))
            return sum(answer.status_code != 200 for answer in answers)

        assert sum(await asyncio.gather(*map(visit, range(VISITORS)))) == 0
    async with asyncio.timeout(60):
        await revalidated.wait()
    async with shop.database.read() as session:
        assert (await session.execute(select(Job.kind).where(Job.failures > 0))).all() == []
