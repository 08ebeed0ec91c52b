"""What a person decides about money and missing units: what is refused, and what each decision leaves."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import delete, select, update

from backend.attention import AttentionKind, raise_attention
from backend.attention.kinds import Action
from backend.attention.models import Attention
from backend.attention.service import AttentionService, Decision
from backend.checkout.attention_resolvers import money_resolvers
from backend.core.errors import InvalidData, NotAllowed, NotFound, OutcomeUnknown, ShopError
from backend.inventory.models import InventoryLevel, Reservation
from backend.orders.admin.cancellation import cancel_order
from backend.orders.models import Fulfillment, Order
from backend.payment.checks import CHECK_FOR
from backend.payment.models import PaymentSession, Refund
from backend.payment.providers.base import ProviderReport, ProviderState
from backend.payment.second_transactions import raise_unresolved
from backend.payment.sessions import RESERVATION_TIME
from backend.payment.transitions import apply_report
from backend.staff.rights import COMMAND_LINE
from tests.backend.checkout.paying_kit import PRICE, Till
from tests.backend.checkout.test_promotions import OFF, offer, type_code, uses

HONOR = Decision(Action.HONOR, by=COMMAND_LINE)
GIVEN_BACK = Decision(Action.REFUNDED, by=COMMAND_LINE, reference="0012345678")
NOTHING = Decision(Action.DISMISSED, by=COMMAND_LINE, note="nothing is to be done")


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


async def open_row(till: Till) -> Attention:
    async with till.database.read() as session:
        return (await session.execute(select(Attention).where(Attention.resolved_at.is_(None)))).scalar_one()


async def resolve(till: Till, decision: Decision) -> Attention:
    """Decide about the one row that is open."""
    service = AttentionService(till.database, money_resolvers())
    return await service.resolve((await open_row(till)).id, decision)


async def refused(till: Till, decision: Decision, error: type[ShopError]) -> str:
    """The message of a refusal; the row stays open."""
    with pytest.raises(error) as refusal:
        await resolve(till, decision)
    assert (await open_row(till)).resolved_at is None
    return refusal.value.message


async def raise_row(till: Till, kind: AttentionKind, **about: str) -> None:
    async with till.database.transaction() as session:
        await raise_attention(session, kind, message="Something happened", **about)  # type: ignore[arg-type]


async def forget_snapshot(till: Till) -> None:
    """As it is of payments from before it was stored what they pay for."""
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


async def say(till: Till, payment: PaymentSession, amount: int | None) -> None:
    """The bank approves this amount."""
    report = ProviderReport(
        state=ProviderState.CAPTURED,
        amount=None if amount is None else Decimal(amount),
        currency="COP",
        invoice=payment.invoice,
    )
    await apply_report(till.database, payment.id, report)


@pytest.fixture
async def short(till: Till) -> Order:
    """An order of two toys, paid by its second payment, whose units are gone."""
    cart_id = await till.cart(await till.toy(stock=2), 2)
    await till.start(cart_id)
    payment = await till.start(cart_id, replace=True)
    order = (await till.checkout.complete(cart_id)).order
    await set_stock(till, 0, keep_reserved=False)
    await till.decide(payment, ProviderState.CAPTURED)
    assert (await open_row(till)).kind == "stock_short"
    return order


async def test_units_that_came_are_reserved_for_the_order(till: Till, short: Order) -> None:
    await set_stock(till, 2)
    await resolve(till, HONOR)
    async with till.database.read() as session:
        rows = (await session.execute(select(Reservation))).scalars()
        assert [(row.holder, row.quantity, row.expires_at) for row in rows] == [(short.cart_id, 2, None)]


async def test_missing_units_that_are_dismissed_stay_missing(till: Till, short: Order) -> None:
    await set_stock(till, 2)
    assert (await resolve(till, NOTHING)).resolution == "dismissed"
    stands = await till.read_order(short.id)
    assert (stands.status, stands.payment_status) == ("pending", "captured")
    async with till.database.read() as session:
        assert (await session.execute(select(Reservation))).first() is None


async def test_no_units_are_reserved_for_an_order_without_money(till: Till) -> None:
    trompo = await till.toy(stock=2)
    order, _ = await till.order(trompo)
    await raise_row(till, AttentionKind.STOCK_SHORT, order_id=order.id)
    message = await refused(till, HONOR, NotAllowed)
    assert message == f"Order {order.number} holds no money: there is nothing to reserve units for"
    assert await till.available(trompo) == 1


async def test_money_for_nobody_knows_what_pays_nothing(till: Till) -> None:
    trompo = await till.toy(stock=1)
    payment = await till.start(await till.cart(trompo))
    await forget_snapshot(till)
    await till.decide(payment, ProviderState.CAPTURED)
    assert (await open_row(till)).kind == "paid_without_order"
    message = await refused(till, HONOR, InvalidData)
    assert message.startswith("Nothing is known of what was paid for")
    assert await till.orders() == []


async def test_late_money_without_a_snapshot_pays_the_order_as_it_is(till: Till) -> None:
    trompo = await till.toy(stock=3)
    order, payment = await till.order(trompo, 2)
    await forget_snapshot(till)
    await till.decide(payment, ProviderState.REJECTED)
    await say(till, payment, 2 * PRICE)
    assert (await till.read_order(order.id)).status == "canceled"
    await resolve(till, HONOR)
    paid = await till.read_order(order.id)
    assert (paid.status, paid.payment_status) == ("pending", "captured")
    assert await till.available(trompo) == 1


async def test_money_that_pays_already_pays_once(till: Till) -> None:
    """It was too little, and staff took it; a second row about it changes nothing."""
    trompo = await till.toy(stock=3)
    order, payment = await till.order(trompo)
    await say(till, payment, PRICE - 1)
    await resolve(till, HONOR)
    assert (await till.read_order(order.id)).payment_status == "partially_captured"
    await raise_row(till, AttentionKind.AMOUNT_DIFFERS, payment_session_id=payment.id)
    await resolve(till, HONOR)
    assert (await till.read_order(order.id)).payment_status == "partially_captured"
    assert (await till.session_of(order.cart_id)).captured_amount == PRICE - 1
    assert await till.available(trompo) == 2


async def test_an_unresolved_payment_goes_back_whole(till: Till) -> None:
    order, payment = await till.order(await till.toy())
    await till.placed_orders.change_bank(order.id, till.token(order))
    await raise_row(till, AttentionKind.PAYMENT_UNRESOLVED, payment_session_id=payment.id)
    await resolve(till, GIVEN_BACK)
    assert await refunds(till) == [PRICE]


@pytest.mark.parametrize("amount", [None, 0])
async def test_an_unknown_amount_does_not_go_back(till: Till, amount: int | None) -> None:
    order, payment = await till.order(await till.toy())
    await say(till, payment, amount)
    assert (await open_row(till)).kind == "amount_differs"
    message = await refused(till, GIVEN_BACK, InvalidData)
    assert message.startswith("Nobody knows how many pesos these are")
    assert (await refunds(till), (await till.read_order(order.id)).payment_status) == ([], "awaiting")


async def test_a_payment_that_is_gone_needs_only_a_note(till: Till) -> None:
    """Nothing is done with it, so a dismissal does without."""
    await raise_row(till, AttentionKind.PAID_TWICE, payment_session_id="payses_gone")
    assert await refused(till, HONOR, NotFound) == "Payment session with id: payses_gone was not found"
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
async def test_an_unresolved_second_transaction_counts_for_a_payment_without_money(
    till: Till, decision: Decision, stands: tuple[str, str], given_back: list[int]
) -> None:
    order, payment = await till.order(await till.toy())
    await till.decide(payment, ProviderState.REJECTED)
    assert await raise_unresolved(till.database, payment, SECOND)

    await resolve(till, decision)

    found = await till.read_order(order.id)
    assert ((found.status, found.payment_status), await refunds(till)) == (stands, given_back)
    async with till.database.read() as session:
        reference = (await session.get_one(PaymentSession, payment.id)).reference
    assert (reference == SECOND) is (decision is not NOTHING)


@pytest.mark.parametrize("decision", [HONOR, GIVEN_BACK])
async def test_an_unresolved_second_transaction_does_not_count_for_a_payment_with_money(
    till: Till, decision: Decision
) -> None:
    """Booked as a refund, it would be one of the first transaction, and cancel the paid order."""
    order, payment = await till.order(await till.toy())
    await till.decide(payment, ProviderState.CAPTURED)
    assert await raise_unresolved(till.database, payment, SECOND)

    message = await refused(till, decision, NotAllowed)

    assert message.startswith(f"Payment {payment.invoice} has the money of another transaction")
    await resolve(till, NOTHING)
    found = await till.read_order(order.id)
    assert (found.status, found.payment_status, await refunds(till)) == ("pending", "captured", [])


async def test_a_dismissed_second_transaction_leaves_the_held_payment(till: Till) -> None:
    _, payment = await till.order(await till.toy())
    await till.decide(payment, ProviderState.HELD)
    assert await raise_unresolved(till.database, payment, SECOND)
    await resolve(till, NOTHING)
    assert await till.state(payment) == "held"


async def _unanswered(till: Till, cart_id: str) -> PaymentSession:
    """A payment of the cart whose start got no answer, and of which nothing was heard for 48 hours."""
    till.bank.refusal = OutcomeUnknown("no answer")
    with pytest.raises(OutcomeUnknown):
        await till.start(cart_id)
    till.bank.refusal, till.bank.is_down = None, True
    await till.pass_time(RESERVATION_TIME + CHECK_FOR + timedelta(seconds=1))
    await till.work()
    till.bank.is_down = False
    assert (await open_row(till)).kind == "payment_unresolved"
    return await till.session_of(cart_id)


async def _approved_late(till: Till, cart_id: str) -> PaymentSession:
    """A payment of the cart that was rejected before there was an order, and approved after all."""
    payment = await till.start(cart_id)
    await till.decide(payment, ProviderState.REJECTED)
    await say(till, payment, PRICE)
    assert (await open_row(till)).kind == "approved_late"
    return payment


@pytest.mark.parametrize("came", [_unanswered, _approved_late])
@pytest.mark.parametrize("units", [1, 2])
async def test_money_that_went_back_buys_nothing_and_the_cart_is_paid_anew(
    till: Till, came: Callable[[Till, str], Awaitable[PaymentSession]], units: int
) -> None:
    trompo = await till.toy(stock=3)
    cart_id = await till.cart(trompo)
    payment = await came(till, cart_id)
    await resolve(till, GIVEN_BACK)
    assert (await till.state(payment), await refunds(till)) == ("captured", [PRICE])
    assert not await till.checkout.starter.has_started(cart_id, PRICE)
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


async def test_money_that_went_back_pays_no_order_by_another_row_either(till: Till) -> None:
    trompo = await till.toy(stock=1)
    cart_id = await till.cart(trompo)
    payment = await _approved_late(till, cart_id)
    await resolve(till, GIVEN_BACK)
    await raise_row(till, AttentionKind.PAYMENT_UNRESOLVED, payment_session_id=payment.id)
    message = await refused(till, HONOR, NotAllowed)
    assert message == f"Payment session {payment.id} holds no money that could pay its order"
    assert (await till.orders(), await till.available(trompo)) == ([], 1)


@pytest.fixture
async def waiting(till: Till) -> tuple[Order, PaymentSession]:
    """An order that waits for its second payment; the money of its first came late, and went back meanwhile."""
    cart_id = await till.cart(await till.toy(stock=1))
    first = await till.start(cart_id)
    await till.decide(first, ProviderState.REJECTED)
    second = await till.start(cart_id)
    order = (await till.checkout.complete(cart_id)).order
    await say(till, first, PRICE)
    assert (await open_row(till)).kind == "approved_late"
    await resolve(till, GIVEN_BACK)
    return order, second


async def test_an_order_waits_for_its_payment_whatever_went_back_meanwhile(
    till: Till, waiting: tuple[Order, PaymentSession]
) -> None:
    order, second = waiting
    page = await till.placed_orders.page(order.id, till.token(order))
    assert (page.status, page.is_final, page.payment.reference) == ("pending", False, second.reference)
    assert await till.decide(second, ProviderState.CAPTURED) == "captured"
    paid = await till.read_order(order.id)
    assert (paid.status, paid.payment_status) == ("pending", "captured")
    page = await till.placed_orders.page(order.id, till.token(order))
    assert (page.status, page.payment.reference) == ("paid", second.reference)


async def _bank_refuses(till: Till, order: Order, payment: PaymentSession) -> None:
    await till.decide(payment, ProviderState.REJECTED)


async def _staff_cancel(till: Till, order: Order, payment: PaymentSession) -> None:
    till.bank.states[payment.invoice] = ProviderState.CANCELED
    await cancel_order(till.database, COMMAND_LINE, till.checkout.payments, order.id)


@pytest.mark.parametrize("end", [_bank_refuses, _staff_cancel])
async def test_an_order_is_lost_when_its_last_payment_ends_whatever_went_back_before(
    till: Till,
    waiting: tuple[Order, PaymentSession],
    end: Callable[[Till, Order, PaymentSession], Awaitable[None]],
) -> None:
    order, second = waiting
    await end(till, order, second)
    lost = await till.read_order(order.id)
    assert (lost.status, lost.payment_status) == ("canceled", "refunded")
    (trompo,) = await till.sold(order.id)
    assert await till.available(trompo) == 1
    assert "order_lost" in await till.mails()


async def test_an_order_whose_money_went_back_is_told_nothing_new_by_a_bank_that_was_given_up(
    till: Till,
) -> None:
    trompo = await till.toy(stock=1)
    cart_id = await till.cart(trompo)
    first = await till.start(cart_id)
    await till.decide(first, ProviderState.REJECTED)
    second = await till.start(cart_id)
    order = (await till.checkout.complete(cart_id)).order
    await till.placed_orders.change_bank(order.id, till.token(order))
    await say(till, first, PRICE)
    await resolve(till, GIVEN_BACK)
    mails = await till.mails()
    assert await till.decide(second, ProviderState.REJECTED) == "rejected"
    lost = await till.read_order(order.id)
    assert (lost.status, lost.payment_status) == ("canceled", "refunded")
    assert (await till.mails(), await till.available(trompo)) == (mails, 1)


async def held_and_packed(till: Till) -> tuple[Order, PaymentSession]:
    """An order that was packed on the word that its money comes; then another amount came."""
    cart_id = await till.cart(await till.toy(stock=1))
    payment = await till.start(cart_id)
    order = (await till.checkout.complete(cart_id)).order
    await till.decide(payment, ProviderState.AUTHORIZED)
    await till.pack(order)
    await say(till, payment, PRICE - 1)
    assert await till.state(payment) == "held"
    return order, payment


async def unpack(till: Till) -> None:
    async with till.database.transaction() as session:
        await session.execute(update(Fulfillment).values(state="canceled"))


async def test_money_of_a_packed_order_is_not_dismissed_before_its_fulfillment_is_cancelled(
    till: Till,
) -> None:
    order, payment = await held_and_packed(till)
    message = await refused(till, NOTHING, NotAllowed)
    assert message == "All fulfillments must be canceled before canceling an order"
    stands = await till.read_order(order.id)
    assert (await till.state(payment), stands.status) == ("held", "pending")
    await unpack(till)
    await resolve(till, NOTHING)
    assert (await till.read_order(order.id)).status == "canceled"


async def test_a_packed_order_stands_until_its_fulfillment_is_cancelled_whatever_the_bank_says(
    till: Till,
) -> None:
    """The bank is asked again: its word is not lost."""
    order, payment = await held_and_packed(till)
    till.bank.states[payment.invoice] = ProviderState.REJECTED
    for _ in range(2):
        await till.pass_time(timedelta(hours=4))
        await till.work()
        assert (await till.state(payment), (await till.read_order(order.id)).status) == ("held", "pending")
    await unpack(till)
    await till.pass_time(timedelta(hours=4))
    await till.work()
    assert await till.state(payment) == "rejected"
    assert (await till.read_order(order.id)).status == "canceled"


@pytest.mark.parametrize("is_ordered", [False, True])
async def test_what_was_reserved_for_money_that_went_back_is_for_others(till: Till, is_ordered: bool) -> None:
    """The last toy, and the last use of a code."""
    await offer(till)
    trompo = await till.toy(stock=1)
    first, second = await till.cart(trompo), await till.cart(trompo)
    await type_code(till, first)
    await type_code(till, second)
    payment = await till.start(first)
    if is_ordered:
        await till.checkout.complete(first)
    await say(till, payment, payment.amount - 1)
    assert (await till.state(payment), await till.available(trompo)) == ("held", 0)
    await resolve(till, GIVEN_BACK)
    assert (await uses(till), await till.available(trompo)) == ([], 1)
    assert (await till.start(second)).amount == payment.amount


async def test_what_is_reserved_for_another_payment_stays_whatever_went_back(till: Till) -> None:
    await offer(till)
    trompo = await till.toy(stock=1)
    cart_id = await till.cart(trompo)
    await type_code(till, cart_id)
    first = await till.start(cart_id)
    await till.decide(first, ProviderState.REJECTED)
    second = await till.start(cart_id)
    await say(till, first, first.amount)
    await resolve(till, GIVEN_BACK)
    assert (await till.state(second), await uses(till)) == ("pending_authorization", [(OFF, False)])
    assert await till.available(trompo) == 0
