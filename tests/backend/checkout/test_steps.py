"""No step of a purchase is skipped (spec: What the service does 2), over the Store API on both databases."""

from typing import Any

import httpx
import pytest
from sqlalchemy import delete

from backend.app import Shop
from backend.cart.models import CartShippingMethod
from tests.store_defaults import Defaults, add_product
from tests.store_steps import (
    HOME,
    MANUAL,
    create_addressed_cart,
    create_cart_with_shipping,
    create_payment_collection,
    find_shipping_option,
    get,
    post,
)

PARTS = ("first_name", "last_name", "phone (10 digits)", "address_1", "city")
NO_ADDRESS = ", ".join(f"shipping_address.{part}" for part in PARTS)


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=5)


async def new_cart(store: httpx.AsyncClient, **told: Any) -> str:
    return str((await post(store, "/store/carts", told))["cart"]["id"])


async def refusal(store: httpx.AsyncClient, path: str, body: Any = None) -> str:
    answer = await store.post(path, json={} if body is None else body)
    assert (answer.status_code, answer.json()["type"]) == (400, "invalid_data"), answer.text
    return str(answer.json()["message"])


def missing_message(what: str) -> str:
    return f"The steps before this one are not done. Missing: {what}"


async def flat_option(store: httpx.AsyncClient, trompo: str) -> str:
    return str((await find_shipping_option(store, await create_addressed_cart(store, trompo), "flat"))["id"])


async def test_cart_items_and_address_may_be_set_in_any_order(store: httpx.AsyncClient, trompo: str) -> None:
    address_first = await new_cart(store, shipping_address=HOME)
    await post(store, f"/store/carts/{address_first}/line-items", {"variant_id": trompo, "quantity": 1})
    await post(store, f"/store/carts/{address_first}", {"email": "ana@example.com"})
    chosen = await find_shipping_option(store, address_first, "calculated")
    await post(store, f"/store/carts/{address_first}/shipping-methods", {"option_id": chosen["id"]})


