"""What a cart costs is the same everywhere it is shown, and can be kept as plain values."""

import json

import httpx
import pytest

from backend.app import Shop
from backend.cart import service as carts
from backend.checkout.totals import PricedCart, read_priced_cart
from tests.shop_floor import Floor, make_toy
from tests.store_steps import post, shipped_cart


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
