"""Manual refunds: the money, the returned units, and the resulting state of the order."""

import asyncio
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.core.errors import Conflict
from backend.inventory import stock_fulfillment
from backend.mail.messages import compose_message
from backend.mail.models import Mail
from backend.mail.rendering import MailRenderer
from backend.orders.models import Fulfillment
from tests.amounts import cop
from tests.backend.orders.paying import read_order_status, read_stock
from tests.sold_order import SoldOrder
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase, get, post


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)


@pytest.fixture
async def paid(admin: httpx.AsyncClient, sold_order: SoldOrder) -> dict[str, Any]:
    """Return a paid order of two units for 80 000 pesos."""
    order: dict[str, Any] = (await get(admin, f"/admin/orders/{sold_order.order_id}"))["order"]
    assert (order["payment_status"], order["total"]) == ("captured", 80_000)
    return order


def path(order: dict[str, Any]) -> str:
    return f"/admin/orders/{order['id']}/refunds"


def lines(order: dict[str, Any], units: int, *, restock: bool = True) -> list[dict[str, Any]]:
    return [{"line_id": order["items"][0]["id"], "quantity": units, "restock": restock}]


async def send_all(admin: httpx.AsyncClient, order: dict[str, Any]) -> dict[str, Any]:
    body = {"items": [{"id": order["items"][0]["id"], "quantity": 2}]}
    sent: dict[str, Any] = (await post(admin, f"/admin/orders/{order['id']}/fulfillments", body))["order"]
    return sent


async def test_partial_refund_is_booked(shop: Shop, admin: httpx.AsyncClient, paid: dict[str, Any]) -> None:
    body = {"amount": 10_000, "reference": "A-1", "reason": "Llegó rayado", "note": "Was angry"}
    answer = await post(admin, path(paid), body)
    refund, order = answer["refund"], answer["order"]
    assert refund["id"].startswith("ref_")
    assert {name: refund[name] for name in ("amount", "reference", "reason", "note", "order_id")} == {
        **body,
        "order_id": paid["id"],
    }
    assert refund["created_by"].startswith("user_")
    assert (order["status"], order["payment_status"]) == ("pending", "partially_refunded")
    summary = order["summary"]
    assert (summary["paid_total"], summary["refunded_total"], summary["transaction_total"]) == (
        80_000,
        10_000,
        70_000,
    )
    (collection,) = order["payment_collections"]
    assert collection["refunded_amount"] == 10_000
    (shown,) = collection["payments"][0]["refunds"]
    assert (shown["id"], shown["amount"], shown["payment_id"]) == (
        refund["id"],
        10_000,
        collection["payments"][0]["id"],
    )
    assert "note" not in shown
    listing = await get(admin, path(paid))
    assert (listing["count"], [one["id"] for one in listing["refunds"]]) == (1, [refund["id"]])
    payment = (await get(admin, f"/admin/payments/{shown['payment_id']}"))["payment"]
    assert [one["id"] for one in payment["refunds"]] == [refund["id"]]
    assert (await post(admin, f"/admin/payments/{shown['payment_id']}/capture"))["payment"] == payment
    assert await read_stock(shop) == (5, 2)
    assert (await send_all(admin, paid))["fulfillment_status"] == "fulfilled"


async def test_concurrent_refund_requests_book_one_refund(
    admin: httpx.AsyncClient, paid: dict[str, Any]
) -> None:
    body = {"amount": 10_000, "reference": "A-1"}
    answers = await asyncio.gather(*(admin.post(path(paid), json=body) for _ in range(4)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["refund"]["id"] for answer in answers}) == 1
    assert (await get(admin, path(paid)))["count"] == 1
    other = await admin.post(path(paid), json={**body, "amount": 20_000})
    assert (other.status_code, other.json()["type"]) == (409, "conflict")


async def test_refunds_never_exceed_the_captured_amount(
    shop: Shop, admin: httpx.AsyncClient, paid: dict[str, Any]
) -> None:
    too_much = await admin.post(path(paid), json={"amount": 80_001, "reference": "A-1"})
    assert (too_much.status_code, too_much.json()["type"]) == (400, "not_allowed")
    answers = await asyncio.gather(
        *(admin.post(path(paid), json={"amount": 30_000, "reference": f"A-{n}"}) for n in range(5))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 200, 400, 400, 400]
    order = (await get(admin, f"/admin/orders/{paid['id']}"))["order"]
    assert order["summary"]["refunded_total"] == 60_000


