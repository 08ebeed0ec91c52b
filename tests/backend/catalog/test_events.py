"""A change of stock that shows is a change of the product; one that does not show is none."""

from datetime import timedelta

import pytest
from sqlalchemy import delete, select

from backend import subscriptions  # noqa: F401 - makes the listeners known
from backend.cart.lines import MAX_QUANTITY
from backend.catalog.models import Variant
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.inventory import service as inventory
from backend.inventory import stock_fulfillment
from backend.outbox.models import OutboxEvent
from tests.store_defaults import Defaults, make_toy, set_up_defaults

SOON = timedelta(minutes=30)


@pytest.fixture
async def defaults(database: Database, settings: Settings) -> Defaults:
    return await set_up_defaults(database, settings)


async def toy(database: Database, defaults: Defaults, stock: int, handle: str = "trompo") -> str:
    async with database.transaction() as session:
        variant = await make_toy(session, defaults, handle, stock=stock)
        await session.execute(delete(OutboxEvent))
    return variant


async def told(database: Database) -> list[str]:
    """Which products were told of since the last time, by their variants."""
    async with database.transaction() as session:
        rows = await session.execute(
            select(Variant.id)
            .join(OutboxEvent, OutboxEvent.product_id == Variant.product_id)
            .order_by(OutboxEvent.id)
        )
        await session.execute(delete(OutboxEvent))
        return list(rows.scalars())


async def hold(database: Database, cart: str, units: dict[str, int], minutes: int = 30) -> None:
    async with database.transaction() as session:
        await inventory.reserve(session, cart, units, now() + timedelta(minutes=minutes))


async def test_a_hold_and_its_end_change_what_is_seen(database: Database, defaults: Defaults) -> None:
    trompo, yoyo = await toy(database, defaults, 3), await toy(database, defaults, 2, "yoyo")
    await hold(database, "cart_a", {trompo: 3})
    assert await told(database) == [trompo]
    async with database.transaction() as session:
        await inventory.release(session, "cart_a")
    assert await told(database) == [trompo]
    await hold(database, "cart_a", {trompo: 1, yoyo: 1})
    assert sorted(await told(database)) == sorted([trompo, yoyo])


async def test_renewing_the_same_hold_changes_nothing(database: Database, defaults: Defaults) -> None:
    trompo = await toy(database, defaults, 3)
    await hold(database, "cart_a", {trompo: 2})
    await told(database)
    await hold(database, "cart_a", {trompo: 2})
    assert await told(database) == []


async def test_expired_reservations_come_back_into_sight(database: Database, defaults: Defaults) -> None:
    trompo = await toy(database, defaults, 1)
    await hold(database, "cart_a", {trompo: 1}, minutes=-1)
    await told(database)
    async with database.transaction() as session:
        assert await inventory.release_expired(session) == 1
    assert await told(database) == [trompo]


async def test_a_parcel_that_leaves_takes_only_what_was_sold_already(
    database: Database, defaults: Defaults
) -> None:
    trompo = await toy(database, defaults, 3)
    await hold(database, "cart_a", {trompo: 2})
    await told(database)
    async with database.transaction() as session:
        await stock_fulfillment.fulfill(session, "cart_a", {trompo: 2})
    assert await told(database) == []


async def test_a_count_changes_what_is_seen_and_the_same_count_does_not(
    database: Database, defaults: Defaults
) -> None:
    trompo = await toy(database, defaults, 3)
    for count, expected in ((0, [trompo]), (0, []), (7, [trompo])):
        async with database.transaction() as session:
            await inventory.set_stock(session, trompo, defaults.location_id, count)
        assert await told(database) == expected


async def test_a_first_count_is_seen(database: Database, defaults: Defaults) -> None:
    trompo = await toy(database, defaults, 3)
    async with database.transaction() as session:
        await inventory.set_stock(session, trompo, "sloc_another", 4)
    assert await told(database) == [trompo]


async def test_one_unit_of_very_many_is_not_seen(database: Database, defaults: Defaults) -> None:
    trompo = await toy(database, defaults, MAX_QUANTITY + 2)
    await hold(database, "cart_a", {trompo: 1})
    assert await told(database) == []
    await hold(database, "cart_b", {trompo: 1})
    assert await told(database) == [trompo]  # now fewer than a cart could hold
