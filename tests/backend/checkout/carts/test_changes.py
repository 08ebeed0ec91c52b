"""Changes of a cart over the Store API."""

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.channels.models import Region
from backend.checkout.carts.changes import MAX_CONSENTS
from tests.store_defaults import Defaults, add_product
from tests.store_steps import HOME, create_addressed_cart, get, post


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo")


async def test_sales_channel_of_a_cart_cannot_be_changed(
    store: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    cart = (await post(store, "/store/carts"))["cart"]
    path = f"/store/carts/{cart['id']}"
    refused = await store.post(path, json={"sales_channel_id": "sc_other"})
    assert (refused.status_code, refused.json()) == (
        400,
        {
            "type": "invalid_data",
            "message": "A cart belongs to the sales channel of its publishable key",
        },
    )
    same = (await post(store, path, {"sales_channel_id": shop_defaults.channel_id}))["cart"]
    assert same["sales_channel_id"] == cart["sales_channel_id"] == shop_defaults.channel_id


async def test_metadata_and_billing_address_are_stored_and_shown(store: httpx.AsyncClient) -> None:
    cart = (await post(store, "/store/carts"))["cart"]
    path = f"/store/carts/{cart['id']}"
    assert (cart["metadata"], cart["billing_address"], cart["billing_address_id"]) == (None, None, None)
    billing = {**HOME, "first_name": "Luis"}
    await post(store, path, {"metadata": {"gift": True}, "billing_address": billing})
    cart = (await get(store, path))["cart"]
    assert cart["metadata"] == {"gift": True}
    assert {name: cart["billing_address"][name] for name in billing} == billing
    assert cart["billing_address"]["id"] == cart["billing_address_id"]
    assert cart["shipping_address"]["first_name"] is None
    cart = (await post(store, path, {"billing_address": {"last_name": "Díaz"}}))["cart"]
    names = (cart["billing_address"]["first_name"], cart["billing_address"]["last_name"])
    assert (names, cart["metadata"]) == (("Luis", "Díaz"), {"gift": True})


async def test_guest_cannot_assign_a_cart_to_a_customer(store: httpx.AsyncClient) -> None:
    cart_id = (await post(store, "/store/carts"))["cart"]["id"]
    refused = await store.post(f"/store/carts/{cart_id}/customer", json={})
    assert (refused.status_code, refused.json()) == (401, {"message": "Unauthorized"})
    assert (await get(store, f"/store/carts/{cart_id}"))["cart"]["customer_id"] is None


async def test_empty_list_of_shipping_options_is_refused(store: httpx.AsyncClient, trompo: str) -> None:
    cart_id = await create_addressed_cart(store, trompo)
    refused = await store.post(f"/store/carts/{cart_id}/shipping-methods", json=[])
    assert (refused.status_code, refused.json()) == (
        400,
        {"type": "invalid_data", "message": "Shipping Options are invalid for cart."},
    )


async def test_cart_moves_only_to_an_existing_region(store: httpx.AsyncClient, shop: Shop) -> None:
    async with shop.database.transaction() as session:
        first = (await session.execute(select(Region))).scalar_one()
        islands = Region(**first.model_dump(exclude={"id"}) | {"name": "Islas"})
        session.add(islands)
    cart = (await post(store, "/store/carts"))["cart"]
    path = f"/store/carts/{cart['id']}"
    moved = (await post(store, path, {"region_id": islands.id}))["cart"]
    assert (cart["region_id"], moved["region_id"]) == (first.id, islands.id)
    unknown = await store.post(path, json={"region_id": "reg_none"})
    assert (unknown.status_code, unknown.json()["type"]) == (404, "not_found")
    assert (await get(store, path))["cart"]["region_id"] == islands.id


@pytest.mark.parametrize("path", ["/store/carts", "/store/carts/{id}"])
async def test_cart_change_with_a_code_without_a_discount_is_refused_completely(
    store: httpx.AsyncClient, path: str
) -> None:
    cart = (await post(store, "/store/carts"))["cart"]
    there = path.format(id=cart["id"])
    refused = await store.post(there, json={"email": "ana@example.com", "promo_codes": ["NADA"]})
    assert (refused.status_code, refused.json()["type"]) == (400, "invalid_data")
    assert (await get(store, f"/store/carts/{cart['id']}"))["cart"]["email"] is None
    sent = (await post(store, there, {"email": "ana@example.com", "promo_codes": []}))["cart"]
    assert (sent["email"], sent["promotions"]) == ("ana@example.com", [])


async def test_number_of_consents_in_a_cart_is_limited(store: httpx.AsyncClient) -> None:
    cart = (await post(store, "/store/carts"))["cart"]
    path = f"/store/carts/{cart['id']}"
    consents = [{"kind": "terms", "version": f"2026-{number}"} for number in range(MAX_CONSENTS)]
    for start in range(0, MAX_CONSENTS, 10):
        await post(store, path, {"consents": consents[start : start + 10]})
    refused = await store.post(path, json={"consents": [{"kind": "terms", "version": "one more"}]})
    assert (refused.status_code, refused.json()["message"]) == (
        400,
        f"A cart has at most {MAX_CONSENTS} consents",
    )
