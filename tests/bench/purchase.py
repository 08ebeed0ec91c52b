"""A guest's whole purchase over the Store API in eight requests, as a storefront sends them."""

from collections.abc import Awaitable, Callable
from ipaddress import ip_address
from typing import Any

from tests.bench.load import build_get, build_post
from tests.store_steps import HOME, MANUAL

SendRequest = Callable[[bytes], Awaitable[Any]]
"""Send a request and return the body of its answer."""

STEPS = 8
FIRST_ADDRESS = int(ip_address("10.0.0.0"))


def get_customer_ip(number: int) -> str:
    """Return a customer's IP address. The shop refuses too many purchases from one address."""
    return str(ip_address(FIRST_ADDRESS + number % 2**24))


async def buy(
    send: SendRequest,
    headers: dict[str, str],
    variant_id: str,
    email: str = "ana@example.com",
    region_id: str | None = None,
) -> str:
    """Buy one unit, with pickup at the shop.

    Args:
        send: sends a request.
        headers: headers of each request.
        variant_id: the variant that is bought.
        email: the customer's address. The shop sends only a few mails an hour to an address: if all purchases have the
            same one, most confirmations wait.
        region_id: the cart's region; by default the only one.

    Returns:
        The order's id.
    """
    cart = (await send(build_post("/store/carts", {"region_id": region_id} if region_id else {}, headers)))[
        "cart"
    ]
    cart_path = f"/store/carts/{cart['id']}"
    await send(build_post(f"{cart_path}/line-items", {"variant_id": variant_id, "quantity": 1}, headers))
    await send(build_post(cart_path, {"email": email, "shipping_address": HOME}, headers))
    options = await send(build_get(f"/store/shipping-options?cart_id={cart['id']}", headers))
    option = next(option for option in options["shipping_options"] if option["price_type"] == "flat")
    await send(build_post(f"{cart_path}/shipping-methods", {"option_id": option["id"]}, headers))
    payment_collection = await send(
        build_post("/store/payment-collections", {"cart_id": cart["id"]}, headers)
    )
    sessions = f"/store/payment-collections/{payment_collection['payment_collection']['id']}/payment-sessions"
    await send(build_post(sessions, {"provider_id": MANUAL}, headers))
    order_id: str = (await send(build_post(f"{cart_path}/complete", {}, headers)))["order"]["id"]
    return order_id
