"""A guest's whole purchase over the Store API in eight requests, as a storefront sends them."""

from collections.abc import Awaitable, Callable
from ipaddress import ip_address
from typing import Any

from tests.bench.load import get, post
from tests.store_steps import HOME, MANUAL

Send = Callable[[bytes], Awaitable[Any]]
"""Sends a request and gives the body of its answer."""

STEPS = 8
FIRST_ADDRESS = int(ip_address("10.0.0.0"))


def buyers_address(number: int) -> str:
    """Where a buyer sits: everybody at home. So many purchases from one address would be refused."""
    return str(ip_address(FIRST_ADDRESS + number % 2**24))


async def buy(send: Send, headers: dict[str, str], variant_id: str) -> str:
    """Buy one unit, to be picked up at the shop.

    Returns:
        The order's id.
    """
    cart = (await send(post("/store/carts", {}, headers)))["cart"]
    here = f"/store/carts/{cart['id']}"
    await send(post(f"{here}/line-items", {"variant_id": variant_id, "quantity": 1}, headers))
    await send(post(here, {"email": "ana@example.com", "shipping_address": HOME}, headers))
    options = await send(get(f"/store/shipping-options?cart_id={cart['id']}", headers))
    option = next(option for option in options["shipping_options"] if option["price_type"] == "flat")
    await send(post(f"{here}/shipping-methods", {"option_id": option["id"]}, headers))
    owed = await send(post("/store/payment-collections", {"cart_id": cart["id"]}, headers))
    sessions = f"/store/payment-collections/{owed['payment_collection']['id']}/payment-sessions"
    await send(post(sessions, {"provider_id": MANUAL}, headers))
    order_id: str = (await send(post(f"{here}/complete", {}, headers)))["order"]["id"]
    return order_id
