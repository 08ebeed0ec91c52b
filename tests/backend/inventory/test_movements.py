"""Changes of the stock at a location: each is recorded, and reserved units stay."""

import pytest
from sqlalchemy import select

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.inventory import service, stock_fulfillment
from backend.inventory.models import InventoryLevel, StockMovement
from backend.inventory.movements import SHOP_COUNT, StockCountOutdated, StockReserved, count_stock, move_stock
from tests.store_defaults import Defaults, add_product, set_up_defaults


@pytest.fixture
async def defaults(database: Database, settings: Settings) -> Defaults:
    return await set_up_defaults(database, settings)


@pytest.fixture
async def trompo(database: Database, defaults: Defaults) -> str:
    """Create a variant with 10 units. Return its id."""
    async with database.transaction() as session:
        return await add_product(session, defaults, "trompo")


async def list_movements(database: Database) -> list[tuple[str, int, int]]:
    """Return the variant, the added units and the stock afterwards of each movement."""
    async with database.read() as session:
        rows = await session.execute(
            select(StockMovement).order_by(StockMovement.created_at, StockMovement.id)
        )
        return [(row.variant_id, row.delta, row.stocked) for row in rows.scalars()]


async def read_stocks(database: Database) -> dict[str, tuple[int, int]]:
    """Return stocked and reserved units by variant id."""
    async with database.read() as session:
        levels = (await session.execute(select(InventoryLevel))).scalars()
        return {level.variant_id: (level.stocked, level.reserved) for level in levels}


async def test_moved_and_counted_units_are_recorded(
    database: Database, defaults: Defaults, trompo: str
) -> None:
    for delta, stocked in ((3, 13), (-5, 8), (0, 8)):
        async with database.transaction() as session:
            level = await move_stock(session, trompo, defaults.location_id, delta, SHOP_COUNT)
            assert (level.variant_id, level.stocked) == (trompo, stocked)
    async with database.transaction() as session:
        level = await count_stock(session, trompo, defaults.location_id, 6, SHOP_COUNT, expected=8)
        assert level.stocked == 6
    assert await list_movements(database) == [(trompo, 3, 13), (trompo, -5, 8), (trompo, -2, 6)]


async def test_stock_count_with_an_outdated_expected_quantity_is_refused(
    database: Database, defaults: Defaults, trompo: str
) -> None:
    with pytest.raises(StockCountOutdated):
        async with database.transaction() as session:
            await count_stock(session, trompo, defaults.location_id, 6, SHOP_COUNT, expected=9)
    assert (await read_stocks(database), await list_movements(database)) == ({trompo: (10, 0)}, [])


async def test_reserved_units_cannot_be_removed_from_the_stock(
    database: Database, defaults: Defaults, trompo: str
) -> None:
    async with database.transaction() as session:
        await service.reserve(session, "paid", {trompo: 4}, None)
    with pytest.raises(StockReserved):
        async with database.transaction() as session:
            await move_stock(session, trompo, defaults.location_id, -7, SHOP_COUNT)
    async with database.transaction() as session:
        await move_stock(session, trompo, defaults.location_id, -6, SHOP_COUNT)
    assert await read_stocks(database) == {trompo: (4, 4)}


async def test_returned_units_are_added_only_to_their_variant(
    database: Database, defaults: Defaults, trompo: str
) -> None:
    async with database.transaction() as session:
        yoyo = await add_product(session, defaults, "yoyo", stock=2)
    async with database.transaction() as session:
        await stock_fulfillment.restock(session, defaults.location_id, {trompo: 3})
    assert await read_stocks(database) == {trompo: (13, 0), yoyo: (2, 0)}
