"""Exchanges over the Admin API, and the exchange of a web order whose units come back first.

| case | outcome |
|---|---|
| begin twice, or while a return is being prepared | 400: the order has an active change |
| a price other than the shop's | 400, and nothing is stored |
| request | the return waits, nothing is reserved |
| the draft of the return is confirmed or discarded by the routes of returns | the exchange follows, or 400 |
| the receipt of the return is drafted | the units that come back are still shown |
| the return is refunded in money | the exchange is cancelled |
| cancel after the units have arrived | 400 |
| another address without a municipality | 400, and nothing is stored |
| another address, and another price than the live one | 400; address and shipping stay as they were |
| the products change after the delivery was chosen | not settled until it is chosen again |
"""

from typing import Any

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.audit.models import AuditEntry
from backend.core.errors import InvalidData
from backend.exchanges.delivery import relist_deliveries
from backend.exchanges.models import Exchange
from backend.exchanges.settlement import SeenExchange, settle_exchange
from backend.inventory.service import read_available_units
from backend.office.orders.exchange import exchange_view
from backend.order_edits.difference import DifferenceReceipt, receive_difference
from backend.orders.models import Order
from backend.payment.manual_methods import ManualMethod
from backend.returns.processing import approve, receive
from backend.staff.rights import COMMAND_LINE
from tests.backend.returns.conftest import delivered, paid, variant_id
from tests.backend.returns.steps import Sold
from tests.store_defaults import Defaults, add_product
from tests.store_steps import get, post

__all__ = ["delivered", "paid", "variant_id"]
PATH = "/admin/exchanges"


@pytest.fixture
async def yoyo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "yoyo", stock=3, price=55_000)


async def begin(admin: httpx.AsyncClient, order: Sold, yoyo: str) -> dict[str, Any]:
    """Begin an exchange of a trompo for a yoyo, and return it."""
    exchange = (await post(admin, PATH, {"order_id": order.order_id, "internal_note": "Quiere otro"}))[
        "exchange"
    ]
    path = f"{PATH}/{exchange['id']}"
    await post(admin, f"{path}/inbound/items", {"items": [{"id": order.line_id, "quantity": 1}]})
    await post(admin, f"{path}/outbound/items", {"items": [{"variant_id": yoyo, "quantity": 1}]})
    found: dict[str, Any] = (await get(admin, path))["exchange"]
    return found


async def count_units(shop: Shop, variant: str) -> int:
    async with shop.database.read() as session:
        return (await read_available_units(session, [variant]))[variant]


async def test_exchange_is_prepared_with_returned_and_added_items_over_the_api(
    admin: httpx.AsyncClient, delivered: Sold, yoyo: str
) -> None:
    exchange = await begin(admin, delivered, yoyo)
    path = f"{PATH}/{exchange['id']}"
    assert (exchange["difference_due"], exchange["metadata"]["status"]) == (15_000, "open")
    assert [one["quantity"] for one in exchange["return_items"]] == [1]
    assert [(one["title"], one["unit_price"]) for one in exchange["additional_items"]] == [("Yoyo", 55_000)]
    again = await admin.post(PATH, json={"order_id": delivered.order_id})
    assert (again.status_code, "existing active order change" in again.text) == (400, True)
    body = {"items": [{"variant_id": yoyo, "quantity": 1, "unit_price": 1}]}
    assert (await admin.post(f"{path}/outbound/items", json=body)).status_code == 400
    preview = await post(admin, f"{path}/outbound/items", {"items": [{"variant_id": yoyo, "quantity": 1}]})
    actions = {one["action"]: one for one in preview["order_preview"]["order_change"]["actions"]}
    assert set(actions) == {"RETURN_ITEM", "ITEM_ADD"}
    added, returned = actions["ITEM_ADD"]["id"], actions["RETURN_ITEM"]["id"]
    changed = await post(admin, f"{path}/outbound/items/{added}", {"quantity": 1})
    assert changed["exchange"]["difference_due"] == 15_000
    shown = await post(admin, f"{path}/inbound/items/{returned}", {"quantity": 2})
    assert [one["quantity"] for one in shown["return"]["items"]] == [2]
    assert shown["return"]["exchange_id"] == exchange["id"]
    removed = await admin.delete(f"{path}/outbound/items/{added}")
    assert removed.json()["exchange"]["additional_items"] == []
    await admin.delete(f"{path}/inbound/items/{returned}")
    assert (await get(admin, path))["exchange"]["return_items"] == []
    assert (await admin.post(f"{path}/request")).status_code == 400
    refused = await admin.delete(f"/admin/returns/{exchange['return_id']}/request")
    assert (refused.status_code, "belongs to exchange" in refused.text) == (400, True)
    assert (await admin.delete(f"{path}/request")).json() == {
        "id": exchange["id"],
        "object": "exchange",
        "deleted": True,
    }
    listed = (await get(admin, f"{PATH}?order_id={delivered.order_id}"))["exchanges"]
    assert [(one["id"], one["metadata"]["status"]) for one in listed] == [(exchange["id"], "canceled")]


