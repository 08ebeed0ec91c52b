"""Owners of an API client's cart and order: the customer of the token, else the guest with the e-mail address."""

from typing import Any

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.customers.models import Customer, GuestCustomer
from backend.edge.auth.bearer_tokens import CUSTOMER, TokenOwner, issue_token
from tests.store_defaults import Defaults, add_product
from tests.store_steps import HOME, create_payment_collection, find_shipping_option, get, post

ENGRAVED = {"engraving": "Para Juan", "color": "rojo"}


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=9)


@pytest.fixture
async def ana(shop: Shop) -> str:
    """Return the id of a customer with an account."""
    async with shop.database.transaction() as session:
        person = Customer(email="ana@example.com", first_name="Ana", phone="3001234567")
        session.add(person)
        await session.flush()
    return person.id


def signed_in(shop: Shop, customer_id: str) -> dict[str, str]:
    return {
        "authorization": f"Bearer {issue_token(shop.settings.signing_key, TokenOwner(customer_id, CUSTOMER))}"
    }


async def buy(store: httpx.AsyncClient, cart_id: str) -> dict[str, Any]:
    """Return the order of a cart that has items and an e-mail."""
    path = f"/store/carts/{cart_id}"
    await post(store, path, {"shipping_address": HOME})
    chosen = await find_shipping_option(store, cart_id, "flat")
    await post(store, f"{path}/shipping-methods", {"option_id": chosen["id"]})
    await create_payment_collection(store, cart_id)
    order: dict[str, Any] = (await post(store, f"{path}/complete"))["order"]
    return order


async def test_cart_and_order_belong_to_the_customer_of_the_token(
    store: httpx.AsyncClient, shop: Shop, trompo: str, ana: str
) -> None:
    store.headers.update(signed_in(shop, ana))
    item = {"variant_id": trompo, "quantity": 1}
    cart = (await post(store, "/store/carts", {"items": [item]}))["cart"]
    assert (cart["customer_id"], cart["email"]) == (ana, "ana@example.com")
    assert cart["customer"] == {"id": ana, "email": "ana@example.com", "groups": []}
    empty = (await post(store, "/store/carts"))["cart"]
    assert (empty["customer_id"], empty["email"]) == (ana, "ana@example.com")
    named = (await post(store, "/store/carts", {"items": [item], "email": "oficina@example.com"}))["cart"]
    assert (named["customer_id"], named["email"]) == (ana, "oficina@example.com")

    order = await buy(store, cart["id"])
    assert (order["customer_id"], order["email"]) == (ana, "ana@example.com")
    own = await get(store, "/store/orders")
    assert ([one["id"] for one in own["orders"]], own["count"]) == ([order["id"]], 1)
    async with shop.database.read() as session:
        assert (await session.execute(select(GuestCustomer))).scalars().all() == []

    del store.headers["authorization"]
    assert (await store.get(f"/store/carts/{named['id']}")).status_code == 404


async def test_guest_who_types_the_email_of_an_account_has_no_access_to_the_account(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, shop: Shop, trompo: str, ana: str
) -> None:
    """Check that cart and order belong to a separate guest (wire: commerce-api, Guest checkout 3)."""
    item = {"variant_id": trompo, "quantity": 1}
    nameless = (await post(store, "/store/carts", {"items": [item]}))["cart"]
    assert (nameless["customer_id"], nameless["customer"]) == (None, None)
    cart = (await post(store, f"/store/carts/{nameless['id']}", {"email": "Ana@Example.com"}))["cart"]
    guest = cart["customer_id"]
    assert guest.startswith("cus_")
    assert guest != ana
    assert cart["customer"] == {"id": guest, "email": "Ana@Example.com", "groups": []}
    again = (await post(store, "/store/carts", {"email": "ana@example.com"}))["cart"]
    other = (await post(store, "/store/carts", {"items": [item], "email": "luis@example.com"}))["cart"]
    assert (again["customer_id"] == guest, other["customer_id"] == guest) == (True, False)

    order = await buy(store, cart["id"])
    assert order["customer_id"] == guest
    assert order["shipping_address"]["customer_id"] == guest
    found = await get(admin, "/admin/orders", customer_id=guest, fields="id")
    assert [one["id"] for one in found["orders"]] == [order["id"]]
    for nobody in (signed_in(shop, guest), {}):
        assert (await store.get("/store/orders", headers=nobody)).status_code == 401
        assert (await store.get("/store/customers/me", headers=nobody)).status_code == 401
    hers = await store.get("/store/orders", headers=signed_in(shop, ana))
    assert hers.json()["count"] == 0  # another person may have typed her address


async def test_guest_cart_taken_by_a_customer_gets_the_customers_email(
    store: httpx.AsyncClient, shop: Shop, trompo: str, ana: str
) -> None:
    cart = (await post(store, "/store/carts", {"email": "guest@example.com"}))["cart"]
    path, token = f"/store/carts/{cart['id']}", signed_in(shop, ana)
    bound = (await store.post(f"{path}/customer", json={}, headers=token)).json()["cart"]
    assert (bound["customer_id"], bound["email"]) == (ana, "ana@example.com")
    await store.post(path, json={"email": "oficina@example.com"}, headers=token)
    again = (await store.post(f"{path}/customer", json={}, headers=token)).json()["cart"]
    assert again["email"] == "oficina@example.com"  # the cart was already theirs


async def test_metadata_of_the_cart_is_in_the_order(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    new = {"email": "ana@example.com", "locale": "en-US", "metadata": {"campaign": "navidad"}}
    cart = (await post(store, "/store/carts", new))["cart"]
    assert (cart["locale"], cart["metadata"]) == ("en-US", {"campaign": "navidad"})
    path = f"/store/carts/{cart['id']}"
    item = {"variant_id": trompo, "quantity": 1}
    await post(store, f"{path}/line-items", {**item, "metadata": ENGRAVED})
    await post(store, f"{path}/line-items", item)
    cart = (await post(store, f"{path}/line-items", {**item, "metadata": {"color": "azul"}}))["cart"]
    cart = (await post(store, f"{path}/line-items", {**item, "metadata": ENGRAVED}))["cart"]
    noted = [(2, ENGRAVED), (1, {}), (1, {"color": "azul"})]
    assert [(line["quantity"], line["metadata"]) for line in cart["items"]] == noted
    too_much = await store.post(f"{path}/line-items", json={**item, "metadata": {"note": "x" * 2100}})
    assert too_much.status_code == 400
    changed = (await post(store, path, {"locale": "es-CO"}))["cart"]
    assert changed["locale"] == "es-CO"

    order = await buy(store, cart["id"])
    shown = (await get(admin, f"/admin/orders/{order['id']}"))["order"]
    for one in (order, shown):
        assert (one["locale"], one["metadata"]) == ("es-CO", {"campaign": "navidad"})
        assert [(line["quantity"], line["metadata"]) for line in one["items"]] == noted
