"""Letting go of a payment at the bank, from the order's page and from the checkout that waits for it."""

from collections.abc import Callable

import pytest
import reflex as rx
from sqlalchemy import select, update

from backend.app import Shop
from backend.cart.checkout_drafts import read_draft
from backend.cart.models import Cart
from backend.cart.views import cart_view
from backend.checkout.placed_orders import PlacedOrder
from backend.legal.consents import BOXES
from backend.migrations.sandbox_tables import SandboxTransaction
from backend.payment.models import PaymentSession
from backend.payment.providers.pse.reports import GatewayState
from storefront.components import change_bank as page
from storefront.pages.order.state import load
from storefront.pages.page_loader import PageParams
from storefront.state.cart import CartState
from tests.checkout_steps import TYPED
from tests.storefront.locked import Locked

Shopper = Callable[[], rx.State]


@pytest.fixture
def root(shopper: Shopper) -> rx.State:
    return shopper()


@pytest.fixture
async def cart(root: rx.State) -> CartState:
    return await root.get_state(CartState)


async def _changed(root: rx.State, order_id: str, token: str) -> page.Changed:
    return await page.change_bank(Locked(root), order_id, token)  # type: ignore[arg-type]


async def _status(placed: PlacedOrder) -> str:
    data = await load(PageParams.from_url(f"/order/{placed.order_id}?token={placed.token}"))
    assert data.content.order is not None
    return data.content.order.status


async def test_the_cart_comes_back_with_everything_typed_but_the_bank_and_the_boxes(
    shop: Shop, root: rx.State, cart: CartState, placed: PlacedOrder
) -> None:
    kept = {name: text for name, text in TYPED.items() if name not in ("doc_type", "doc_number")}
    async with shop.database.transaction() as session:  # an order's document is no longer with its cart
        await session.execute(update(Cart).values(draft=kept))
    assert await _changed(root, placed.order_id, placed.token) == page.Changed(has_cart=True)
    async with shop.database.read() as session:
        view, draft = await cart_view(session, cart.cart_id), await read_draft(session, cart.cart_id)
    assert [line.quantity for line in view.lines] == [2]
    assert {name: draft.get(name, "") for name in TYPED} == {**TYPED, "bank": "", **dict.fromkeys(BOXES, "")}
    assert await _status(placed) == "closed"


async def test_pressed_twice_it_is_one_cart_and_one_payment(
    shop: Shop, root: rx.State, cart: CartState, placed: PlacedOrder
) -> None:
    await _changed(root, placed.order_id, placed.token)
    first = cart.cart_id
    assert await _changed(root, placed.order_id, placed.token) == page.Changed(has_cart=True)
    assert cart.cart_id == first
    async with shop.database.read() as session:
        assert [line.quantity for line in (await cart_view(session, first)).lines] == [2]
        assert len((await session.execute(select(PaymentSession.id))).all()) == 1


async def test_a_payment_that_the_bank_has_approved_stands(
    shop: Shop, root: rx.State, cart: CartState, placed: PlacedOrder
) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(SandboxTransaction).values(state=GatewayState.ACCEPTED))
    assert await _changed(root, placed.order_id, placed.token) == page.Changed()
    assert cart.cart_id == ""
    assert await _status(placed) == "paid"


@pytest.mark.parametrize("token", ["", "forged"])
async def test_a_forged_link_lets_go_of_nothing(
    root: rx.State, cart: CartState, placed: PlacedOrder, token: str
) -> None:
    changed = await _changed(root, placed.order_id, token)
    assert not changed.has_cart
    assert changed.problem
    assert cart.cart_id == ""
    assert await _status(placed) == "pending"


async def test_the_order_says_that_it_can_be_let_go_only_while_the_bank_decides(
    root: rx.State, placed: PlacedOrder
) -> None:
    async def order() -> tuple[bool, bool, bool]:
        data = await load(PageParams.from_url(f"/order/{placed.order_id}?token={placed.token}"))
        assert data.content.order is not None
        shown = data.content.order
        return shown.can_change_bank, shown.can_retry, shown.is_final

    assert await order() == (True, False, False)
    await _changed(root, placed.order_id, placed.token)
    assert await order() == (False, True, False)
