"""The seven steps of a purchase over the Store API, for tests that start in the middle of a purchase."""

from typing import Any

import httpx

HOME = {
    "first_name": "Ana",
    "last_name": "Gómez",
    "address_1": "Carrera 43A # 1-50",
    "city": "Medellín",
    "province": "Antioquia",
    "country_code": "co",
    "phone": "3001234567",
    "metadata": {"suburb": "El Poblado"},
}
PAYER = {"bank": "1022", "person_type": "0", "doc_type": "CC", "doc_number": "1020304050"}
MANUAL = "pp_system_default"
PSE = "gateway_pse"


async def read_ok(answer: httpx.Response) -> dict[str, Any]:
    """Check that the status is 200. Return the body."""
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def post(client: httpx.AsyncClient, path: str, body: Any = None) -> dict[str, Any]:
    """Send a POST request. Return the body of its response, which must be 200."""
    return await read_ok(await client.post(path, json={} if body is None else body))


async def get(client: httpx.AsyncClient, path: str, **parameters: Any) -> dict[str, Any]:
    """Send a GET request. Return the body of its response, which must be 200."""
    return await read_ok(await client.get(path, params=parameters or None))


async def create_addressed_cart(store: httpx.AsyncClient, variant: str, quantity: int = 1) -> str:
    """Do steps 1 to 3 of a purchase: create a cart with an item and an address. Return its id."""
    item = {"variant_id": variant, "quantity": quantity}
    body = {"items": [item], "email": "ana@example.com", "shipping_address": HOME}
    return str((await post(store, "/store/carts", body))["cart"]["id"])


async def find_shipping_option(store: httpx.AsyncClient, cart_id: str, price_type: str) -> dict[str, Any]:
    """Return the cart's shipping option with this price type."""
    options = (await get(store, "/store/shipping-options", cart_id=cart_id))["shipping_options"]
    return next(option for option in options if option["price_type"] == price_type)


async def create_cart_with_shipping(
    store: httpx.AsyncClient, variant: str, quantity: int = 1, price_type: str = "flat"
) -> str:
    """Do steps 1 to 4 of a purchase: create a cart with an address and a shipping method. Return its id."""
    cart_id = await create_addressed_cart(store, variant, quantity)
    chosen = await find_shipping_option(store, cart_id, price_type)
    await post(store, f"/store/carts/{cart_id}/shipping-methods", {"option_id": chosen["id"]})
    return cart_id


async def create_payment_collection(
    store: httpx.AsyncClient, cart_id: str, provider: str = MANUAL
) -> dict[str, Any]:
    """Do steps 5 and 6 of a purchase: create the payment collection with a payment session. Return the collection."""
    payment_collection = (await post(store, "/store/payment-collections", {"cart_id": cart_id}))[
        "payment_collection"
    ]
    data = PAYER if provider == PSE else {}
    answer = await post(
        store,
        f"/store/payment-collections/{payment_collection['id']}/payment-sessions",
        {"provider_id": provider, "data": data},
    )
    collection: dict[str, Any] = answer["payment_collection"]
    return collection


async def complete_purchase(
    store: httpx.AsyncClient,
    variant: str,
    quantity: int = 1,
    provider: str = MANUAL,
    price_type: str = "flat",
) -> dict[str, Any]:
    """Do all seven steps of a purchase. Return the order."""
    cart_id = await create_cart_with_shipping(store, variant, quantity, price_type)
    await create_payment_collection(store, cart_id, provider)
    order: dict[str, Any] = (await post(store, f"/store/carts/{cart_id}/complete"))["order"]
    return order
