"""Manual refunds of an order: the money, the returned units, and the resulting state of the order.

The caller has locked the cart, the payment session and the order, in this order.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind, close_attention
from backend.audit import Subject, SubjectType, record
from backend.core.db.database import Database
from backend.core.errors import Conflict, InvalidData, NotAllowed
from backend.core.money import Cop
from backend.inventory import service as inventory
from backend.inventory import stock_fulfillment
from backend.inventory.movements import MovementDetails, Reason
from backend.orders.fulfillments import has_left, list_order_fulfillments
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.money.commands import CreateRefund, ReturnedUnits
from backend.orders.money.unit_worth import compute_unit_worth
from backend.orders.service import (
    has_active_fulfillments,
    list_order_lines,
    lock_order,
    mark_canceled,
    read_order,
    require_nothing_sent,
    update_fulfillment_status,
)
from backend.orders.states import PACKED, TAKEN_BACK, LabelState, OrderStatus, compute_payment_status, move
from backend.payment.models import PaymentSession, Refund
from backend.payment.payments import (
    book_refund,
    get_refundable_amount,
    list_refunds,
    sum_captured_and_refunded,
)
from backend.payment.sessions import list_payment_sessions
from backend.payment.states import SessionState
from backend.payment.transitions import lock_session, took_nothing
from backend.staff.rights import Actor, Right

NOT_PAID = "The order has no money to refund"
REVERSED = "reversed"
"""Reason of a refund that the provider made itself, without a bank transfer of the shop."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """A bank transfer by which staff refunded money."""

    reference: str
    actor_id: str
    reason: str = ""
    note: str | None = None


async def refund_order(database: Database, actor: Actor, order_id: str, new: CreateRefund) -> Refund:
    """Book a manual refund. If the reference is already booked with the same amount, return the existing refund.

    When all money is refunded and no fulfillment is active, the order is cancelled. With `cancel`, the refund fails
    unless the order can be cancelled.

    Raises:
        NotFound: there is no such order.
        InvalidData: a line is not in the order, or has more returned than sold units; or the refund of sent units
            exceeds their price and has no reason.
        NotAllowed: there is not enough money; or `cancel` is set, and a fulfillment is active or money would
            remain.
        Conflict: the reference is already used for another amount.
    """
    actor.require(Right.BOOK_REFUNDS)
    async with database.read() as session:
        order = await read_order(session, order_id)
        session_id = await find_refund_session(session, order, new)
    async with database.transaction() as session:
        payment, _ = await lock_session(session, session_id)
        order = await lock_order(session, order_id)
        return await book_manual_refund(session, actor, payment, order, new)


async def book_manual_refund(
    session: AsyncSession,
    actor: Actor,
    payment: PaymentSession,
    order: Order,
    new: CreateRefund,
    *,
    returned: Sequence[ReturnedUnits] = (),
) -> Refund:
    """Book a manual refund. The caller has locked payment and order, and has checked the actor's rights.

    `returned` are refunded units that were already booked as returned or withdrawn. They determine only the lines
    of the credit note.
    """
    existing = await _find_existing(session, order, new)
    if existing is not None:
        return existing
    await _require_reason(session, order, new)
    await record(session, actor, "refunded", Subject(SubjectType.ORDER, order.id))
    await _move_lines(session, order, new.lines)
    transfer = Transfer(new.reference, actor.id, new.reason, new.note)
    booked: list[Refund] = []
    for one, amount in await _split_refund(session, payment, order, new):
        refund = _build_refund(one, order, amount, transfer)
        refund.method = new.method
        refund.lines = [] if booked else [asdict(line) for line in new.lines or returned]
        booked.append(await book_refund(session, one, refund))
    await update_payment_status(session, order)
    await _stop_if_refunded(session, order, must_cancel=new.cancel, actor_id=actor.id)
    return booked[0]


async def refund_money(
    session: AsyncSession, payment: PaymentSession, order: Order | None, amount: Cop, transfer: Transfer
) -> None:
    """Book a refund of this amount. Cancel the order if no money is left, and no other payment can pay it.

    Raises:
        NotAllowed: the amount exceeds the rest of the payment; or the order has active fulfillments.
    """
    await book_refund(session, payment, _build_refund(payment, order, amount, transfer))
    if order is None:
        return
    others = [
        other for other in await list_payment_sessions(session, order.cart_id) if other.id != payment.id
    ]
    if any(
        SessionState(other.state).is_open or other.state == SessionState.AUTHORIZED or took_nothing(other)
        for other in others
    ):
        return  # another payment decides
    await update_payment_status(session, order)
    captured, refunded = await sum_captured_and_refunded(session, order.cart_id)
    await _stop_if_refunded(session, order, must_cancel=captured <= refunded, actor_id=transfer.actor_id)


async def book_reversal(
    session: AsyncSession, payment: PaymentSession, order: Order | None, amount: Cop, transfer: Transfer
) -> None:
    """Record a refund of a captured payment that the payment provider made without a request of the shop.

    If this refunds all money of the order, sending stops, and the order is cancelled unless it has active
    fulfillments.

    Raises:
        NotAllowed: the amount exceeds the part of the payment that is not refunded yet.
    """
    await book_refund(session, payment, _build_refund(payment, order, amount, transfer))
    if order is not None:
        await update_payment_status(session, order)
        await _stop_if_refunded(session, order, must_cancel=False, actor_id=transfer.actor_id)


async def refund_all(session: AsyncSession, order: Order, transfer: Transfer) -> None:
    """Book that this bank transfer refunded all money of the (locked) order, and cancel the order.

    Raises:
        NotAllowed: the order has no money, or it has active fulfillments.
    """
    some = False
    for payment in await list_payment_sessions(session, order.cart_id):
        if left := await get_refundable_amount(session, payment):
            some = True
            await book_refund(session, payment, _build_refund(payment, order, left, transfer))
    if not some:
        raise NotAllowed(NOT_PAID)
    await update_payment_status(session, order)
    await _stop_if_refunded(session, order, must_cancel=True, actor_id=transfer.actor_id)


async def update_payment_status(session: AsyncSession, order: Order) -> None:
    """Set the payment status of the (locked) order from its captured and refunded amounts, if money was captured."""
    captured, refunded = await sum_captured_and_refunded(session, order.cart_id)
    if captured:
        move(order, payment=compute_payment_status(order.total, captured, refunded))
        await session.flush()


async def list_order_refunds(session: AsyncSession, order: Order) -> Sequence[Refund]:
    """Return the refunds of the order's payments, the oldest first."""
    return await list_refunds(
        session, (payment.id for payment in await list_payment_sessions(session, order.cart_id))
    )


