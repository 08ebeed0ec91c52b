"""The seven steps of a purchase over the Store API, for tests that need to be some of the way in."""

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


async def ok(answer: httpx.Response) -> dict[str, Any]:
    """The body of an answer that has to be 200."""
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def post(client: httpx.AsyncClient, path: str, body: Any = None) -> dict[str, Any]:
    return await ok(await client.post(path, json={} if body is None else body))


async def get(client: httpx.AsyncClient, path: str, **parameters: Any) -> dict[str, Any]:
    return await ok(await client.get(path, params=parameters or None))


async def addressed_cart(store: httpx.AsyncClient, variant: str, quantity: int = 1) -> str:
    """Steps 1 to 3: a cart with an item and an address."""
    item = {"variant_id": variant, "quantity": quantity}
    cart = (await post(store, "/store/carts", {"items": [item], "email": "ana@example.com"}))["cart"]
    await post(store, f"/store/carts/{cart['id']}", {"shipping_address": HOME})
    return str(cart["id"])


async def option(store: httpx.AsyncClient, cart_id: str, price_type: str) -> dict[str, Any]:
    offered = (await get(store, "/store/shipping-options", cart_id=cart_id))["shipping_options"]
    return next(option for option in offered if option["price_type"] == price_type)


async def shipped_cart(
    store: httpx.AsyncClient, variant: str, quantity: int = 1, price_type: str = "flat"
) -> str:
    """Steps 1 to 4."""
    cart_id = await addressed_cart(store, variant, quantity)
    chosen = await option(store, cart_id, price_type)
    await post(store, f"/store/carts/{cart_id}/shipping-methods", {"option_id": chosen["id"]})
    return cart_id


async def pay(store: httpx.AsyncClient, cart_id: str, provider: str = MANUAL) -> dict[str, Any]:
    """Steps 5 and 6: the payment collection with its session."""
    owed = (await post(store, "/store/payment-collections", {"cart_id": cart_id}))["payment_collection"]
    data = PAYER if provider == PSE else {}
    answer = await post(
        store,
        f"/store/payment-collections/{owed['id']}/payment-sessions",
        {"provider_id": provider, "data": data},
    )
    collection: dict[str, Any] = answer["payment_collection"]
    return collection


async def bought(
    store: httpx.AsyncClient,
    variant: str,
    quantity: int = 1,
    provider: str = MANUAL,
    price_type: str = "flat",
) -> dict[str, Any]:
    """All seven steps: the order."""
    cart_id = await shipped_cart(store, variant, quantity, price_type)
    await pay(store, cart_id, provider)
    order: dict[str, Any] = (await post(store, f"/store/carts/{cart_id}/complete"))["order"]
    return order
