"""Requests for a customer's cart by others who have its id get the answers of a cart that does not exist.

Every route with a cart or a payment collection is in `STEPS`: a new one fails here until it is added.
"""

from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute

from backend.app import Shop
from backend.customers.models import Customer
from backend.edge.auth.bearer_tokens import CUSTOMER, TokenOwner, issue_token
from tests.store_defaults import Defaults, add_product
from tests.store_steps import HOME, MANUAL, create_cart_with_shipping, create_payment_collection, get, post

STEPS: dict[tuple[str, str], Any] = {
    ("GET", "/store/carts/{cart_id}"): None,
    ("POST", "/store/carts/{cart_id}"): {"email": "mallory@example.com", "shipping_address": HOME},
    ("POST", "/store/carts/{cart_id}/line-items"): {"variant_id": "{variant}", "quantity": 1},
    ("POST", "/store/carts/{cart_id}/line-items/{line_id}"): {"quantity": 0},
    ("DELETE", "/store/carts/{cart_id}/line-items/{line_id}"): None,
    ("POST", "/store/carts/{cart_id}/promotions"): {"promo_codes": []},
    ("DELETE", "/store/carts/{cart_id}/promotions"): {"promo_codes": []},
    ("POST", "/store/carts/{cart_id}/customer"): {},
    ("GET", "/store/shipping-options"): {"cart_id": "{cart_id}"},
    ("POST", "/store/shipping-options/{option_id}/calculate"): {"cart_id": "{cart_id}"},
    ("POST", "/store/carts/{cart_id}/shipping-methods"): {"option_id": "{option_id}"},
    ("POST", "/store/payment-collections"): {"cart_id": "{cart_id}"},
    ("POST", "/store/payment-collections/{collection_id}/payment-sessions"): {"provider_id": MANUAL},
    ("POST", "/store/carts/{cart_id}/complete"): {},
}
ELSEWHERE = ("/store/carts", "/store/payment-providers")
"""Routes of the same files without a cart."""


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=50)


async def signed_in(shop: Shop, email: str) -> dict[str, str]:
    async with shop.database.transaction() as session:
        person = Customer(email=email)
        session.add(person)
        await session.flush()
    token = issue_token(shop.settings.signing_key, TokenOwner(person.id, CUSTOMER))
    return {"authorization": f"Bearer {token}"}


def filled(text: Any, names: dict[str, str]) -> Any:
    if isinstance(text, dict):
        return {name: filled(value, names) for name, value in text.items()}
    for name, value in names.items() if isinstance(text, str) else ():
        text = text.replace("{" + name + "}", value)
    return text


async def send(
    store: httpx.AsyncClient, step: tuple[str, str], names: dict[str, str], headers: dict[str, str]
) -> tuple[int, str]:
    """Send a request of `STEPS`. Return the answer's status, and its text with each id replaced by its name."""
    (method, path), body = step, filled(STEPS[step], names)
    sent: dict[str, Any] = {"params": body} if method == "GET" and body else {"json": body} if body else {}
    answer = await store.request(method, filled(path, names), headers=headers, **sent)
    text = answer.text
    for name, value in names.items():
        text = text.replace(value, name)
    return answer.status_code, text


def test_every_cart_route_is_in_the_table_of_these_tests(api: FastAPI) -> None:
    ours = {
        (method, route.path)
        for route in api.routes
        if isinstance(route, APIRoute) and route.endpoint.__module__.startswith("backend.checkout.")
        for method in route.methods or ()
    }
    assert {step for step in ours if step[1] not in ELSEWHERE} == STEPS.keys()


async def test_cart_of_a_customer_is_hidden_from_other_callers(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    ana, mallory = await signed_in(shop, "ana@example.com"), await signed_in(shop, "mallory@example.com")
    cart_id = await create_cart_with_shipping(store, trompo)
    await store.post(f"/store/carts/{cart_id}/customer", json={}, headers=ana)
    store.headers.update(ana)
    collection = await create_payment_collection(store, cart_id)
    cart = (await get(store, f"/store/carts/{cart_id}"))["cart"]
    del store.headers["authorization"]
    hers = {
        "cart_id": cart_id,
        "line_id": cart["items"][0]["id"],
        "collection_id": collection["id"],
        "option_id": cart["shipping_methods"][0]["shipping_option_id"],
        "variant": trompo,
    }
    made_up = {
        **hers,
        "cart_id": "cart_01JPZ6V3N8K4T2WQ7RXB5C9MHD",
        "collection_id": "pay_col_01JPZ6V3N8K4T2WQ7RXB5C9MHD",
    }
    for is_completed in (False, True):
        for step in STEPS:
            for stranger in (mallory, {}, {"authorization": "Bearer forged"}):
                answered = await send(store, step, hers, stranger)
                assert answered == await send(store, step, made_up, stranger), step
                assert answered[0] in (401, 404), step
        after = (await store.get(f"/store/carts/{cart_id}", headers=ana)).json()["cart"]
        if is_completed:
            assert (after["completed_at"] is not None, after["email"]) == (True, "ana@example.com")
        else:
            assert after == cart
            done = await store.post(f"/store/carts/{cart_id}/complete", json={}, headers=ana)
            assert done.json()["order"]["email"] == "ana@example.com"


async def test_cart_of_a_guest_is_open_by_its_id_until_a_customer_takes_it(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    mallory = await signed_in(shop, "mallory@example.com")
    ana = await signed_in(shop, "ana@example.com")
    cart_id = (await post(store, "/store/carts"))["cart"]["id"]
    path = f"/store/carts/{cart_id}"
    assert (await store.get(path, headers=mallory)).status_code == 200
    assert (await store.post(f"{path}/customer", json={}, headers=ana)).status_code == 200
    assert (await store.post(f"{path}/customer", json={}, headers=mallory)).status_code == 404
    assert (await store.get(path, headers=ana)).status_code == 200
