"""Decisions of staff about money and missing units: refusals, and the result of each decision."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import delete, select, update

from backend.attention import AttentionKind, raise_attention
from backend.attention.kinds import Action
from backend.attention.models import Attention
from backend.attention.service import AttentionService, Decision
from backend.checkout.attention_resolvers import create_money_resolvers
from backend.core.config.modules import GATEWAY_PSE
from backend.core.errors import InvalidData, NotAllowed, NotFound, OutcomeUnknown, ShopError
from backend.inventory.models import InventoryLevel, Reservation
from backend.orders.admin.cancellation import cancel_order
from backend.orders.models import Fulfillment, Order
from backend.payment.checks import CHECK_PERIOD
from backend.payment.models import PaymentSession, Refund
from backend.payment.providers.base import ProviderReport, ProviderState
from backend.payment.second_transactions import raise_unresolved
from backend.payment.sessions import RESERVATION_TIME
from backend.payment.transitions import apply_report
from backend.staff.rights import COMMAND_LINE
from tests.backend.checkout.paying_kit import PRICE, Till
from tests.backend.checkout.test_promotions import OFF, add_promotion, list_uses, type_code

HONOR = Decision(Action.HONOR, by=COMMAND_LINE)
GIVEN_BACK = Decision(Action.REFUNDED, by=COMMAND_LINE, reference="0012345678")
NOTHING = Decision(Action.DISMISSED, by=COMMAND_LINE, note="nothing is to be done")


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


async def read_open_attention(till: Till) -> Attention:
    async with till.database.read() as session:
        return (await session.execute(select(Attention).where(Attention.resolved_at.is_(None)))).scalar_one()


async def resolve(till: Till, decision: Decision) -> Attention:
    """Resolve the only open attention."""
    service = AttentionService(till.database, create_money_resolvers())
    return await service.resolve((await read_open_attention(till)).id, decision)


async def expect_refusal(till: Till, decision: Decision, error: type[ShopError]) -> str:
    """Check that this decision is refused and leaves the attention open; return the error's message."""
    with pytest.raises(error) as refusal:
        await resolve(till, decision)
    assert (await read_open_attention(till)).resolved_at is None
    return refusal.value.message


async def raise_row(till: Till, kind: AttentionKind, **about: str) -> None:
    async with till.database.transaction() as session:
        await raise_attention(session, kind, message="Something happened", **about)  # type: ignore[arg-type]


async def forget_snapshot(till: Till) -> None:
    """Delete the snapshots of the payments, as if they had started before the shop stored snapshots."""
    async with till.database.transaction() as session:
        await session.execute(update(PaymentSession).values(snapshot={}))


async def set_stock(till: Till, units: int, *, keep_reserved: bool = True) -> None:
    async with till.database.transaction() as session:
        if not keep_reserved:
            await session.execute(delete(Reservation))
            await session.execute(update(InventoryLevel).values(reserved=0))
        await session.execute(update(InventoryLevel).values(stocked=units))


async def refunds(till: Till) -> list[int]:
    async with till.database.read() as session:
        return list((await session.execute(select(Refund.amount))).scalars())


async def approve(till: Till, payment: PaymentSession, amount: int | None) -> None:
    """Let the bank approve this amount."""
    report = ProviderReport(
        state=ProviderState.CAPTURED,
        amount=None if amount is None else Decimal(amount),
        currency="COP",
        invoice=payment.invoice,
    )
    await apply_report(till.database, payment.id, report)


@pytest.fixture
async def short_order(till: Till) -> Order:
    """Return an order of two units that were sold out when its second payment was captured."""
    cart_id = await till.cart(await till.make_variant(stock=2), 2)
    await till.start(cart_id)
    payment = await till.start(cart_id, replace=True)
    order = (await till.checkout.complete(cart_id)).order
    await set_stock(till, 0, keep_reserved=False)
    await till.decide(payment, ProviderState.CAPTURED)
    assert (await read_open_attention(till)).kind == "stock_short"
    return order


