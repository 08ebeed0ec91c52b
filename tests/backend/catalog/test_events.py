"""A change of the displayed stock publishes a product change; other changes of the stock do not."""

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
from tests.store_defaults import Defaults, add_product, set_up_defaults

SOON = timedelta(minutes=30)


@pytest.fixture
async def defaults(database: Database, settings: Settings) -> Defaults:
    return await set_up_defaults(database, settings)


async def toy(database: Database, defaults: Defaults, stock: int, handle: str = "trompo") -> str:
    async with database.transaction() as session:
        variant = await add_product(session, defaults, handle, stock=stock)
        await session.execute(delete(OutboxEvent))
    return variant


async def read_published_variants(database: Database) -> list[str]:
    """Return the variants of the products whose changes were published since the previous call."""
    async with database.transaction() as session:
        rows = await session.execute(
            select(Variant.id)
            .join(OutboxEvent, OutboxEvent.product_id == Variant.product_id)
            .order_by(OutboxEvent.id)
        )
        await session.execute(delete(OutboxEvent))
        return list(rows.scalars())


async def hold_units(database: Database, cart: str, units: dict[str, int], minutes: int = 30) -> None:
    async with database.transaction() as session:
        await inventory.reserve(session, cart, units, now() + timedelta(minutes=minutes))


async def test_reserving_and_releasing_units_changes_the_displayed_stock(
    database: Database, defaults: Defaults
) -> None:
    trompo, yoyo = await toy(database, defaults, 3), await toy(database, defaults, 2, "yoyo")
    await hold_units(database, "cart_a", {trompo: 3})
    assert await read_published_variants(database) == [trompo]
    async with database.transaction() as session:
        await inventory.release(session, "cart_a")
    assert await read_published_variants(database) == [trompo]
    await hold_units(database, "cart_a", {trompo: 1, yoyo: 1})
    assert sorted(await read_published_variants(database)) == sorted([trompo, yoyo])


async def test_repeated_reservation_does_not_change_the_displayed_stock(
    database: Database, defaults: Defaults
) -> None:
    trompo = await toy(database, defaults, 3)
    await hold_units(database, "cart_a", {trompo: 2})
    await read_published_variants(database)
    await hold_units(database, "cart_a", {trompo: 2})
    assert await read_published_variants(database) == []


async def test_expired_reservations_change_the_displayed_stock(
    database: Database, defaults: Defaults
) -> None:
    trompo = await toy(database, defaults, 1)
    await hold_units(database, "cart_a", {trompo: 1}, minutes=-1)
    await read_published_variants(database)
    async with database.transaction() as session:
        assert await inventory.release_expired(session) == 1
    assert await read_published_variants(database) == [trompo]


async def test_shipment_does_not_change_the_displayed_stock(database: Database, defaults: Defaults) -> None:
    trompo = await toy(database, defaults, 3)
    await hold_units(database, "cart_a", {trompo: 2})
    await read_published_variants(database)
    async with database.transaction() as session:
        await stock_fulfillment.fulfill(session, "cart_a", {trompo: 2})
    assert await read_published_variants(database) == []


async def test_only_a_different_stock_count_changes_the_displayed_stock(
    database: Database, defaults: Defaults
) -> None:
    trompo = await toy(database, defaults, 3)
    for count, expected in ((0, [trompo]), (0, []), (7, [trompo])):
        async with database.transaction() as session:
            await inventory.set_stock(session, trompo, defaults.location_id, count)
        assert await read_published_variants(database) == expected


async def test_first_stock_count_at_a_location_changes_the_displayed_stock(
    database: Database, defaults: Defaults
) -> None:
    trompo = await toy(database, defaults, 3)
    async with database.transaction() as session:
        await inventory.set_stock(session, trompo, "sloc_another", 4)
    assert await read_published_variants(database) == [trompo]


async def test_stock_change_above_the_largest_cart_quantity_is_not_published(
    database: Database, defaults: Defaults
) -> None:
    trompo = await toy(database, defaults, MAX_QUANTITY + 2)
    await hold_units(database, "cart_a", {trompo: 1})
    assert await read_published_variants(database) == []
    await hold_units(database, "cart_b", {trompo: 1})
    assert await read_published_variants(database) == [trompo]  # now fewer than a cart line may contain
