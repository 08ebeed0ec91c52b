"""One quote serves the list and the choice that follows; every new list requests new quotes from the carrier."""

from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from backend.app import Shop
from backend.cart.models import ShippingQuote
from backend.checkout.quotes.shipping_quotes import MAX_QUOTE_AGE
from backend.core.config.modules import CARRIER
from backend.core.db.database import db_now
from backend.core.errors import OutsideFailure
from backend.sandbox.carrier import Fault
from backend.sandbox.carrier.faults import Operation
from backend.shipping.providers.base import Quote, QuoteRequest
from backend.shipping.providers.fallback import FALLBACK_PRICE
from tests.checkout_steps import CHECKOUT_INPUT, MEDELLIN
from tests.store_defaults import Defaults, add_product
from tests.store_steps import create_addressed_cart, find_shipping_option, get, post


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=5)


def quotations(shop: Shop) -> int:
    assert shop.sandbox.carrier is not None
    return sum(path == "/quotation" for _, path, _ in shop.sandbox.carrier.requests)


async def choose(store: httpx.AsyncClient, cart_id: str, chosen: dict[str, Any]) -> dict[str, Any]:
    path = f"/store/carts/{cart_id}/shipping-methods"
    cart: dict[str, Any] = (await post(store, path, {"option_id": chosen["id"]}))["cart"]
    return cart


async def test_chosen_option_costs_the_listed_price_without_a_new_quote(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    cart_id = await create_addressed_cart(store, trompo)
    await find_shipping_option(store, cart_id, "calculated")
    listed = await find_shipping_option(store, cart_id, "calculated")
    assert quotations(shop) == 2  # every list requests quotes
    cart = await choose(store, cart_id, listed)
    assert cart["shipping_total"] == listed["amount"]
    assert cart["shipping_methods"][0]["data"]["carrier"] == listed["metadata"]["carrier"]
    assert quotations(shop) == 2


async def test_choosing_a_listed_option_does_not_call_the_failed_carrier_again(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    assert shop.sandbox.carrier is not None
    shop.sandbox.carrier.faults.plan(Fault.UNAUTHORIZED, Operation.QUOTATION)
    cart_id = await create_addressed_cart(store, trompo)
    listed = await find_shipping_option(store, cart_id, "calculated")
    shop.sandbox.carrier.faults.clear()
    cart = await choose(store, cart_id, listed)
    assert (cart["shipping_total"], quotations(shop)) == (15_000, 1)
    assert (await find_shipping_option(store, cart_id, "calculated"))["metadata"]["is_fallback"] is False


@pytest.mark.parametrize(
    "failure", [OutsideFailure("the carrier is closed"), ZeroDivisionError("no packages")]
)
async def test_failing_provider_gets_the_fixed_price_and_hides_no_other_option(
    store: httpx.AsyncClient, shop: Shop, trompo: str, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    async def fail(_request: QuoteRequest) -> Quote:
        raise failure

    cart_id = await create_addressed_cart(store, trompo)
    monkeypatch.setattr(shop.fulfillment_providers[CARRIER], "calculate_price", fail)
    options = (await get(store, f"/store/shipping-options?cart_id={cart_id}"))["shipping_options"]
    assert {option["price_type"] for option in options} == {"calculated", "flat"}
    listed = next(option for option in options if option["price_type"] == "calculated")
    assert (listed["amount"], listed["metadata"]["is_fallback"]) == (FALLBACK_PRICE, True)
    assert (await choose(store, cart_id, listed))["shipping_total"] == FALLBACK_PRICE


async def test_quote_that_became_too_old_is_requested_again(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    cart_id = await create_addressed_cart(store, trompo)
    listed = await find_shipping_option(store, cart_id, "calculated")
    async with shop.database.transaction() as session:
        await session.execute(
            update(ShippingQuote).values(quoted_at=db_now(timedelta(seconds=5) - MAX_QUOTE_AGE))
        )
    await choose(store, cart_id, listed)
    assert quotations(shop) == 1
    async with shop.database.transaction() as session:
        await session.execute(update(ShippingQuote).values(quoted_at=db_now(-MAX_QUOTE_AGE)))
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
async def test_change_of_packages_or_destination_requests_a_new_quote(
    store: httpx.AsyncClient, shop: Shop, trompo: str, change: Any
) -> None:
    cart_id = await create_addressed_cart(store, trompo)
    listed = await find_shipping_option(store, cart_id, "calculated")
    if change:
        await post(store, f"/store/carts/{cart_id}", change)
    else:
        await post(store, f"/store/carts/{cart_id}/line-items", {"variant_id": trompo, "quantity": 3})
    await choose(store, cart_id, listed)
    assert quotations(shop) == 2


async def test_quote_of_another_cart_is_not_used(store: httpx.AsyncClient, shop: Shop, trompo: str) -> None:
    first, second = [await create_addressed_cart(store, trompo) for _ in range(2)]
    listed = await find_shipping_option(store, first, "calculated")
    await choose(store, second, listed)
    assert quotations(shop) == 2


async def test_quote_that_was_calculated_for_one_option_is_reused_when_it_is_chosen(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    bare = (await post(store, "/store/carts"))["cart"]["id"]
    calculated = await find_shipping_option(store, bare, "calculated")
    cart_id = await create_addressed_cart(store, trompo)
    path = f"/store/shipping-options/{calculated['id']}/calculate"
    one = (await post(store, path, {"cart_id": cart_id}))["shipping_option"]
    assert (await choose(store, cart_id, calculated))["shipping_total"] == one["amount"]
    assert quotations(shop) == 1


async def test_own_checkout_page_requests_one_quote_per_destination(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    cart_id = await create_addressed_cart(store, trompo)
    checkout, street = shop.checkout, f"  {CHECKOUT_INPUT['address'].replace(' ', '  ')} "
    await checkout.set_town(cart_id, MEDELLIN, street)
    home, store_pickup = (await checkout.offer_shipping(cart_id, ip="190.24.1.1")).choices
    await checkout.offer_shipping(cart_id, store_pickup.id, is_choice=True, ip="190.24.1.1")
    offer = await checkout.offer_shipping(cart_id, home.id, is_choice=True, ip="190.24.1.1")
    assert (offer.chosen, offer.choices[0].amount) == (home.id, home.amount)
    assert quotations(shop) == 1
    total = (await get(store, f"/store/carts/{cart_id}"))["cart"]["total"]
    await checkout.place_order(cart_id, CHECKOUT_INPUT, expected_total=total, ip="190.24.1.1")
    assert quotations(shop) == 1


async def test_reloaded_checkout_page_requests_new_quotes(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    cart_id = await create_addressed_cart(store, trompo)
    await shop.checkout.set_town(cart_id, MEDELLIN, CHECKOUT_INPUT["address"])
    for _ in range(2):
        await shop.checkout.offer_shipping(cart_id, ip="190.24.1.1")
    assert quotations(shop) == 2


async def test_shipping_option_of_a_removed_provider_is_not_listed(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    """Remove the carrier's provider, but not its stored shipping option (spec: What the service does 7)."""
    cart_id = await create_addressed_cart(store, trompo)
    calculated = await find_shipping_option(store, cart_id, "calculated")
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
