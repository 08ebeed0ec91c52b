"""The database notes when a variant is sold out or brought back, whoever did it; other sales change no list."""

import pytest
from sqlalchemy import delete, insert, select, text, update
from sqlalchemy.sql.base import Executable

from backend.app import Shop
from backend.catalog.derived_models import CatalogVersion
from backend.catalog.models import Variant
from backend.inventory.models import InventoryLevel
from tests.store_defaults import Defaults, make_toy


@pytest.fixture
async def variant(shop: Shop, shop_defaults: Defaults) -> str:
    """A variant of which five units are stocked in one place, and none in another."""
    async with shop.database.transaction() as session:
        await make_toy(session, shop_defaults, "trompo", stock=5)
        variant = (await session.execute(select(Variant.id))).scalar_one()
        session.add(InventoryLevel(variant_id=variant, location_id="elsewhere"))
    return variant


async def number(shop: Shop) -> int:
    """The number of what is sold out."""
    async with shop.database.read() as session:
        return (await session.execute(select(CatalogVersion.sold_out))).scalar_one()


async def changes(shop: Shop, statement: Executable) -> bool:
    """Whether it is another one after this."""
    before = await number(shop)
    async with shop.database.transaction() as session:
        await session.execute(statement)
    return await number(shop) != before


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
async def test_a_level_without_units_is_a_change_and_fewer_are_none(
    shop: Shop, variant: str, statement: Executable, is_change: bool
) -> None:
    assert await changes(shop, statement) is is_change


@pytest.mark.parametrize(("stocked", "is_change"), [(0, False), (2, True)])
async def test_a_new_level_is_a_change_when_it_has_units(
    shop: Shop, variant: str, stocked: int, is_change: bool
) -> None:
    async with shop.database.transaction() as session:
        await session.execute(delete(InventoryLevel).where(THERE))
    level = InventoryLevel(variant_id=variant, location_id="elsewhere", stocked=stocked)
    assert await changes(shop, insert(InventoryLevel).values(level.model_dump())) is is_change


async def test_a_variant_that_comes_back_is_a_change(shop: Shop, variant: str) -> None:
    assert await changes(shop, update(InventoryLevel).where(HERE).values(reserved=5))
    assert not await changes(shop, update(InventoryLevel).where(HERE).values(reserved=5, stocked=5))
    assert await changes(shop, update(InventoryLevel).where(HERE).values(reserved=4))


async def test_what_is_taken_back_is_none(shop: Shop, variant: str) -> None:
    async def sell_out_and_fail() -> None:
        async with shop.database.transaction() as session:
            await session.execute(update(InventoryLevel).values(stocked=0))
            raise ZeroDivisionError

    before = await number(shop)
    with pytest.raises(ZeroDivisionError):
        await sell_out_and_fail()
    assert await number(shop) == before
