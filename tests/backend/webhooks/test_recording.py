"""Events of orders, payments, products and stock, and the data that they contain."""

import json
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.core.db.database import database_now
from backend.inventory.models import InventoryLevel
from backend.operations.tidy.rules import RULES
from backend.payment.providers.base import ProviderState
from backend.webhooks.models import WebhookDelivery, WebhookEvent
from backend.webhooks.sending import build_body
from tests.backend.orders.paying import place_order_at_bank, report_payment
from tests.backend.webhooks.conftest import add_endpoint, read_deliveries
from tests.store_steps import HOME, post, read_ok


@pytest.fixture
async def endpoint(shop: Shop) -> str:
    """Return an endpoint that receives all events."""
    return (await add_endpoint(shop, "https://erp.example.com/x"))[0]


@pytest.fixture
async def product(admin: httpx.AsyncClient) -> dict[str, Any]:
    """Return a product with 10 units. Its events are recorded only if an endpoint exists already."""
    body = {
        "title": "Balero",
        "status": "published",
        "options": [{"title": "Color", "values": ["Rojo"]}],
        "variants": [
            {
                "title": "Rojo",
                "options": {"Color": "Rojo"},
                "prices": [{"amount": 50_000, "currency_code": "cop"}],
            }
        ],
    }
    product: dict[str, Any] = (await post(admin, "/admin/products", body))["product"]
    await set_stock(admin, product["variants"][0]["id"], 10)
    return product


async def set_stock(admin: httpx.AsyncClient, variant_id: str, units: int) -> None:
    location = (await read_ok(await admin.get("/admin/stock-locations")))["stock_locations"][0]["id"]
    item = f"/admin/inventory-items/iitem_{variant_id.partition('_')[2]}/location-levels"
    levels = (await read_ok(await admin.get(item)))["inventory_levels"]
    path = f"{item}/{location}" if levels else item
    body = {"stocked_quantity": units} | ({} if levels else {"location_id": location})
    await post(admin, path, body)


async def take_events(shop: Shop) -> list[tuple[str, dict[str, Any]]]:
    """Return the name and data of the new events, sorted, and delete them."""
    deliveries = await read_deliveries(shop)
    async with shop.database.transaction() as session:
        for delivery in deliveries:
            await session.delete(await session.get_one(WebhookDelivery, delivery.id))
    return sorted(((one.event, one.data) for one in deliveries), key=lambda one: one[0])


def list_names(events: list[tuple[str, dict[str, Any]]]) -> list[str]:
    return [name for name, _data in events]


async def test_purchase_and_refund_send_webhook_events_of_order_and_payment(
    shop: Shop, store: httpx.AsyncClient, product: dict[str, Any], endpoint: str, admin: httpx.AsyncClient
) -> None:
    order_id, session_id = await place_order_at_bank(shop, store, product["variants"][0]["id"])
    placed = await take_events(shop)
    assert list_names(placed) == ["inventory-level.updated", "order.placed"]
    assert placed[1][1] == {"id": order_id}
    async with shop.database.read() as session:
        level = (await session.execute(select(InventoryLevel))).scalar_one()
    assert placed[0][1] == {
        "id": f"ilev_{level.id.partition('_')[2]}",
        "inventory_item_id": f"iitem_{level.variant_id.partition('_')[2]}",
        "location_id": level.location_id,
    }
    item = await read_ok(await admin.get(f"/admin/inventory-items/{placed[0][1]['inventory_item_id']}"))
    assert item["inventory_item"]["location_levels"][0]["id"] == placed[0][1]["id"]

    await report_payment(shop, session_id, ProviderState.CAPTURED)
    (captured,) = await take_events(shop)
    payment_id = captured[1]["id"]
    assert captured == ("payment.captured", {"id": payment_id, "order_id": order_id})
    payment = (await read_ok(await admin.get(f"/admin/payments/{payment_id}")))["payment"]
    assert payment["captured_at"] is not None

    refund = {"amount": 1_000, "reference": "T-1", "note": "x"}
    await post(admin, f"/admin/orders/{order_id}/refunds", refund)
    (refunded,) = await take_events(shop)
    assert refunded[0] == "payment.refunded"
    assert {name: refunded[1][name] for name in ("id", "order_id")} == {
        "id": payment_id,
        "order_id": order_id,
    }
    assert refunded[1]["refund_id"].startswith("ref_")


async def test_rejected_payment_sends_one_webhook_event_about_the_cancelled_order(
    shop: Shop, store: httpx.AsyncClient, product: dict[str, Any], endpoint: str, admin: httpx.AsyncClient
) -> None:
    order_id, session_id = await place_order_at_bank(shop, store, product["variants"][0]["id"])
    await take_events(shop)
    await report_payment(shop, session_id, ProviderState.REJECTED)
    events = await take_events(shop)
    assert list_names(events) == ["inventory-level.updated", "order.canceled"]
    assert events[1][1] == {"id": order_id}
    await read_ok(await admin.post(f"/admin/orders/{order_id}/cancel"))
    assert await take_events(shop) == []