async def list_refunds_with_reference(session: AsyncSession, order: Order, reference: str) -> list[Refund]:
    """Return the rows of the refund with this reference: a refund of several payments has a row for each of them."""
    return [one for one in await list_order_refunds(session, order) if one.reference == reference]


def _build_refund(payment: PaymentSession, order: Order | None, amount: Cop, transfer: Transfer) -> Refund:
    return Refund(
        payment_session_id=payment.id,
        order_id=order.id if order is not None else None,
        amount=amount,
        reference=transfer.reference,
        reason=transfer.reason,
        note=transfer.note,
        created_by=transfer.actor_id,
    )


async def find_refund_session(session: AsyncSession, order: Order, new: CreateRefund) -> str:
    """Return the id of the payment session to refund.

    It is the session that `new` names, otherwise one with a refund of the same reference, otherwise one with enough
    money, otherwise the newest one.

    Raises:
        NotAllowed: the order has no captured session, or not the session that `new` names.
    """
    payment_sessions = await list_payment_sessions(session, order.cart_id)
    captured = [one for one in payment_sessions if one.state == SessionState.CAPTURED]
    if new.payment_session_id is not None:
        captured = [one for one in captured if one.id == new.payment_session_id]
    if not captured:
        raise NotAllowed(NOT_PAID)
    for refund in await list_refunds(session, (one.id for one in captured)):
        if refund.reference == new.reference:
            return refund.payment_session_id
    for one in captured:
        if await get_refundable_amount(session, one) >= new.amount:
            return one.id
    return captured[0].id


async def _split_refund(
    session: AsyncSession, payment: PaymentSession, order: Order, new: CreateRefund
) -> list[tuple[PaymentSession, Cop]]:
    """Divide a refund among the order's payment sessions: first `payment`, then the others.

    Return each session with its part in pesos.

    An order has several payments after the difference of an edit was paid. The caller has locked the cart, which
    protects all its sessions. A refund that names its payment session, or that exceeds all payments together, is not
    divided: it is returned with `payment` alone, and its booking fails if it is too large.
    """
    left = await get_refundable_amount(session, payment)
    if new.payment_session_id is not None or new.amount <= left:
        return [(payment, new.amount)]
    others = [one for one in await list_payment_sessions(session, order.cart_id) if one.id != payment.id]
    parts, missing = [(payment, left)] if left else [], new.amount - left
    for other in others:
        if part := min(missing, await get_refundable_amount(session, other)):
            parts.append((other, part))
            missing -= part
    return [(payment, new.amount)] if missing else parts


async def _find_existing(session: AsyncSession, order: Order, new: CreateRefund) -> Refund | None:
    """Return the refund with this reference; None if there is none.

    Raises:
        Conflict: the refund has another amount.
    """
    same = await list_refunds_with_reference(session, order, new.reference)
    if not same:
        return None
    booked = sum(one.amount for one in same)
    if booked != new.amount:
        raise Conflict(f"Reference {new.reference} is already used for a refund of {booked}")
    return max(same, key=lambda one: (len(one.lines), one.amount))


