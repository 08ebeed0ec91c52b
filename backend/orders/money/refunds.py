"""Refunds by hand on an order: the money, the units that come back, and what becomes of the order.

The caller has locked the cart, the payment session and the order, in this order.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind, close_attention
from backend.audit import Subject, Thing, record
from backend.core.db.database import Database
from backend.core.errors import Conflict, InvalidData, NotAllowed
from backend.core.money import Cop
from backend.inventory import service as inventory
from backend.inventory import stock_fulfillment
from backend.inventory.movements import Reason, Why
from backend.orders.fulfillments import fulfillments_of_order, has_left
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.money.commands import CreateRefund, ReturnedUnits
from backend.orders.money.unit_worth import worth
from backend.orders.service import (
    has_active_fulfillments,
    lines_of_order,
    lock_order,
    read_order,
    require_nothing_sent,
    update_fulfillment_status,
)
from backend.orders.states import PACKED, TAKEN_BACK, LabelState, OrderStatus, move, payment_status_of
from backend.payment.models import PaymentSession, Refund
from backend.payment.payments import book_refund, captured_and_refunded, refundable, refunds_of
from backend.payment.sessions import sessions_of
from backend.payment.states import SessionState
from backend.payment.transitions import lock_session, took_nothing
from backend.staff.rights import Actor, Right

NOT_PAID = "The order has no money that could be given back"
REVERSED = "reversed"
"""The reason of a refund that the provider made, and not the shop by a transfer."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """A bank transfer that gave money back."""

    reference: str
    by: str
    reason: str = ""
    note: str | None = None


async def refund_order(database: Database, actor: Actor, order_id: str, new: CreateRefund) -> Refund:
    """Book a refund by hand. The same reference with the same amount is the same refund, however often it is sent.

    When all of the money is given back and no fulfillment stands, the order is cancelled. `cancel` requires both.

    Raises:
        NotFound: there is no such order.
        InvalidData: a line is not the order's, or more of it comes back than was sold; or more is given back for
            sent units than they cost, without a reason.
        NotAllowed: there is no such money; or `cancel` is wanted, and fulfillments stand or money would be left.
        Conflict: the reference stands for another amount already.
    """
    actor.require(Right.BOOK_REFUNDS)
    async with database.read() as session:
        order = await read_order(session, order_id)
        session_id = await session_for(session, order, new)
    async with database.transaction() as session:
        payment, _ = await lock_session(session, session_id)
        order = await lock_order(session, order_id)
        return await book_by_hand(session, actor, payment, order, new)


async def book_by_hand(
    session: AsyncSession,
    actor: Actor,
    payment: PaymentSession,
    order: Order,
    new: CreateRefund,
    *,
    returned: Sequence[ReturnedUnits] = (),
) -> Refund:
    """`refund_order` within the caller's transaction: the payment and the order are locked, the right is checked.

    `returned` are the units that the money is for when they came back, or were withdrawn, before: they say which lines
    a credit note has, and do not move again.
    """
    known = await _known(session, order, new)
    if known is not None:
        return known
    await _require_reason(session, order, new)
    await record(session, actor, "refunded", Subject(Thing.ORDER, order.id))
    await _take_lines(session, order, new.lines)
    refund = _refund(payment, order, new.amount, Transfer(new.reference, actor.id, new.reason, new.note))
    refund.lines = [asdict(line) for line in new.lines or returned]
    await book_refund(session, payment, refund)
    await restate_payment(session, order)
    await _end_without_money(session, order, must_cancel=new.cancel, by=actor.id)
    return refund


async def refund_money(
    session: AsyncSession, payment: PaymentSession, order: Order | None, amount: Cop, transfer: Transfer
) -> None:
    """Book that this money was given back; an order that nothing else has paid, or may still pay, is cancelled.

    Raises:
        NotAllowed: it is more than is left of the payment; or the order has fulfillments that stand.
    """
    await book_refund(session, payment, _refund(payment, order, amount, transfer))
    if order is None:
        return
    others = [other for other in await sessions_of(session, order.cart_id) if other.id != payment.id]
    if any(
        SessionState(other.state).is_open or other.state == SessionState.AUTHORIZED or took_nothing(other)
        for other in others
    ):
        return  # another payment decides
    await restate_payment(session, order)
    captured, refunded = await captured_and_refunded(session, order.cart_id)
    await _end_without_money(session, order, must_cancel=captured <= refunded, by=transfer.by)


async def book_reversal(
    session: AsyncSession, payment: PaymentSession, order: Order | None, amount: Cop, transfer: Transfer
) -> None:
    """Book that the provider gave this money of a captured payment back.

    An order without money is not sent any more; it is cancelled unless fulfillments stand.

    Raises:
        NotAllowed: it is more than is left of the payment.
    """
    await book_refund(session, payment, _refund(payment, order, amount, transfer))
    if order is not None:
        await restate_payment(session, order)
        await _end_without_money(session, order, must_cancel=False, by=transfer.by)


async def refund_all(session: AsyncSession, order: Order, transfer: Transfer) -> None:
    """Book that all money of the (locked) order was given back by this transfer, and cancel the order.

    Raises:
        NotAllowed: there is none, or fulfillments of the order stand.
    """
    some = False
    for payment in await sessions_of(session, order.cart_id):
        if left := await refundable(session, payment):
            some = True
            await book_refund(session, payment, _refund(payment, order, left, transfer))
    if not some:
        raise NotAllowed(NOT_PAID)
    await restate_payment(session, order)
    await _end_without_money(session, order, must_cancel=True, by=transfer.by)


async def restate_payment(session: AsyncSession, order: Order) -> None:
    """Set the payment status of the (locked) order by what was captured for it and refunded."""
    captured, refunded = await captured_and_refunded(session, order.cart_id)
    if captured:
        move(order, payment=payment_status_of(order.total, captured, refunded))
        await session.flush()


async def refunds_of_order(session: AsyncSession, order: Order) -> Sequence[Refund]:
    """The refunds of the order's payments, the oldest first."""
    return await refunds_of(session, (payment.id for payment in await sessions_of(session, order.cart_id)))


