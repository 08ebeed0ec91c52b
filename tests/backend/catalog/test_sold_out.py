"""The database records when a variant sells out or is restocked; other sales do not change the lists."""

import pytest
from sqlalchemy import delete, insert, select, text, update
from sqlalchemy.sql.base import Executable

from backend.app import Shop
from backend.catalog.derived_models import CatalogVersion
from backend.catalog.models import Variant
from backend.inventory.models import InventoryLevel
from tests.store_defaults import Defaults, add_product


@pytest.fixture
async def variant(shop: Shop, shop_defaults: Defaults) -> str:
    """Create a variant with five units at one location, and none at another."""
    async with shop.database.transaction() as session:
        await add_product(session, shop_defaults, "trompo", stock=5)
        variant = (await session.execute(select(Variant.id))).scalar_one()
        session.add(InventoryLevel(variant_id=variant, location_id="elsewhere"))
    return variant


async def read_version(shop: Shop) -> int:
    """Return the version number that a change of the set of sold-out variants raises."""
    async with shop.database.read() as session:
        return (await session.execute(select(CatalogVersion.sold_out))).scalar_one()


async def is_changed_by(shop: Shop, statement: Executable) -> bool:
    """Run the statement. Return True if it changes the version of the sold-out variants."""
    before = await read_version(shop)
    async with shop.database.transaction() as session:
        await session.execute(statement)
    return await read_version(shop) != before


HERE = InventoryLevel.location_id != "elsewhere"
THERE = InventoryLevel.location_id == "elsewhere"


@pytest.mark.parametrize(
    ("statement", "is_change"),
    [
        (update(InventoryLevel).where(HERE).values(reserved=1), False),
        (update(InventoryLevel).where(HERE).values(reserved=4, stocked=6), False),
        (update(InventoryLevel).where(HERE).values(reserved=5), True),
        (update(InventoryLevel).where(HERE).values(stocked=0), True),
        (text("UPDATE inventory_level SET stocked = 0 WHERE location_id <> 'elsewhere'"), True),
        (update(InventoryLevel).where(THERE).values(stocked=3), True),
        (update(InventoryLevel).where(THERE).values(stocked=3, reserved=3), False),
        (delete(InventoryLevel).where(HERE), True),
        (delete(InventoryLevel).where(THERE), False),
    ],
)
async def test_catalogue_version_changes_only_if_a_variant_sells_out_or_is_restocked(
    shop: Shop, variant: str, statement: Executable, is_change: bool
) -> None:
    assert await is_changed_by(shop, statement) is is_change


@pytest.mark.parametrize(("stocked", "is_change"), [(0, False), (2, True)])
async def test_new_stock_level_with_units_changes_the_catalogue_version(
    shop: Shop, variant: str, stocked: int, is_change: bool
) -> None:
    async with shop.database.transaction() as session:
        await session.execute(delete(InventoryLevel).where(THERE))
    level = InventoryLevel(variant_id=variant, location_id="elsewhere", stocked=stocked)
    assert await is_changed_by(shop, insert(InventoryLevel).values(level.model_dump())) is is_change


async def test_restocked_variant_changes_the_catalogue_version(shop: Shop, variant: str) -> None:
    assert await is_changed_by(shop, update(InventoryLevel).where(HERE).values(reserved=5))
    assert not await is_changed_by(shop, update(InventoryLevel).where(HERE).values(reserved=5, stocked=5))
    assert await is_changed_by(shop, update(InventoryLevel).where(HERE).values(reserved=4))


async def test_rolled_back_sellout_does_not_change_the_catalogue_version(shop: Shop, variant: str) -> None:
    async def sell_out_and_fail() -> None:
        async with shop.database.transaction() as session:
            await session.execute(update(InventoryLevel).values(stocked=0))
            raise ZeroDivisionError

    before = await read_version(shop)
    with pytest.raises(ZeroDivisionError):
        await sell_out_and_fail()
    assert await read_version(shop) == before