async def test_calculated_option_has_no_price_without_a_destination(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    cart_id = await new_cart(store, items=[{"variant_id": trompo, "quantity": 1}])
    calculated, flat = [await find_shipping_option(store, cart_id, kind) for kind in ("calculated", "flat")]
    assert (calculated["amount"], calculated["calculated_price"]) == (None, None)
    assert (flat["amount"], flat["calculated_price"]["calculated_amount"]) == (0, 0)
    path = f"/store/shipping-options/{calculated['id']}/calculate"
    one = await post(store, path, {"cart_id": cart_id})
    assert one["shipping_option"]["amount"] is None
    assert shop.sandbox.carrier is not None
    assert shop.sandbox.carrier.requests == []


@pytest.mark.parametrize("price_type", ["flat", "calculated"])
async def test_shipping_method_requires_the_earlier_checkout_steps(
    store: httpx.AsyncClient, trompo: str, price_type: str
) -> None:
    chosen = {
        "option_id": (
            await find_shipping_option(store, await create_addressed_cart(store, trompo), price_type)
        )["id"]
    }
    cart_id = await new_cart(store)
    path = f"/store/carts/{cart_id}/shipping-methods"
    assert await refusal(store, path, chosen) == missing_message(f"items, email, {NO_ADDRESS}")
    await post(store, f"/store/carts/{cart_id}/line-items", {"variant_id": trompo, "quantity": 1})
    assert await refusal(store, path, chosen) == missing_message(f"email, {NO_ADDRESS}")
    await post(store, f"/store/carts/{cart_id}", {"email": "ana@example.com"})
    assert await refusal(store, path, chosen) == missing_message(NO_ADDRESS)
    await post(store, f"/store/carts/{cart_id}", {"shipping_address": {**HOME, "phone": "123"}})
    assert await refusal(store, path, chosen) == missing_message("shipping_address.phone (10 digits)")
    await post(store, f"/store/carts/{cart_id}", {"shipping_address": {"phone": "+57 300 123 4567"}})
    cart = (await post(store, path, chosen))["cart"]
    assert [method["shipping_option_id"] for method in cart["shipping_methods"]] == [chosen["option_id"]]


@pytest.mark.parametrize("part", ["first_name", "last_name", "phone", "address_1", "city"])
async def test_refusal_names_the_missing_part_of_the_address(
    store: httpx.AsyncClient, trompo: str, part: str
) -> None:
    chosen = {"option_id": await flat_option(store, trompo)}
    address = {name: text for name, text in HOME.items() if name != part}
    item = {"variant_id": trompo, "quantity": 1}
    cart_id = await new_cart(store, items=[item], email="ana@example.com", shipping_address=address)
    message = await refusal(store, f"/store/carts/{cart_id}/shipping-methods", chosen)
    (named,) = (known for known in PARTS if known.startswith(part))
    assert message == missing_message(f"shipping_address.{named}")


async def test_address_too_long_for_a_label_is_refused_immediately(
    store: httpx.AsyncClient, trompo: str
) -> None:
    """Check that such an address is not accepted and paid: its label would lose the tower and the apartment."""
    long = {
        **HOME,
        "address_1": f"Carrera 43A # 1-50 {'x' * 50}",
        "address_2": "Torre 5, apto 301 " + "y" * 40,
    }
    item = {"variant_id": trompo, "quantity": 1}
    body = {"items": [item], "email": "ana@example.com"}
    message = (
        "The address does not fit on a label "
        "(shipping_address.address_1: Longer than a label can hold, with address_2)"
    )
    assert await refusal(store, "/store/carts", {**body, "shipping_address": long}) == message
    cart_id = await new_cart(store, **body, shipping_address={**HOME, "address_1": long["address_1"]})
    path = f"/store/carts/{cart_id}"
    assert await refusal(store, path, {"shipping_address": {"address_2": long["address_2"]}}) == message
    assert (await get(store, path))["cart"]["shipping_address"]["address_2"] is None


async def test_address_with_a_municipality_code_may_omit_the_city(
    store: httpx.AsyncClient, trompo: str
) -> None:
    address = {**HOME, "city": None, "province": None, "metadata": {"dane_code": "05001000"}}
    item = {"variant_id": trompo, "quantity": 1}
    cart_id = await new_cart(store, items=[item], email="ana@example.com", shipping_address=address)
    chosen = await find_shipping_option(store, cart_id, "calculated")
    await post(store, f"/store/carts/{cart_id}/shipping-methods", {"option_id": chosen["id"]})


async def test_payment_collection_requires_the_earlier_checkout_steps(
    store: httpx.AsyncClient, trompo: str
) -> None:
    async def complaint(cart_id: str) -> str:
        return await refusal(store, "/store/payment-collections", {"cart_id": cart_id})

    assert await complaint(await new_cart(store)) == "Cannot complete a cart with no items"
    bare = await new_cart(store, items=[{"variant_id": trompo, "quantity": 1}])
    assert await complaint(bare) == missing_message(f"email, {NO_ADDRESS}, shipping_method")
    no_shipping = "No shipping method selected but the cart contains items that require shipping."
    assert await complaint(await create_addressed_cart(store, trompo)) == no_shipping


async def test_payment_session_requires_the_earlier_checkout_steps(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    """Check a collection that was created before the shipping method or the address was removed."""
    cart_id = await create_cart_with_shipping(store, trompo)
    owed = (await post(store, "/store/payment-collections", {"cart_id": cart_id}))["payment_collection"]
    path = f"/store/payment-collections/{owed['id']}/payment-sessions"
    await post(store, f"/store/carts/{cart_id}", {"shipping_address": {"address_1": "Calle 1 # 2-3"}})
    no_shipping = "No shipping method selected but the cart contains items that require shipping."
    assert await refusal(store, path, {"provider_id": MANUAL}) == no_shipping
    await post(store, f"/store/carts/{cart_id}", {"shipping_address": {"address_1": ""}})
    message = missing_message("shipping_address.address_1, shipping_method")
    assert await refusal(store, path, {"provider_id": MANUAL}) == message


async def test_completing_a_cart_requires_the_earlier_checkout_steps(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    bare = await new_cart(store, items=[{"variant_id": trompo, "quantity": 1}])
    assert await refusal(store, f"/store/carts/{bare}/complete") == missing_message(f"email, {NO_ADDRESS}")
    cart_id = await create_cart_with_shipping(store, trompo)
    await create_payment_collection(store, cart_id)
    async with shop.database.transaction() as session:
        await session.execute(delete(CartShippingMethod))
    no_shipping = "No shipping method selected but the cart contains items that require shipping."
    assert await refusal(store, f"/store/carts/{cart_id}/complete") == no_shipping


async def test_completing_a_cart_again_returns_its_order(store: httpx.AsyncClient, trompo: str) -> None:
    cart_id = await create_cart_with_shipping(store, trompo)
    await create_payment_collection(store, cart_id)
    first = (await post(store, f"/store/carts/{cart_id}/complete"))["order"]
    assert (await post(store, f"/store/carts/{cart_id}/complete"))["order"]["id"] == first["id"]
    assert (await get(store, "/store/shipping-options", cart_id=cart_id))["shipping_options"]
