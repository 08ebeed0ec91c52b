"""Stock: atomic, never negative, never oversold (design: decision 4)."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import pytest
from sqlalchemy import ColumnElement, delete, literal, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import InsufficientStock
from backend.inventory import service, stock_fulfillment
from backend.inventory.events import StockChanged
from backend.inventory.levels import lock_reservations
from backend.inventory.models import InventoryLevel, Reservation
from backend.inventory.statements import available_units_query
from backend.shipping.models import StockLocation
from tests.store_defaults import Defaults, add_product, set_up_defaults

SOON = timedelta(minutes=30)


@pytest.fixture
async def defaults(database: Database, settings: Settings) -> Defaults:
    return await set_up_defaults(database, settings)


async def _make_variant(database: Database, defaults: Defaults, stock: int, handle: str = "trompo") -> str:
    async with database.transaction() as session:
        return await add_product(session, defaults, handle, stock=stock)


async def _read_available(database: Database, variant: str, holder: str | None = None) -> int:
    async with database.read() as session:
        return (await service.read_available_units(session, [variant], holder=holder))[variant]


async def test_reserved_units_are_available_only_to_the_holder(
    database: Database, defaults: Defaults
) -> None:
    trompo = await _make_variant(database, defaults, stock=3)
    async with database.transaction() as session:
        await service.reserve(session, "cart_a", {trompo: 2}, now() + SOON)
    assert await _read_available(database, trompo) == 1
    assert await _read_available(database, trompo, holder="cart_a") == 3


async def test_second_reservation_of_the_same_holder_replaces_the_first(
    database: Database, defaults: Defaults
) -> None:
    trompo = await _make_variant(database, defaults, stock=3)
    for units in (2, 3, 1):
        async with database.transaction() as session:
            await service.reserve(session, "cart_a", {trompo: units}, now() + SOON)
    assert await _read_available(database, trompo) == 2


async def test_request_for_more_units_than_available_reserves_nothing(
    database: Database, defaults: Defaults
) -> None:
    trompo, yoyo = (
        await _make_variant(database, defaults, 5, "trompo"),
        await _make_variant(database, defaults, 1, "yoyo"),
    )
    with pytest.raises(InsufficientStock):
        async with database.transaction() as session:
            await service.reserve(session, "cart_a", {trompo: 1, yoyo: 2}, now() + SOON)
    assert await _read_available(database, trompo) == 5
    assert await _read_available(database, yoyo) == 1


async def test_expired_reservation_does_not_block_the_last_unit(
    database: Database, defaults: Defaults
) -> None:
    trompo = await _make_variant(database, defaults, stock=1)
    async with database.transaction() as session:
        await service.reserve(session, "cart_gone", {trompo: 1}, now() - timedelta(seconds=1))
    async with database.transaction() as session:
        await service.reserve(session, "cart_here", {trompo: 1}, now() + SOON)
    async with database.read() as session:
        assert (await session.execute(select(Reservation.holder))).scalars().all() == ["cart_here"]


async def test_reservation_that_expires_during_a_release_is_released_later(
    database: Database, defaults: Defaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Let a reservation expire during a release: only the next one releases it and reports its units."""
    trompo, yoyo = (
        await _make_variant(database, defaults, 3, "trompo"),
        await _make_variant(database, defaults, 3, "yoyo"),
    )
    async with database.transaction() as session:
        await service.reserve(session, "cart_gone", {trompo: 1}, now() - SOON)
        await service.reserve(session, "cart_late", {yoyo: 2}, now() + SOON)
    told: list[StockChanged] = []

    async def publish(_session: AsyncSession, event: StockChanged) -> None:
        told.append(event)

    async def after_the_end(session: AsyncSession, which: ColumnElement[bool]) -> Sequence[Reservation]:
        late = update(Reservation).where(Reservation.holder == "cart_late")
        await session.execute(late.values(expires_at=now() - SOON))
        return await lock_reservations(session, which)

    monkeypatch.setattr("backend.inventory.levels.publish", publish)
    monkeypatch.setattr(service, "lock_reservations", after_the_end)
    for released in ({trompo: 1}, {yoyo: 2}):
        told.clear()
        async with database.transaction() as session:
            assert await service.release_expired(session) == 1
        assert told == [StockChanged(released)]
    assert (await _read_available(database, trompo), await _read_available(database, yoyo)) == (3, 3)


async def test_confirmed_reservation_never_expires_and_a_released_one_frees_its_units(
    database: Database, defaults: Defaults
) -> None:
    trompo = await _make_variant(database, defaults, stock=2)
    async with database.transaction() as session:
        await service.reserve(session, "paid", {trompo: 1}, now() + SOON)
        await service.reserve(session, "lost", {trompo: 1}, now() + SOON)
        await service.confirm(session, "paid")
        await service.release(session, "lost")
        await service.release(session, "lost")
    async with database.transaction() as session:
        assert await service.release_expired(session) == 0
        assert await service.read_reserved_units(session, "paid") == {trompo: 1}
    assert await _read_available(database, trompo) == 1


