"""Stock movements: every change of units creates one, also over the Admin API."""

import httpx
import pytest

from backend.app import Shop
from backend.inventory import service as inventory
from backend.inventory import stock_fulfillment
from backend.inventory.movements import MovementDetails, Reason
from backend.office.stock.movements import list_movements
from backend.staff.models import Staff
from backend.staff.rights import Actor, Role
from backend.staff.secret_keys import create_secret_key
from backend.warehouse.service import Receipt, receive_units
from tests.backend.warehouse.stock_kit import ANA, moved, wooden_tops
from tests.store_defaults import Defaults


@pytest.fixture
async def top(shop: Shop, shop_defaults: Defaults) -> tuple[str, str]:
    return await wooden_tops(shop, shop_defaults)


async def test_sent_corrected_and_returned_units_create_stock_movements(
    shop: Shop, top: tuple[str, str]
) -> None:
    async with shop.database.transaction() as session:
        await inventory.reserve(session, "cart_1", {top[0]: 4}, None)
    assert await moved(shop) == []  # a reservation does not change the stocked units
    async with shop.database.transaction() as session:
        await stock_fulfillment.fulfill(
            session, "cart_1", {top[0]: 3}, MovementDetails(Reason.SALE, order_id="order_1")
        )
        await stock_fulfillment.cancel_fulfillment(session, "cart_1", {top[1]: {top[0]: 1}})
        await stock_fulfillment.restock(session, top[1], {top[0]: 2})
    assert [(one.delta, one.stocked, one.reason, one.order_id) for one in await moved(shop)] == [
        (-3, 7, "sale", "order_1"),
        (1, 8, "correction", None),
        (2, 10, "return", None),
    ]


async def test_stock_change_over_the_admin_api_creates_a_movement(
    admin: httpx.AsyncClient, shop: Shop, top: tuple[str, str]
) -> None:
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


async def test_stock_movement_by_an_api_client_shows_the_title_of_its_key(
    shop: Shop, top: tuple[str, str]
) -> None:
    async with shop.database.transaction() as session:
        owner = Staff(email="ana@tienda.example", password_hash="", role=Role.OWNER)
        session.add(owner)
        await session.flush()
        key, _token = await create_secret_key(
            session, Actor(owner.id, Role.OWNER, has_second_factor=True), "Feria", Role.SHOP
        )
        await receive_units(session, Actor(key.id, Role.SHOP), top[1], Receipt({top[0]: 3}))
    async with shop.database.read() as session:
        (shown,) = await list_movements(session, ANA, top[0])
    assert shown.actor_name == "Llave Feria"
