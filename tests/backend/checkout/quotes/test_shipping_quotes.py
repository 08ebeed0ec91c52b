"""One quotation serves the list and the choice that follows it; every look at the list asks the carrier anew."""

from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from backend.app import Shop
from backend.cart.models import ShippingQuote
from backend.checkout.quotes.shipping_quotes import STORED_FOR
from backend.core.config.modules import CARRIER
from backend.core.db.database import db_now
from backend.sandbox.carrier import Fault
from backend.sandbox.carrier.faults import Operation
from tests.checkout_steps import MEDELLIN, TYPED
from tests.store_defaults import Defaults, make_toy
from tests.store_steps import addressed_cart, get, option, post


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await make_toy(session, shop_defaults, "trompo", stock=5)


def quotations(shop: Shop) -> int:
    assert shop.sandbox.carrier is not None
    return sum(path == "/quotation" for _, path, _ in shop.sandbox.carrier.requests)


async def choose(store: httpx.AsyncClient, cart_id: str, chosen: dict[str, Any]) -> dict[str, Any]:
    path = f"/store/carts/{cart_id}/shipping-methods"
    cart: dict[str, Any] = (await post(store, path, {"option_id": chosen["id"]}))["cart"]
    return cart


async def test_the_choice_costs_what_the_list_said_and_asks_nobody(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    cart_id = await addressed_cart(store, trompo)
    await option(store, cart_id, "calculated")
    listed = await option(store, cart_id, "calculated")
    assert quotations(shop) == 2  # every look asks
    cart = await choose(store, cart_id, listed)
    assert cart["shipping_total"] == listed["amount"]
    assert cart["shipping_methods"][0]["data"]["carrier"] == listed["metadata"]["carrier"]
    assert quotations(shop) == 2


async def test_a_carrier_that_fails_is_waited_for_once(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    assert shop.sandbox.carrier is not None
    shop.sandbox.carrier.faults.plan(Fault.UNAUTHORIZED, Operation.QUOTATION)
    cart_id = await addressed_cart(store, trompo)
    listed = await option(store, cart_id, "calculated")
    shop.sandbox.carrier.faults.clear()
    cart = await choose(store, cart_id, listed)
    assert (cart["shipping_total"], quotations(shop)) == (15_000, 1)
    assert (await option(store, cart_id, "calculated"))["metadata"]["is_fallback"] is False


async def test_an_old_quotation_is_asked_for_again(store: httpx.AsyncClient, shop: Shop, trompo: str) -> None:
    cart_id = await addressed_cart(store, trompo)
    listed = await option(store, cart_id, "calculated")
    async with shop.database.transaction() as session:
        await session.execute(
            update(ShippingQuote).values(quoted_at=db_now(timedelta(seconds=5) - STORED_FOR))
        )
    await choose(store, cart_id, listed)
    assert quotations(shop) == 1
    async with shop.database.transaction() as session:
        await session.execute(update(ShippingQuote).values(quoted_at=db_now(-STORED_FOR)))
    await choose(store, cart_id, listed)
    assert quotations(shop) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"shipping_address": {"city": "Leticia", "province": "Amazonas"}},
        {"shipping_address": {"address_1": "Calle 1 # 2-34"}},
        None,
    ],
)
async def test_other_packages_or_another_place_are_asked_for_anew(
    store: httpx.AsyncClient, shop: Shop, trompo: str, change: Any
) -> None:
    cart_id = await addressed_cart(store, trompo)
    listed = await option(store, cart_id, "calculated")
    if change:
        await post(store, f"/store/carts/{cart_id}", change)
    else:
        await post(store, f"/store/carts/{cart_id}/line-items", {"variant_id": trompo, "quantity": 3})
    await choose(store, cart_id, listed)
    assert quotations(shop) == 2


async def test_a_cart_is_not_served_with_the_quotation_of_another(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    first, second = [await addressed_cart(store, trompo) for _ in range(2)]
    listed = await option(store, first, "calculated")
    await choose(store, second, listed)
    assert quotations(shop) == 2


async def test_calculating_one_option_serves_its_choice_too(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    bare = (await post(store, "/store/carts"))["cart"]["id"]
    calculated = await option(store, bare, "calculated")
    cart_id = await addressed_cart(store, trompo)
    path = f"/store/shipping-options/{calculated['id']}/calculate"
    one = (await post(store, path, {"cart_id": cart_id}))["shipping_option"]
    assert (await choose(store, cart_id, calculated))["shipping_total"] == one["amount"]
    assert quotations(shop) == 1


async def test_the_storefront_asks_once_for_a_place_and_never_when_the_order_is_placed(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    cart_id = await addressed_cart(store, trompo)
    checkout, street = shop.checkout, f"  {TYPED['address'].replace(' ', '  ')} "
    await checkout.set_town(cart_id, MEDELLIN, street)
    home, store_pickup = (await checkout.offer_shipping(cart_id, ip="190.24.1.1")).choices
    await checkout.offer_shipping(cart_id, store_pickup.id, is_choice=True, ip="190.24.1.1")
    offer = await checkout.offer_shipping(cart_id, home.id, is_choice=True, ip="190.24.1.1")
    assert (offer.chosen, offer.choices[0].amount) == (home.id, home.amount)
    assert quotations(shop) == 1
    total = (await get(store, f"/store/carts/{cart_id}"))["cart"]["total"]
    await checkout.place_order(cart_id, TYPED, expected_total=total, ip="190.24.1.1")
    assert quotations(shop) == 1


async def test_a_page_that_is_loaded_again_asks_again(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    cart_id = await addressed_cart(store, trompo)
    await shop.checkout.set_town(cart_id, MEDELLIN, TYPED["address"])
    for _ in range(2):
        await shop.checkout.offer_shipping(cart_id, ip="190.24.1.1")
    assert quotations(shop) == 2


async def test_an_option_whose_provider_the_shop_does_not_run_with_is_left_out(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    """A module block that drops `carrier_standard` replaces the one that has it (spec: What the service does 7)."""
    cart_id = await addressed_cart(store, trompo)
    calculated = await option(store, cart_id, "calculated")
    del shop.fulfillment_providers[CARRIER]
    (flat,) = (await get(store, "/store/shipping-options", cart_id=cart_id))["shipping_options"]
    assert flat["price_type"] == "flat"
    for path, body in (
        (f"/store/carts/{cart_id}/shipping-methods", {"option_id": calculated["id"]}),
        (f"/store/shipping-options/{calculated['id']}/calculate", {"cart_id": cart_id}),
    ):
        refused = await store.post(path, json=body)
        assert (refused.status_code, refused.json()) == (
            400,
            {"type": "invalid_data", "message": "Shipping Options are invalid for cart."},
        )
    offer = await shop.checkout.offer_shipping(cart_id, ip="190.24.1.1")
    assert [choice.id for choice in offer.choices] == [flat["id"]] == [offer.chosen]
