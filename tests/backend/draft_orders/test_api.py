"""Draft orders over the Admin API, on both databases (platform: draft orders).

| case | outcome |
|---|---|
| create with items, address, code and shipping | the prices of the catalogue, the live price of shipping |
| a price other than the catalogue's | 400, and nothing is stored |
| convert | an unpaid order with reserved units, paid by the capture; a second call returns the same order |
| convert without address or shipping | 400 names what is missing |
| delete, or convert, then read | 404 |
| a role that may not see customers | no e-mail, no customer, no search for them |
| a role that may not sell | 403 for every change |
"""

from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.audit.models import AuditEntry
from backend.cart.owners import find_browser_cart
from backend.customers.models import Customer
from backend.inventory.models import InventoryLevel
from backend.orders.models import Order
from backend.staff.models import Staff
from tests.store_defaults import Defaults, add_product
from tests.store_steps import HOME, get, post

PRICE = 40_000
PATH = "/admin/draft-orders"


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=5, price=PRICE)


async def create(admin: httpx.AsyncClient, variant: str, quantity: int = 2, **fields: Any) -> dict[str, Any]:
    """Create a draft with a complete address, and return it."""
    body = {
        "email": "ana@example.com",
        "shipping_address": HOME,
        "items": [{"variant_id": variant, "quantity": quantity}],
        **fields,
    }
    draft: dict[str, Any] = (await post(admin, PATH, body))["draft_order"]
    return draft


async def find_flat_option(admin: httpx.AsyncClient) -> str:
    options = (await get(admin, "/admin/shipping-options"))["shipping_options"]
    return str(next(one["id"] for one in options if one["price_type"] == "flat"))


async def set_role(shop: Shop, role: str) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(Staff).values(role=role))


async def read_audit(shop: Shop) -> list[tuple[str, str]]:
    async with shop.database.read() as session:
        rows = await session.execute(
            select(AuditEntry.action, AuditEntry.subject_type).order_by(AuditEntry.id)
        )
        return [(action, kind) for action, kind in rows]


async def read_stock(shop: Shop) -> tuple[int, int]:
    async with shop.database.read() as session:
        level = (await session.execute(select(InventoryLevel))).scalar_one()
        return level.stocked, level.reserved


async def test_new_draft_has_the_prices_of_the_shop_and_reserves_nothing(
    admin: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    option = await find_flat_option(admin)
    draft = await create(
        admin,
        trompo,
        shipping_methods=[{"shipping_option_id": option, "name": "x", "amount": 1}],
        items=[{"variant_id": trompo, "quantity": 2, "unit_price": PRICE}],
        metadata={"a": 1},
    )
    assert (draft["status"], draft["is_draft_order"], draft["display_id"]) == ("draft", True, None)
    assert (draft["item_total"], draft["total"]) == (2 * PRICE, 2 * PRICE)  # the demo's flat option is free
    assert [one["shipping_option_id"] for one in draft["shipping_methods"]] == [option]
    assert (draft["email"], draft["metadata"]) == ("ana@example.com", {"a": 1})
    (item,) = draft["items"]
    assert (item["quantity"], item["unit_price"], item["detail"]["fulfilled_quantity"]) == (2, PRICE, 0)
    assert "cart_" not in str(draft)
    assert await read_stock(shop) == (5, 0)
    listed = await get(admin, PATH, q="ana@exam")
    assert ([one["id"] for one in listed["draft_orders"]], listed["count"]) == ([draft["id"]], 1)
    assert (await get(admin, PATH, q="nobody"))["draft_orders"] == []
    assert await read_audit(shop) == [("created", "draft_order"), ("changed", "draft_order")]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"items": [{"variant_id": "TROMPO", "quantity": 1, "unit_price": 1}]},
            "prices come from|Prices come from",
        ),
        ({"items": [{"variant_id": "variant_none", "quantity": 1}]}, "do not exist"),
        ({"items": [{"variant_id": "TROMPO", "quantity": 0}]}, "quantity"),
        ({"items": [{"title": "Bordado", "quantity": 1, "unit_price": 5}]}, "title"),
        ({"promo_codes": ["NADA"]}, "NADA"),
        ({"total": 5}, "total"),
        ({"created_by": "x"}, "created_by"),
        ({"shipping_methods": [{"shipping_option_id": "so_none"}]}, ""),
        ({"customer_id": "cus_none"}, "cus_none"),
        ({"sales_channel_id": "sc_none"}, "sc_none"),
    ],
)
async def test_refused_draft_is_not_stored(
    admin: httpx.AsyncClient, trompo: str, fields: dict[str, Any], message: str
) -> None:
    items = [
        {**item, "variant_id": trompo} if item.get("variant_id") == "TROMPO" else item
        for item in fields.get("items", [{"variant_id": trompo, "quantity": 1}])
    ]
    body = {"email": "ana@example.com", "shipping_address": HOME, **fields, "items": items}
    answer = await admin.post(PATH, json=body)
    assert answer.status_code in (400, 404), answer.text
    assert any(part in answer.text for part in message.split("|"))
    assert (await get(admin, PATH))["count"] == 0


