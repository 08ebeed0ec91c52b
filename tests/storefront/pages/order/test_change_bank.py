"""Cancelling a payment at the bank, from the order's page and from the checkout that waits for the payment."""

from collections.abc import Callable

import pytest
import reflex as rx
from sqlalchemy import select, update

from backend.app import Shop
from backend.cart.checkout_drafts import read_draft
from backend.cart.models import Cart
from backend.cart.views import read_cart_view
from backend.checkout.placed_orders import PlacedOrder
from backend.legal.consents import CHECKBOXES
from backend.migrations.sandbox_tables import SandboxTransaction
from backend.payment.models import PaymentSession
from backend.payment.providers.pse.reports import GatewayState
from storefront.components import change_bank as page
from storefront.pages.order.state import load
from storefront.pages.page_loader import PageParams
from storefront.state.cart import CartState
from tests.checkout_steps import CHECKOUT_INPUT
from tests.storefront.locked import Locked

Shopper = Callable[[], rx.State]


@pytest.fixture
def root(shopper: Shopper) -> rx.State:
    """Return the state of a new browser."""
    return shopper()


@pytest.fixture
async def cart(root: rx.State) -> CartState:
    """Return the cart's state of that browser."""
    return await root.get_state(CartState)


async def _change_bank(root: rx.State, order_id: str, token: str) -> page.ChangeBankResult:
    """Change the bank of the order."""
    return await page.change_bank(Locked(root), order_id, token)  # type: ignore[arg-type]


async def _load_status(placed: PlacedOrder) -> str:
    """Return the status that the order's page displays."""
    data = await load(PageParams.from_url(f"/order/{placed.order_id}?token={placed.token}"))
    assert data.content.order is not None
    return data.content.order.status


async def test_change_of_bank_restores_the_cart_and_the_draft_except_bank_and_consents(
    shop: Shop, root: rx.State, cart: CartState, placed: PlacedOrder
) -> None:
    kept = {name: text for name, text in CHECKOUT_INPUT.items() if name not in ("doc_type", "doc_number")}
    async with (
        shop.database.transaction() as session
    ):  # the document of an order is deleted from its cart's draft
        await session.execute(update(Cart).values(draft=kept))
    assert await _change_bank(root, placed.order_id, placed.token) == page.ChangeBankResult(has_cart=True)
    async with shop.database.read() as session:
        view, draft = await read_cart_view(session, cart.cart_id), await read_draft(session, cart.cart_id)
    assert [line.quantity for line in view.lines] == [2]
    assert {name: draft.get(name, "") for name in CHECKOUT_INPUT} == {
        **CHECKOUT_INPUT,
        "bank": "",
        **dict.fromkeys(CHECKBOXES, ""),
    }
    assert await _load_status(placed) == "closed"


async def test_changing_the_bank_twice_creates_one_cart_and_one_payment(
    shop: Shop, root: rx.State, cart: CartState, placed: PlacedOrder
) -> None:
    await _change_bank(root, placed.order_id, placed.token)
    first = cart.cart_id
    assert await _change_bank(root, placed.order_id, placed.token) == page.ChangeBankResult(has_cart=True)
    assert cart.cart_id == first
    async with shop.database.read() as session:
        assert [line.quantity for line in (await read_cart_view(session, first)).lines] == [2]
        assert len((await session.execute(select(PaymentSession.id))).all()) == 1


async def test_approved_payment_is_not_cancelled(
    shop: Shop, root: rx.State, cart: CartState, placed: PlacedOrder
) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(SandboxTransaction).values(state=GatewayState.ACCEPTED))
    assert await _change_bank(root, placed.order_id, placed.token) == page.ChangeBankResult()
    assert cart.cart_id == ""
    assert await _load_status(placed) == "paid"


@pytest.mark.parametrize("token", ["", "forged"])
async def test_forged_order_link_cannot_cancel_a_payment(
    root: rx.State, cart: CartState, placed: PlacedOrder, token: str
) -> None:
    changed = await _change_bank(root, placed.order_id, token)
    assert not changed.has_cart
    assert changed.problem
    assert cart.cart_id == ""
    assert await _load_status(placed) == "pending"


async def test_bank_can_be_changed_only_while_the_payment_is_pending(
    root: rx.State, placed: PlacedOrder
) -> None:
    async def order() -> tuple[bool, bool, bool]:
        data = await load(PageParams.from_url(f"/order/{placed.order_id}?token={placed.token}"))
        assert data.content.order is not None
        shown = data.content.order
        return shown.can_change_bank, shown.can_retry, shown.is_final

    assert await order() == (True, False, False)
    await _change_bank(root, placed.order_id, placed.token)
    assert await order() == (False, True, False)
