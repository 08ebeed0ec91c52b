"""Bodega: receiving, counting, what is promised, and every movement."""

import asyncio
from collections.abc import Sequence

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.audit import AuditEntry
from backend.catalog.models import Product, Variant
from backend.errors import Forbidden, InvalidData, NotFound
from backend.inventory import fulfilling
from backend.inventory import service as inventory
from backend.inventory.models import InventoryLevel, StockMovement
from backend.inventory.movements import Reason, StockMoved, Why
from backend.office import stock as module
from backend.office.stock import (
    Receipt,
    ReservedForOrders,
    StockFilter,
    StockPage,
    correct,
    move,
    movements_of,
    receive,
    rows_now,
    set_low_stock,
    stock_page,
    stock_row,
    variants_found,
)
from backend.staff.models import Staff
from backend.staff.rights import Actor, Role
from backend.staff.secret_keys import create_secret_key
from tests.store_defaults import Defaults, make_toy

ANA = Actor("user_ana", Role.STOCKROOM)


@pytest.fixture
async def top(shop: Shop, shop_defaults: Defaults) -> tuple[str, str]:
    """Ten wooden tops: their variant and where they are stocked."""
    async with shop.database.transaction() as session:
        variant_id = await make_toy(session, shop_defaults, "trompo-de-madera", stock=10)
        (await session.get_one(Variant, variant_id)).ean = "7701234567897"
    return variant_id, shop_defaults.location_id


async def test_a_picture_is_shown_wherever_it_lies(shop: Shop, top: tuple[str, str]) -> None:
    for url, shown in (("/demo/a b.webp", "/demo/a%20b.webp"), ("https://cdn.example.com/a?v=2",) * 2):
        async with shop.database.transaction() as session:
            variant = await session.get_one(Variant, top[0])
            (await session.get_one(Product, variant.product_id)).thumbnail = url
        async with shop.database.read() as session:
            (row,) = (await stock_page(session, ANA, StockFilter())).rows
        assert row.picture == shown


async def level(shop: Shop, row: tuple[str, str]) -> InventoryLevel:
    async with shop.database.read() as session:
        query = select(InventoryLevel).where(
            InventoryLevel.variant_id == row[0], InventoryLevel.location_id == row[1]
        )
        return (await session.execute(query)).scalar_one()


async def moved(shop: Shop) -> Sequence[StockMovement]:
    async with shop.database.read() as session:
        query = select(StockMovement).order_by(StockMovement.created_at, StockMovement.id)
        return (await session.execute(query)).scalars().all()


async def listed(shop: Shop, text: str = "", only: str = "", cursor: str = "") -> StockPage:
    async with shop.database.read() as session:
        return await stock_page(session, ANA, StockFilter(text, only), cursor)


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


async def test_units_that_are_sent_move(shop: Shop, top: tuple[str, str]) -> None:
    async with shop.database.transaction() as session:
        await inventory.reserve(session, "cart_1", {top[0]: 4}, None)
    assert await moved(shop) == []  # what is only reserved is stocked where it was
    async with shop.database.transaction() as session:
        await fulfilling.fulfill(session, "cart_1", {top[0]: 3}, Why(Reason.SALE, order_id="order_1"))
        await fulfilling.cancel_fulfillment(session, "cart_1", {top[1]: {top[0]: 1}})
        await fulfilling.restock(session, top[1], {top[0]: 2})
    assert [(one.delta, one.stocked, one.reason, one.order_id) for one in await moved(shop)] == [
        (-3, 7, "sale", "order_1"),
        (1, 8, "correction", None),
        (2, 10, "return", None),
    ]


async def test_it_is_found_by_code_and_by_words(
    shop: Shop, shop_defaults: Defaults, top: tuple[str, str]
) -> None:
    async with shop.database.transaction() as session:
        await make_toy(session, shop_defaults, "trompo-de-plastico", stock=2)
        await make_toy(session, shop_defaults, "agotado", stock=0, low_stock_at=0)

    async def titles(text: str = "", only: str = "") -> list[str]:
        return [row.title for row in (await listed(shop, text, only)).rows]

    assert await titles("7701234567897") == await titles("SKU-trompo-de-madera") == ["Trompo de madera"]
    assert await titles("MADÉRA trom") == ["Trompo de madera"]
    assert await titles("sku-trompo") == ["Trompo de madera", "Trompo de plastico"]
    assert await titles("nada") == []
    assert await titles(only="low") == ["Agotado", "Trompo de plastico"]
    assert await titles(only="out") == ["Agotado"]
    async with shop.database.read() as session:
        (row,) = await variants_found(session, ANA, " 7701234567897 ")
        assert row.variant_id == top[0]
        assert len(await variants_found(session, ANA, "trompo")) == 2
        assert await variants_found(session, ANA, "  ") == []