async def test_draft_is_changed_and_deleted(admin: httpx.AsyncClient, shop: Shop, trompo: str) -> None:
    draft = await create(admin, trompo)
    path = f"{PATH}/{draft['id']}"
    changed = await post(
        admin, path, {"email": "luz@example.com", "shipping_address": {"phone": "3009998877"}}
    )
    assert changed["draft_order"]["email"] == "luz@example.com"
    assert changed["draft_order"]["shipping_address"]["phone"] == "3009998877"
    assert changed["draft_order"]["shipping_address"]["address_1"] == HOME["address_1"]
    deleted = await admin.delete(path)
    assert deleted.json() == {"id": draft["id"], "object": "draft-order", "deleted": True}
    for answer in (
        await admin.get(path),
        await admin.delete(path),
        await admin.post(path, json={"locale": "es"}),
    ):
        assert answer.status_code == 404
    assert (await get(admin, PATH))["count"] == 0
    assert (await read_audit(shop))[-1] == ("canceled", "draft_order")


async def test_converted_draft_is_an_unpaid_order_until_its_money_is_captured(
    admin: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    draft = await create(
        admin, trompo, shipping_methods=[{"shipping_option_id": await find_flat_option(admin)}]
    )
    path = f"{PATH}/{draft['id']}"
    order = (await post(admin, f"{path}/convert-to-order"))["order"]
    assert (order["id"], order["status"], order["payment_status"]) == (draft["id"], "pending", "authorized")
    assert order["total"] == 2 * PRICE
    assert order["display_id"]
    assert await read_stock(shop) == (5, 2)
    again = (await post(admin, f"{path}/convert-to-order"))["order"]
    assert again["display_id"] == order["display_id"]
    assert (await admin.get(path)).status_code == 404
    payment = order["payment_collections"][0]["payments"][0]["id"]
    await post(admin, f"/admin/payments/{payment}/capture")
    assert (await get(admin, f"/admin/orders/{draft['id']}"))["order"]["payment_status"] == "captured"
    async with shop.database.read() as session:
        origins = select(Order.origin).where(Order.id == draft["id"])
        assert (await session.execute(origins)).scalar_one() == "phone"  # so retracto applies
    assert ("converted", "order") in await read_audit(shop)


@pytest.mark.parametrize(
    ("fields", "missing"),
    [
        ({"items": []}, "no items"),
        ({"shipping_address": None}, "shipping_address"),
        ({}, "shipping"),
    ],
)
async def test_incomplete_draft_is_not_converted(
    admin: httpx.AsyncClient, trompo: str, fields: dict[str, Any], missing: str
) -> None:
    draft = await create(admin, trompo, **fields)
    answer = await admin.post(f"{PATH}/{draft['id']}/convert-to-order")
    assert answer.status_code == 400
    assert missing in answer.text
    assert (await get(admin, "/admin/orders"))["count"] == 0


async def test_sold_out_draft_is_not_converted(admin: httpx.AsyncClient, shop: Shop, trompo: str) -> None:
    draft = await create(
        admin, trompo, 5, shipping_methods=[{"shipping_option_id": await find_flat_option(admin)}]
    )
    async with shop.database.transaction() as session:
        await session.execute(update(InventoryLevel).values(stocked=1))
    answer = await admin.post(f"{PATH}/{draft['id']}/convert-to-order")
    assert (answer.status_code, answer.json()["code"]) == (400, "insufficient_inventory")
    assert await read_stock(shop) == (1, 0)


async def test_customer_of_a_draft_can_read_the_order_but_not_the_cart(
    admin: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    async with shop.database.transaction() as session:
        customer = Customer(email="eva@example.com")
        session.add(customer)
    option = await find_flat_option(admin)
    draft = await create(
        admin, trompo, customer_id=customer.id, email=None, shipping_methods=[{"shipping_option_id": option}]
    )
    assert (draft["customer_id"], draft["email"]) == (customer.id, "eva@example.com")
    assert await find_browser_cart(shop.database, "", customer.id) == ""
    assert (await get(admin, PATH, customer_id=customer.id))["count"] == 1
    order = (await post(admin, f"{PATH}/{draft['id']}/convert-to-order"))["order"]
    assert (order["customer_id"], order["email"]) == (customer.id, "eva@example.com")


async def test_role_without_the_rights_sees_no_customer_and_cannot_change_drafts(
    admin: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    draft = await create(admin, trompo)
    path = f"{PATH}/{draft['id']}"
    await set_role(shop, "stockroom")
    seen = (await get(admin, path))["draft_order"]
    assert (seen["email"], seen["customer_id"], seen["customer"]) == (None, None, None)
    assert (await get(admin, PATH, q="ana@example.com"))["count"] == 0
    assert (await get(admin, PATH))["count"] == 1
    for answer in (
        await admin.post(PATH, json={"email": "x@example.com"}),
        await admin.post(path, json={"email": "x@example.com"}),
        await admin.delete(path),
        await admin.post(f"{path}/convert-to-order"),
        await admin.post(f"{path}/edit"),
    ):
        assert answer.status_code == 403, answer.text