async def test_full_refund_cancels_an_unsent_order(
    shop: Shop, admin: httpx.AsyncClient, paid: dict[str, Any]
) -> None:
    refused = await admin.post(f"/admin/orders/{paid['id']}/cancel", json={})
    assert (refused.status_code, refused.json()["type"]) == (400, "not_allowed")
    assert "/admin/orders/:id/refunds" in refused.json()["message"]
    answer = await post(admin, path(paid), {"amount": 80_000, "reference": "A-1", "cancel": True})
    assert (answer["order"]["status"], answer["order"]["payment_status"]) == ("canceled", "refunded")
    assert answer["order"]["canceled_at"]
    assert await read_stock(shop) == (5, 0)
    again = await post(admin, path(paid), {"amount": 80_000, "reference": "A-1", "cancel": True})
    assert again["refund"]["id"] == answer["refund"]["id"]
    sent = await admin.post(
        f"/admin/orders/{paid['id']}/fulfillments",
        json={"items": [{"id": paid["items"][0]["id"], "quantity": 1}]},
    )
    assert sent.status_code == 400


async def test_refund_that_cancels_the_order_is_refused_if_partial_or_after_shipping(
    shop: Shop, admin: httpx.AsyncClient, paid: dict[str, Any]
) -> None:
    part = await admin.post(path(paid), json={"amount": 1_000, "reference": "A-1", "cancel": True})
    assert (part.status_code, part.json()["type"]) == (400, "not_allowed")
    assert "79000 is left" in part.json()["message"]
    await send_all(admin, paid)
    sent = await admin.post(path(paid), json={"amount": 80_000, "reference": "A-1", "cancel": True})
    assert (sent.status_code, sent.json()["type"]) == (400, "not_allowed")
    assert await read_order_status(shop, paid["id"]) == ("pending", "captured")
    assert (await get(admin, path(paid)))["count"] == 0


async def test_refunded_unsent_units_are_restocked_or_written_off_as_requested(
    shop: Shop, admin: httpx.AsyncClient, paid: dict[str, Any]
) -> None:
    body = {"amount": 40_000, "reference": "A-1", "lines": lines(paid, 1)}
    order = (await post(admin, path(paid), body))["order"]
    assert await read_stock(shop) == (5, 1)
    assert order["items"][0]["detail"]["written_off_quantity"] == 1
    again = {"amount": 1_000, "reference": "A-2", "lines": lines(paid, 1, restock=False)}
    await post(admin, path(paid), again)
    assert await read_stock(shop) == (4, 0)
    none = {"amount": 1_000, "reference": "A-3", "lines": lines(paid, 1)}
    refused = await admin.post(path(paid), json=none)
    assert (refused.status_code, refused.json()["type"]) == (400, "invalid_data")


async def test_order_is_fulfilled_when_its_remaining_units_are_sent(
    admin: httpx.AsyncClient, paid: dict[str, Any]
) -> None:
    await post(admin, path(paid), {"amount": 40_000, "reference": "A-1", "lines": lines(paid, 1)})
    fulfillments = f"/admin/orders/{paid['id']}/fulfillments"
    both = {"items": [{"id": paid["items"][0]["id"], "quantity": 2}]}
    assert (await admin.post(fulfillments, json=both)).status_code == 400
    one = {"items": [{"id": paid["items"][0]["id"], "quantity": 1}]}
    assert (await post(admin, fulfillments, one))["order"]["fulfillment_status"] == "fulfilled"


@pytest.mark.parametrize(("restock", "stocked"), [(True, 4), (False, 3)])
async def test_returned_units_are_restocked_if_requested(
    *, shop: Shop, admin: httpx.AsyncClient, paid: dict[str, Any], restock: bool, stocked: int
) -> None:
    await send_all(admin, paid)
    assert await read_stock(shop) == (3, 0)
    body = {"amount": 40_000, "reference": "A-1", "lines": lines(paid, 1, restock=restock)}
    order = (await post(admin, path(paid), body))["order"]
    assert await read_stock(shop) == (stocked, 0)
    assert order["items"][0]["detail"]["return_received_quantity"] == 1
    assert (order["status"], order["fulfillment_status"]) == ("pending", "fulfilled")


