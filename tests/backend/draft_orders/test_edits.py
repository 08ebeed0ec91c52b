"""Edits of draft orders over the Admin API: prepared in a copy and applied once (platform: draft order edits).

| case | outcome |
|---|---|
| units, a product, a code and shipping change | the preview shows them with their actions; the draft is unchanged |
| the edit is confirmed | the draft has the new content, and the copy is gone |
| the edit is cancelled | the draft is unchanged, and the copy is gone |
| the draft is cancelled | the edit and the copy are gone |
| a second edit; an action, line or method that does not exist; no edit | refused |
| another price; more units than there are | refused, and the edit is unchanged |
| the draft changed since the edit began | 409: nothing is overwritten |
| two staff members confirm at the same time | applied once |
"""

import asyncio
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select

from backend.app import Shop
from backend.audit.models import AuditEntry
from backend.cart.models import Cart, CartShippingMethod
from backend.draft_orders.drafts import add_units
from backend.draft_orders.models import DraftOrderEdit
from backend.promotions.kinds import PromotionStatus
from backend.staff.rights import COMMAND_LINE
from tests.backend.draft_orders.test_api import PATH, PRICE, create, find_flat_option
from tests.store_defaults import Defaults, add_product
from tests.store_steps import HOME, get, post

CODE = {
    "code": "DIEZ",
    "type": "standard",
    "status": PromotionStatus.ACTIVE,
    "application_method": {
        "type": "percentage", "target_type": "items", "allocation": "across", "value": 10,
    },
}  # fmt: skip


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=5, price=PRICE)


@pytest.fixture
async def ball(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "pelota", stock=5, price=10_000)


async def begin(admin: httpx.AsyncClient, draft: dict[str, Any]) -> str:
    """Begin an edit. Return its path."""
    path = f"{PATH}/{draft['id']}/edit"
    shown = (await post(admin, path))["draft_order_preview"]
    assert (shown["order_change"]["status"], shown["order_change"]["actions"]) == ("pending", [])
    return path


async def read_units(admin: httpx.AsyncClient, draft: dict[str, Any]) -> dict[str, int]:
    shown = (await get(admin, f"{PATH}/{draft['id']}"))["draft_order"]
    return {item["variant_id"]: item["quantity"] for item in shown["items"]}


def list_actions(shown: dict[str, Any]) -> list[str]:
    return sorted(action["action"] for action in shown["order_change"]["actions"])


async def count_rows(shop: Shop, table: Any) -> int:
    async with shop.database.read() as session:
        return int((await session.execute(select(func.count()).select_from(table))).scalar_one())


async def test_confirmed_edit_changes_lines_codes_and_shipping_at_the_shops_prices(
    admin: httpx.AsyncClient, shop: Shop, trompo: str, ball: str
) -> None:
    await post(admin, "/admin/promotions", CODE)
    draft, option = await create(admin, trompo), await find_flat_option(admin)
    line = draft["items"][0]["id"]
    path = await begin(admin, draft)
    shown = (
        await post(
            admin, f"{path}/items", {"items": [{"variant_id": ball, "quantity": 3, "unit_price": 10_000}]}
        )
    )["draft_order_preview"]
    added = next(item for item in shown["items"] if item["variant_id"] == ball)
    assert [(one["action"], one["details"]["quantity"]) for one in added["actions"]] == [("ITEM_ADD", 3)]
    await post(admin, f"{path}/items/{added['actions'][0]['id']}", {"quantity": 4})
    shown = (await post(admin, f"{path}/items/item/{line}", {"quantity": 1, "unit_price": PRICE}))[
        "draft_order_preview"
    ]
    first = next(item for item in shown["items"] if item["variant_id"] == trompo)
    assert (first["id"], first["quantity"]) == (line, 1)
    assert first["actions"][0]["details"]["quantity_diff"] == -1
    await post(admin, f"{path}/promotions", {"promo_codes": ["DIEZ"]})
    shown = (
        await post(admin, f"{path}/shipping-methods", {"shipping_option_id": option, "custom_amount": 0})
    )["draft_order_preview"]
    assert list_actions(shown) == ["ITEM_ADD", "ITEM_UPDATE", "PROMOTION_ADD", "SHIPPING_ADD"]
    assert shown["total"] == (PRICE + 4 * 10_000) * 9 // 10
    order_path = f"/admin/orders/{draft['id']}"  # the dashboard's plugin reads the preview of a draft here
    preview = (await get(admin, f"{order_path}/preview"))["order"]
    assert (preview["total"], preview["order_change"]) == (shown["total"], shown["order_change"])
    assert (await get(admin, f"{order_path}/changes"))["order_changes"] == [shown["order_change"]]
    assert (await get(admin, f"{order_path}/changes", status="confirmed"))["order_changes"] == []
    assert await read_units(admin, draft) == {trompo: 2}
    assert "cart_" not in str(shown)
    requested = (await post(admin, f"{path}/request"))["draft_order_preview"]
    assert requested["order_change"]["status"] == "requested"
    done = (await post(admin, f"{path}/confirm"))["draft_order_preview"]
    assert done["order_change"] is None
    assert (await get(admin, f"{order_path}/preview"))["order"]["order_change"] is None
    assert (await get(admin, f"{order_path}/changes"))["count"] == 0
    assert done["total"] == shown["total"]
    assert await read_units(admin, draft) == {trompo: 1, ball: 4}
    now = (await get(admin, f"{PATH}/{draft['id']}"))["draft_order"]
    assert [one["code"] for one in now["promotions"]] == ["DIEZ"]
    assert [one["shipping_option_id"] for one in now["shipping_methods"]] == [option]
    assert (await count_rows(shop, DraftOrderEdit), await count_rows(shop, Cart)) == (0, 1)
    async with shop.database.read() as session:
        entries = (
            select(AuditEntry.changes).where(AuditEntry.action == "changed").order_by(AuditEntry.id.desc())
        )
        changes = (await session.execute(entries)).scalars().first() or []
    assert [(one["before"], one["after"]) for one in changes if one["field"] == "units"] == [(2, 5)]


