"""Notices of low stock: one when the stock of a product becomes low, one when it sells out, none for each sale."""

import asyncio

import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.catalog.models import Product
from backend.inventory.models import InventoryLevel
from backend.jobs import JobRun
from backend.office_settings import LOW_STOCK
from backend.staff_notices.models import LowStock, StaffNotice
from backend.staff_notices.stock_watch import StockWatch
from tests.backend.staff_notices.conftest import Office
from tests.store_defaults import Defaults, add_product

RUN = JobRun(1, "staff_notices.stock", "", {}, 1)


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=LOW_STOCK + 1)


async def set_units(shop: Shop, units: int) -> None:
    """Set the units of every product, and let the watch run."""
    async with shop.database.transaction() as session:
        await session.execute(update(InventoryLevel).values(stocked=units))
    await StockWatch(shop.database).watch(RUN)


async def count_notices(shop: Shop) -> int:
    async with shop.database.read() as session:
        return len((await session.execute(select(StaffNotice))).scalars().all())


async def test_each_fall_of_stock_to_the_threshold_or_to_zero_records_one_notice(
    shop: Shop, trompo: str
) -> None:
    """Set the stock to each number of units, and check how many notices exist afterwards."""
    for units, notices in (
        (LOW_STOCK + 1, 0),
        (LOW_STOCK, 1),
        (LOW_STOCK - 1, 1),
        (0, 2),
        (0, 2),
        (1, 2),
        (0, 3),
        (LOW_STOCK + 1, 3),
        (0, 4),
    ):
        await set_units(shop, units)
        assert (units, await count_notices(shop)) == (units, notices)


async def test_threshold_of_the_product_replaces_that_of_the_shop(shop: Shop, trompo: str) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(Product).values(low_stock_at=0))
    await set_units(shop, 1)
    assert await count_notices(shop) == 0
    async with shop.database.transaction() as session:
        await session.execute(update(Product).values(low_stock_at=10))
    await set_units(shop, 10)
    assert await count_notices(shop) == 1


async def test_products_with_low_stock_are_listed_in_one_mail_to_members_who_count_stock(
    shop: Shop, shop_defaults: Defaults, trompo: str, office: Office
) -> None:
    async with shop.database.transaction() as session:
        await add_product(session, shop_defaults, "yoyo", stock=20)
    await set_units(shop, 2)
    await office.send()
    assert office.notices() == [
        (role, "2 productos con pocas unidades") for role in ("owner", "shop", "stockroom")
    ]


@pytest.mark.parametrize(("units", "subject"), [(0, "Trompo: agotado"), (1, "Trompo: queda 1")])
async def test_mail_about_low_stock_shows_the_current_units(
    shop: Shop,
    trompo: str,
    office: Office,
    units: int,
    subject: str,
) -> None:
    await set_units(shop, units)
    await office.send()
    assert {found for _role, found in office.notices()} == {subject}


async def test_product_that_was_restocked_before_the_mail_is_left_out(
    shop: Shop, trompo: str, office: Office
) -> None:
    await set_units(shop, 0)
    await set_units(shop, 50)
    await office.send()
    assert office.notices() == []


async def test_two_replicas_record_one_notice(shop: Shop, trompo: str) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(InventoryLevel).values(stocked=0))
    await asyncio.gather(*(StockWatch(shop.database).watch(RUN) for _number in range(3)))
    assert await count_notices(shop) == 1


async def test_hidden_product_without_stock_records_no_notice(shop: Shop, trompo: str) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(Product).values(status="draft"))
    await set_units(shop, 0)
    async with shop.database.read() as session:
        assert (await session.execute(select(LowStock))).scalars().all() == []
