"""An order that a staff member cancelled stays cancelled, even if the bank approves a payment later.

| who ended the order | the approval is of | result |
|---|---|---|
| staff, with a manual payment | its earlier, closed payment | attention: refund the money |
| staff, after the bank refused | the same payment | the same |
| staff, after the reservation had ended | the payment that was closed then | the same |
| staff, the order of another cart of the purchase | a payment started before that | the same |
| staff | a payment that the shopper started afterwards | a new purchase: it pays |
| staff, by refunding all of the money | an earlier payment of it | attention: refund it |
| the reservation | the payment that was closed then | it is restored, as before |
| the bank, by refusing | the same payment | attention: accept it, as before |

If it is refunded, the order and the stock do not change. If staff accept it, the order is restored and no longer
cancelled. Of a concurrent cancellation and approval, one is refused.
"""

from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.kinds import RULES, Action, AttentionKind
from backend.channels.models import Region
from backend.core.errors import NotAllowed
from backend.orders.admin.cancellation import cancel_order
from backend.orders.models import Order
from backend.orders.service import lock_order
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderReport, ProviderState, StartedPayment
from backend.payment.sessions import RESERVATION_TIME
from backend.payment.transitions import apply_report
from backend.staff.rights import COMMAND_LINE
from tests.backend.checkout.paying_kit import PRICE, Till
from tests.backend.checkout.test_attention_resolvers import (
    GIVEN_BACK,
    HONOR,
    read_open_attention,
    refunds,
    resolve,
)
from tests.backend.rivals import run_against_rival

CANCELED = "approved_after_cancel"


async def cancel(till: Till, order: Order) -> None:
    await cancel_order(till.database, COMMAND_LINE, till.checkout.payments, order.id)


async def expire(till: Till) -> None:
    """End the reservation while the bank has not decided."""
    await till.pass_time(RESERVATION_TIME + timedelta(minutes=1))
    await till.work()


async def expect_canceled(till: Till, order: Order, payment: PaymentSession, free: dict[str, int]) -> None:
    """Check that the order is cancelled, its units are free, and an attention asks for a refund."""
    row = await read_open_attention(till)
    assert (row.kind, row.subject_id, row.amount) == (CANCELED, payment.id, payment.amount)
    assert RULES[AttentionKind(row.kind)].recommended is Action.REFUNDED
    assert row.due_at is not None
    stays = await till.read_order(order.id)
    assert (stays.status, stays.canceled_by) == ("canceled", "command line")
    for variant, units in free.items():
        assert await till.available(variant) == units
    assert "order_paid" not in await till.mails()
    assert "attention" in await till.mails()


async def order_with_manual_payment(till: Till, variant: str) -> tuple[Order, PaymentSession]:
    """Return an order with a manual payment, and its closed payment at the bank."""
    cart_id = await till.cart(variant)
    at_the_bank = await till.start(cart_id)
    await till.start(cart_id, "pp_system_default", replace=True)
    return (await till.checkout.complete(cart_id)).order, at_the_bank


@pytest.fixture
async def trompo(till: Till) -> str:
    async with till.database.transaction() as session:
        for region in (await session.execute(select(Region))).scalars():
            region.payment_providers = ["gateway_pse", "pp_system_default"]
    return await till.make_variant(stock=3)


async def test_approved_earlier_payment_does_not_revive_an_order_cancelled_by_staff(
    till: Till, trompo: str
) -> None:
    order, earlier = await order_with_manual_payment(till, trompo)
    await cancel(till, order)
    assert await till.decide(earlier, ProviderState.CAPTURED) == "held"
    await expect_canceled(till, order, earlier, {trompo: 3})


async def test_payment_approved_after_the_cancellation_must_be_refunded(till: Till, trompo: str) -> None:
    order, payment = await till.order(trompo, 2)
    till.bank.states[payment.invoice] = ProviderState.EXPIRED
    await cancel(till, order)
    assert (await till.state(payment), (await till.read_order(order.id)).status) == ("expired", "canceled")
    assert await till.decide(payment, ProviderState.CAPTURED) == "expired"
    await expect_canceled(till, order, payment, {trompo: 3})
    await resolve(till, GIVEN_BACK)
    assert (await refunds(till), await till.available(trompo)) == ([2 * PRICE], 3)
    assert (await till.read_order(order.id)).payment_status == "refunded"


async def test_late_approval_does_not_revive_an_expired_order_cancelled_by_staff(
    till: Till, trompo: str
) -> None:
    order, payment = await till.order(trompo)
    await expire(till)
    assert (await till.read_order(order.id)).canceled_by is None
    await cancel(till, order)
    assert await till.decide(payment, ProviderState.CAPTURED) == "held"
    await expect_canceled(till, order, payment, {trompo: 3})


async def test_approval_revives_an_order_that_expired_by_itself(till: Till, trompo: str) -> None:
    order, payment = await till.order(trompo)
    await expire(till)
    assert (await till.read_order(order.id)).status == "canceled"
    assert await till.decide(payment, ProviderState.CAPTURED) == "captured"
    stands = await till.read_order(order.id)
    assert (stands.status, stands.payment_status, stands.canceled_by) == ("pending", "captured", None)
    assert await till.attention() == []


