"""First reservations, and reservations that are extended for an order: their statements and events."""

from collections.abc import Mapping
from datetime import timedelta

import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.inventory import service, stock_fulfillment
from backend.inventory.events import StockChanged
from backend.inventory.models import InventoryLevel, Reservation
from tests.store_defaults import Defaults, add_product, set_up_defaults

SOON = timedelta(minutes=30)


@pytest.fixture
async def defaults(database: Database, settings: Settings) -> Defaults:
    return await set_up_defaults(database, settings)


async def _make_variants(database: Database, defaults: Defaults, **stock: int) -> list[str]:
    async with database.transaction() as session:
        return [await add_product(session, defaults, handle, stock=units) for handle, units in stock.items()]


async def _reserve(database: Database, holder: str, wanted: Mapping[str, int], *, is_first: bool) -> None:
    async with database.transaction() as session:
        await service.reserve(session, holder, wanted, now() + SOON, is_first=is_first)


async def _list_ends(session: AsyncSession, holder: str) -> set[object]:
    query = select(Reservation.expires_at).where(Reservation.holder == holder)
    return set((await session.execute(query)).scalars())


async def test_first_reservation_replaces_an_expired_one(database: Database, defaults: Defaults) -> None:
    [trompo] = await _make_variants(database, defaults, trompo=1)
    await _reserve(database, "cart_gone", {trompo: 1}, is_first=True)
    async with database.transaction() as session:
        await session.execute(update(Reservation).values(expires_at=now() - SOON))
    await _reserve(database, "cart_here", {trompo: 1}, is_first=True)
    async with database.read() as session:
        assert (await session.execute(select(Reservation.holder))).scalars().all() == ["cart_here"]
        assert (await session.execute(select(InventoryLevel.reserved))).scalars().all() == [1]


async def test_first_reservation_publishes_the_available_units(
    database: Database, defaults: Defaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[StockChanged] = []

    async def publish(_session: AsyncSession, event: StockChanged) -> None:
        told.append(event)

    monkeypatch.setattr(service, "publish", publish)
    trompo, yoyo = await _make_variants(database, defaults, trompo=5, yoyo=2)
    told.clear()
    await _reserve(database, "cart_a", {trompo: 2, yoyo: 2}, is_first=True)
    assert told == [StockChanged({trompo: -2, yoyo: -2}, {trompo: 3, yoyo: 0})]


async def test_reservation_for_an_order_can_be_made_permanent(database: Database, defaults: Defaults) -> None:
    trompo, yoyo = await _make_variants(database, defaults, trompo=5, yoyo=2)
    wanted = {trompo: 2, yoyo: 1}
    await _reserve(database, "cart_a", wanted, is_first=True)
    async with database.transaction() as session:
        assert await service.set_reservation_end(session, "cart_a", wanted, None)
        assert await _list_ends(session, "cart_a") == {None}


async def test_missing_or_partial_reservation_is_not_extended(database: Database, defaults: Defaults) -> None:
    trompo, yoyo = await _make_variants(database, defaults, trompo=5, yoyo=2)
    wanted = {trompo: 2, yoyo: 1}
    async with database.transaction() as session:
        assert not await service.set_reservation_end(session, "cart_a", wanted, None)
    await _reserve(database, "cart_a", wanted, is_first=True)
    async with database.transaction() as session:
        await stock_fulfillment.release_units(session, "cart_a", {yoyo: 1})
    async with database.transaction() as session:
        assert not await service.set_reservation_end(session, "cart_a", wanted, None)
        assert None not in await _list_ends(session, "cart_a")
