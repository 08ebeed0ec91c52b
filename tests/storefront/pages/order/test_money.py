"""What the order's page says once money has moved: given back, late, or twice. It never says that none did."""

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


async def _shown(placed: PlacedOrder) -> OrderView:
    data = await load(PageParams.from_url(f"/order/{placed.order_id}?token={placed.token}"))
    assert data.content.order is not None
    return data.content.order


async def _said(shop: Shop, state: ProviderState) -> None:
    async with shop.database.read() as session:
        payment = (await session.execute(select(PaymentSession))).scalar_one()
    report = ProviderReport(state=state, amount=Decimal(TOTAL), currency="COP", invoice=payment.invoice)
    await apply_report(shop.database, payment.id, report)


async def test_what_was_given_back_is_told(shop: Shop, placed: PlacedOrder) -> None:
    await _said(shop, ProviderState.CAPTURED)
    assert (await _shown(placed)).refunded_label == ""
    refunds = [(8_000, "T-1", "paid", "$ 8.000"), (TOTAL - 8_000, "T-2", "refunded", "$ 37.800")]
    for amount, reference, status, label in refunds:
        await refund_order(
            shop.database, COMMAND_LINE, placed.order_id, CreateRefund(amount=amount, reference=reference)
        )
        order = await _shown(placed)
        assert (order.status, order.refunded_label.replace("\xa0", " ")) == (status, label)
        assert (order.can_retry, order.is_final) == (False, True)


@pytest.mark.parametrize("first", [ProviderState.REJECTED, ProviderState.CANCELED, ProviderState.EXPIRED])
async def test_money_that_comes_after_a_refusal_is_not_told_as_no_charge(
    shop: Shop, placed: PlacedOrder, first: ProviderState
) -> None:
    await _said(shop, first)
    assert (await _shown(placed)).status == first.value
    await _said(shop, ProviderState.CAPTURED)
    order = await _shown(placed)
    assert (order.status, order.payment.state, order.can_retry) == ("review", "review", False)


async def test_a_payment_we_no_longer_wait_for_is_told_as_that_until_the_bank_says_how_it_ended(
    shop: Shop, placed: PlacedOrder
) -> None:
    await shop.placed_orders.change_bank(placed.order_id, placed.token)
    order = await _shown(placed)
    assert (order.status, order.payment.state, order.is_final) == ("closed", "closed", False)
    await _said(shop, ProviderState.REJECTED)
    assert (await _shown(placed)).status == "rejected"


@pytest.mark.parametrize("status", list(PaymentStatus))
def test_the_list_of_orders_has_a_word_for_every_payment(status: PaymentStatus) -> None:
    told = account_page._status(Order(payment_status=status, status="pending"))  # type: ignore[call-arg]
    assert told in STATUSES
    assert (told == "pending") == (status in ("awaiting", "authorized", "canceled"))
