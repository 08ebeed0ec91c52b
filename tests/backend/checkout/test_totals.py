"""Prices, taxes and discounts of a cart are the same on the page, in the API, at the bank and in the order."""

import json
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.cart.access import read_cart
from backend.cart.views import read_cart_view
from backend.checkout.cart_snapshot import build_sale, parse_snapshot, read_priced_cart, to_snapshot
from backend.core.errors import InvalidData
from backend.core.money import format_cop
from backend.mail.messages import build_bill
from backend.migrations.sandbox_tables import SandboxTransaction
from backend.office.orders.detail import order_detail
from backend.orders.service import compute_order_totals, list_order_lines, read_order
from backend.staff.rights import SHOP
from backend.storefront_views.order_page import order_view
from tests.amounts import cop
from tests.backend.promotions.promo_kit import promotion
from tests.store_defaults import Defaults, add_product
from tests.store_steps import PSE, create_cart_with_shipping, create_payment_collection, get, post, read_ok


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=9, price=10_003)


async def test_sale_converted_to_a_snapshot_and_back_is_unchanged(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    cart_id = await create_cart_with_shipping(store, trompo)
    async with shop.database.read() as session:
        cart = await read_cart(session, cart_id)
        prices = await read_priced_cart(session, cart)
    assert prices.total == prices.totals.item_total + prices.require_shipping().amount
    sale = build_sale(cart, prices)
    assert (sale.units, sale.lines[0].title) == ({trompo: 1}, "Trompo")
    assert parse_snapshot(json.loads(json.dumps(to_snapshot(sale, {})))) == sale


async def test_cart_without_a_shipping_method_has_a_total_but_cannot_be_sold(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    items = [{"variant_id": trompo, "quantity": 2}]
    cart_id = (await post(store, "/store/carts", {"items": items}))["cart"]["id"]
    async with shop.database.read() as session:
        cart = await read_cart(session, cart_id)
        prices = await read_priced_cart(session, cart)
    assert (prices.shipping, prices.total) == (None, 20_006)
    with pytest.raises(InvalidData):
        build_sale(cart, prices)


PRICES = {"pelota": (119_000, 19), "triciclo": (105_003, 5), "cuento": (20_000, 0)}
TAXES = {"pelota": 19_000, "triciclo": 5_000, "cuento": 0}


async def test_tax_of_a_cart_with_three_tax_rates_is_computed_per_line(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        variants = {
            handle: await add_product(session, shop_defaults, handle, price=price, tax_rate=rate)
            for handle, (price, rate) in PRICES.items()
        }
    cart_id = await create_cart_with_shipping(store, variants["pelota"], price_type="calculated")
    for handle in ("triciclo", "cuento"):
        await post(
            store, f"/store/carts/{cart_id}/line-items", {"variant_id": variants[handle], "quantity": 1}
        )
    offered = (await get(store, "/store/shipping-options", cart_id=cart_id))["shipping_options"]
    carrier = next(option for option in offered if option["price_type"] == "calculated")
    await post(store, f"/store/carts/{cart_id}/shipping-methods", {"option_id": carrier["id"]})
    cart = (await get(store, f"/store/carts/{cart_id}"))["cart"]
    _check(cart)
    async with shop.database.read() as session:
        page = await read_cart_view(session, cart_id)
    assert (page.total, page.item_total) == (cart["total"], cart["item_total"])
    await create_payment_collection(store, cart_id, PSE)
    async with shop.database.read() as session:
        sent = (await session.execute(select(SandboxTransaction.fields))).scalar_one()
    assert (sent["valor"], sent["iva"]) == (str(cart["total"]), str(cart["tax_total"]))
    assert sent["baseiva"] == str(cart["total"] - cart["tax_total"])
    done = (await post(store, f"/store/carts/{cart_id}/complete"))["order"]
    _check(done)
    amounts = {name: value for name, value in cart.items() if name.endswith("total")}
    assert {name: done[name] for name in amounts} == amounts
    # an order retains the tax rate of its sale
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


async def test_line_that_is_no_longer_for_sale_does_not_add_to_the_total(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    item = {"variant_id": trompo, "quantity": 2}
    cart = (await post(store, "/store/carts", {"items": [item]}))["cart"]
    assert (cart["total"], cart["items"][0]["total"]) == (20_006, 20_006)
    await post(admin, f"/admin/products/{cart['items'][0]['product_id']}", {"status": "draft"})
    cart = (await get(store, f"/store/carts/{cart['id']}"))["cart"]
    assert (cart["total"], cart["tax_total"], cart["items"][0]["total"]) == (0, 0, 0)


async def test_discount_is_the_same_on_the_page_in_the_api_at_the_bank_and_in_the_order(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    ten = await promotion(admin, "DIEZ", method={"description": "10 %"})
    free = await promotion(admin, "ENVIO", 100, method={"target_type": "shipping_methods"}, is_automatic=True)
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo", price=11_900)
    cart_id = await create_cart_with_shipping(store, variant, 2, price_type="calculated")
    cart = (await post(store, f"/store/carts/{cart_id}/promotions", {"promo_codes": ["diez"]}))["cart"]
    check_discounts(cart, ten["id"])
    async with shop.database.read() as session:
        page = await read_cart_view(session, cart_id)
    before = cart["original_shipping_total"]
    assert (page.total, page.item_total, page.shipping_total) == (21_420, 21_420, before)
    assert (page.lines[0].line_total_label, page.subtotal_label) == (cop("$ 23.800"), cop("$ 23.800"))
    saved = [("DIEZ", cop("-$ 2.380")), ("ENVIO", f"-{format_cop(before)}")]
    assert [(one.code, one.amount_label) for one in page.savings] == saved
    owed = await create_payment_collection(store, cart_id, PSE)
    assert owed["amount"] == 21_420
    async with shop.database.read() as session:
        sent = (await session.execute(select(SandboxTransaction.fields))).scalar_one()
    assert (sent["valor"], sent["iva"]) == ("21420", "3420")
    placed = (await post(store, f"/store/carts/{cart_id}/complete"))["order"]
    # the order retains its discounts after the promotion was deleted
    for made in (ten, free):
        await read_ok(await admin.delete(f"/admin/promotions/{made['id']}"))
    shown = (await get(store, f"/store/orders/{placed['id']}", token=placed["access_token"]))["order"]
    for order in (placed, shown):
        check_discounts(order, ten["id"])
    async with shop.database.read() as session:
        mine = await order_view(session, shop.settings, placed["id"])
        theirs = await order_detail(session, SHOP, placed["id"], "Trompo")
        stored = await read_order(session, placed["id"])
        lines = await list_order_lines(session, stored.id)
    bill = build_bill(stored, lines, compute_order_totals(stored, lines))
    assert [(one.code, one.amount_label) for one in mine.savings] == saved
    assert (mine.subtotal_label, mine.shipping_total_label, mine.total) == (
        cop("$ 23.800"),
        format_cop(before),
        21_420,
    )
    words = [(f"Descuento {code}", amount) for code, amount in saved]
    assert theirs.totals[:-1] == [("Productos", cop("$ 23.800")), ("Envío", format_cop(before)), *words]
    assert bill[2:] == [*words, ("Total", cop("$ 21.420"))]


def check_discounts(shown: dict[str, Any], promotion_id: str) -> None:
    (item,), (method,) = shown["items"], shown["shipping_methods"]
    (taken,), (free,) = item["adjustments"], method["adjustments"]
    assert (taken["amount"], taken["code"], taken["item_id"]) == (2_380, "DIEZ", item["id"])
    assert (taken["description"], taken["promotion_id"]) == ("10 %", promotion_id)
    assert (free["amount"], free["code"]) == (method["original_total"], "ENVIO")
    assert (item["original_total"], item["discount_total"], item["total"]) == (23_800, 2_380, 21_420)
    assert (method["total"], shown["shipping_total"]) == (0, 0)
    assert (shown["total"], shown["tax_total"]) == (21_420, 3_420)
    assert shown["discount_total"] == taken["amount"] + free["amount"]