@pytest.mark.parametrize("only", ["", "low"])
async def test_pages_follow_one_another(
    shop: Shop, shop_defaults: Defaults, monkeypatch: pytest.MonkeyPatch, only: str
) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 2)
    async with shop.database.transaction() as session:
        for number in range(5):
            await make_toy(session, shop_defaults, f"toy-{number}", stock=number % 2)
    found, cursor = [], ""
    while True:
        page = await listed(shop, only=only, cursor=cursor)
        found += [row.title for row in page.rows]
        cursor = page.cursor
        if not cursor:
            break
    assert sorted(found) == [f"Toy {number}" for number in range(5)]
    with pytest.raises(InvalidData):
        await listed(shop, only="low", cursor="x|y")


async def test_a_toy_says_itself_when_it_runs_out(shop: Shop, top: tuple[str, str]) -> None:
    async with shop.database.transaction() as session:
        row = await stock_row(session, ANA, *top)
        assert not row.is_low
        await set_low_stock(session, ANA, row.product_id, 10)
    async with shop.database.read() as session:
        (row,) = await rows_now(session, ANA, [row])
    assert (row.low_at, row.is_low) == (10, True)


async def test_who_may_not_changes_nothing(shop: Shop, top: tuple[str, str]) -> None:
    actor = Actor("user_1", Role.ACCOUNTANT)
    with pytest.raises(Forbidden):
        async with shop.database.transaction() as session:
            await receive(session, actor, top[1], Receipt({top[0]: 1}))
    with pytest.raises(Forbidden):
        async with shop.database.transaction() as session:
            await correct(session, actor, top, 1, Why(Reason.COUNT, actor), seen=None)


async def test_the_admin_api_moves_units(admin: httpx.AsyncClient, shop: Shop, top: tuple[str, str]) -> None:
    item = top[0].replace("variant_", "iitem_")
    body = {"inventory_item_id": item, "location_id": top[1], "quantity": 5, "reason": "received"}
    answer = await admin.post("/admin/stock-movements", json={**body, "document": "FV-1"})
    assert answer.status_code == 200, answer.text
    shown = answer.json()["stock_movement"]
    assert (shown["quantity"], shown["stocked_quantity"], shown["document"]) == (5, 15, "FV-1")
    for wrong in ({"quantity": 0}, {"reason": "sale"}, {"reason": "x"}, {"quantity": 1.5}):
        assert (await admin.post("/admin/stock-movements", json={**body, **wrong})).status_code == 400
    gone = await admin.post("/admin/stock-movements", json={**body, "inventory_item_id": "iitem_none"})
    assert gone.status_code == 404
    refused = await admin.post("/admin/stock-movements", json={**body, "quantity": -16, "reason": "lost"})
    assert (refused.status_code, refused.json()["code"]) == (400, "insufficient_inventory")
    listed = (await admin.get(f"/admin/stock-movements?inventory_item_id={item}")).json()
    assert [one["quantity"] for one in listed["stock_movements"]] == [5]
    set_level = f"/admin/inventory-items/{item}/location-levels/{top[1]}"
    assert (await admin.post(set_level, json={"stocked_quantity": 4})).status_code == 200
    assert [(one.delta, one.reason) for one in await moved(shop)] == [(5, "received"), (-11, "count")]


async def test_what_a_program_moved_names_its_key(shop: Shop, top: tuple[str, str]) -> None:
    async with shop.database.transaction() as session:
        owner = Staff(email="ana@tienda.example", password_hash="", role=Role.OWNER)
        session.add(owner)
        await session.flush()
        key, _token = await create_secret_key(
            session, Actor(owner.id, Role.OWNER, has_second_factor=True), "Feria", Role.SHOP
        )
        await receive(session, Actor(key.id, Role.SHOP), top[1], Receipt({top[0]: 3}))
    async with shop.database.read() as session:
        (shown,) = await movements_of(session, ANA, top[0])
    assert shown.who == "Llave Feria"
