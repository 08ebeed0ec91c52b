"""Presses that reach a handler twice, or in a state that has forgotten what the first sending made.

| fault | outcome |
|---|---|
| the first press of a new browser, again in a state that knows no cart | its cart, one unit |
| the same, in a browser that has begun another cart | all lines in that one |
| the same, whose cart was bought meanwhile | no notice, no cart |
| the cart of the press is another customer's | not shown |
| a quantity or a removal, again after another tab changed it | the later change stays |
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
from tests.store_defaults import Defaults, make_toy

Shopper = Callable[[], rx.State]
ID = "fedcba9876543210" * 2


@pytest.fixture
async def toy(shop: Shop, defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await make_toy(session, defaults, "trompo", title="Trompo", stock=5, price=18_900)


@pytest.fixture
async def other_toy(shop: Shop, defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await make_toy(session, defaults, "lazo", title="Lazo", stock=5, price=9_900)


async def send(event: Callable[..., Any], *arguments: object, press_id: str = ID) -> None:
    with handle_press(Sending(event.__qualname__, press_id)):
        await event(*arguments)


def units(cart: CartState) -> dict[str, int]:
    return {line.variant_id: line.quantity for line in cart.cart.lines}


async def test_press_sent_again_finds_its_cart(shopper: Shopper, toy: str) -> None:
    first, again = await shopper().get_state(CartState), await shopper().get_state(CartState)
    await send(first.add, toy, 1)
    await send(again.add, toy, 1)
    assert again.cart_id == first.cart_id
    assert units(again) == {toy: 1}
    assert again.added.title == "Trompo"
    assert again.answers > 0


async def test_notice_of_a_press_is_shown_once_by_a_state(shopper: Shopper, toy: str) -> None:
    cart = await shopper().get_state(CartState)
    await send(cart.add, toy, 1)
    shown = cart.added
    cart.cart_id = ""  # the browser connects again, without having heard of it
    await send(cart.add, toy, 1)
    assert cart.added == shown
    assert units(cart) == {toy: 1}


async def test_another_cart_begun_meanwhile_gets_the_lines(
    shopper: Shopper, toy: str, other_toy: str
) -> None:
    first, again = await shopper().get_state(CartState), await shopper().get_state(CartState)
    await send(first.add, toy, 2)
    await again.add(other_toy, 1)
    await send(again.add, toy, 2)
    assert again.cart_id != first.cart_id
    assert units(again) == {toy: 2, other_toy: 1}
    await send(again.add, toy, 2)
    assert units(again) == {toy: 2, other_toy: 1}


async def test_cart_that_was_bought_is_not_filled_again(shop: Shop, shopper: Shopper, toy: str) -> None:
    first, again = await shopper().get_state(CartState), await shopper().get_state(CartState)
    await send(first.add, toy, 1)
    async with shop.database.transaction() as session:
        await session.execute(update(Cart).values(completed_at=now()))
    await send(again.add, toy, 1)
    assert again.cart_id == ""
    assert again.added.number == 0
    assert again.answers > 0


async def test_cart_of_a_customer_is_not_shown_to_a_guest(shop: Shop, shopper: Shopper, toy: str) -> None:
    first, again = await shopper().get_state(CartState), await shopper().get_state(CartState)
    await send(first.add, toy, 1)
    async with shop.database.transaction() as session:
        await session.execute(update(Cart).values(customer_id="cus_1"))
    await send(again.add, toy, 1)
    assert (again.cart_id, units(again), again.added.number) == ("", {}, 0)


async def test_quantity_sent_again_leaves_the_later_one(shopper: Shopper, toy: str) -> None:
    cart = await shopper().get_state(CartState)
    await cart.add(toy, 1)
    line = cart.cart.lines[0].id
    await send(cart.set_quantity, line, 3)
    await send(cart.set_quantity, line, 2, press_id="a" * 32)
    await send(cart.set_quantity, line, 3)
    assert units(cart) == {toy: 2}


async def test_removal_sent_again_leaves_a_toy_added_since(shopper: Shopper, toy: str) -> None:
    cart = await shopper().get_state(CartState)
    await cart.add(toy, 1)
    line = cart.cart.lines[0].id
    await send(cart.remove, line)
    await cart.add(toy, 1)
    await send(cart.remove, line)
    assert units(cart) == {toy: 1}