async def test_accepted_stock_shortage_reserves_the_restocked_units_for_the_order(
    till: Till, short_order: Order
) -> None:
    await set_stock(till, 2)
    await resolve(till, HONOR)
    async with till.database.read() as session:
        rows = (await session.execute(select(Reservation))).scalars()
        assert [(row.holder, row.quantity, row.expires_at) for row in rows] == [
            (short_order.cart_id, 2, None)
        ]


async def test_dismissed_stock_shortage_reserves_no_units(till: Till, short_order: Order) -> None:
    await set_stock(till, 2)
    assert (await resolve(till, NOTHING)).resolution == "dismissed"
    stands = await till.read_order(short_order.id)
    assert (stands.status, stands.payment_status) == ("pending", "captured")
    async with till.database.read() as session:
        assert (await session.execute(select(Reservation))).first() is None


async def test_unpaid_order_cannot_get_its_missing_units(till: Till) -> None:
    trompo = await till.make_variant(stock=2)
    order, _ = await till.order(trompo)
    await raise_row(till, AttentionKind.STOCK_SHORT, order_id=order.id)
    message = await expect_refusal(till, HONOR, NotAllowed)
    assert message == f"Order {order.number} has no money: no units can be reserved for it"
    assert await till.available(trompo) == 1


async def test_money_whose_purchase_is_unknown_cannot_be_accepted(till: Till) -> None:
    trompo = await till.make_variant(stock=1)
    payment = await till.start(await till.cart(trompo))
    await forget_snapshot(till)
    await till.decide(payment, ProviderState.CAPTURED)
    assert (await read_open_attention(till)).kind == "paid_without_order"
    message = await expect_refusal(till, HONOR, InvalidData)
    assert message.startswith("The purchase is unknown")
    assert await till.orders() == []


async def test_accepted_late_payment_without_a_snapshot_pays_the_unchanged_order(till: Till) -> None:
    trompo = await till.make_variant(stock=3)
    order, payment = await till.order(trompo, 2)
    await forget_snapshot(till)
    await till.decide(payment, ProviderState.REJECTED)
    await approve(till, payment, 2 * PRICE)
    assert (await till.read_order(order.id)).status == "canceled"
    await resolve(till, HONOR)
    paid = await till.read_order(order.id)
    assert (paid.status, paid.payment_status) == ("pending", "captured")
    assert await till.available(trompo) == 1


async def test_money_accepted_twice_is_counted_once(till: Till) -> None:
    """Accept a too small amount. Accepting it again, in a later attention row, changes nothing."""
    trompo = await till.make_variant(stock=3)
    order, payment = await till.order(trompo)
    await approve(till, payment, PRICE - 1)
    await resolve(till, HONOR)
    assert (await till.read_order(order.id)).payment_status == "partially_captured"
    await resolve(till, HONOR)  # the row about the missing money
    await raise_row(till, AttentionKind.AMOUNT_DIFFERS, payment_session_id=payment.id)
    await resolve(till, HONOR)
    assert (await till.read_order(order.id)).payment_status == "partially_captured"
    assert (await till.session_of(order.cart_id)).captured_amount == PRICE - 1
    assert await till.available(trompo) == 2


async def test_refund_of_an_unresolved_payment_is_its_full_amount(till: Till) -> None:
    order, payment = await till.order(await till.make_variant())
    await till.placed_orders.change_bank(order.id, till.token(order))
    await raise_row(till, AttentionKind.PAYMENT_UNRESOLVED, payment_session_id=payment.id)
    await resolve(till, GIVEN_BACK)
    assert await refunds(till) == [PRICE]


@pytest.mark.parametrize("amount", [None, 0])
async def test_payment_with_an_unknown_amount_is_not_refunded(till: Till, amount: int | None) -> None:
    order, payment = await till.order(await till.make_variant())
    await approve(till, payment, amount)
    assert (await read_open_attention(till)).kind == "amount_differs"
    message = await expect_refusal(till, GIVEN_BACK, InvalidData)
    assert message.startswith("The amount is unknown")
    assert (await refunds(till), (await till.read_order(order.id)).payment_status) == ([], "awaiting")


