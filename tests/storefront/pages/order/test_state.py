"""Tests of refreshing an order, and of restoring the cart of an unpaid order in the current browser."""

from collections.abc import Callable
from typing import Any

import pytest
import reflex as rx
from reflex.istate.data import RouterData
from reflex.state import BaseState
from sqlalchemy import update

from backend.app import Shop
from backend.cart.access import create_empty_cart
from backend.cart.lines import add_to_cart
from backend.cart.models import Cart
from backend.cart.views import read_cart_view
from backend.checkout.placed_orders import PlacedOrder
from backend.customers.models import Customer
from backend.orders.models import Order
from storefront.pages.order import state as order_state
from storefront.pages.order.layout import page
from storefront.pages.order.state import OrderContent, OrderState, read_order
from storefront.pages.page_loader import PageData, PageParams
from storefront.state.cart import CartState
from storefront.state.frame import SHOP_UNAVAILABLE, FrameState
from tests.store_defaults import Defaults, add_product
from tests.storefront.locked import Locked
from tests.storefront.outage import without_database
from tests.storefront.root_state import get_root_state

Shopper = Callable[[], rx.State]


@pytest.fixture
async def canceled_order(shop: Shop, placed: PlacedOrder) -> PlacedOrder:
    """Cancel the order."""
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(status="canceled"))
    return placed


@pytest.fixture
async def yoyo(shop: Shop, defaults: Defaults, canceled_order: PlacedOrder) -> str:
    """Return the variant of another product."""
    async with shop.database.transaction() as session:
        return await add_product(session, defaults, "yoyo", stock=5)


def _go_to(root: BaseState, page: str) -> None:
    """Move the browser to a path."""
    root.router = RouterData.from_router_data({"pathname": "/order/[[...splat]]", "asPath": page})


async def _open_order(shopper: Shopper, order: PlacedOrder, token: str) -> tuple[OrderState, CartState]:
    """Return the states of the order and of the cart in a browser at the order's link."""
    root = shopper()
    _go_to(root, f"/order/{order.order_id}?token={token}")
    return await root.get_state(OrderState), await root.get_state(CartState)


async def _units(shop: Shop, cart_id: str) -> list[int]:
    """Return the quantities of the cart's lines."""
    async with shop.database.read() as session:
        return [line.quantity for line in (await read_cart_view(session, cart_id)).lines]


async def test_restored_products_join_the_browsers_cart(
    shop: Shop, shopper: Shopper, canceled_order: PlacedOrder, yoyo: str
) -> None:
    order, cart = await _open_order(shopper, canceled_order, canceled_order.token)
    await cart.add(yoyo, 1)
    present = cart.cart_id
    for _time in range(2):
        assert await order.try_again() is not None
        assert cart.cart_id == present
        assert await _units(shop, present) == [1, 2]


async def test_forged_order_link_restores_no_cart(
    shop: Shop, shopper: Shopper, canceled_order: PlacedOrder, yoyo: str
) -> None:
    order, cart = await _open_order(shopper, canceled_order, "forged")
    await cart.add(yoyo, 1)
    assert await order.try_again() is None
    assert await _units(shop, cart.cart_id) == [1]


async def test_order_paid_in_the_meantime_is_shown_and_not_restored(
    shop: Shop, shopper: Shopper, canceled_order: PlacedOrder
) -> None:
    order, cart = await _open_order(shopper, canceled_order, canceled_order.token)
    await order.load()
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(status="pending"))
    answers = order.answers
    assert await order.try_again() == OrderState.refresh
    assert (cart.cart_id, (await order.get_state(FrameState)).notice.text) == ("", "")
    assert order.answers > answers


async def test_stranger_cannot_add_to_a_customers_cart(
    shop: Shop, shopper: Shopper, canceled_order: PlacedOrder, yoyo: str
) -> None:
    async with shop.database.transaction() as session:
        ana = Customer(email="ana@example.com")
        session.add(ana)
        await session.flush()
        theirs = await create_empty_cart(session)
        await add_to_cart(session, theirs, yoyo, 1)
        (await session.get_one(Cart, theirs)).customer_id = ana.id
    order, cart = await _open_order(shopper, canceled_order, canceled_order.token)
    cart.cart_id = theirs
    assert await order.try_again() is not None
    assert cart.cart_id not in ("", theirs)
    assert (await _units(shop, theirs), await _units(shop, cart.cart_id)) == ([1], [2])


async def _refresh(order: OrderState) -> None:
    """Call the background handler `refresh`."""
    handler: Any = OrderState.event_handlers["refresh"].fn
    await handler(Locked(order))


async def test_late_refresh_does_not_replace_the_order_that_is_now_open(
    shopper: Shopper, placed: PlacedOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    order, _cart = await _open_order(shopper, placed, placed.token)
    await order.load()

    async def answered_late(params: PageParams, *, ask_gateway: bool) -> PageData[OrderContent]:
        data = await read_order(params, ask_gateway=ask_gateway)
        if ask_gateway:
            _go_to(get_root_state(order), "/order/order_other?token=other")
            await order.load()
        return data

    monkeypatch.setattr(order_state, "read_order", answered_late)
    await _refresh(order)
    assert order.content == OrderContent("order_other")


async def test_refresh_of_the_order_page_shows_the_changed_order(
    shop: Shop, shopper: Shopper, placed: PlacedOrder
) -> None:
    order, _cart = await _open_order(shopper, placed, placed.token)
    await order.load()
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(email="luis@example.com"))
    await _refresh(order)
    assert order.content.order is not None
    assert order.content.order.email == "luis@example.com"


async def test_order_page_stays_unchanged_if_a_refresh_fails_in_an_outage(
    shop: Shop, shopper: Shopper, placed: PlacedOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    order, _cart = await _open_order(shopper, placed, placed.token)
    await order.load()
    shown = order.content
    with without_database(shop, monkeypatch):
        await _refresh(order)  # the page repeats the refresh by itself
    assert order.content == shown
    assert (await order.get_state(FrameState)).notice.text == ""


async def test_failed_order_page_can_be_loaded_again(
    shop: Shop, shopper: Shopper, placed: PlacedOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    order, _cart = await _open_order(shopper, placed, placed.token)
    with without_database(shop, monkeypatch):
        await order.load()
    assert (order.has_failed, order.is_ready) == (True, False)
    assert (await order.get_state(FrameState)).notice.text == SHOP_UNAVAILABLE
    await order.load()
    assert (order.has_failed, order.content.order_id) == (False, placed.order_id)


def test_order_page_contains_the_failure_message() -> None:
    assert str(OrderState.has_failed) in str(page())