async def test_units_of_a_fulfillment_are_subtracted_from_stock_and_reservation(
    database: Database, defaults: Defaults
) -> None:
    trompo = await _make_variant(database, defaults, stock=5)
    async with database.transaction() as session:
        await service.reserve(session, "paid", {trompo: 3}, None)
        await stock_fulfillment.fulfill(session, "paid", {trompo: 2})
    async with database.read() as session:
        level = (await session.execute(select(InventoryLevel))).scalar_one()
        assert (level.stocked, level.reserved) == (3, 1)
    with pytest.raises(InsufficientStock):
        async with database.transaction() as session:
            await stock_fulfillment.fulfill(session, "paid", {trompo: 2})


async def test_stock_is_never_set_below_what_is_reserved(database: Database, defaults: Defaults) -> None:
    trompo = await _make_variant(database, defaults, stock=5)
    async with database.transaction() as session:
        await service.reserve(session, "paid", {trompo: 3}, None)
        level = await service.set_stock(session, trompo, defaults.location_id, 1)
        assert level.stocked == 3


async def test_first_units_at_a_location_can_be_sold(database: Database, defaults: Defaults) -> None:
    trompo = await _make_variant(database, defaults, stock=5)
    async with database.transaction() as session:
        await session.execute(delete(InventoryLevel))
    async with database.transaction() as session:
        level = await service.set_stock(session, trompo, defaults.location_id, 4)
        assert (level.variant_id, level.location_id, level.stocked) == (trompo, defaults.location_id, 4)
    assert await _read_available(database, trompo) == 4


async def test_release_of_more_units_than_reserved_is_refused(database: Database, defaults: Defaults) -> None:
    trompo = await _make_variant(database, defaults, stock=5)
    async with database.transaction() as session:
        await service.reserve(session, "paid", {trompo: 3}, None)
    with pytest.raises(InsufficientStock):
        async with database.transaction() as session:
            await stock_fulfillment.release_units(session, "paid", {trompo: 4})
    assert await _read_available(database, trompo) == 2
    async with database.transaction() as session:
        await stock_fulfillment.release_units(session, "paid", {trompo: 2})
    assert await _read_available(database, trompo) == 4


async def test_fulfillment_of_one_product_leaves_the_others_reserved(
    database: Database, defaults: Defaults
) -> None:
    trompo, yoyo = (
        await _make_variant(database, defaults, 5, "trompo"),
        await _make_variant(database, defaults, 5, "yoyo"),
    )
    async with database.transaction() as session:
        await service.reserve(session, "paid", {trompo: 2, yoyo: 1}, None)
        await stock_fulfillment.fulfill(session, "paid", {yoyo: 1})
        assert await service.read_reserved_units(session, "paid") == {trompo: 2}


async def test_concurrent_shoppers_never_reserve_more_units_than_exist(
    database: Database, defaults: Defaults
) -> None:
    trompo, yoyo = (
        await _make_variant(database, defaults, 5, "trompo"),
        await _make_variant(database, defaults, 20, "yoyo"),
    )

    async def shop(number: int) -> bool:
        wanted = {trompo: 1, yoyo: 1} if number % 2 else {yoyo: 1, trompo: 1}
        try:
            async with database.transaction() as session:
                await service.reserve(session, f"cart_{number}", wanted, now() + SOON)
        except InsufficientStock:
            return False
        return True

    served = await asyncio.gather(*(shop(number) for number in range(30)))
    assert sum(served) == 5
    assert await _read_available(database, trompo) == 0
    assert await _read_available(database, yoyo) == 15


async def test_units_of_a_cancelled_fulfillment_are_added_to_the_reservation(
    database: Database, defaults: Defaults
) -> None:
    trompo = await _make_variant(database, defaults, stock=5)
    async with database.transaction() as session:
        await service.reserve(session, "order_a", {trompo: 3}, now() + SOON)
        await stock_fulfillment.fulfill(session, "order_a", {trompo: 2})
        await stock_fulfillment.cancel_fulfillment(session, "order_a", {defaults.location_id: {trompo: 2}})
    async with database.read() as session:
        level = (await session.execute(select(InventoryLevel))).scalar_one()
        assert (level.stocked, level.reserved) == (5, 3)
        assert (await session.execute(select(Reservation.quantity))).scalar_one() == 3


async def test_available_units_of_no_variants_are_an_empty_result(database: Database) -> None:
    async with database.read() as session:
        assert await service.read_available_units(session, []) == {}


async def test_moving_a_reservation_to_its_own_location_changes_nothing(
    database: Database, defaults: Defaults
) -> None:
    trompo = await _make_variant(database, defaults, stock=3)
    async with database.transaction() as session:
        await service.reserve(session, "cart_a", {trompo: 2}, now() + SOON)
        await stock_fulfillment.move_reservation(session, "cart_a", {trompo: 2}, defaults.location_id)
    async with database.read() as session:
        assert await stock_fulfillment.read_reserved_by_location(session, "cart_a") == {
            defaults.location_id: {trompo: 2}
        }
    assert await _read_available(database, trompo) == 1