async def test_attention_of_a_deleted_payment_can_be_dismissed(till: Till) -> None:
    """Check that a dismissal, which changes nothing, does not need the payment."""
    await raise_row(till, AttentionKind.PAID_TWICE, payment_session_id="payses_gone")
    assert await expect_refusal(till, HONOR, NotFound) == "Payment session with id: payses_gone was not found"
    assert (await resolve(till, NOTHING)).note == "nothing is to be done"


SECOND = "999"
"""The gateway's number of a second transaction."""


@pytest.mark.parametrize(
    ("decision", "stands", "given_back"),
    [
        (HONOR, ("pending", "captured"), []),
        (GIVEN_BACK, ("canceled", "refunded"), [PRICE]),
        (NOTHING, ("canceled", "canceled"), []),
    ],
)
async def test_decision_about_a_second_transaction_is_applied_if_the_payment_has_no_money(
    till: Till, decision: Decision, stands: tuple[str, str], given_back: list[int]
) -> None:
    order, payment = await till.order(await till.make_variant())
    await till.decide(payment, ProviderState.REJECTED)
    assert await raise_unresolved(till.database, payment, SECOND)

    await resolve(till, decision)

    found = await till.read_order(order.id)
    assert ((found.status, found.payment_status), await refunds(till)) == (stands, given_back)
    async with till.database.read() as session:
        reference = (await session.get_one(PaymentSession, payment.id)).reference
    assert (reference == SECOND) is (decision is not NOTHING)


@pytest.mark.parametrize("decision", [HONOR, GIVEN_BACK])
async def test_decision_about_a_second_transaction_is_refused_for_a_payment_with_money(
    till: Till, decision: Decision
) -> None:
    """Check that no refund is booked: it would refund the first transaction, and cancel the paid order."""
    order, payment = await till.order(await till.make_variant())
    await till.decide(payment, ProviderState.CAPTURED)
    assert await raise_unresolved(till.database, payment, SECOND)

    message = await expect_refusal(till, decision, NotAllowed)

    assert message.startswith(f"Payment {payment.invoice} has the money of another transaction")
    await resolve(till, NOTHING)
    found = await till.read_order(order.id)
    assert (found.status, found.payment_status, await refunds(till)) == ("pending", "captured", [])


async def test_dismissing_a_second_transaction_does_not_change_the_held_payment(till: Till) -> None:
    _, payment = await till.order(await till.make_variant())
    await till.decide(payment, ProviderState.HELD)
    assert await raise_unresolved(till.database, payment, SECOND)
    await resolve(till, NOTHING)
    assert await till.state(payment) == "held"


async def _start_without_answer(till: Till, cart_id: str) -> PaymentSession:
    """Return a payment of the cart about which the bank has reported nothing for 48 hours, not even its start."""
    till.bank.refusal = OutcomeUnknown("no answer")
    with pytest.raises(OutcomeUnknown):
        await till.start(cart_id)
    till.bank.refusal, till.bank.is_down = None, True
    await till.pass_time(RESERVATION_TIME + CHECK_PERIOD + timedelta(seconds=1))
    await till.work()
    till.bank.is_down = False
    assert (await read_open_attention(till)).kind == "payment_unresolved"
    return await till.session_of(cart_id)


async def _approve_late(till: Till, cart_id: str) -> PaymentSession:
    """Return a payment that the bank rejected and later approved, while its cart has no order."""
    payment = await till.start(cart_id)
    await till.decide(payment, ProviderState.REJECTED)
    await approve(till, payment, PRICE)
    assert (await read_open_attention(till)).kind == "approved_late"
    return payment


