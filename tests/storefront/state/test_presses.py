"""Tests of presses (actions of a page) that a handler receives twice, possibly in a state that lost the first result.

| fault | result |
|---|---|
| first press of a new browser, repeated in a state without a cart | the first cart, one unit |
| the same, in a browser that has created another cart | all lines in the other cart |
| the same, and the cart was ordered in the meantime | no notice, no cart |
| the cart of the press is another customer's | not shown |
| a quantity or removal, repeated after another tab changed it | the later change stays |
"""

from collections.abc import Callable
from typing import Any

import pytest
import reflex as rx
from sqlalchemy import update

from backend.app import Shop
from backend.cart.models import Cart
from backend.core.clock import now
from backend.presses.service import Sending, handle_press
from storefront.state.cart import CartState
from tests.store_defaults import Defaults, add_product

Shopper = Callable[[], rx.State]
ID = "fedcba9876543210" * 2


@pytest.fixture
async def variant_id(shop: Shop, defaults: Defaults) -> str:
    """Return the variant of a product with five units."""
    async with shop.database.transaction() as session:
        return await add_product(session, defaults, "trompo", title="Trompo", stock=5, price=18_900)


@pytest.fixture
async def other_variant_id(shop: Shop, defaults: Defaults) -> str:
    """Return the variant of a second product."""
    async with shop.database.transaction() as session:
        return await add_product(session, defaults, "lazo", title="Lazo", stock=5, price=9_900)


async def send(event: Callable[..., Any], *arguments: object, press_id: str = ID) -> None:
    """Call the handler as a click or a form submission with the id `press_id` does."""
    with handle_press(Sending(event.__qualname__, press_id)):
        await event(*arguments)


def units(cart: CartState) -> dict[str, int]:
    """Return the units in the cart by variant."""
    return {line.variant_id: line.quantity for line in cart.cart.lines}


async def test_click_that_is_sent_twice_finds_the_cart_of_the_first(
    shopper: Shopper, variant_id: str
) -> None:
    first, again = await shopper().get_state(CartState), await shopper().get_state(CartState)
    await send(first.add, variant_id, 1)
    await send(again.add, variant_id, 1)
    assert again.cart_id == first.cart_id
    assert units(again) == {variant_id: 1}
    assert again.last_added.title == "Trompo"
    assert again.answers > 0


async def test_click_that_is_sent_twice_shows_no_second_notice(shopper: Shopper, variant_id: str) -> None:
    cart = await shopper().get_state(CartState)
    await send(cart.add, variant_id, 1)
    shown = cart.last_added
    cart.cart_id = ""  # the browser reconnects without having received the result
    await send(cart.add, variant_id, 1)
    assert cart.last_added == shown
    assert units(cart) == {variant_id: 1}


async def test_click_that_is_sent_twice_merges_its_cart_into_the_newer_cart(
    shopper: Shopper, variant_id: str, other_variant_id: str
) -> None:
    first, again = await shopper().get_state(CartState), await shopper().get_state(CartState)
    await send(first.add, variant_id, 2)
    await again.add(other_variant_id, 1)
    await send(again.add, variant_id, 2)
    assert again.cart_id != first.cart_id
    assert units(again) == {variant_id: 2, other_variant_id: 1}
    await send(again.add, variant_id, 2)
    assert units(again) == {variant_id: 2, other_variant_id: 1}


async def test_click_that_is_sent_twice_does_not_add_to_an_ordered_cart(
    shop: Shop, shopper: Shopper, variant_id: str
) -> None:
    first, again = await shopper().get_state(CartState), await shopper().get_state(CartState)
    await send(first.add, variant_id, 1)
    async with shop.database.transaction() as session:
        await session.execute(update(Cart).values(completed_at=now()))
    await send(again.add, variant_id, 1)
    assert again.cart_id == ""
    assert again.last_added.number == 0
    assert again.answers > 0


async def test_click_that_is_sent_twice_does_not_show_a_customers_cart_to_a_guest(
    shop: Shop, shopper: Shopper, variant_id: str
) -> None:
    first, again = await shopper().get_state(CartState), await shopper().get_state(CartState)
    await send(first.add, variant_id, 1)
    async with shop.database.transaction() as session:
        await session.execute(update(Cart).values(customer_id="cus_1"))
    await send(again.add, variant_id, 1)
    assert (again.cart_id, units(again), again.last_added.number) == ("", {}, 0)


async def test_quantity_that_is_sent_twice_does_not_replace_a_later_quantity(
    shopper: Shopper, variant_id: str
) -> None:
    cart = await shopper().get_state(CartState)
    await cart.add(variant_id, 1)
    line = cart.cart.lines[0].id
    await send(cart.set_quantity, line, 3)
    await send(cart.set_quantity, line, 2, press_id="a" * 32)
    await send(cart.set_quantity, line, 3)
    assert units(cart) == {variant_id: 2}


async def test_removal_that_is_sent_twice_does_not_remove_a_product_added_later(
    shopper: Shopper, variant_id: str
) -> None:
    cart = await shopper().get_state(CartState)
    await cart.add(variant_id, 1)
    line = cart.cart.lines[0].id
    await send(cart.remove, line)
    await cart.add(variant_id, 1)
    await send(cart.remove, line)
    assert units(cart) == {variant_id: 1}