async def test_edit_removes_lines_codes_and_shipping(
    admin: httpx.AsyncClient, trompo: str, ball: str
) -> None:
    await post(admin, "/admin/promotions", CODE)
    option = await find_flat_option(admin)
    draft = await create(
        admin,
        trompo,
        items=[{"variant_id": trompo, "quantity": 2}, {"variant_id": ball, "quantity": 1}],
        promo_codes=["DIEZ"],
        shipping_methods=[{"shipping_option_id": option}],
    )
    lines = {item["variant_id"]: item["id"] for item in draft["items"]}
    path = await begin(admin, draft)
    shown = (await post(admin, f"{path}/items/item/{lines[ball]}", {"quantity": 0}))["draft_order_preview"]
    assert [item["variant_id"] for item in shown["items"]] == [trompo]
    assert list_actions(shown) == [
        "ITEM_UPDATE",
        "SHIPPING_REMOVE",
    ]  # other lines may have another shipping price
    await post(admin, f"{path}/items/item/{lines[ball]}", {"quantity": 1})  # the customer wants it after all
    shown = (await post(admin, f"{path}/shipping-methods", {"shipping_option_id": option}))[
        "draft_order_preview"
    ]
    assert list_actions(shown) == []
    method = shown["shipping_methods"][0]["id"]
    await post(admin, f"{path}/shipping-methods/method/{method}", {"shipping_option_id": option})
    method = draft["shipping_methods"][0]["id"]
    shown = (await admin.delete(f"{path}/shipping-methods/method/{method}")).json()["draft_order_preview"]
    (action,) = shown["order_change"]["actions"]
    assert action["action"] == "SHIPPING_REMOVE"
    shown = (await admin.delete(f"{path}/shipping-methods/{action['id']}")).json()["draft_order_preview"]
    assert list_actions(shown) == []
    await post(admin, f"{path}/shipping-methods/{action['id']}", {"shipping_option_id": option})
    answer = await admin.request("DELETE", f"{path}/promotions", json={"promo_codes": ["DIEZ"]})
    assert list_actions(answer.json()["draft_order_preview"]) == ["PROMOTION_REMOVE"]
    shown = (await post(admin, f"{path}/items/item/{lines[trompo]}", {"quantity": 5}))["draft_order_preview"]
    update = next(one for one in shown["order_change"]["actions"] if one["action"] == "ITEM_UPDATE")
    shown = (await admin.delete(f"{path}/items/{update['id']}")).json()["draft_order_preview"]
    assert "ITEM_UPDATE" not in list_actions(shown)
    await post(admin, f"{path}/confirm")
    now = (await get(admin, f"{PATH}/{draft['id']}"))["draft_order"]
    assert (now["promotions"], now["shipping_methods"], now["total"]) == ([], [], 2 * PRICE + 10_000)


async def test_removal_of_a_draft_line_can_be_undone_or_changed_in_the_edit(
    admin: httpx.AsyncClient, trompo: str, ball: str
) -> None:
    items = [{"variant_id": trompo, "quantity": 2}, {"variant_id": ball, "quantity": 3}]
    draft = await create(admin, trompo, items=items)
    line = next(item["id"] for item in draft["items"] if item["variant_id"] == ball)
    path = await begin(admin, draft)
    for units in (3, 4):
        shown = (await post(admin, f"{path}/items/item/{line}", {"quantity": 0}))["draft_order_preview"]
        (action,) = shown["order_change"]["actions"]
        removal = f"{path}/items/{action['id']}"
        if units == 3:
            answer = await admin.delete(removal)
            assert answer.status_code == 200, answer.text
            shown = answer.json()["draft_order_preview"]
            assert list_actions(shown) == []
        else:
            shown = (await post(admin, removal, {"quantity": units}))["draft_order_preview"]
            assert list_actions(shown) == ["ITEM_UPDATE"]
        assert {item["variant_id"]: item["quantity"] for item in shown["items"]} == {trompo: 2, ball: units}
        assert (await admin.delete(removal)).status_code == 404  # the line is not removed any more