@pytest.mark.parametrize("came", [_start_without_answer, _approve_late])
@pytest.mark.parametrize("units", [1, 2])
async def test_cart_of_a_refunded_payment_can_be_paid_again(
    till: Till, came: Callable[[Till, str], Awaitable[PaymentSession]], units: int
) -> None:
    trompo = await till.make_variant(stock=3)
    cart_id = await till.cart(trompo)
    payment = await came(till, cart_id)
    await resolve(till, GIVEN_BACK)
    assert (await till.state(payment), await refunds(till)) == ("captured", [PRICE])
    assert not await till.checkout.starter.has_started(cart_id, PRICE, GATEWAY_PSE)
    with pytest.raises(InvalidData, match="Payment sessions are required"):
        await till.checkout.complete(cart_id)
    assert (await till.orders(), await till.mails()) == ([], ["attention", "refunded"])
    if units > 1:
        await till.add(cart_id, trompo, units - 1)
        await till.ship(cart_id)
    second = await till.start(cart_id)
    order = (await till.checkout.complete(cart_id)).order
    assert (order.status, order.payment_status, order.total) == ("pending", "awaiting", units * PRICE)
    assert await till.decide(second, ProviderState.CAPTURED) == "captured"
    assert (await till.read_order(order.id)).payment_status == "captured"
    assert await till.available(trompo) == 3 - units


async def test_refunded_payment_cannot_be_accepted_through_another_attention_row(till: Till) -> None:
    trompo = await till.make_variant(stock=1)
    cart_id = await till.cart(trompo)
    payment = await _approve_late(till, cart_id)
    await resolve(till, GIVEN_BACK)
    await raise_row(till, AttentionKind.PAYMENT_UNRESOLVED, payment_session_id=payment.id)
    message = await expect_refusal(till, HONOR, NotAllowed)
    assert message == f"Payment session {payment.id} holds no money that could pay its order"
    assert (await till.orders(), await till.available(trompo)) == ([], 1)


@pytest.fixture
async def waiting_order(till: Till) -> tuple[Order, PaymentSession]:
    """Return an order and its second payment, which is pending. The first was approved late and refunded."""
    cart_id = await till.cart(await till.make_variant(stock=1))
    first = await till.start(cart_id)
    await till.decide(first, ProviderState.REJECTED)
    second = await till.start(cart_id)
    order = (await till.checkout.complete(cart_id)).order
    await approve(till, first, PRICE)
    assert (await read_open_attention(till)).kind == "approved_late"
    await resolve(till, GIVEN_BACK)
    return order, second


async def test_refund_of_one_payment_does_not_cancel_an_order_that_awaits_another(
    till: Till, waiting_order: tuple[Order, PaymentSession]
) -> None:
    order, second = waiting_order
    page = await till.placed_orders.get_order_page(order.id, till.token(order))
    assert (page.status, page.is_final, page.payment.reference) == ("pending", False, second.reference)
    assert await till.decide(second, ProviderState.CAPTURED) == "captured"
    paid = await till.read_order(order.id)
    assert (paid.status, paid.payment_status) == ("pending", "captured")
    page = await till.placed_orders.get_order_page(order.id, till.token(order))
    assert (page.status, page.payment.reference) == ("paid", second.reference)


async def _bank_refuses(till: Till, order: Order, payment: PaymentSession) -> None:
    await till.decide(payment, ProviderState.REJECTED)


async def _staff_cancel(till: Till, order: Order, payment: PaymentSession) -> None:
    till.bank.states[payment.invoice] = ProviderState.CANCELED
    await cancel_order(till.database, COMMAND_LINE, till.checkout.payments, order.id)


@pytest.mark.parametrize("end", [_bank_refuses, _staff_cancel])
async def test_order_is_cancelled_when_its_last_payment_ends(
    till: Till,
    waiting_order: tuple[Order, PaymentSession],
    end: Callable[[Till, Order, PaymentSession], Awaitable[None]],
) -> None:
    order, second = waiting_order
    await end(till, order, second)
    lost = await till.read_order(order.id)
    assert (lost.status, lost.payment_status) == ("canceled", "refunded")
    (trompo,) = await till.sold(order.id)
    assert await till.available(trompo) == 1
    assert "order_lost" in await till.mails()


