"""Orders over the Admin API, on both databases (spec: Provider operations; wire: commerce-api, Admin)."""

import asyncio
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.inventory.models import InventoryLevel
from backend.orders.models import Fulfillment
from backend.payment.providers.base import ProviderReport, StartedPayment
from tests.statements import record_statements
from tests.store_defaults import Defaults, add_product
from tests.store_steps import PSE, complete_purchase, get, post


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)


async def read_stock(shop: Shop) -> tuple[int, int]:
    """Return the units at the location, and how many of them are reserved."""
    async with shop.database.read() as session:
        level = (await session.execute(select(InventoryLevel))).scalar_one()
        return level.stocked, level.reserved


def fulfillment_body(order: dict[str, Any], units: int) -> dict[str, Any]:
    return {"items": [{"id": order["items"][0]["id"], "quantity": units}]}


async def test_order_is_sent_in_several_fulfillments(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    """Check the order's status after each step of two parcels (spec: createFulfillment; wire: commerce-api)."""
    order = await complete_purchase(store, trompo, 3, price_type="calculated")
    path = f"/admin/orders/{order['id']}"
    assert await read_stock(shop) == (5, 3)
    order = (await post(admin, f"{path}/fulfillments", fulfillment_body(order, 2)))["order"]
    assert (order["fulfillment_status"], order["items"][0]["detail"]["fulfilled_quantity"]) == (
        "partially_fulfilled",
        2,
    )
    (fulfillment,) = order["fulfillments"]
    assert (fulfillment["provider_id"], fulfillment["data"]["state"]) == ("carrier_standard", "created")
    assert fulfillment["labels"][0]["tracking_number"]
    assert fulfillment["packed_at"]
    assert await read_stock(shop) == (3, 1)
    order = (await post(admin, f"{path}/fulfillments", fulfillment_body(order, 1)))["order"]
    assert (order["fulfillment_status"], len(order["fulfillments"])) == ("fulfilled", 2)
    fulfillments = [f"{path}/fulfillments/{fulfillment['id']}" for fulfillment in order["fulfillments"]]
    assert (await post(admin, f"{fulfillments[0]}/shipments"))["order"][
        "fulfillment_status"
    ] == "partially_shipped"
    assert (await post(admin, f"{fulfillments[1]}/shipments"))["order"]["fulfillment_status"] == "shipped"
    await post(admin, f"{fulfillments[0]}/mark-as-delivered")
    order = (await post(admin, f"{fulfillments[1]}/mark-as-delivered"))["order"]
    assert order["fulfillment_status"] == "delivered"
    assert order["items"][0]["detail"]["delivered_quantity"] == 3
    assert await read_stock(shop) == (2, 0)


@pytest.mark.parametrize(("units", "left"), [(2, 0), (1, 1)])
async def test_capture_after_packing_keeps_the_reservation_of_unsent_units(
    *, admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, trompo: str, units: int, left: int
) -> None:
    """Follow the platform's own order of steps: packed, then captured."""
    order = await complete_purchase(store, trompo, 2)
    path = f"/admin/orders/{order['id']}"
    await post(admin, f"{path}/fulfillments", fulfillment_body(order, units))
    assert await read_stock(shop) == (5 - units, left)
    payment = (await get(admin, path))["order"]["payment_collections"][0]["payments"][0]["id"]
    await post(admin, f"/admin/payments/{payment}/capture")
    assert (await get(admin, path))["order"]["payment_status"] == "captured"
    assert await read_stock(shop) == (5 - units, left)
    assert (await get(admin, "/admin/attention"))["count"] == 0


async def test_invalid_fulfillments_are_refused(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, trompo: str
) -> None:
    """Check the message of each refusal (wire: commerce-api, Admin, fulfillments)."""
    order = await complete_purchase(store, trompo, 2)
    path, line = f"/admin/orders/{order['id']}/fulfillments", order["items"][0]["id"]

    async def refusal(body: dict[str, Any]) -> str:
        refused = await admin.post(path, json=body)
        assert (refused.status_code, refused.json()["type"]) == (400, "invalid_data")
        return str(refused.json()["message"])

    too_many = f"Quantity to fulfill exceeds the reserved quantity for the item: {line}"
    assert await refusal(fulfillment_body(order, 99)) == too_many
    assert await refusal({}) == "Invalid request: Field 'items' is required"
    unknown = f"Items with ids ordli_nosuch does not exist in order with id {order['id']}."
    assert await refusal({"items": [{"id": "ordli_nosuch", "quantity": 1}]}) == unknown
    await post(admin, path, fulfillment_body(order, 2))
    again = await refusal(fulfillment_body(order, 1))
    assert again.startswith(f"No stock reservation found for item {line}")


async def test_concurrent_fulfillment_requests_create_one_label(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    """Send the same request four times at once (design: decision 7, for staff)."""
    order = await complete_purchase(store, trompo, 2, price_type="calculated")
    path = f"/admin/orders/{order['id']}/fulfillments"
    answers = await asyncio.gather(*(admin.post(path, json=fulfillment_body(order, 2)) for _ in range(4)))
    assert 200 in {answer.status_code for answer in answers}
    assert {answer.status_code for answer in answers} <= {200, 400, 409}
    async with shop.database.read() as session:
        (fulfillment,) = (await session.execute(select(Fulfillment))).scalars()
    assert fulfillment.state == "created"
    assert await read_stock(shop) == (3, 0)


async def test_cancelled_fulfillment_restocks_its_units(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    order = await complete_purchase(store, trompo, 2, price_type="calculated")
    path = f"/admin/orders/{order['id']}/fulfillments"
    order = (await post(admin, path, fulfillment_body(order, 2)))["order"]
    fulfillment = order["fulfillments"][0]["id"]
    for _ in range(2):  # twice is once
        order = (await post(admin, f"{path}/{fulfillment}/cancel"))["order"]
    assert (order["fulfillment_status"], await read_stock(shop)) == ("not_fulfilled", (5, 2))
    refused = await admin.post(f"{path}/{fulfillment}/shipments", json={})
    assert refused.json()["message"] == "Fulfillment has been canceled"
    order = (await post(admin, path, fulfillment_body(order, 2)))["order"]
    assert (order["fulfillment_status"], await read_stock(shop)) == ("fulfilled", (3, 0))


async def test_manual_fulfillment_stores_its_label(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, trompo: str
) -> None:
    order = await complete_purchase(store, trompo)
    path = f"/admin/orders/{order['id']}/fulfillments"
    order = (await post(admin, path, fulfillment_body(order, 1)))["order"]
    fulfillment = f"{path}/{order['fulfillments'][0]['id']}"
    wrong = await admin.post(f"{fulfillment}/shipments", json={"items": [{"id": "x", "quantity": 1}]})
    assert wrong.status_code == 400
    label = {
        "tracking_number": "ABC-1",
        "tracking_url": "https://carrier.example/follow/ABC-1",
        "label_url": "https://carrier.example/ABC-1",
    }
    shipped = {**fulfillment_body(order, 1), "labels": [label], "metadata": {"box": "azul"}}
    order = (await post(admin, f"{fulfillment}/shipments", shipped))["order"]
    (sent,) = order["fulfillments"]
    assert [{name: one[name] for name in label} for one in sent["labels"]] == [label]
    assert sent["metadata"] == {"box": "azul"}
    (same,) = (await get(admin, f"/admin/orders/{order['id']}"))["order"]["fulfillments"]
    assert (same["labels"], same["metadata"]) == (sent["labels"], sent["metadata"])
    late = await admin.post(f"{fulfillment}/cancel", json={})
    assert late.json()["type"] == "not_allowed"
    assert (await admin.post(f"{path}/ful_nosuch/cancel", json={})).status_code == 404


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([{"tracking_url": "javascript:alert(1)"}], "A label's addresses begin with http:// or https://"),
        ([{"label_url": "/ABC-1"}], "A label's addresses begin with http:// or https://"),
        (
            [{}, {"tracking_number": "ABC-2"}],
            "A fulfillment has one label, and the tracking number of this one is ABC-1",
        ),
    ],
)
async def test_invalid_label_is_refused(
    *,
    admin: httpx.AsyncClient,
    store: httpx.AsyncClient,
    trompo: str,
    labels: list[dict[str, str]],
    message: str,
) -> None:
    order = await complete_purchase(store, trompo)
    path = f"/admin/orders/{order['id']}/fulfillments"
    order = (await post(admin, path, fulfillment_body(order, 1)))["order"]
    sent = {"labels": [{"tracking_number": "ABC-1", **label} for label in labels]}
    refused = await admin.post(f"{path}/{order['fulfillments'][0]['id']}/shipments", json=sent)
    assert (refused.status_code, refused.json()["type"]) == (400, "invalid_data")
    assert message in refused.json()["message"]
    (kept,) = (await get(admin, f"/admin/orders/{order['id']}"))["order"]["fulfillments"]
    assert (kept["labels"], kept["shipped_at"]) == ([], None)


async def test_placeholder_label_urls_of_the_dashboard_are_stored_as_empty(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, trompo: str
) -> None:
    order = await complete_purchase(store, trompo)
    path = f"/admin/orders/{order['id']}/fulfillments"
    order = (await post(admin, path, fulfillment_body(order, 1)))["order"]
    label = {"tracking_number": "ABC-1", "tracking_url": "#", "label_url": "#"}
    shipped = f"{path}/{order['fulfillments'][0]['id']}/shipments"
    (sent,) = (await post(admin, shipped, {"labels": [label]}))["order"]["fulfillments"]
    (kept,) = sent["labels"]
    assert (kept["tracking_number"], kept["tracking_url"], kept["label_url"]) == ("ABC-1", "", "")


async def test_metadata_of_new_fulfillment_is_stored_and_unsupported_fields_refused(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, trompo: str
) -> None:
    order = await complete_purchase(store, trompo, price_type="calculated")
    path = f"/admin/orders/{order['id']}/fulfillments"
    for wrong in (
        {"requires_shipping": False},
        {"additional_data": {"box": "azul"}},
        {"shipping_option_id": "so_another"},
    ):
        refused = await admin.post(path, json={**fulfillment_body(order, 1), **wrong})
        assert (refused.status_code, refused.json()["type"]) == (400, "invalid_data")
    own = order["shipping_methods"][0]["shipping_option_id"]
    said = {"shipping_option_id": own, "requires_shipping": True, "metadata": {"box": "azul"}}
    (made,) = (await post(admin, path, {**fulfillment_body(order, 1), **said}))["order"]["fulfillments"]
    assert (made["metadata"], bool(made["data"]["carrier"])) == ({"box": "azul"}, True)


async def test_unpaid_order_cannot_be_fulfilled(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, trompo: str
) -> None:
    order = await complete_purchase(store, trompo, provider=PSE)
    refused = await admin.post(f"/admin/orders/{order['id']}/fulfillments", json=fulfillment_body(order, 1))
    message = "The order is not paid: it cannot be sent"
    assert (refused.status_code, refused.json()) == (400, {"type": "not_allowed", "message": message})


async def test_repeated_capture_changes_nothing(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, trompo: str
) -> None:
    """Refuse a partial capture, then capture the total twice (wire: commerce-api, Admin, capture)."""
    order = await complete_purchase(store, trompo)
    path = f"/admin/orders/{order['id']}"
    (payment,) = (await get(admin, path))["order"]["payment_collections"][0]["payments"]
    assert (payment["id"][:4], payment["captured_at"]) == ("pay_", None)
    part = await admin.post(f"/admin/payments/{payment['id']}/capture", json={"amount": 1})
    assert part.status_code == 400
    captures = [await post(admin, f"/admin/payments/{payment['id']}/capture") for _ in range(2)]
    assert captures[0] == captures[1]
    assert captures[0]["payment"]["captures"][0]["amount"] == order["total"]
    paid = (await get(admin, path))["order"]
    assert (paid["payment_status"], paid["summary"]["paid_total"]) == ("captured", order["total"])
    assert (await get(admin, "/admin/payments"))["payments"][0]["id"] == payment["id"]
    assert (await admin.post("/admin/payments/pay_nosuch/capture", json={})).status_code == 404


async def test_provider_refunds_and_return_labels_are_not_implemented(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, trompo: str
) -> None:
    """Check the refusals (spec: Errors, refundPayment called; createReturnFulfillment called)."""
    order = await complete_purchase(store, trompo, price_type="calculated")
    shown = (await get(admin, f"/admin/orders/{order['id']}"))["order"]
    payment = shown["payment_collections"][0]["payments"][0]["id"]
    await post(admin, f"/admin/payments/{payment}/capture")
    refused = await admin.post(f"/admin/payments/{payment}/refund", json={"amount": 1000})
    assert refused.status_code == 400
    assert "refundPayment is not implemented" in refused.json()["message"]
    fetched = await admin.post("/admin/returns", json={"order_id": order["id"], "items": []})
    message = "createReturnFulfillment is not implemented by carrier_standard"
    assert (fetched.status_code, fetched.json()["message"]) == (400, message)
    kept = await admin.post(f"/admin/orders/{order['id']}/cancel", json={})
    assert "refundPayment is not implemented" in kept.json()["message"]
    assert (await get(admin, f"/admin/orders/{order['id']}"))["order"]["status"] == "pending"


async def test_cancelling_an_order_releases_its_units(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    """Cancel an order twice after its fulfillment was cancelled (wire: commerce-api, Stock)."""
    order = await complete_purchase(store, trompo, 2)
    path = f"/admin/orders/{order['id']}"
    await post(admin, f"{path}/fulfillments", fulfillment_body(order, 1))
    refused = await admin.post(f"{path}/cancel", json={})
    message = "All fulfillments must be canceled before canceling an order"
    assert (refused.status_code, refused.json()["message"]) == (400, message)
    fulfillment = (await get(admin, path))["order"]["fulfillments"][0]["id"]
    await post(admin, f"{path}/fulfillments/{fulfillment}/cancel")
    for _ in range(2):  # twice is once
        canceled = (await post(admin, f"{path}/cancel"))["order"]
    assert (canceled["status"], canceled["payment_status"]) == ("canceled", "canceled")
    assert await read_stock(shop) == (5, 0)
    late = await admin.post(f"{path}/fulfillments", json=fulfillment_body(order, 1))
    assert late.json()["message"] == "The order was cancelled"


async def test_order_packed_during_cancellation_is_not_cancelled(
    admin: httpx.AsyncClient,
    store: httpx.AsyncClient,
    shop: Shop,
    trompo: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    order = await complete_purchase(store, trompo, 2)
    path = f"/admin/orders/{order['id']}"
    provider = shop.payments.providers["pp_system_default"]
    cancel = provider.cancel

    async def packed_meanwhile(payment: StartedPayment) -> ProviderReport:
        await post(admin, f"{path}/fulfillments", fulfillment_body(order, 2))
        return await cancel(payment)

    monkeypatch.setattr(provider, "cancel", packed_meanwhile)
    refused = await admin.post(f"{path}/cancel", json={})
    message = "All fulfillments must be canceled before canceling an order"
    assert (refused.status_code, refused.json()["message"]) == (400, message)
    stands = (await get(admin, path))["order"]
    assert (stands["status"], stands["payment_status"]) == ("pending", "authorized")
    assert stands["fulfillment_status"] == "fulfilled"
    assert await read_stock(shop) == (3, 0)


async def test_order_with_payment_at_the_bank_cannot_be_cancelled(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    order = await complete_purchase(store, trompo, provider=PSE)
    refused = await admin.post(f"/admin/orders/{order['id']}/cancel", json={})
    assert refused.status_code == 400
    assert refused.json()["message"].startswith("The payment is still at the bank")
    assert await read_stock(shop) == (5, 1)


async def test_orders_are_listed_and_filtered(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, trompo: str
) -> None:
    first, second = await complete_purchase(store, trompo), await complete_purchase(store, trompo)
    listing = await get(admin, "/admin/orders")
    assert [order["id"] for order in listing["orders"]] == [second["id"], first["id"]]
    assert listing["orders"][0]["items"][0]["title"] == "Trompo"
    assert (await get(admin, "/admin/orders", order="display_id", limit=1))["orders"][0]["id"] == first["id"]
    for query, count in (
        ({"q": "ana@"}, 2),
        ({"q": str(first["display_id"])}, 1),
        ({"status": "canceled"}, 0),
        ({"payment_status[]": "authorized"}, 2),
        ({"email": "otra@example.com"}, 0),
        ({"id": first["id"]}, 1),
    ):
        assert (await get(admin, "/admin/orders", **query))["count"] == count
    assert (await admin.get("/admin/orders/order_nosuch")).status_code == 404


async def test_reading_orders_does_not_load_label_files(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    order = await complete_purchase(store, trompo, 1, price_type="calculated")
    path = f"/admin/orders/{order['id']}"
    await post(admin, f"{path}/fulfillments", fulfillment_body(order, 1))
    with record_statements(shop.database) as statements:
        (listed,) = (await get(admin, "/admin/orders"))["orders"]
        assert listed["fulfillments"][0]["labels"]
        await get(admin, path)
        await get(store, f"/store/orders/{order['id']}")
    assert not [
        statement for statement in statements if statement.startswith("SELECT") and "label_pdf" in statement
    ]