@pytest.mark.parametrize(("restock", "stocked"), [(True, 5), (False, 4)])
async def test_units_refunded_while_packed_are_not_sent_after_a_cancelled_label(
    *, shop: Shop, admin: httpx.AsyncClient, paid: dict[str, Any], restock: bool, stocked: int
) -> None:
    sent = await send_all(admin, paid)
    body = {"amount": 40_000, "reference": "A-1", "lines": lines(paid, 1, restock=restock)}
    await post(admin, path(paid), body)
    fulfillments = f"/admin/orders/{paid['id']}/fulfillments"
    for _ in range(2):
        order = (await post(admin, f"{fulfillments}/{sent['fulfillments'][0]['id']}/cancel"))["order"]
    assert await read_stock(shop) == (stocked, 1)
    detail = order["items"][0]["detail"]
    assert (detail["fulfilled_quantity"], detail["return_received_quantity"]) == (0, 0)
    assert detail["written_off_quantity"] == 1
    both = {"items": [{"id": paid["items"][0]["id"], "quantity": 2}]}
    assert (await admin.post(fulfillments, json=both)).status_code == 400
    one = {"items": [{"id": paid["items"][0]["id"], "quantity": 1}]}
    assert (await post(admin, fulfillments, one))["order"]["fulfillment_status"] == "fulfilled"
    assert await read_stock(shop) == (stocked - 1, 0)


async def send_one(admin: httpx.AsyncClient, order: dict[str, Any]) -> str:
    """Pack one of the two units and return the fulfillment's path."""
    body = {"items": [{"id": order["items"][0]["id"], "quantity": 1}]}
    sent = (await post(admin, f"/admin/orders/{order['id']}/fulfillments", body))["order"]
    return f"/admin/orders/{order['id']}/fulfillments/{sent['fulfillments'][-1]['id']}"


@pytest.mark.parametrize(("restock", "stocked"), [(True, 4), (False, 3)])
async def test_refunded_units_are_first_subtracted_from_the_parcel_that_has_not_left(
    *, shop: Shop, admin: httpx.AsyncClient, paid: dict[str, Any], restock: bool, stocked: int
) -> None:
    await post(admin, f"{await send_one(admin, paid)}/mark-as-delivered")
    packed = await send_one(admin, paid)
    body = {"amount": 40_000, "reference": "A-1", "lines": lines(paid, 1, restock=restock)}
    await post(admin, path(paid), body)
    assert await read_stock(shop) == (stocked, 0)
    order = (await post(admin, f"{packed}/cancel"))["order"]
    assert await read_stock(shop) == (stocked, 0)
    detail = order["items"][0]["detail"]
    assert (detail["fulfilled_quantity"], detail["written_off_quantity"]) == (1, 1)
    assert (detail["return_received_quantity"], order["fulfillment_status"]) == (0, "delivered")
    assert (await get(admin, "/admin/orders", to_pack="true"))["count"] == 0


async def test_further_refunded_units_are_subtracted_from_the_delivered_parcel(
    shop: Shop, admin: httpx.AsyncClient, paid: dict[str, Any]
) -> None:
    await post(admin, f"{await send_one(admin, paid)}/mark-as-delivered")
    packed = await send_one(admin, paid)
    await post(admin, path(paid), {"amount": 80_000, "reference": "A-1", "lines": lines(paid, 2)})
    assert await read_stock(shop) == (5, 0)
    detail = (await post(admin, f"{packed}/cancel"))["order"]["items"][0]["detail"]
    assert await read_stock(shop) == (5, 0)
    assert (detail["return_received_quantity"], detail["written_off_quantity"]) == (1, 1)


