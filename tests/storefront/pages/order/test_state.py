"""An order is asked about again for its own page; a lost order's toys come back into this browser's own cart."""

from collections.abc import Callable
from typing import Any

import pytest
import reflex as rx
from reflex.istate.data import RouterData
from reflex.state import BaseState
from sqlalchemy import update

from backend.app import Shop
from backend.cart.access import new_cart
from backend.cart.lines import add_to_cart
from backend.cart.models import Cart
from backend.cart.views import cart_view
from backend.checkout.placed_orders import PlacedOrder
from backend.customers.models import Customer
from backend.orders.models import Order
from storefront.pages.order import state as order_state
from storefront.pages.order.layout import page
from storefront.pages.order.state import OrderContent, OrderState, read_order
from storefront.pages.page_loader import PageData, PageParams
from storefront.state.cart import CartState
from storefront.state.frame import COMING_BACK, FrameState
from tests.store_defaults import Defaults, make_toy
from tests.storefront.locked import Locked
from tests.storefront.outage import without_database

Shopper = Callable[[], rx.State]


@pytest.fixture
async def lost(shop: Shop, placed: PlacedOrder) -> PlacedOrder:
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(status="canceled"))
    return placed


@pytest.fixture
async def yoyo(shop: Shop, defaults: Defaults, lost: PlacedOrder) -> str:
    async with shop.database.transaction() as session:
        return await make_toy(session, defaults, "yoyo", stock=5)


def _go(root: BaseState, page: str) -> None:
    root.router = RouterData.from_router_data({"pathname": "/order/[[...splat]]", "asPath": page})


async def _at(shopper: Shopper, order: PlacedOrder, token: str) -> tuple[OrderState, CartState]:
    root = shopper()
    _go(root, f"/order/{order.order_id}?token={token}")
    return await root.get_state(OrderState), await root.get_state(CartState)


async def _units(shop: Shop, cart_id: str) -> list[int]:
    async with shop.database.read() as session:
        return [line.quantity for line in (await cart_view(session, cart_id)).lines]


async def test_the_toys_join_the_browsers_cart(
    shop: Shop, shopper: Shopper, lost: PlacedOrder, yoyo: str
) -> None:
    order, cart = await _at(shopper, lost, lost.token)
    await cart.add(yoyo, 1)
    present = cart.cart_id
    for _time in range(2):
        assert await order.try_again() is not None
        assert cart.cart_id == present
        assert await _units(shop, present) == [1, 2]


async def test_a_forged_link_brings_nothing(
    shop: Shop, shopper: Shopper, lost: PlacedOrder, yoyo: str
) -> None:
    order, cart = await _at(shopper, lost, "forged")
    await cart.add(yoyo, 1)
    assert await order.try_again() is None
    assert await _units(shop, cart.cart_id) == [1]


async def test_an_order_that_is_paid_after_all_is_shown_and_not_restored(
    shop: Shop, shopper: Shopper, lost: PlacedOrder
) -> None:
    order, cart = await _at(shopper, lost, lost.token)
    await order.load()
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(status="pending"))
    answers = order.answers
    assert await order.try_again() == OrderState.refresh
    assert (cart.cart_id, (await order.get_state(FrameState)).notice.text) == ("", "")
    assert order.answers > answers


async def test_nothing_is_put_into_a_customers_cart_by_a_stranger(
    shop: Shop, shopper: Shopper, lost: PlacedOrder, yoyo: str
) -> None:
    async with shop.database.transaction() as session:
        ana = Customer(email="ana@example.com")
        session.add(ana)
        await session.flush()
        theirs = await new_cart(session)
        await add_to_cart(session, theirs, yoyo, 1)
        (await session.get_one(Cart, theirs)).customer_id = ana.id
    order, cart = await _at(shopper, lost, lost.token)
    cart.cart_id = theirs
    assert await order.try_again() is not None
    assert cart.cart_id not in ("", theirs)
    assert (await _units(shop, theirs), await _units(shop, cart.cart_id)) == ([1], [2])


async def _refresh(order: OrderState) -> None:
    handler: Any = OrderState.event_handlers["refresh"].fn
    await handler(Locked(order))


async def test_an_order_that_is_asked_about_late_leaves_the_one_that_is_open_by_then(
    shopper: Shopper, placed: PlacedOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    order, _cart = await _at(shopper, placed, placed.token)
    await order.load()

    async def answered_late(params: PageParams, *, ask: bool) -> PageData[OrderContent]:
        data = await read_order(params, ask=ask)
        if ask:
            _go(order._get_root_state(), "/order/order_other?token=other")
            await order.load()
        return data

    monkeypatch.setattr(order_state, "read_order", answered_late)
    await _refresh(order)
    assert order.content == OrderContent("order_other")


async def test_an_order_that_is_asked_about_shows_what_came_of_it(
    shop: Shop, shopper: Shopper, placed: PlacedOrder
) -> None:
    order, _cart = await _at(shopper, placed, placed.token)
    await order.load()
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(email="luis@example.com"))
    await _refresh(order)
    assert order.content.order is not None
    assert order.content.order.email == "luis@example.com"


async def test_an_outage_is_no_failure_of_the_shop_while_an_order_is_asked_about(
    shop: Shop, shopper: Shopper, placed: PlacedOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    order, _cart = await _at(shopper, placed, placed.token)
    await order.load()
    shown = order.content
    with without_database(shop, monkeypatch):
        await _refresh(order)  # the page asks again by itself
    assert order.content == shown
    assert (await order.get_state(FrameState)).notice.text == ""


async def test_an_order_that_could_not_be_loaded_says_so_and_can_be_loaded_again(
    shop: Shop, shopper: Shopper, placed: PlacedOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    order, _cart = await _at(shopper, placed, placed.token)
    with without_database(shop, monkeypatch):
        await order.load()
    assert (order.has_failed, order.is_ready) == (True, False)
    assert (await order.get_state(FrameState)).notice.text == COMING_BACK
    await order.load()
    assert (order.has_failed, order.content.order_id) == (False, placed.order_id)


def test_the_page_has_words_for_an_order_that_could_not_be_loaded() -> None:
    assert str(OrderState.has_failed) in str(page())