async def test_moving_more_units_than_reserved_is_refused(database: Database, defaults: Defaults) -> None:
    """Check that free units of the location are not moved instead of reserved ones."""
    trompo = await _make_variant(database, defaults, stock=3)
    async with database.transaction() as session:
        await service.reserve(session, "cart_a", {trompo: 1}, now() + SOON)
    with pytest.raises(InsufficientStock):
        async with database.transaction() as session:
            await stock_fulfillment.move_reservation(session, "cart_a", {trompo: 2}, defaults.location_id)
    assert await _read_available(database, trompo) == 2


async def test_units_of_a_cancelled_fulfillment_return_only_to_the_location_they_left(
    database: Database, defaults: Defaults
) -> None:
    trompo, yoyo = (
        await _make_variant(database, defaults, 5, "trompo"),
        await _make_variant(database, defaults, 5, "yoyo"),
    )
    async with database.transaction() as session:
        await service.reserve(session, "cart_a", {trompo: 2, yoyo: 1}, now() + SOON)
        taken = await stock_fulfillment.fulfill(session, "cart_a", {trompo: 2, yoyo: 1})
        back = {defaults.location_id: {**taken[defaults.location_id], yoyo: 0}}
        await stock_fulfillment.cancel_fulfillment(session, "cart_a", back)
    async with database.read() as session:
        rows = await session.execute(
            select(InventoryLevel.variant_id, InventoryLevel.stocked, InventoryLevel.reserved)
        )
        assert {row[0]: (row[1], row[2]) for row in rows} == {trompo: (5, 2), yoyo: (4, 0)}


async def add_location(database: Database, variant: str, stocked: int) -> str:
    """Create a second location with units of this variant. Return its id."""
    async with database.transaction() as session:
        location = StockLocation(name="Bodega")
        session.add(location)
        await session.flush()
        session.add(InventoryLevel(variant_id=variant, location_id=location.id, stocked=stocked))
        return location.id


async def test_split_reservation_moves_completely_to_one_of_its_locations(
    database: Database, defaults: Defaults
) -> None:
    trompo = await _make_variant(database, defaults, stock=2)
    other = await add_location(database, trompo, 3)
    async with database.transaction() as session:
        await service.reserve(session, "cart_a", {trompo: 3}, now() + SOON)
    async with database.transaction() as session:
        await stock_fulfillment.move_reservation(session, "cart_a", {trompo: 3}, other)
    async with database.read() as session:
        moved = await stock_fulfillment.read_reserved_by_location(session, "cart_a")
        ends = set((await session.execute(select(Reservation.expires_at))).scalars())
    assert (moved, len(ends), None in ends) == ({other: {trompo: 3}}, 1, False)
    assert await _read_available(database, trompo) == 2


async def test_repeated_reservation_changes_only_its_expiry(database: Database, defaults: Defaults) -> None:
    trompo = await _make_variant(database, defaults, stock=3)
    until = now() + SOON
    for end in (until, until + SOON):
        async with database.transaction() as session:
            assert await service.reserve(session, "cart_a", {trompo: 2}, end) is True
    async with database.read() as session:
        assert (await session.execute(select(Reservation.expires_at))).scalars().all() == [until + SOON]


async def test_admit_callback_is_called_with_the_free_units(database: Database, defaults: Defaults) -> None:
    """Check that the cart's own and expired reservations count as free, and that None from `admit` reserves nothing."""
    trompo = await _make_variant(database, defaults, stock=5)
    until = now() + SOON
    seen: list[dict[str, int]] = []
    for holder, end in (("cart_a", until), ("cart_gone", now() - SOON), ("cart_b", until)):
        async with database.transaction() as session:
            await service.reserve(session, holder, {trompo: 1}, end)

    async def admit(free: Mapping[str, int]) -> datetime | None:
        seen.append(dict(free))
        return until if len(seen) == 1 else None

    for is_reserved in (True, False):
        async with database.transaction() as session:
            assert await service.reserve(session, "cart_a", {trompo: 2}, None, admit=admit) is is_reserved
    assert seen == [{trompo: 4}, {trompo: 4}]
    assert await _read_available(database, trompo) == 4


async def test_unknown_variant_has_no_available_units(database: Database) -> None:
    async with database.read() as session:
        assert await service.read_available_units(session, ["variant_none"]) == {"variant_none": 0}


async def test_available_units_of_one_variant_include_those_of_the_holder(
    database: Database, defaults: Defaults
) -> None:
    trompo = await _make_variant(database, defaults, 3, "trompo")
    yoyo = await _make_variant(database, defaults, 7, "yoyo")
    async with database.transaction() as session:
        await service.reserve(session, "cart_a", {trompo: 2}, now() + SOON)
    async with database.read() as session:
        for variant, holder, units in ((trompo, "cart_a", 3), (trompo, "cart_b", 1), (yoyo, "cart_b", 7)):
            query = select(available_units_query(literal(variant)))
            assert (await session.execute(query, {"holder": holder})).scalar_one() == units
