"""A discount is one function, `read_discounts`: page, API, bank, order and mail follow it."""

from collections.abc import Sequence
from typing import Any

import httpx
import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app import Shop
from backend.cart import service as carts
from backend.cart.views import cart_view
from backend.pricing import SHIPPING, Adjustment, PricedLine
from backend.sandbox.models import SandboxTransaction
from tests.shop_floor import Floor, make_toy
from tests.store_steps import PSE, get, pay, post, shipped_cart


async def ten_percent_and_free_shipping(
    _session: AsyncSession, _cart_id: str, lines: Sequence[PricedLine]
) -> list[Adjustment]:
    return [
        *(Adjustment(line.amount // 10, line.id, "DIEZ", "10 %", "promo_1") for line in lines),
        Adjustment(1_000_000, SHIPPING, "ENVIO"),
    ]


async def test_a_discount_is_the_same_on_the_page_in_the_api_at_the_bank_and_in_the_order(
    store: httpx.AsyncClient, shop: Shop, shop_floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(carts, "read_discounts", ten_percent_and_free_shipping)
    async with shop.database.transaction() as session:
        toy = await make_toy(session, shop_floor, "trompo", price=11_900)
    cart_id = await shipped_cart(store, toy, 2, price_type="calculated")
    cart = (await get(store, f"/store/carts/{cart_id}"))["cart"]
    check(cart)
    async with shop.database.read() as session:
        page = await cart_view(session, cart_id)
    assert (page.total, page.item_total, page.shipping_total) == (21_420, 21_420, 0)
    assert page.lines[0].line_total == 21_420
    owed = await pay(store, cart_id, PSE)
    assert owed["amount"] == 21_420
    async with shop.database.read() as session:
        sent = (await session.execute(select(SandboxTransaction.fields))).scalar_one()
    assert (sent["valor"], sent["iva"]) == ("21420", "3420")
    placed = (await post(store, f"/store/carts/{cart_id}/complete"))["order"]
    # the order keeps its discounts when the shop has none any more
    monkeypatch.undo()
    shown = (await get(store, f"/store/orders/{placed['id']}", token=placed["access_token"]))["order"]
    for order in (placed, shown):
        check(order)


def check(shown: dict[str, Any]) -> None:
    (item,), (method,) = shown["items"], shown["shipping_methods"]
    (taken,), (free,) = item["adjustments"], method["adjustments"]
    assert (taken["amount"], taken["code"], taken["item_id"]) == (2_380, "DIEZ", item["id"])
    assert (taken["description"], taken["promotion_id"]) == ("10 %", "promo_1")
    assert (free["amount"], free["code"]) == (method["original_total"], "ENVIO")
    assert (item["original_total"], item["discount_total"], item["total"]) == (23_800, 2_380, 21_420)
    assert (method["total"], shown["shipping_total"]) == (0, 0)
    assert (shown["total"], shown["tax_total"]) == (21_420, 3_420)
    assert shown["discount_total"] == taken["amount"] + free["amount"]
