"""Everything that the shop asks PostgreSQL also passes through PgBouncer in transaction mode."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop, create_api
from backend.catalog.models import PublishableKey
from backend.demo.seed import seed
from backend.jobs.models import Job
from backend.migrations.runner import upgrade
from backend.outbox.publisher import REVALIDATE
from backend.settings import Settings
from tests.pgbouncer import needs_pgbouncer, pooled

pytestmark = needs_pgbouncer
AT_ONCE = 60


@pytest.fixture
async def shop(empty_postgresql_url: str, tmp_path: Path) -> AsyncIterator[Shop]:
    """A shop behind the pooler, migrated and filled through it, with its work in the background."""
    with pooled(empty_postgresql_url) as url:
        settings = Settings(data_dir=tmp_path, database_url=url, database_pooler="transaction")
        shop = Shop(settings)
        await upgrade(shop.database)
        await seed(shop.database, settings)
        await shop.start()
        yield shop
        await shop.stop()


async def test_a_crowd_is_served(shop: Shop) -> None:
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

        assert sum(await asyncio.gather(*map(visit, range(AT_ONCE)))) == 0
    async with shop.database.read() as session:
        failed = select(Job.kind).where(
            Job.failures > 0, Job.kind != REVALIDATE
        )  # nobody answers at PUBLIC_URL here
        assert (await session.execute(failed)).all() == []