async def test_approval_after_a_rejection_raises_attention_that_recommends_acceptance(
    till: Till, trompo: str
) -> None:
    order, payment = await till.order(trompo)
    await till.decide(payment, ProviderState.REJECTED)
    assert await till.decide(payment, ProviderState.CAPTURED) == "rejected"
    row = await read_open_attention(till)
    assert (row.kind, RULES[AttentionKind(row.kind)].recommended) == ("approved_late", Action.HONOR)
    assert (await till.read_order(order.id)).canceled_by is None


async def test_approved_earlier_payment_does_not_revive_a_purchase_cancelled_by_staff(
    till: Till, trompo: str
) -> None:
    first, earlier = await till.order(trompo)
    cart_id = await till.placed_orders.change_bank(first.id, till.token(first))
    await till.ship(cart_id)
    later = await till.start(cart_id)
    second = (await till.checkout.complete(cart_id)).order
    till.bank.states[later.invoice] = ProviderState.CANCELED
    await cancel(till, second)
    assert await till.decide(earlier, ProviderState.CAPTURED) == "held"
    row = await read_open_attention(till)
    assert (row.kind, row.subject_id, row.order_id) == (CANCELED, earlier.id, first.id)
    assert [order.status for order in await till.orders()] == ["canceled", "canceled"]
    assert await till.available(trompo) == 3


async def test_new_purchase_after_the_cancellation_can_be_paid(till: Till, trompo: str) -> None:
    order, payment = await till.order(trompo)
    till.bank.states[payment.invoice] = ProviderState.REJECTED
    await cancel(till, order)
    await till.pass_time(timedelta(seconds=0))
    cart_id = await till.placed_orders.restore_canceled_cart(order.id, till.token(order))
    await till.ship(cart_id)
    anew = await till.start(cart_id)
    bought = (await till.checkout.complete(cart_id)).order
    assert await till.decide(anew, ProviderState.CAPTURED) == "captured"
    assert (await till.read_order(bought.id)).payment_status == "captured"
    assert (await till.read_order(order.id)).status == "canceled"
    assert await till.attention() == []


async def test_cancelled_order_is_restored_if_staff_accept_its_late_payment(till: Till, trompo: str) -> None:
    order, earlier = await order_with_manual_payment(till, trompo)
    await cancel(till, order)
    await till.decide(earlier, ProviderState.CAPTURED)
    await resolve(till, HONOR)
    stands = await till.read_order(order.id)
    assert (stands.status, stands.payment_status, stands.canceled_by) == ("pending", "captured", None)
    assert await till.available(trompo) == 2


async def test_order_cancelled_by_a_refund_stays_cancelled_after_a_late_approval(
    till: Till, trompo: str
) -> None:
    """Refund a too small payment, which cancels the order. Then let the bank approve the earlier payment."""
    cart_id = await till.cart(trompo)
    earlier = await till.start(cart_id)
    later = await till.start(cart_id, replace=True)
    order = (await till.checkout.complete(cart_id)).order
    report = ProviderReport(
        state=ProviderState.CAPTURED, amount=Decimal(PRICE - 7), currency="COP", invoice=later.invoice
    )
    await apply_report(till.database, later.id, report)
    await resolve(till, GIVEN_BACK)
    assert (await till.read_order(order.id)).canceled_by == "command line"
    assert await till.decide(earlier, ProviderState.CAPTURED) == "held"
    assert (await read_open_attention(till)).kind == CANCELED
    assert await till.available(trompo) == 3


async def test_repeated_approval_of_a_cancelled_order_raises_one_attention(till: Till, trompo: str) -> None:
    order, earlier = await order_with_manual_payment(till, trompo)
    await cancel(till, order)
    for _ in range(3):
        await till.decide(earlier, ProviderState.CAPTURED)
    assert await till.attention() == [(CANCELED, earlier.id, PRICE)]


async def test_approval_waits_for_a_concurrent_cancellation(till: Till, trompo: str) -> None:
    order, earlier = await order_with_manual_payment(till, trompo)
    manual = await till.session_of(order.cart_id)
    till.bank.states[manual.invoice] = ProviderState.CANCELED

    async def cancel_meanwhile(session: AsyncSession) -> None:
        row = await lock_order(session, order.id)
        row.status, row.payment_status, row.canceled_by = "canceled", "canceled", "usr_1"
        row.canceled_at = row.created_at

    await run_against_rival(
        till.database, cancel_meanwhile, lambda: till.decide(earlier, ProviderState.CAPTURED)
    )
    assert await till.state(earlier) == "held"
    assert [kind for kind, *_ in await till.attention()] == [CANCELED]


async def test_cancellation_is_refused_after_a_concurrent_approval(
    till: Till, trompo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check an approval that commits after the order was read, and before it is cancelled."""
    order, earlier = await order_with_manual_payment(till, trompo)
    manual = till.checkout.payments.providers["pp_system_default"]
    end = manual.cancel

    async def approve_meanwhile(started: StartedPayment) -> ProviderReport:
        await till.decide(earlier, ProviderState.CAPTURED)
        return await end(started)

    monkeypatch.setattr(manual, "cancel", approve_meanwhile)
    with pytest.raises(NotAllowed, match="just approved"):
        await cancel(till, order)
    stands = await till.read_order(order.id)
    assert (stands.status, stands.payment_status, stands.canceled_by) == ("pending", "captured", None)