async def test_rejection_of_a_closed_payment_does_not_change_a_refunded_order(
    till: Till,
) -> None:
    trompo = await till.make_variant(stock=1)
    cart_id = await till.cart(trompo)
    first = await till.start(cart_id)
    await till.decide(first, ProviderState.REJECTED)
    second = await till.start(cart_id)
    order = (await till.checkout.complete(cart_id)).order
    await till.placed_orders.change_bank(order.id, till.token(order))
    await approve(till, first, PRICE)
    await resolve(till, GIVEN_BACK)
    mails = await till.mails()
    assert await till.decide(second, ProviderState.REJECTED) == "rejected"
    lost = await till.read_order(order.id)
    assert (lost.status, lost.payment_status) == ("canceled", "refunded")
    assert (await till.mails(), await till.available(trompo)) == (mails, 1)


async def packed_order(till: Till) -> tuple[Order, PaymentSession]:
    """Return a packed order and its payment, which was approved after the packing with one peso too little."""
    cart_id = await till.cart(await till.make_variant(stock=1))
    payment = await till.start(cart_id)
    order = (await till.checkout.complete(cart_id)).order
    await till.decide(payment, ProviderState.AUTHORIZED)
    await till.pack(order)
    await approve(till, payment, PRICE - 1)
    assert await till.state(payment) == "held"
    return order, payment


async def cancel_packed_fulfillment(till: Till) -> None:
    async with till.database.transaction() as session:
        await session.execute(update(Fulfillment).values(state="canceled"))


async def test_attention_about_the_money_of_a_packed_order_cannot_be_dismissed(
    till: Till,
) -> None:
    order, payment = await packed_order(till)
    message = await expect_refusal(till, NOTHING, NotAllowed)
    assert message == "All fulfillments must be canceled before canceling an order"
    stands = await till.read_order(order.id)
    assert (await till.state(payment), stands.status) == ("held", "pending")
    await cancel_packed_fulfillment(till)
    await resolve(till, NOTHING)
    assert (await till.read_order(order.id)).status == "canceled"


async def test_packed_order_is_not_cancelled_by_a_rejection_of_the_bank(
    till: Till,
) -> None:
    """Let the bank reject the payment: the shop applies the rejection only after the fulfillment is cancelled."""
    order, payment = await packed_order(till)
    till.bank.states[payment.invoice] = ProviderState.REJECTED
    for _ in range(2):
        await till.pass_time(timedelta(hours=4))
        await till.work()
        assert (await till.state(payment), (await till.read_order(order.id)).status) == ("held", "pending")
    await cancel_packed_fulfillment(till)
    await till.pass_time(timedelta(hours=4))
    await till.work()
    assert await till.state(payment) == "rejected"
    assert (await till.read_order(order.id)).status == "canceled"


@pytest.mark.parametrize("is_ordered", [False, True])
async def test_refund_releases_units_and_promotion_uses(till: Till, is_ordered: bool) -> None:
    """Refund the cart that has the only unit and the only use of a code: another cart gets both."""
    await add_promotion(till)
    trompo = await till.make_variant(stock=1)
    first, second = await till.cart(trompo), await till.cart(trompo)
    await type_code(till, first)
    await type_code(till, second)
    payment = await till.start(first)
    if is_ordered:
        await till.checkout.complete(first)
    await approve(till, payment, payment.amount - 1)
    assert (await till.state(payment), await till.available(trompo)) == ("held", 0)
    await resolve(till, GIVEN_BACK)
    assert (await list_uses(till), await till.available(trompo)) == ([], 1)
    assert (await till.start(second)).amount == payment.amount


async def test_refund_does_not_release_the_reservation_of_another_payment(till: Till) -> None:
    await add_promotion(till)
    trompo = await till.make_variant(stock=1)
    cart_id = await till.cart(trompo)
    await type_code(till, cart_id)
    first = await till.start(cart_id)
    await till.decide(first, ProviderState.REJECTED)
    second = await till.start(cart_id)
    await approve(till, first, first.amount)
    await resolve(till, GIVEN_BACK)
    assert (await till.state(second), await list_uses(till)) == ("pending_authorization", [(OFF, False)])
    assert await till.available(trompo) == 0
