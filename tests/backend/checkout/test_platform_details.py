"""Details of the platform that API clients use: lines by metadata, `updated_at`, addresses of the address book.

| sent | outcome |
|---|---|
| the same variant with other metadata | another line; stock and limits count all lines of the variant |
| the same metadata in another order of keys | the same line |
| a shipping method | `updated_at` changes |
| the id of an address of the customer's book | a copy of that address |
| the id of another customer's address, or from a guest | 404, nothing changes |
"""

import httpx
import pytest

from backend.app import Shop
from backend.customers.addresses import add_address
from backend.customers.models import Customer
from backend.edge.auth.bearer_tokens import CUSTOMER, TokenOwner, issue_token
from tests.store_defaults import Defaults, add_product
from tests.store_steps import (
    HOME,
    create_addressed_cart,
    create_payment_collection,
    find_shipping_option,
    get,
    post,
)


@pytest.fixture
async def cube(shop: Shop, shop_defaults: Defaults) -> str:
    """Return a variant with five units, all of which one payment may reserve."""
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "cubo", stock=5)


def lines(cart: dict[str, object]) -> list[tuple[int, object]]:
    return [(line["quantity"], line["metadata"]) for line in cart["items"]]  # type: ignore[attr-defined]


async def test_cart_lines_of_one_variant_with_different_metadata_share_the_stock(
    store: httpx.AsyncClient, cube: str
) -> None:
    path = f"/store/carts/{await create_addressed_cart(store, cube, 2)}"
    item = {"variant_id": cube, "quantity": 1}
    await post(store, f"{path}/line-items", {**item, "metadata": {"name": "Ana", "color": "azul"}})
    cart = (await post(store, f"{path}/line-items", {**item, "metadata": {"color": "azul", "name": "Ana"}}))[
        "cart"
    ]
    assert lines(cart) == [(2, {}), (2, {"name": "Ana", "color": "azul"})]
    full = await store.post(f"{path}/line-items", json={**item, "quantity": 2, "metadata": {"name": "Luz"}})
    assert (full.status_code, full.json()["code"]) == (400, "insufficient_inventory")
    plain, engraved = (f"{path}/line-items/{line['id']}" for line in cart["items"])
    assert (await store.post(plain, json={"quantity": 4})).status_code == 400
    assert lines((await post(store, engraved, {"quantity": 1}))["cart"])[1][0] == 1
    assert lines((await post(store, plain, {"quantity": 4}))["cart"])[0][0] == 4


async def test_order_keeps_two_lines_of_one_variant_and_reserves_all_units(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, cube: str
) -> None:
    cart_id = await create_addressed_cart(store, cube, 2)
    path = f"/store/carts/{cart_id}"
    engraved = {"variant_id": cube, "quantity": 3, "metadata": {"name": "Ana"}}
    await post(store, f"{path}/line-items", engraved)
    chosen = await find_shipping_option(store, cart_id, "flat")
    await post(store, f"{path}/shipping-methods", {"option_id": chosen["id"]})
    await create_payment_collection(store, cart_id)
    order = (await post(store, f"{path}/complete"))["order"]
    assert lines(order) == [(2, {}), (3, {"name": "Ana"})]
    shown = (await get(admin, f"/admin/orders/{order['id']}"))["order"]
    assert lines(shown) == lines(order)
    other = (await post(store, "/store/carts"))["cart"]["id"]
    gone = await store.post(f"/store/carts/{other}/line-items", json={"variant_id": cube, "quantity": 1})
    assert gone.status_code == 400


async def test_choosing_a_shipping_method_changes_updated_at_of_the_cart(
    store: httpx.AsyncClient, cube: str
) -> None:
    cart_id = await create_addressed_cart(store, cube)
    before = (await get(store, f"/store/carts/{cart_id}"))["cart"]["updated_at"]
    chosen = await find_shipping_option(store, cart_id, "flat")
    after = await post(store, f"/store/carts/{cart_id}/shipping-methods", {"option_id": chosen["id"]})
    assert after["cart"]["updated_at"] > before


async def person_with_address(shop: Shop, email: str) -> tuple[dict[str, str], str]:
    """Return the headers of a signed-in customer, and the id of an address in their address book."""
    async with shop.database.transaction() as session:
        person = Customer(email=email, first_name="Ana")
        session.add(person)
        await session.flush()
        entry = await add_address(session, person.id, {**HOME, "company": "Juguetes Ana"})
    token = issue_token(shop.settings.signing_key, TokenOwner(person.id, CUSTOMER))
    return {"authorization": f"Bearer {token}"}, entry.id


async def test_saved_address_can_be_used_in_a_cart_by_its_id(store: httpx.AsyncClient, shop: Shop) -> None:
    headers, entry = await person_with_address(shop, "ana@example.com")
    new = await store.post("/store/carts", json={"shipping_address": entry}, headers=headers)
    cart = new.json()["cart"]
    assert (cart["shipping_address"]["company"], cart["billing_address"]) == ("Juguetes Ana", None)
    path = f"/store/carts/{cart['id']}"
    await store.post(path, json={"billing_address": {"address_2": "Torre 2"}}, headers=headers)
    changed = (await store.post(path, json={"billing_address": entry}, headers=headers)).json()["cart"]
    assert changed["billing_address"]["address_1"] == HOME["address_1"]
    assert changed["billing_address"]["address_2"] is None  # all fields are from the address book


@pytest.mark.parametrize("is_signed_in", [True, False])
async def test_saved_address_of_another_customer_cannot_be_used_in_a_cart(
    store: httpx.AsyncClient, shop: Shop, *, is_signed_in: bool
) -> None:
    _, entry = await person_with_address(shop, "luz@example.com")
    headers, _ = await person_with_address(shop, "ana@example.com")
    headers = headers if is_signed_in else {}
    made = await store.post("/store/carts", json={}, headers=headers)
    path = f"/store/carts/{made.json()['cart']['id']}"
    for field in ("shipping_address", "billing_address"):
        refused = await store.post(path, json={field: entry}, headers=headers)
        assert refused.status_code == 404
        assert refused.json()["message"] == f"Customer address with id: {entry} was not found"
    assert (await store.get(path, headers=headers)).json()["cart"]["shipping_address"]["address_1"] is None