async def _require_reason(session: AsyncSession, order: Order, new: CreateRefund) -> None:
    """Check that the refund of sent units does not exceed their price, unless it has a reason.

    Raises:
        InvalidData: it exceeds the price, and `reason` is empty.
    """
    if not new.lines or new.reason.strip():
        return
    units: Counter[str] = Counter()
    for one in new.lines:
        units[one.line_id] += one.quantity
    lines = await list_order_lines(session, order.id)
    if any(line.quantity - line.fulfilled - line.withdrawn > 0 for line in lines if units[line.id]):
        return  # some units were never sent: the paid amount limits the refund
    before = {line.id: line.returned + line.withdrawn for line in lines}
    bound = compute_unit_worth(order, lines, units, before)
    if new.amount > bound:
        raise InvalidData(
            f"The returned units cost {bound}: a larger refund needs a reason", fields={"reason": "Missing"}
        )


async def _move_lines(session: AsyncSession, order: Order, returned_lines: Sequence[ReturnedUnits]) -> None:
    """Book the units as returned, or as withdrawn if they were not sent. Unsent units of a line are withdrawn first."""
    if not returned_lines:
        return
    lines = {line.id: line for line in await list_order_lines(session, order.id)}
    await stock_fulfillment.lock_all_levels(session, {line.variant_id for line in lines.values()})
    for one in returned_lines:
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
            await accept_returned_units(session, order, line, one.quantity - unsent, restock=one.restock)
    await update_fulfillment_status(session, order)


async def withdraw_units(
    session: AsyncSession, order: Order, line: OrderLine, count: int, *, restock: bool
) -> None:
    """Withdraw `count` unsent units of the (locked) order's line.

    With `restock`, their reserved stock is released; otherwise it is booked as lost.
    """
    line.withdrawn += count
    reserved = (await inventory.read_reserved_units(session, order.cart_id)).get(line.variant_id, 0)
    units = {line.variant_id: min(count, reserved)}  # missing units are not reserved
    if not units[line.variant_id]:
        return
    if restock:
        await stock_fulfillment.release_units(session, order.cart_id, units)
    else:
        await stock_fulfillment.fulfill(
            session, order.cart_id, units, MovementDetails(Reason.LOST, order_id=order.id)
        )


async def accept_returned_units(
    session: AsyncSession,
    order: Order,
    line: OrderLine,
    count: int,
    *,
    restock: bool,
    from_customer: bool = False,
) -> None:
    """Accept the return of `count` packed units of the (locked) order's line.

    With `restock`, they are in stock again at the location from which they were sent. The units are assigned first
    to fulfillments that have not left; with `from_customer`, first to fulfillments that have left.

    Raises:
        InvalidData: fewer units of the line are in fulfillments.
    """
    line.returned += count
    for fulfillment, units in await _find_parcels(session, order, line, count, left_first=from_customer):
        taken = fulfillment.data.get(TAKEN_BACK, {})
        fulfillment.data = {
            **fulfillment.data,
            TAKEN_BACK: {**taken, line.id: taken.get(line.id, 0) + units},
        }
        if restock:
            why = MovementDetails(Reason.RETURN, order_id=order.id)
            await stock_fulfillment.restock(session, fulfillment.location_id, {line.variant_id: units}, why)


async def _find_parcels(
    session: AsyncSession, order: Order, line: OrderLine, count: int, *, left_first: bool
) -> list[tuple[Fulfillment, int]]:
    """Return the fulfillments to which `count` returned units of the line are assigned, and the units of each.

    Units that were returned earlier are not counted. With `left_first`, fulfillments that have left come first;
    otherwise they come after the others. In both groups, the newest fulfillment comes first.

    Raises:
        InvalidData: the fulfillments have fewer units of the line.
    """
    fulfillments = await list_order_fulfillments(session, order.id)
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


async def _stop_if_refunded(session: AsyncSession, order: Order, *, must_cancel: bool, actor_id: str) -> None:
    """Stop sending an order if all of its money was refunded. Then also cancel it, unless it has active fulfillments.

    Raises:
        NotAllowed: `must_cancel` is set, and money is left or a fulfillment is active.
    """
    captured, refunded = await sum_captured_and_refunded(session, order.cart_id)
    if captured > refunded:
        if must_cancel:
            raise NotAllowed(f"To cancel the order, refund all of its money: {captured - refunded} is left")
        return
    if must_cancel:
        await require_nothing_sent(session, order.id)
    await stop_sending(session, order, "All of the order's money was refunded")
    if order.status == OrderStatus.CANCELED:
        order.canceled_by = order.canceled_by or actor_id
        await session.flush()


async def stop_sending(session: AsyncSession, order: Order, note: str) -> None:
    """Stop sending the (locked) order: release its units, and cancel it unless it has active fulfillments.

    An open attention row about missing stock is closed with `note` as the reason.
    """
    await inventory.release(session, order.cart_id)
    await close_attention(session, AttentionKind.STOCK_SHORT, order.id, note=note)
    if not await has_active_fulfillments(session, order.id):
        await mark_canceled(session, order)
        await session.flush()