def _refund(payment: PaymentSession, order: Order | None, amount: Cop, transfer: Transfer) -> Refund:
    return Refund(
        payment_session_id=payment.id,
        order_id=order.id if order is not None else None,
        amount=amount,
        reference=transfer.reference,
        reason=transfer.reason,
        note=transfer.note,
        created_by=transfer.by,
    )


async def session_for(session: AsyncSession, order: Order, new: CreateRefund) -> str:
    """The id of the payment session whose money is given back: the one that is named, else one that has so much.

    Raises:
        NotAllowed: the order has no money that could be given back.
    """
    payment_sessions = await sessions_of(session, order.cart_id)
    captured = [one for one in payment_sessions if one.state == SessionState.CAPTURED]
    if new.payment_session_id is not None:
        captured = [one for one in captured if one.id == new.payment_session_id]
    if not captured:
        raise NotAllowed(NOT_PAID)
    for refund in await refunds_of(session, (one.id for one in captured)):
        if refund.reference == new.reference:
            return refund.payment_session_id
    for one in captured:
        if await refundable(session, one) >= new.amount:
            return one.id
    return captured[0].id


async def _known(session: AsyncSession, order: Order, new: CreateRefund) -> Refund | None:
    for refund in await refunds_of_order(session, order):
        if refund.reference == new.reference:
            if refund.amount != new.amount:
                raise Conflict(f"Reference {new.reference} stands for a refund of {refund.amount} already")
            return refund
    return None


async def _require_reason(session: AsyncSession, order: Order, new: CreateRefund) -> None:
    """Check that money for units that were sent is no more than what they cost, unless there is a reason.

    Raises:
        InvalidData: it is more, and `reason` is empty.
    """
    if not new.lines or new.reason.strip():
        return
    units: Counter[str] = Counter()
    for one in new.lines:
        units[one.line_id] += one.quantity
    lines = await lines_of_order(session, order.id)
    if any(line.quantity - line.fulfilled - line.withdrawn > 0 for line in lines if units[line.id]):
        return  # some of them were never sent: what was paid is their bound
    before = {line.id: line.returned + line.withdrawn for line in lines}
    bound = worth(order, lines, units, before)
    if new.amount > bound:
        raise InvalidData(
            f"The units that come back cost {bound}: give a reason for more", fields={"reason": "Missing"}
        )


