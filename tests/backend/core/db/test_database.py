"""The two databases behave alike."""

import asyncio
from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import ARRAY, String, any_, bindparam, select, text

from backend.catalog.models import Collection, Product
from backend.core.db.database import Database, lock_rows
from backend.core.errors import InvalidData


async def test_transaction_is_stored_completely_or_not_at_all(database: Database) -> None:
    async def fail_half_way() -> None:
        async with database.transaction() as session:
            session.add(Collection(title="A", handle="a"))
            await session.flush()
            raise LookupError

    with pytest.raises(LookupError):
        await fail_half_way()
    async with database.read() as session:
        assert (await session.execute(select(Collection))).all() == []


async def test_times_are_aware_utc_and_naive_times_are_refused(database: Database) -> None:
    noon_in_bogota = datetime(2026, 1, 2, 12, tzinfo=timezone(timedelta(hours=-5)))
    async with database.transaction() as session:
        session.add(Collection(title="A", handle="a", created_at=noon_in_bogota))
    async with database.read() as session:
        kept = (await session.execute(select(Collection.created_at))).scalar_one()
    assert kept == noon_in_bogota
    assert kept.tzinfo == UTC
    with pytest.raises(Exception, match="aware"):
        async with database.transaction() as session:
            session.add(Collection(title="B", handle="b", created_at=datetime(2026, 1, 1)))  # noqa: DTZ001


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"])
async def test_unstorable_text_is_refused_by_both_databases(database: Database, text: str) -> None:
    with pytest.raises(InvalidData):
        async with database.transaction() as session:
            session.add(Collection(title=text, handle="a"))
    with pytest.raises(InvalidData):
        async with database.transaction() as session:
            session.add(Collection(title="A", handle="a", meta={"note": text}))


async def test_concurrent_writers_wait_for_the_row_lock(database: Database) -> None:
    async with database.transaction() as session:
        session.add(Collection(title="0", handle="counter"))

    async def count_one_up() -> None:
        async with database.transaction() as session:
            row = (
                await session.execute(lock_rows(select(Collection).where(Collection.handle == "counter")))
            ).scalar_one()
            row.title = str(int(row.title) + 1)

    await asyncio.gather(*(count_one_up() for _ in range(20)))
    async with database.read() as session:
        assert (await session.execute(select(Collection.title))).scalar_one() == "20"


async def test_postgresql_connections_disable_jit_and_parallel_workers(
    postgresql_url: str,
) -> None:
    database = Database(postgresql_url)
    for way in (database.read, database.transaction):
        async with way() as session:
            shown = [
                (await session.execute(text(f"SHOW {name}"))).scalar_one()
                for name in ("jit", "max_parallel_workers_per_gather")
            ]
        assert shown == ["off", "0"]
    await database.close()


@pytest.mark.parametrize("odd", ["a\0b", "a\ud800b"])
async def test_list_parameter_with_unstorable_text_is_refused(postgresql_url: str, odd: str) -> None:
    """Send the list as a single parameter (`ANY`), as only PostgreSQL allows."""
    database = Database(postgresql_url)
    ids = bindparam("ids", ["prod_1", odd], type_=ARRAY(String))
    async with database.read() as session:
        with pytest.raises(InvalidData):
            await session.execute(select(Product.id).where(Product.id == any_(ids)))
    await database.close()