async def test_failed_cancellation_of_a_fulfillment_changes_nothing_and_can_be_repeated(
    shop: Shop, admin: httpx.AsyncClient, paid: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = await send_all(admin, paid)
    fulfillment = f"/admin/orders/{paid['id']}/fulfillments/{sent['fulfillments'][0]['id']}"

    async def gone(*_arguments: Any, **_named: Any) -> None:
        raise Conflict("the process ended here")

    with monkeypatch.context() as patched:
        patched.setattr(stock_fulfillment, "cancel_fulfillment", gone)
        assert (await admin.post(f"{fulfillment}/cancel")).status_code == 409
    async with shop.database.read() as session:
        row = (await session.execute(select(Fulfillment))).scalar_one()
    assert (row.state, await read_stock(shop)) == ("created", (3, 0))
    await post(admin, f"{fulfillment}/cancel")
    assert await read_stock(shop) == (5, 2)


async def test_refunded_sent_order_can_be_cancelled_after_its_fulfillment_is_cancelled(
    shop: Shop, admin: httpx.AsyncClient, paid: dict[str, Any]
) -> None:
    sent = await send_all(admin, paid)
    await post(admin, path(paid), {"amount": 80_000, "reference": "A-1"})
    assert await read_order_status(shop, paid["id"]) == ("pending", "refunded")
    fulfillment = sent["fulfillments"][0]["id"]
    await post(admin, f"/admin/orders/{paid['id']}/fulfillments/{fulfillment}/cancel")
    order = (await post(admin, f"/admin/orders/{paid['id']}/cancel"))["order"]
    assert (order["status"], order["payment_status"]) == ("canceled", "refunded")
    assert await read_stock(shop) == (5, 0)


async def test_unpaid_order_cannot_be_refunded(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, trompo: str
) -> None:
    order = await complete_purchase(store, trompo)
    refused = await admin.post(path(order), json={"amount": 1_000, "reference": "A-1"})
    assert (refused.status_code, refused.json()["type"]) == (400, "not_allowed")
    unknown = await admin.post("/admin/orders/order_nosuch/refunds", json={"amount": 1, "reference": "1"})
    assert unknown.status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"amount": 0, "reference": "1"},
        {"amount": 1_000},
        {"amount": 1_000, "reference": ""},
        {"amount": 1_000, "reference": "1", "lines": [{"line_id": "ordli_nosuch", "quantity": 1}]},
        {"amount": 1_000, "reference": "1", "lines": [{"line_id": "x", "quantity": 0}]},
    ],
)
async def test_invalid_refund_is_refused(
    admin: httpx.AsyncClient, paid: dict[str, Any], body: dict[str, Any]
) -> None:
    refused = await admin.post(path(paid), json=body)
    assert (refused.status_code, refused.json()["type"]) == (400, "invalid_data")
    assert (await get(admin, path(paid)))["count"] == 0


async def test_only_staff_can_refund(anyone: httpx.AsyncClient, paid: dict[str, Any]) -> None:
    body = {"amount": 1_000, "reference": "1"}
    assert (await anyone.post(path(paid), json=body)).status_code == 401
    assert (await anyone.get(path(paid))).status_code == 401


async def test_provider_refund_is_not_implemented(admin: httpx.AsyncClient, paid: dict[str, Any]) -> None:
    payment = paid["payment_collections"][0]["payments"][0]["id"]
    refused = await admin.post(f"/admin/payments/{payment}/refund", json={})
    assert (refused.status_code, "not implemented" in refused.json()["message"]) == (400, True)


async def test_refund_mail_states_amount_and_time(
    shop: Shop, admin: httpx.AsyncClient, paid: dict[str, Any]
) -> None:
    await post(admin, path(paid), {"amount": 10_000, "reference": "0012345678", "note": "Was angry"})
    async with shop.database.read() as session:
        mail = (await session.execute(select(Mail).where(Mail.kind == "refunded"))).scalar_one()
        message = await compose_message(session, shop.settings, mail)
    assert message is not None
    sent = MailRenderer(shop.settings).render(message, shop.settings)
    assert (sent["To"], sent["Subject"]) == (
        "ana@example.com",
        cop(f"Te devolvimos $ 10.000: pedido {paid['display_id']}"),
    )
    body = sent.get_body(("plain",))
    assert body is not None
    text = body.get_content()
    for fact in (cop("$ 10.000"), "0012345678", "tres días hábiles", f"/order/{paid['id']}?token="):
        assert fact in text
    assert "angry" not in text