async def test_web_order_is_exchanged_after_its_units_came_back(
    shop: Shop, admin: httpx.AsyncClient, delivered: Sold, yoyo: str
) -> None:
    exchange = await begin(admin, delivered, yoyo)
    path = f"{PATH}/{exchange['id']}"
    order = (await get(admin, f"/admin/orders/{delivered.order_id}"))["order"]
    option = order["shipping_methods"][0]["shipping_option_id"]
    other_price = {"shipping_option_id": option, "custom_amount": 1}
    refused = await admin.post(f"{path}/outbound/shipping-method", json=other_price)
    assert (refused.status_code, "custom_amount cannot be another" in refused.text) == (400, True)
    sent = await post(admin, f"{path}/outbound/shipping-method", {"shipping_option_id": option})
    (method,) = sent["exchange"]["shipping_methods"]
    difference = sent["exchange"]["difference_due"]
    assert difference == 15_000 + method["amount"]
    actions = sent["order_preview"]["order_change"]["actions"]
    (added,) = [one["id"] for one in actions if one["action"] == "SHIPPING_ADD"]
    repeated = await admin.post(f"{path}/outbound/shipping-method/{added}", json={"custom_amount": 1})
    assert (repeated.status_code, "custom_amount cannot be another" in repeated.text) == (400, True)
    again = await post(admin, f"{path}/outbound/shipping-method/{added}", {"custom_amount": method["amount"]})
    assert again["exchange"]["difference_due"] == difference
    requested = await post(admin, f"{path}/request")
    assert (requested["return"]["status"], requested["exchange"]["metadata"]["status"]) == (
        "requested",
        "requested",
    )
    assert await count_units(shop, yoyo) == 3
    async with shop.database.transaction() as session:
        await receive(session, COMMAND_LINE, exchange["return_id"], {delivered.line_id: (1, 0)})
    refused = await admin.post(f"{path}/cancel")
    assert (refused.status_code, "have arrived" in refused.text) == (400, True)
    async with shop.database.transaction() as session:
        seen = SeenExchange(difference)
        new = await settle_exchange(session, COMMAND_LINE, exchange["id"], seen)
    assert (new.payment_status, new.fulfillment_status, new.origin) == (
        "partially_captured",
        "not_fulfilled",
        "web",
    )
    assert await count_units(shop, yoyo) == 2
    async with shop.database.transaction() as session:
        receipt = DifferenceReceipt(difference, ManualMethod.CASH)
        await receive_difference(session, COMMAND_LINE, new.id, receipt)
    async with shop.database.read() as session:
        paid_order = (await session.execute(select(Order).where(Order.id == new.id))).scalar_one()
    assert paid_order.payment_status == "captured"
    shown = (await get(admin, path))["exchange"]
    assert (shown["metadata"]["new_order_id"], shown["difference_due"]) == (new.id, difference)


async def test_return_refunded_in_money_cancels_the_exchange(
    shop: Shop, admin: httpx.AsyncClient, delivered: Sold, yoyo: str
) -> None:
    exchange = await begin(admin, delivered, yoyo)
    await post(admin, f"/admin/returns/{exchange['return_id']}/request")
    assert (await get(admin, f"{PATH}/{exchange['id']}"))["exchange"]["metadata"]["status"] == "requested"
    async with shop.database.transaction() as session:
        await receive(session, COMMAND_LINE, exchange["return_id"], {delivered.line_id: (1, 0)})
        await approve(session, COMMAND_LINE, exchange["return_id"], 40_000, restock=True)
    async with shop.database.read() as session:
        (row,) = (await session.execute(select(Exchange))).scalars()
    assert row.status == "canceled"


async def test_returned_units_of_an_exchange_are_shown_before_their_receipt_is_confirmed(
    shop: Shop, admin: httpx.AsyncClient, delivered: Sold, yoyo: str
) -> None:
    exchange = await begin(admin, delivered, yoyo)
    await post(admin, f"{PATH}/{exchange['id']}/request")
    await post(admin, f"/admin/returns/{exchange['return_id']}/receive")
    shown = (await get(admin, f"{PATH}/{exchange['id']}"))["exchange"]
    assert [one["quantity"] for one in shown["return_items"]] == [1]
    async with shop.database.read() as session:
        view = await exchange_view(session, COMMAND_LINE, delivered.order_id)
    assert ([line.quantity for line in view.inbound], view.can_settle) == ([1], True)


