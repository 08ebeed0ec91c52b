"""Units that come or are counted: all of it or nothing, two at once, and what is promised to buyers stays."""

import asyncio

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.audit import AuditEntry
from backend.catalog.models import Product, Variant
from backend.core.errors import Forbidden, InvalidData, NotFound
from backend.inventory import service as inventory
from backend.inventory.models import InventoryLevel
from backend.inventory.movements import Reason, StockMoved, Why
from backend.office.stock.movements import movements_of
from backend.staff.rights import Actor, Role
from backend.warehouse.service import Receipt, ReservedForOrders, correct, move, receive
from tests.backend.warehouse.stock_kit import ANA, moved, wooden_tops
from tests.store_defaults import Defaults, make_toy


@pytest.fixture
async def top(shop: Shop, shop_defaults: Defaults) -> tuple[str, str]:
    return await wooden_tops(shop, shop_defaults)


async def level(shop: Shop, row: tuple[str, str]) -> InventoryLevel:
    async with shop.database.read() as session:
        query = select(InventoryLevel).where(
            InventoryLevel.variant_id == row[0], InventoryLevel.location_id == row[1]
        )
        return (await session.execute(query)).scalar_one()


async def test_what_came_is_added_and_said(shop: Shop, shop_defaults: Defaults, top: tuple[str, str]) -> None:
    async with shop.database.transaction() as session:
        yoyo = await make_toy(session, shop_defaults, "yoyo", stock=0)
    async with shop.database.transaction() as session:
        receipt = Receipt({top[0]: 12, yoyo: 3}, "Talleres del Oriente", "FV-1029")
        await receive(session, ANA, top[1], receipt)
    assert (await level(shop, top)).stocked == 22
    assert {(one.variant_id, one.delta, one.stocked) for one in await moved(shop)} == {
        (top[0], 12, 22),
        (yoyo, 3, 3),
    }
    async with shop.database.read() as session:
        (shown,) = await movements_of(session, ANA, top[0])
        entries = (await session.execute(select(AuditEntry))).scalars().all()
    assert (shown.delta, shown.stocked, shown.reason) == (12, 22, "Llegaron")
    assert shown.about == "Talleres del Oriente · FV-1029"
    assert {(one.actor_id, one.action, one.subject_id) for one in entries} == {
        ("user_ana", "stock changed", top[0]),
        ("user_ana", "stock changed", yoyo),
    }


async def test_all_that_came_or_nothing(shop: Shop, top: tuple[str, str]) -> None:
    for units in ({top[0]: 1, "variant_none": 1}, {top[0]: 0}, {top[0]: -1}, {}):
        with pytest.raises((NotFound, InvalidData)):
            async with shop.database.transaction() as session:
                await receive(session, ANA, top[1], Receipt(units))
    with pytest.raises(NotFound):
        async with shop.database.transaction() as session:
            await receive(session, ANA, "sloc_none", Receipt({top[0]: 1}))
    assert (await level(shop, top)).stocked == 10
    assert await moved(shop) == []


async def test_a_count_says_how_many_lie_there(shop: Shop, top: tuple[str, str]) -> None:
    async with shop.database.transaction() as session:
        why = Why(Reason.DAMAGED, ANA, note="Se mojaron")
        assert await correct(session, ANA, top, 7, why, seen=10) == 10
    (one,) = await moved(shop)
    assert (one.delta, one.stocked, one.reason, one.note) == (-3, 7, "damaged", "Se mojaron")


async def test_who_counted_what_others_moved_counts_again(shop: Shop, top: tuple[str, str]) -> None:
    with pytest.raises(StockMoved) as error:
        async with shop.database.transaction() as session:
            await correct(session, ANA, top, 7, Why(Reason.COUNT, ANA), seen=9)
    assert error.value.stocked == 10
    assert await moved(shop) == []


async def test_what_is_promised_stays(shop: Shop, top: tuple[str, str]) -> None:
    async with shop.database.transaction() as session:
        await inventory.reserve(session, "cart_1", {top[0]: 4}, None)
    for attempt in (
        lambda session: correct(session, ANA, top, 3, Why(Reason.LOST, ANA), seen=None),
        lambda session: move(session, ANA, top, -7, Why(Reason.LOST, ANA)),
    ):
        with pytest.raises(ReservedForOrders) as error:
            async with shop.database.transaction() as session:
                await attempt(session)
        assert (error.value.reserved, error.value.orders) == (4, [])
    async with shop.database.transaction() as session:
        await move(session, ANA, top, -6, Why(Reason.LOST, ANA))
    assert ((await level(shop, top)).stocked, (await level(shop, top)).reserved) == (4, 4)


async def test_two_who_receive_at_once_lose_nothing(shop: Shop, top: tuple[str, str]) -> None:
    async def come(units: int) -> None:
        async with shop.database.transaction() as session:
            await receive(session, ANA, top[1], Receipt({top[0]: units}))

    await asyncio.gather(*(come(units) for units in (1, 2, 3, 4)))
    assert (await level(shop, top)).stocked == 20
    assert min(one.stocked - one.delta for one in await moved(shop)) == 10
    assert max(one.stocked for one in await moved(shop)) == 20


async def test_the_first_units_at_a_location_come_at_once(shop: Shop, shop_defaults: Defaults) -> None:
    async with shop.database.transaction() as session:
        toy = Product(handle="nuevo", title="Nuevo")
        session.add(toy)
        await session.flush()
        variant = Variant(product_id=toy.id, price=1_000)
        session.add(variant)
    row = (variant.id, shop_defaults.location_id)

    async def come() -> None:
        async with shop.database.transaction() as session:
            await receive(session, ANA, row[1], Receipt({row[0]: 5}))

    await asyncio.gather(come(), come())
    assert (await level(shop, row)).stocked == 10


async def test_who_may_not_changes_nothing(shop: Shop, top: tuple[str, str]) -> None:
    actor = Actor("user_1", Role.ACCOUNTANT)
    with pytest.raises(Forbidden):
        async with shop.database.transaction() as session:
            await receive(session, actor, top[1], Receipt({top[0]: 1}))
    with pytest.raises(Forbidden):
        async with shop.database.transaction() as session:
            await correct(session, actor, top, 1, Why(Reason.COUNT, actor), seen=None)