async def test_cancelled_edit_does_not_change_the_draft(
    admin: httpx.AsyncClient, shop: Shop, trompo: str, ball: str
) -> None:
    draft = await create(
        admin, trompo, shipping_methods=[{"shipping_option_id": await find_flat_option(admin)}]
    )
    path = await begin(admin, draft)
    await post(admin, f"{path}/items", {"items": [{"variant_id": ball, "quantity": 1}]})
    answer = (await admin.delete(path)).json()
    assert answer == {"id": draft["id"], "object": "draft-order-edit", "deleted": True}
    now = (await get(admin, f"{PATH}/{draft['id']}"))["draft_order"]
    assert (now["items"], now["shipping_methods"]) == (draft["items"], draft["shipping_methods"])
    assert (await count_rows(shop, Cart), await count_rows(shop, CartShippingMethod)) == (1, 1)


async def test_cancelling_a_draft_deletes_its_open_edit(
    admin: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    draft = await create(admin, trompo)
    await begin(admin, draft)
    assert await count_rows(shop, Cart) == 2
    assert (await admin.delete(f"{PATH}/{draft['id']}")).status_code == 200
    assert (await count_rows(shop, DraftOrderEdit), await count_rows(shop, Cart)) == (0, 1)


async def test_invalid_steps_of_a_draft_edit_are_refused_and_change_nothing(
    admin: httpx.AsyncClient, trompo: str, ball: str
) -> None:
    draft = await create(admin, trompo)
    other = await create(admin, trompo)
    foreign = other["items"][0]["id"]
    path = f"{PATH}/{draft['id']}/edit"
    assert (await admin.post(f"{path}/confirm")).status_code == 404  # no edit yet
    path = await begin(admin, draft)
    one_ball = {"variant_id": ball, "quantity": 1}
    for sent_to, body, status in (
        ("", {}, 400),
        ("/items", {"items": [{**one_ball, "unit_price": 1}]}, 400),
        ("/items", {"items": [one_ball, {**one_ball, "quantity": 6}]}, 400),
        ("/items", {"items": [{**one_ball, "quantity": 0}]}, 400),
        ("/items", {"items": [{"title": "Moño", "quantity": 1}]}, 400),
        (f"/items/item/{foreign}", {"quantity": 1}, 404),
        (f"/items/item/{draft['items'][0]['id']}", {"quantity": 6}, 400),
        (f"/items/item/{draft['items'][0]['id']}", {"quantity": -1}, 400),
        (f"/items/item/{draft['items'][0]['id']}", {"quantity": 1, "unit_price": 39_999}, 400),
        ("/items/ordchact_none", {"quantity": 1}, 404),
        ("/promotions", {"promo_codes": ["NADA"]}, 400),
        ("/shipping-methods", {"shipping_option_id": "so_none"}, 400),
        ("/shipping-methods", {"shipping_option_id": await find_flat_option(admin), "custom_amount": 5}, 400),
        ("/shipping-methods/casm_none", {}, 404),
        ("/shipping-methods/method/casm_none", {}, 404),
    ):
        answer = await admin.post(f"{path}{sent_to}", json=body)
        assert (sent_to, answer.status_code) == (sent_to, status), answer.text
    shown = (await post(admin, f"{path}/request"))["draft_order_preview"]
    assert (shown["order_change"]["actions"], shown["total"]) == ([], draft["total"])
    assert (await admin.post(f"{PATH}/order_none/edit")).status_code == 404


async def test_edit_of_a_draft_that_has_changed_is_not_applied(
    admin: httpx.AsyncClient, shop: Shop, trompo: str, ball: str
) -> None:
    draft = await create(admin, trompo)
    path = await begin(admin, draft)
    await post(admin, f"{path}/items", {"items": [{"variant_id": ball, "quantity": 1}]})
    async with shop.database.transaction() as session:  # a seller changes the draft at the same time
        await add_units(session, COMMAND_LINE, draft["id"], trompo, 1)
    assert (await admin.post(f"{path}/confirm")).status_code == 409
    assert await read_units(admin, draft) == {trompo: 3}


async def test_shipping_chosen_before_an_address_change_is_not_applied(
    admin: httpx.AsyncClient, trompo: str
) -> None:
    draft = await create(admin, trompo)
    path = await begin(admin, draft)
    await post(admin, f"{path}/shipping-methods", {"shipping_option_id": await find_flat_option(admin)})
    moved = {**HOME, "address_1": "Calle 10 # 5-51"}
    await post(admin, f"{PATH}/{draft['id']}", {"shipping_address": moved})
    assert (await post(admin, f"{path}/confirm"))["draft_order_preview"]["shipping_methods"] == []


async def test_draft_edit_confirmed_twice_concurrently_is_applied_once(
    admin: httpx.AsyncClient, trompo: str, ball: str
) -> None:
    draft = await create(admin, trompo)
    path = await begin(admin, draft)
    await post(admin, f"{path}/items", {"items": [{"variant_id": ball, "quantity": 1}]})
    answers = await asyncio.gather(*(admin.post(f"{path}/confirm", json={}) for _turn in range(2)))
    assert sorted(answer.status_code for answer in answers) == [200, 404]
    assert await read_units(admin, draft) == {trompo: 2, ball: 1}
