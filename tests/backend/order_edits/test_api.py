"""Order edits over the Admin API, on both databases (platform: order edits).

| case | outcome |
|---|---|
| begin twice | 400: the order has an active change |
| a price other than the shop's | 400, and nothing is stored |
| preview | the new lines, total and difference; the order stays |
| confirm | the order is changed; the preview says what is owed |
| a step without an open edit | 404 |
| a role that may not edit | 403 |
| shipping: an unknown option, or a price other than the shop's | 400, and nothing is stored |
| shipping: an action that the edit does not have | 404 |
"""

from decimal import Decimal
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from backend.app import Shop
from backend.orders.service import read_order
from backend.payment.providers.base import ProviderReport, ProviderState
from backend.payment.sessions import find_decisive_session
from backend.payment.transitions import apply_report
from backend.staff.models import Staff
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase, get, post

PRICE = 40_000
PATH = "/admin/order-edits"


@pytest.fixture
async def order_id(shop: Shop, shop_defaults: Defaults, store: httpx.AsyncClient) -> str:
    """Return the id of a paid order of two trompos."""
    async with shop.database.transaction() as session:
        trompo = await add_product(session, shop_defaults, "trompo", stock=9, price=PRICE)
    order = await complete_purchase(store, trompo, 2)
    async with shop.database.read() as session:
        payment = await find_decisive_session(session, (await read_order(session, order["id"])).cart_id)
    assert payment is not None
    report = ProviderReport(
        state=ProviderState.CAPTURED,
        amount=Decimal(payment.amount),
        currency="COP",
        invoice=payment.invoice,
    )
    await apply_report(shop.database, payment.id, report)
    return str(order["id"])


@pytest.fixture
async def yoyo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "yoyo", stock=9, price=15_000)


async def change(admin: httpx.AsyncClient, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """Send one step of an order edit. Return the preview of the order."""
    preview: dict[str, Any] = (await post(admin, f"{PATH}/{path}", body or {}))["order_preview"]
    return preview


async def test_order_edit_is_prepared_previewed_and_confirmed(
    admin: httpx.AsyncClient, order_id: str, yoyo: str
) -> None:
    begun = (await post(admin, PATH, {"order_id": order_id, "internal_note": "Llamó"}))["order_change"]
    assert (begun["change_type"], begun["status"], begun["internal_note"]) == ("edit", "pending", "Llamó")
    again = await admin.post(PATH, json={"order_id": order_id})
    assert (again.status_code, "existing active order change" in again.text) == (400, True)
    noted = await post(admin, f"/admin/order-changes/{begun['id']}", {"internal_note": "Llamó otra vez"})
    assert noted["order_change"]["internal_note"] == "Llamó otra vez"
    added = await change(admin, f"{order_id}/items", {"items": [{"variant_id": yoyo, "quantity": 2}]})
    assert [(item["title"], item["quantity"]) for item in added["items"]] == [("Trompo", 2), ("Yoyo", 2)]
    (action,) = added["order_change"]["actions"]
    assert (action["action"], action["details"]["variant_id"]) == ("ITEM_ADD", yoyo)
    fewer = await change(admin, f"{order_id}/items/{action['id']}", {"quantity": 1})
    assert (fewer["total"], fewer["summary"]["pending_difference"]) == (2 * PRICE + 15_000, 15_000)
    line = fewer["items"][0]["id"]
    removed = await change(admin, f"{order_id}/items/item/{line}", {"quantity": 0})
    assert [item["quantity"] for item in removed["items"]] == [0, 1]
    assert removed["summary"]["pending_difference"] == 15_000 - 2 * PRICE
    shown = (await get(admin, f"/admin/orders/{order_id}/preview"))["order"]
    assert (shown["total"], len(shown["order_change"]["actions"])) == (15_000, 2)
    assert (await get(admin, f"/admin/orders/{order_id}"))["order"]["total"] == 2 * PRICE
    assert (await change(admin, f"{order_id}/request"))["order_change"]["status"] == "requested"
    done = await change(admin, f"{order_id}/confirm")
    assert (done["order_change"]["status"], done["total"]) == ("confirmed", 15_000)
    assert [item["title"] for item in done["items"]] == ["Yoyo"]
    assert (await admin.post(f"/admin/order-changes/{begun['id']}", json={})).status_code == 400
    assert (await admin.post("/admin/order-changes/ordch_x", json={})).status_code == 404
    assert (await get(admin, f"/admin/orders/{order_id}/preview"))["order"]["order_change"] is None
    await post(admin, PATH, {"order_id": order_id})
    changes = (await get(admin, f"/admin/orders/{order_id}/changes"))["order_changes"]
    assert [change["status"] for change in changes] == ["pending", "confirmed"]
    diffs = {action["action"]: action["details"]["quantity_diff"] for action in changes[1]["actions"]}
    assert diffs == {"ITEM_ADD": 1, "ITEM_UPDATE": -2}
    confirmed = await get(admin, f"/admin/orders/{order_id}/changes", status="confirmed", limit=1)
    assert (confirmed["count"], confirmed["order_changes"]) == (1, changes[1:])
    other = await get(admin, f"/admin/orders/{order_id}/changes", **{"change_type[0]": "return_request"})
    assert other["order_changes"] == []


async def test_added_line_with_another_price_than_the_shops_is_refused(
    admin: httpx.AsyncClient, order_id: str, yoyo: str
) -> None:
    await post(admin, PATH, {"order_id": order_id})
    items = [{"variant_id": yoyo, "quantity": 1, "unit_price": 1}]
    answer = await admin.post(f"{PATH}/{order_id}/items", json={"items": items})
    assert (answer.status_code, "15000 pesos" in answer.json()["message"]) == (400, True)
    assert (await get(admin, f"/admin/orders/{order_id}/preview"))["order"]["order_change"]["actions"] == []


async def test_order_edit_is_cancelled_after_its_action_was_removed(
    admin: httpx.AsyncClient, order_id: str, yoyo: str
) -> None:
    await post(admin, PATH, {"order_id": order_id})
    added = await change(admin, f"{order_id}/items", {"items": [{"variant_id": yoyo, "quantity": 1}]})
    (action,) = added["order_change"]["actions"]
    answer = await admin.delete(f"{PATH}/{order_id}/items/{action['id']}")
    assert answer.json()["order_preview"]["order_change"]["actions"] == []
    gone = await admin.delete(f"{PATH}/{order_id}")
    assert gone.json() == {"id": order_id, "object": "order-edit", "deleted": True}
    assert (await admin.delete(f"{PATH}/{order_id}")).status_code == 404


async def test_requesting_or_confirming_without_an_open_edit_answers_404(
    admin: httpx.AsyncClient, order_id: str
) -> None:
    for path in ("order_unknown/confirm", f"{order_id}/confirm", f"{order_id}/request"):
        assert (await admin.post(f"{PATH}/{path}", json={})).status_code == 404


async def test_role_that_may_not_edit_is_refused(admin: httpx.AsyncClient, shop: Shop, order_id: str) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(Staff).values(role="stockroom"))
    assert (await admin.post(PATH, json={"order_id": order_id})).status_code == 403
    assert (await admin.post(f"{PATH}/{order_id}/confirm", json={})).status_code == 403


