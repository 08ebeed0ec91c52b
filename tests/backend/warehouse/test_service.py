"""Received and counted units: all or nothing, concurrent changes, and protection of reserved units."""

import asyncio

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.audit import AuditEntry
from backend.catalog.models import Product, Variant
from backend.core.errors import Forbidden, InvalidData, NotFound
from backend.inventory import service as inventory
from backend.inventory.models import InventoryLevel
from backend.inventory.movements import MovementDetails, Reason, StockCountOutdated
from backend.office.stock.movements import list_movements
from backend.staff.rights import Actor, Role
from backend.warehouse.service import Receipt, ReservedForOrders, correct_stock, move_units, receive_units
from tests.backend.warehouse.stock_kit import ANA, moved, wooden_tops
from tests.store_defaults import Defaults, add_product


@pytest.fixture
async def top(shop: Shop, shop_defaults: Defaults) -> tuple[str, str]:
    return await wooden_tops(shop, shop_defaults)


async def read_level(shop: Shop, row: tuple[str, str]) -> InventoryLevel:
    async with shop.database.read() as session:
        query = select(InventoryLevel).where(
            InventoryLevel.variant_id == row[0], InventoryLevel.location_id == row[1]
        )
        return (await session.execute(query)).scalar_one()


async def test_received_units_are_added_and_recorded(
    shop: Shop, shop_defaults: Defaults, top: tuple[str, str]
) -> None:
    async with shop.database.transaction() as session:
        yoyo = await add_product(session, shop_defaults, "yoyo", stock=0)
    async with shop.database.transaction() as session:
        receipt = Receipt({top[0]: 12, yoyo: 3}, "Talleres del Oriente", "FV-1029")
        await receive_units(session, ANA, top[1], receipt)
    assert (await read_level(shop, top)).stocked == 22
    assert {(one.variant_id, one.delta, one.stocked) for one in await moved(shop)} == {
        (top[0], 12, 22),
        (yoyo, 3, 3),
    }
    async with shop.database.read() as session:
        (shown,) = await list_movements(session, ANA, top[0])
        entries = (await session.execute(select(AuditEntry))).scalars().all()
    assert (shown.delta, shown.stocked, shown.reason) == (12, 22, "Llegaron")
    assert shown.about == "Talleres del Oriente · FV-1029"
    assert {(one.actor_id, one.action, one.subject_id) for one in entries} == {
        ("user_ana", "stock changed", top[0]),
        ("user_ana", "stock changed", yoyo),
    }


async def test_delivery_is_received_completely_or_not_at_all(shop: Shop, top: tuple[str, str]) -> None:
    for units in ({top[0]: 1, "variant_none": 1}, {top[0]: 0}, {top[0]: -1}, {}):
        with pytest.raises((NotFound, InvalidData)):
            async with shop.database.transaction() as session:
                await receive_units(session, ANA, top[1], Receipt(units))
    with pytest.raises(NotFound):
        async with shop.database.transaction() as session:
            await receive_units(session, ANA, "sloc_none", Receipt({top[0]: 1}))
    assert (await read_level(shop, top)).stocked == 10
    assert await moved(shop) == []


async def test_stock_correction_sets_the_counted_units(shop: Shop, top: tuple[str, str]) -> None:
    async with shop.database.transaction() as session:
        why = MovementDetails(Reason.DAMAGED, ANA, note="Se mojaron")
        assert await correct_stock(session, ANA, top, 7, why, expected=10) == 10
    (one,) = await moved(shop)
    assert (one.delta, one.stocked, one.reason, one.note) == (-3, 7, "damaged", "Se mojaron")


async def test_stock_count_is_refused_if_the_stock_changed_in_the_meantime(
    shop: Shop, top: tuple[str, str]
) -> None:
    with pytest.raises(StockCountOutdated) as error:
        async with shop.database.transaction() as session:
            await correct_stock(session, ANA, top, 7, MovementDetails(Reason.COUNT, ANA), expected=9)
    assert error.value.stocked == 10
    assert await moved(shop) == []


async def test_stock_is_not_corrected_below_the_reserved_units(shop: Shop, top: tuple[str, str]) -> None:
    async with shop.database.transaction() as session:
        await inventory.reserve(session, "cart_1", {top[0]: 4}, None)
    for attempt in (
        lambda session: correct_stock(session, ANA, top, 3, MovementDetails(Reason.LOST, ANA), expected=None),
        lambda session: move_units(session, ANA, top, -7, MovementDetails(Reason.LOST, ANA)),
    ):
        with pytest.raises(ReservedForOrders) as error:
            async with shop.database.transaction() as session:
                await attempt(session)
        assert (error.value.reserved, error.value.orders) == (4, [])
    async with shop.database.transaction() as session:
        await move_units(session, ANA, top, -6, MovementDetails(Reason.LOST, ANA))
    assert ((await read_level(shop, top)).stocked, (await read_level(shop, top)).reserved) == (4, 4)


async def test_concurrent_deliveries_lose_no_units(shop: Shop, top: tuple[str, str]) -> None:
    async def come(units: int) -> None:
        async with shop.database.transaction() as session:
            await receive_units(session, ANA, top[1], Receipt({top[0]: units}))

    await asyncio.gather(*(come(units) for units in (1, 2, 3, 4)))
    assert (await read_level(shop, top)).stocked == 20
    assert min(one.stocked - one.delta for one in await moved(shop)) == 10
    assert max(one.stocked for one in await moved(shop)) == 20


async def test_concurrent_first_deliveries_to_a_location_are_both_added(
    shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        variant_id = Product(handle="nuevo", title="Nuevo")
        session.add(variant_id)
        await session.flush()
        variant = Variant(product_id=variant_id.id, price=1_000)
        session.add(variant)
    row = (variant.id, shop_defaults.location_id)

    async def come() -> None:
        async with shop.database.transaction() as session:
            await receive_units(session, ANA, row[1], Receipt({row[0]: 5}))

    await asyncio.gather(come(), come())
    assert (await read_level(shop, row)).stocked == 10


async def test_stock_change_without_permission_is_refused(shop: Shop, top: tuple[str, str]) -> None:
    actor = Actor("user_1", Role.ACCOUNTANT)
    with pytest.raises(Forbidden):
        async with shop.database.transaction() as session:
            await receive_units(session, actor, top[1], Receipt({top[0]: 1}))
    with pytest.raises(Forbidden):
        async with shop.database.transaction() as session:
            await correct_stock(session, actor, top, 1, MovementDetails(Reason.COUNT, actor), expected=None)