async def test_full_refund_that_cancels_the_order_sends_webhook_events_of_both(
    shop: Shop, store: httpx.AsyncClient, product: dict[str, Any], endpoint: str, admin: httpx.AsyncClient
) -> None:
    order_id, session_id = await place_order_at_bank(shop, store, product["variants"][0]["id"])
    await report_payment(shop, session_id, ProviderState.CAPTURED)
    order = (await read_ok(await admin.get(f"/admin/orders/{order_id}")))["order"]
    await take_events(shop)
    refund = {"amount": order["total"], "reference": "T-1", "note": "x", "cancel": True}
    await post(admin, f"/admin/orders/{order_id}/refunds", refund)
    names = list_names(await take_events(shop))
    assert names == ["inventory-level.updated", "order.canceled", "payment.refunded"]


async def test_shipment_and_delivery_of_a_parcel_send_webhook_events(
    shop: Shop, store: httpx.AsyncClient, product: dict[str, Any], endpoint: str, admin: httpx.AsyncClient
) -> None:
    order_id, session_id = await place_order_at_bank(shop, store, product["variants"][0]["id"])
    await report_payment(shop, session_id, ProviderState.CAPTURED)
    order = (await read_ok(await admin.get(f"/admin/orders/{order_id}")))["order"]
    items = [{"id": line["id"], "quantity": line["quantity"]} for line in order["items"]]
    packed = await post(admin, f"/admin/orders/{order_id}/fulfillments", {"items": items})
    fulfillment_id = packed["order"]["fulfillments"][0]["id"]
    await take_events(shop)
    path = f"/admin/orders/{order_id}/fulfillments/{fulfillment_id}"
    await post(admin, f"{path}/shipments", {"items": items})
    data = {"id": fulfillment_id, "order_id": order_id}
    assert await take_events(shop) == [("shipment.created", data)]
    await post(admin, f"{path}/mark-as-delivered")
    assert await take_events(shop) == [("delivery.created", data)]


async def test_creating_changing_and_deleting_a_product_send_webhook_events(
    shop: Shop, endpoint: str, admin: httpx.AsyncClient
) -> None:
    created = (await post(admin, "/admin/products", {"title": "Yoyo"}))["product"]
    data = {"id": created["id"]}
    assert await take_events(shop) == [("product.created", data)]
    await post(admin, f"/admin/products/{created['id']}", {"title": "Yo-yo"})
    assert await take_events(shop) == [("product.updated", data)]
    batch = {"update": [{"id": created["id"], "title": "Yoyó"}], "create": [{"title": "Trompo"}]}
    await post(admin, "/admin/products/batch", batch)
    assert list_names(await take_events(shop)) == ["product.created", "product.updated"]
    await read_ok(await admin.delete(f"/admin/products/{created['id']}"))
    assert await take_events(shop) == [("product.deleted", data)]


async def test_changed_stock_sends_a_webhook_event(
    shop: Shop, endpoint: str, admin: httpx.AsyncClient, product: dict[str, Any]
) -> None:
    await take_events(shop)
    await set_stock(admin, product["variants"][0]["id"], 7)
    assert list_names(await take_events(shop)) == ["inventory-level.updated"]


async def test_webhook_events_contain_no_personal_data(
    shop: Shop, store: httpx.AsyncClient, product: dict[str, Any], endpoint: str
) -> None:
    _order_id, session_id = await place_order_at_bank(shop, store, product["variants"][0]["id"])
    await report_payment(shop, session_id, ProviderState.CAPTURED)
    deliveries = await read_deliveries(shop)
    assert len(deliveries) == 3
    for delivery in deliveries:
        body = json.loads(build_body(delivery))
        assert set(body) == {"id", "event", "created_at", "data"}
        assert all(name == "id" or name.endswith("_id") for name in body["data"])
        for text in (HOME["first_name"], HOME["address_1"], HOME["phone"], "ana@example.com", "1020304050"):
            assert str(text) not in build_body(delivery).decode()


async def test_shop_without_webhooks_records_nothing(
    shop: Shop, store: httpx.AsyncClient, product: dict[str, Any], statements: list[str]
) -> None:
    statements.clear()
    await place_order_at_bank(shop, store, product["variants"][0]["id"])
    assert await read_deliveries(shop) == []
    assert not any("webhook_delivery" in one and one.startswith("INSERT") for one in statements)
    read_endpoints = [one for one in statements if "FROM webhook_endpoint" in one]
    assert read_endpoints
    assert len(read_endpoints) <= 3, "one small read for each transaction with events"


def test_every_webhook_event_is_named_by_an_object_and_an_action() -> None:
    assert all(len(event.split(".")) == 2 for event in WebhookEvent)


async def test_old_webhook_deliveries_are_deleted_later_if_failed_or_waiting(
    shop: Shop, endpoint: str
) -> None:
    ages = [
        ("delivered", 6),
        ("delivered", 8),
        ("failed", 8),
        ("failed", 31),
        ("waiting", 8),
        ("waiting", 31),
    ]
    async with shop.database.transaction() as session:
        moment = await database_now(session)
        for state, days in ages:
            delivery = WebhookDelivery(endpoint_id=endpoint, event_id=f"{state} {days}", event="ping")
            delivery.state, delivery.created_at = state, moment - timedelta(days=days)
            session.add(delivery)
    (rule,) = [one for one in RULES if one.table is WebhookDelivery]
    assert await rule.apply(shop.database) == 3
    left = sorted(one.event_id for one in await read_deliveries(shop))
    assert left == ["delivered 6", "failed 8", "waiting 8"]