async def test_shipping_is_chosen_priced_again_and_removed(admin: httpx.AsyncClient, order_id: str) -> None:
    before = (await get(admin, f"/admin/orders/{order_id}"))["order"]
    options = (await get(admin, "/admin/shipping-options"))["shipping_options"]
    (other,) = [
        one["id"] for one in options if one["id"] != before["shipping_methods"][0]["shipping_option_id"]
    ]
    path = f"{order_id}/shipping-method"
    assert (await admin.post(f"{PATH}/{path}", json={"shipping_option_id": other})).status_code == 404
    await post(admin, PATH, {"order_id": order_id})
    chosen = await change(admin, path, {"shipping_option_id": other})
    (action,) = chosen["order_change"]["actions"]
    (method,) = chosen["shipping_methods"]
    assert (action["action"], action["reference_id"]) == ("SHIPPING_ADD", method["id"])
    assert (method["shipping_option_id"], method["amount"]) == (other, action["amount"])
    assert method["actions"] == [action]
    difference = method["amount"] - before["shipping_total"]
    assert chosen["summary"]["pending_difference"] == difference != 0
    for wrong in ({"shipping_option_id": "so_x"}, {"shipping_option_id": other, "custom_amount": 1}):
        assert (await admin.post(f"{PATH}/{path}", json=wrong)).status_code == 400
    assert (await admin.post(f"{PATH}/{path}/ordchact_x", json={})).status_code == 404
    same = {"custom_amount": method["amount"]}
    again = await change(admin, f"{path}/{action['id']}", same)
    assert again["order_change"]["actions"] == [action]
    removed = (await admin.delete(f"{PATH}/{path}/{action['id']}")).json()["order_preview"]
    assert (removed["order_change"]["actions"], removed["total"]) == ([], before["total"])
    await change(admin, path, {"shipping_option_id": other})
    done = await change(admin, f"{order_id}/confirm")
    assert done["shipping_methods"][0]["shipping_option_id"] == other
    assert (done["shipping_total"], done["total"]) == (method["amount"], before["total"] + difference)