async def _take_lines(session: AsyncSession, order: Order, named: Sequence[ReturnedUnits]) -> None:
    """Units come back, or are not sent at all. Of a line, those that were not sent go first."""
    if not named:
        return
    lines = {line.id: line for line in await lines_of_order(session, order.id)}
    await stock_fulfillment.lock_all_levels(session, {line.variant_id for line in lines.values()})
    for one in named:
        line = lines.get(one.line_id)
        if line is None:
            raise InvalidData(f"Items with ids {one.line_id} does not exist in order with id {order.id}.")
        left = line.quantity - line.withdrawn - line.returned
        if one.quantity > left:
            raise InvalidData(f"Cannot refund more items than what was sold: {left} left of {one.line_id}")
        unsent = min(one.quantity, line.quantity - line.fulfilled - line.withdrawn)
        if unsent:
            await withdraw_units(session, order, line, unsent, restock=one.restock)
        if one.quantity > unsent:
            await bring_back_units(session, order, line, one.quantity - unsent, restock=one.restock)
    await update_fulfillment_status(session, order)


async def withdraw_units(
    session: AsyncSession, order: Order, line: OrderLine, count: int, *, restock: bool
) -> None:
    """So many units of the (locked) order's line, which were not sent, are not sent any more: free, or lost."""
    line.withdrawn += count
    reserved = (await inventory.reserved_units(session, order.cart_id)).get(line.variant_id, 0)
    units = {line.variant_id: min(count, reserved)}  # units that are missing are reserved for nobody
    if not units[line.variant_id]:
        return
    if restock:
        await stock_fulfillment.release_units(session, order.cart_id, units)
    else:
        await stock_fulfillment.fulfill(session, order.cart_id, units, Why(Reason.LOST, order_id=order.id))


async def bring_back_units(
    session: AsyncSession,
    order: Order,
    line: OrderLine,
    count: int,
    *,
    restock: bool,
    from_buyer: bool = False,
) -> None:
    """So many packed units of the (locked) order's line are the shop's again; with `restock` stocked where they were.

    They are taken from parcels that have not left before others; what comes `from_buyer` was in those that have.

    Raises:
        InvalidData: they were never sent.
    """
    line.returned += count
    for fulfillment, units in await _parcels_of(session, order, line, count, left_first=from_buyer):
        taken = fulfillment.data.get(TAKEN_BACK, {})
        fulfillment.data = {
            **fulfillment.data,
            TAKEN_BACK: {**taken, line.id: taken.get(line.id, 0) + units},
        }
        if restock:
            why = Why(Reason.RETURN, order_id=order.id)
            await stock_fulfillment.restock(session, fulfillment.location_id, {line.variant_id: units}, why)


async def _parcels_of(
    session: AsyncSession, order: Order, line: OrderLine, count: int, *, left_first: bool
) -> list[tuple[Fulfillment, int]]:
    """The parcels that hold so many units of the line which are not taken back, and how many; the newest first.

    Those that have left come first, or last.
    """
    fulfillments = await fulfillments_of_order(session, order.id)
    packed = [one for one in reversed(fulfillments) if one.state == LabelState.CREATED and PACKED in one.data]
    found = []
    for fulfillment in sorted(packed, key=lambda one: has_left(one) != left_first):
        held = sum(item["quantity"] for item in fulfillment.items if item["line_item_id"] == line.id)
        units = min(count, held - fulfillment.data.get(TAKEN_BACK, {}).get(line.id, 0))
        if units > 0:
            found.append((fulfillment, units))
            count -= units
    if count:
        raise InvalidData(f"No fulfillment of the order holds item {line.id}")
    return found


async def _end_without_money(session: AsyncSession, order: Order, *, must_cancel: bool, by: str) -> None:
    """An order whose money went back is not sent: its units are free, and it is cancelled unless fulfillments stand.

    Raises:
        NotAllowed: it must be cancelled, and money is left or fulfillments stand.
    """
    captured, refunded = await captured_and_refunded(session, order.cart_id)
    if captured > refunded:
        if must_cancel:
            raise NotAllowed(
                f"To cancel the order, give all of its money back: {captured - refunded} is left"
            )
        return
    if must_cancel:
        await require_nothing_sent(session, order.id)
    await stop_sending(session, order, "All of the order's money was given back")
    if order.status == OrderStatus.CANCELED:
        order.canceled_by = order.canceled_by or by
        await session.flush()


async def stop_sending(session: AsyncSession, order: Order, note: str) -> None:
    """Nothing more of the (locked) order is sent: its units are free, and it is cancelled unless fulfillments stand.

    `note` says why to whoever reads what was to be resolved.
    """
    await inventory.release(session, order.cart_id)
    await close_attention(session, AttentionKind.STOCK_SHORT, order.id, note=note)
    if not await has_active_fulfillments(session, order.id):
        move(order, status=OrderStatus.CANCELED)
        await session.flush()
