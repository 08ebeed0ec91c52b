"""An order that a staff member cancelled stays cancelled, whatever the bank says later.

| who ended the order | the approval is of | what follows |
|---|---|---|
| staff, the payment being manual | its earlier payment, which nobody waited for | attention: give the money back |
| staff, the bank having said no | the same payment | the same |
| staff, after the reservation had ended | the payment that was closed then | the same |
| staff, the order of another cart of the purchase | a payment started before that | the same |
| staff | a payment that the shopper started afterwards | a new purchase: it pays |
| staff, by giving all of the money back | an earlier payment of it | attention: give it back |
| the reservation | the payment that was closed then | it revives, as before |
| the bank, by saying no | the same payment | attention: accept it, as before |

Where it goes back the order and the stock stay as they were. Accepted by a person, the order stands again and nobody
has cancelled it. A cancellation and an approval at the same moment take turns: one of them is refused.
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
from tests.backend.checkout.test_attention_resolvers import GIVEN_BACK, HONOR, open_row, refunds, resolve
from tests.backend.rivals import overtaken

CANCELED = "approved_after_cancel"


async def cancel(till: Till, order: Order) -> None:
    await cancel_order(till.database, COMMAND_LINE, till.checkout.payments, order.id)


async def expire(till: Till) -> None:
    """The reservation ends, and the bank has not decided."""
    await till.pass_time(RESERVATION_TIME + timedelta(minutes=1))
    await till.work()


async def expect_canceled(till: Till, order: Order, payment: PaymentSession, free: dict[str, int]) -> None:
    """The order is cancelled, its units are free, and a person has to give the money back."""
    row = await open_row(till)
    assert (row.kind, row.subject_id, row.amount) == (CANCELED, payment.id, payment.amount)
    assert RULES[AttentionKind(row.kind)].recommended is Action.REFUNDED
    assert row.due_at is not None
    stays = await till.read_order(order.id)
    assert (stays.status, stays.canceled_by) == ("canceled", "command line")
    for variant, units in free.items():
        assert await till.available(variant) == units
    assert "order_paid" not in await till.mails()
    assert "attention" in await till.mails()


async def given_up_for_a_manual_payment(till: Till, variant: str) -> tuple[Order, PaymentSession]:
    """An order whose shopper agreed another way to pay, and the payment at the bank that they gave up."""
    cart_id = await till.cart(variant)
    at_the_bank = await till.start(cart_id)
    await till.start(cart_id, "pp_system_default", replace=True)
    return (await till.checkout.complete(cart_id)).order, at_the_bank


@pytest.fixture
async def trompo(till: Till) -> str:
    async with till.database.transaction() as session:
        for region in (await session.execute(select(Region))).scalars():
            region.payment_providers = ["gateway_pse", "pp_system_default"]
    return await till.toy(stock=3)


async def test_an_earlier_payment_does_not_revive_a_canceled_order(till: Till, trompo: str) -> None:
    order, earlier = await given_up_for_a_manual_payment(till, trompo)
    await cancel(till, order)
    assert await till.decide(earlier, ProviderState.CAPTURED) == "held"
    await expect_canceled(till, order, earlier, {trompo: 3})


async def test_a_refused_payment_that_is_approved_after_the_cancellation_goes_back(
    till: Till, trompo: str
) -> None:
    order, payment = await till.order(trompo, 2)
    till.bank.states[payment.invoice] = ProviderState.EXPIRED
    await cancel(till, order)
    assert (await till.state(payment), (await till.read_order(order.id)).status) == ("expired", "canceled")
    assert await till.decide(payment, ProviderState.CAPTURED) == "expired"
    await expect_canceled(till, order, payment, {trompo: 3})
    await resolve(till, GIVEN_BACK)
    assert (await refunds(till), await till.available(trompo)) == ([2 * PRICE], 3)
    assert (await till.read_order(order.id)).payment_status == "refunded"


async def test_an_expired_order_that_staff_cancel_stays_canceled(till: Till, trompo: str) -> None:
    order, payment = await till.order(trompo)
    await expire(till)
    assert (await till.read_order(order.id)).canceled_by is None
    await cancel(till, order)
    assert await till.decide(payment, ProviderState.CAPTURED) == "held"
    await expect_canceled(till, order, payment, {trompo: 3})


async def test_an_expired_order_revives(till: Till, trompo: str) -> None:
    order, payment = await till.order(trompo)
    await expire(till)
    assert (await till.read_order(order.id)).status == "canceled"
    assert await till.decide(payment, ProviderState.CAPTURED) == "captured"
    stands = await till.read_order(order.id)
    assert (stands.status, stands.payment_status, stands.canceled_by) == ("pending", "captured", None)
    assert await till.attention() == []


async def test_a_rejected_order_may_be_accepted(till: Till, trompo: str) -> None:
    order, payment = await till.order(trompo)
    await till.decide(payment, ProviderState.REJECTED)
    assert await till.decide(payment, ProviderState.CAPTURED) == "rejected"
    row = await open_row(till)
    assert (row.kind, RULES[AttentionKind(row.kind)].recommended) == ("approved_late", Action.HONOR)
    assert (await till.read_order(order.id)).canceled_by is None


async def test_an_earlier_payment_of_the_purchase_does_not_revive_it(till: Till, trompo: str) -> None:
    first, earlier = await till.order(trompo)
    cart_id = await till.placed_orders.change_bank(first.id, till.token(first))
    await till.ship(cart_id)
    later = await till.start(cart_id)
    second = (await till.checkout.complete(cart_id)).order
    till.bank.states[later.invoice] = ProviderState.CANCELED
    await cancel(till, second)
    assert await till.decide(earlier, ProviderState.CAPTURED) == "held"
    row = await open_row(till)
    assert (row.kind, row.subject_id, row.order_id) == (CANCELED, earlier.id, first.id)
    assert [order.status for order in await till.orders()] == ["canceled", "canceled"]
    assert await till.available(trompo) == 3


async def test_a_purchase_that_is_begun_after_the_cancellation_pays(till: Till, trompo: str) -> None:
    order, payment = await till.order(trompo)
    till.bank.states[payment.invoice] = ProviderState.REJECTED
    await cancel(till, order)
    await till.pass_time(timedelta(seconds=0))
    cart_id = await till.placed_orders.try_again(order.id, till.token(order))
    await till.ship(cart_id)
    anew = await till.start(cart_id)
    bought = (await till.checkout.complete(cart_id)).order
    assert await till.decide(anew, ProviderState.CAPTURED) == "captured"
    assert (await till.read_order(bought.id)).payment_status == "captured"
    assert (await till.read_order(order.id)).status == "canceled"
    assert await till.attention() == []


async def test_accepted_by_a_person_the_order_stands_again(till: Till, trompo: str) -> None:
    order, earlier = await given_up_for_a_manual_payment(till, trompo)
    await cancel(till, order)
    await till.decide(earlier, ProviderState.CAPTURED)
    await resolve(till, HONOR)
    stands = await till.read_order(order.id)
    assert (stands.status, stands.payment_status, stands.canceled_by) == ("pending", "captured", None)
    assert await till.available(trompo) == 2


async def test_an_order_whose_money_went_back_stays_canceled(till: Till, trompo: str) -> None:
    """Too little had come, and staff gave it back: that cancelled the order."""
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
    assert (await open_row(till)).kind == CANCELED
    assert await till.available(trompo) == 3


async def test_told_again_it_is_one_row(till: Till, trompo: str) -> None:
    order, earlier = await given_up_for_a_manual_payment(till, trompo)
    await cancel(till, order)
    for _ in range(3):
        await till.decide(earlier, ProviderState.CAPTURED)
    assert await till.attention() == [(CANCELED, earlier.id, PRICE)]


async def test_an_approval_that_meets_the_cancellation_waits_for_it(till: Till, trompo: str) -> None:
    order, earlier = await given_up_for_a_manual_payment(till, trompo)
    manual = await till.session_of(order.cart_id)
    till.bank.states[manual.invoice] = ProviderState.CANCELED

    async def cancel_meanwhile(session: AsyncSession) -> None:
        row = await lock_order(session, order.id)
        row.status, row.payment_status, row.canceled_by = "canceled", "canceled", "usr_1"
        row.canceled_at = row.created_at

    await overtaken(till.database, cancel_meanwhile, lambda: till.decide(earlier, ProviderState.CAPTURED))
    assert await till.state(earlier) == "held"
    assert [kind for kind, *_ in await till.attention()] == [CANCELED]


async def test_a_cancellation_that_meets_the_approval_is_refused(
    till: Till, trompo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The approval commits after the order was read, and before it is cancelled."""
    order, earlier = await given_up_for_a_manual_payment(till, trompo)
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
