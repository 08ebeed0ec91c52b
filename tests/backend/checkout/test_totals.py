"""What a cart costs is the same everywhere it is shown, and can be kept as plain values."""

import json
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.cart import service as carts
from backend.cart.views import cart_view
from backend.checkout.sale import PricedCart, read_priced_cart
from backend.sandbox.models import SandboxTransaction
from tests.shop_floor import Floor, make_toy
from tests.store_steps import PSE, get, pay, post, shipped_cart


@pytest.fixture
async def trompo(shop: Shop, shop_floor: Floor) -> str:
    async with shop.database.transaction() as session:
        return await make_toy(session, shop_floor, "trompo", stock=9, price=10_003)


async def test_a_priced_cart_comes_back_from_json_as_it_was(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    cart_id = await shipped_cart(store, trompo)
    async with shop.database.read() as session:
        prices = await read_priced_cart(session, await carts.read_cart(session, cart_id))
    assert (prices.units, prices.lines[0].title) == ({trompo: 1}, "Trompo")
    assert prices.total == prices.totals.item_total + prices.require_shipping().amount
    assert PricedCart.from_json(json.loads(json.dumps(prices.as_json()))) == prices


async def test_a_priced_cart_without_shipping_comes_back_too(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    cart_id = (await post(store, "/store/carts", {"items": [{"variant_id": trompo, "quantity": 2}]}))["cart"][
        "id"
    ]
    async with shop.database.read() as session:
        prices = await read_priced_cart(session, await carts.read_cart(session, cart_id))
    assert (prices.shipping, prices.total) == (None, 20_006)
    assert PricedCart.from_json(json.loads(json.dumps(prices.as_json()))) == prices


PRICES = {"pelota": (119_000, 19), "triciclo": (105_003, 5), "cuento": (20_000, 0)}
TAXES = {"pelota": 19_000, "triciclo": 5_000, "cuento": 0}


async def test_a_cart_of_three_rates_is_taxed_line_by_line_from_the_cart_to_the_bank(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, shop: Shop, shop_floor: Floor
) -> None:
    async with shop.database.transaction() as session:
        toys = {
            handle: await make_toy(session, shop_floor, handle, price=price, tax_rate=rate)
            for handle, (price, rate) in PRICES.items()
        }
    cart_id = await shipped_cart(store, toys["pelota"], price_type="calculated")
    for handle in ("triciclo", "cuento"):
        await post(store, f"/store/carts/{cart_id}/line-items", {"variant_id": toys[handle], "quantity": 1})
    offered = (await get(store, "/store/shipping-options", cart_id=cart_id))["shipping_options"]
    carrier = next(option for option in offered if option["price_type"] == "calculated")
    await post(store, f"/store/carts/{cart_id}/shipping-methods", {"option_id": carrier["id"]})
    cart = (await get(store, f"/store/carts/{cart_id}"))["cart"]
    _check(cart)
    async with shop.database.read() as session:
        page = await cart_view(session, cart_id)
    assert (page.total, page.item_total) == (cart["total"], cart["item_total"])
    await pay(store, cart_id, PSE)
    async with shop.database.read() as session:
        sent = (await session.execute(select(SandboxTransaction.fields))).scalar_one()
    assert (sent["valor"], sent["iva"]) == (str(cart["total"]), str(cart["tax_total"]))
    assert sent["baseiva"] == str(cart["total"] - cart["tax_total"])
    done = (await post(store, f"/store/carts/{cart_id}/complete"))["order"]
    _check(done)
    amounts = {name: value for name, value in cart.items() if name.endswith("total")}
    assert {name: done[name] for name in amounts} == amounts
    # an order keeps the rate it was sold at
    product_id = done["items"][0]["product_id"]
    await post(admin, f"/admin/products/{product_id}", {"tax_rate": 0})
    kept = (await get(admin, f"/admin/orders/{done['id']}"))["order"]
    _check(kept)


def _check(shown: dict[str, Any]) -> None:
    items = {item["product_handle"]: item for item in shown["items"]}
    for handle, (price, rate) in PRICES.items():
        item = items[handle]
        assert [line["rate"] for line in item["tax_lines"]] == [rate]
        assert (item["total"], item["tax_total"]) == (price, TAXES[handle])
        assert item["subtotal"] == price - TAXES[handle]
    (method,) = shown["shipping_methods"]
    assert [line["rate"] for line in method["tax_lines"]] == [19]
    parts = [*shown["items"], method]
    for name in ("total", "subtotal", "tax_total", "original_total", "original_tax_total"):
        assert shown[name] == sum(part[name] for part in parts), name
    assert shown["item_tax_total"] == sum(TAXES.values())
    assert shown["shipping_tax_total"] == method["tax_total"] > 0


async def test_what_is_no_longer_for_sale_counts_for_nothing(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    item = {"variant_id": trompo, "quantity": 2}
    cart = (await post(store, "/store/carts", {"items": [item]}))["cart"]
    assert (cart["total"], cart["items"][0]["total"]) == (20_006, 20_006)
    await post(admin, f"/admin/products/{cart['items'][0]['product_id']}", {"status": "draft"})
    cart = (await get(store, f"/store/carts/{cart['id']}"))["cart"]
    assert (cart["total"], cart["tax_total"], cart["items"][0]["total"]) == (0, 0, 0)