async def test_cancelling_an_exchange_cancels_its_requested_return(
    admin: httpx.AsyncClient, delivered: Sold, yoyo: str
) -> None:
    exchange = await begin(admin, delivered, yoyo)
    await post(admin, f"{PATH}/{exchange['id']}/request")
    assert (await post(admin, f"{PATH}/{exchange['id']}/cancel"))["exchange"]["canceled_at"]
    returned = (await get(admin, f"/admin/returns/{exchange['return_id']}"))["return"]
    assert (returned["status"], returned["exchange_id"]) == ("canceled", exchange["id"])


async def test_return_of_the_kind_exchange_is_refused_without_an_exchange(
    admin: httpx.AsyncClient, delivered: Sold
) -> None:
    body = {"order_id": delivered.order_id, "metadata": {"kind": "exchange"}}
    assert (await admin.post("/admin/returns", json=body)).status_code == 400


async def test_new_order_of_an_exchange_can_be_sent_to_another_address(
    shop: Shop, admin: httpx.AsyncClient, delivered: Sold, yoyo: str
) -> None:
    exchange = await begin(admin, delivered, yoyo)
    path = f"{PATH}/{exchange['id']}"
    first = (await get(admin, f"/admin/orders/{delivered.order_id}"))["order"]
    address = {
        "first_name": "Beatriz",
        "last_name": "Rojas",
        "phone": "3109876543",
        "address_1": "Calle 10 # 5-51",
        "country_code": "co",
    }
    body: dict[str, Any] = {"shipping_option_id": first["shipping_methods"][0]["shipping_option_id"]}
    wrong = {**body, "shipping_address": {**address, "city": "Macondo"}}
    assert (await admin.post(f"{path}/outbound/shipping-method", json=wrong)).status_code == 400
    cali = {**address, "city": "Cali", "province": "Valle del Cauca", "metadata": {"suburb": "San Antonio"}}
    sent = await post(admin, f"{path}/outbound/shipping-method", {**body, "shipping_address": cali})
    assert len(sent["exchange"]["shipping_methods"]) == 1
    elsewhere = {
        **body,
        "shipping_address": {**cali, "city": "Leticia", "province": "Amazonas"},
        "custom_amount": 1,
    }
    assert (await admin.post(f"{path}/outbound/shipping-method", json=elsewhere)).status_code == 400
    assert (await get(admin, path))["exchange"]["shipping_methods"] == sent["exchange"]["shipping_methods"]
    async with shop.database.read() as session:
        entries = (await session.execute(select(AuditEntry.changes))).scalars()
        assert "Calle 10" not in str(list(entries))
    async with shop.database.transaction() as session:
        seen = SeenExchange(None)
        new = await settle_exchange(session, COMMAND_LINE, exchange["id"], seen)
    assert (new.shipping_address["city"], new.shipping_address["first_name"]) == ("Cali", "Beatriz")
    again = (await get(admin, f"/admin/orders/{delivered.order_id}"))["order"]
    assert again["shipping_address"]["city"] == first["shipping_address"]["city"] != "Cali"


async def test_exchange_is_settled_only_with_a_delivery_priced_after_the_last_change(
    shop: Shop, admin: httpx.AsyncClient, delivered: Sold, yoyo: str
) -> None:
    exchange = await begin(admin, delivered, yoyo)
    path = f"{PATH}/{exchange['id']}"
    options = (await get(admin, "/admin/shipping-options"))["shipping_options"]
    body = {
        "shipping_option_id": next(one["id"] for one in options if one["provider_id"] == "carrier_standard")
    }
    await post(admin, f"{path}/outbound/shipping-method", body)
    await post(admin, f"{path}/outbound/items", {"items": [{"variant_id": yoyo, "quantity": 1}]})
    with pytest.raises(InvalidData):
        async with shop.database.transaction() as session:
            await settle_exchange(session, COMMAND_LINE, exchange["id"], SeenExchange(None))
    await relist_deliveries(shop.checkout, COMMAND_LINE, exchange["id"])
    async with shop.database.transaction() as session:
        new = await settle_exchange(session, COMMAND_LINE, exchange["id"], SeenExchange(None))
    assert new.fulfillment_status == "not_fulfilled"
