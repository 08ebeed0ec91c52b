"""Tests of the order's page after refunds, late payments and double payments: it never denies a received payment."""

from decimal import Decimal

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.checkout.placed_orders import PlacedOrder
from backend.orders.models import Order
from backend.orders.money.commands import CreateRefund
from backend.orders.money.refunds import refund_order
from backend.orders.states import PaymentStatus
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderReport, ProviderState
from backend.payment.transitions import apply_report
from backend.staff.rights import COMMAND_LINE
from backend.storefront_views import account_page
from backend.storefront_views.order_page import OrderView
from storefront.pages.account.home import STATUSES
from storefront.pages.order.state import load
from storefront.pages.page_loader import PageParams

TOTAL = 37_800


async def _load_order(placed: PlacedOrder) -> OrderView:
    """Return the order as its page displays it."""
    data = await load(PageParams.from_url(f"/order/{placed.order_id}?token={placed.token}"))
    assert data.content.order is not None
    return data.content.order


async def _report_state(shop: Shop, state: ProviderState) -> None:
    """Apply a provider's report of this state to the only payment."""
    async with shop.database.read() as session:
        payment = (await session.execute(select(PaymentSession))).scalar_one()
    report = ProviderReport(state=state, amount=Decimal(TOTAL), currency="COP", invoice=payment.invoice)
    await apply_report(shop.database, payment.id, report)


async def test_refunds_are_shown_on_the_order_page(shop: Shop, placed: PlacedOrder) -> None:
    await _report_state(shop, ProviderState.CAPTURED)
    assert (await _load_order(placed)).refunded_label == ""
    refunds = [(8_000, "T-1", "paid", "$ 8.000"), (TOTAL - 8_000, "T-2", "refunded", "$ 37.800")]
    for amount, reference, status, label in refunds:
        await refund_order(
            shop.database, COMMAND_LINE, placed.order_id, CreateRefund(amount=amount, reference=reference)
        )
        order = await _load_order(placed)
        assert (order.status, order.refunded_label.replace("\xa0", " ")) == (status, label)
        assert (order.can_retry, order.is_final) == (False, True)


@pytest.mark.parametrize("first", [ProviderState.REJECTED, ProviderState.CANCELED, ProviderState.EXPIRED])
async def test_approval_after_a_refused_payment_is_shown_as_under_review(
    shop: Shop, placed: PlacedOrder, first: ProviderState
) -> None:
    await _report_state(shop, first)
    assert (await _load_order(placed)).status == first.value
    await _report_state(shop, ProviderState.CAPTURED)
    order = await _load_order(placed)
    assert (order.status, order.payment.state, order.can_retry) == ("review", "review", False)


async def test_cancelled_payment_is_shown_as_closed_until_the_bank_rejects_it(
    shop: Shop, placed: PlacedOrder
) -> None:
    await shop.placed_orders.change_bank(placed.order_id, placed.token)
    order = await _load_order(placed)
    assert (order.status, order.payment.state, order.is_final) == ("closed", "closed", False)
    await _report_state(shop, ProviderState.REJECTED)
    assert (await _load_order(placed)).status == "rejected"


@pytest.mark.parametrize("status", list(PaymentStatus))
def test_list_of_orders_has_a_text_for_every_payment_status(status: PaymentStatus) -> None:
    status_name = account_page.derive_status(Order(payment_status=status, status="pending"))  # type: ignore[call-arg]
    assert status_name in STATUSES
    assert (status_name == "pending") == (status in ("awaiting", "authorized", "canceled"))
