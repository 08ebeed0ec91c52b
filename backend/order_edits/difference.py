"""The difference between an edited order's total and the money that was paid: to be paid, or to be given back.

While the difference is owed, an attention row of the kind `EDIT_OWED` prevents packing. Staff book the money that they
received (`receive_difference`), or the customer pays it at the bank. A difference to give back is an attention row of
the kind `EDIT_REFUND`; its refund is booked like every other refund.
"""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind, close_attention, raise_attention
from backend.attention.kinds import Action
from backend.attention.models import Attention
from backend.attention.service import Decision, Resolver
from backend.audit import Subject, SubjectType, record
from backend.cart.access import lock_cart
from backend.cart.models import Cart
from backend.core.config.modules import SYSTEM_PAYMENT
from backend.core.db.database import Database
from backend.core.errors import NotAllowed, TotalChanged
from backend.core.events import subscribe
from backend.core.money import Cop
from backend.core.texts import _
from backend.order_edits.editability import (
    is_difference_owed,
    is_difference_to_refund,
    require_no_difference_at_bank,
)
from backend.orders.events import OrderCanceled
from backend.orders.models import Order
from backend.orders.money.commands import CreateRefund
from backend.orders.money.refunds import book_manual_refund, find_refund_session
from backend.orders.service import lock_order, lock_order_of_cart, read_order
from backend.orders.states import OrderStatus, PaymentStatus, compute_payment_status, move
from backend.payment import transitions
from backend.payment.events import PaymentApproved, PaymentSessionChanged, PurchaseCanceled, RefundBooked
from backend.payment.manual_methods import ManualMethod, check_reference
from backend.payment.models import PaymentSession, Refund
from backend.payment.payments import sum_captured_and_refunded
from backend.payment.sessions import generate_invoice, read_cart_payments
from backend.payment.states import SessionState
from backend.payment.transitions import PAYS_DIFFERENCE, lock_session
from backend.staff.rights import Actor, Right

REFUND_REASON = _("Cambio del pedido")


class NothingOwed(NotAllowed):
    """The order has no difference to pay or to give back."""

    staff_text = _("Ya no hay diferencia: mira cómo quedó el pedido.")
    shopper_text = _("Ya no hay diferencia por pagar.")


class DifferenceChanged(TotalChanged):
    """The difference is not the amount that the actor saw."""

    staff_text = _("La diferencia cambió. Mírala y anótala otra vez.")
    shopper_text = _("La diferencia cambió. Mírala y paga otra vez.")


@dataclass(frozen=True, slots=True)
class DifferenceReceipt:
    """Money for a difference that staff received or gave back.

    Attributes:
        amount: the amount that the staff member saw, in whole pesos.
        reference: the number of the transfer or of the card terminal's receipt; empty for cash that was received.
    """

    amount: Cop
    method: ManualMethod
    reference: str = ""


async def read_difference(session: AsyncSession, order: Order) -> Cop:
    """Return the pesos that the customer still owes for the order; negative if the shop must give money back."""
    captured, refunded = await sum_captured_and_refunded(session, order.cart_id)
    return order.total - (captured - refunded)


async def read_owed(session: AsyncSession, order: Order) -> Cop:
    """Return the pesos that the customer owes for edits; 0 for none, or if the order is not active."""
    if order.status != OrderStatus.PENDING or not await is_difference_owed(session, order.id):
        return 0
    return max(0, await read_difference(session, order))


async def require_owed(session: AsyncSession, order: Order) -> Cop:
    """Return the pesos that the customer owes for edits of the order.

    Raises:
        NothingOwed: none are owed, or the order is not active.
    """
    owed = await read_owed(session, order)
    if not owed:
        raise NothingOwed(f"No difference of order {order.id} is owed")
    return owed


async def settle_difference(session: AsyncSession, order: Order) -> None:
    """Set the payment status of the (locked) order, and open or close the attention rows about its difference."""
    captured, refunded = await sum_captured_and_refunded(session, order.cart_id)
    if captured:
        status = compute_payment_status(order.total, captured, refunded)
    else:  # the order was free before the edit
        status = PaymentStatus.PARTIALLY_CAPTURED if order.total else PaymentStatus.CAPTURED
    move(order, payment=status)
    await session.flush()
    difference = order.total - (captured - refunded)
    for kind in (AttentionKind.EDIT_OWED, AttentionKind.EDIT_REFUND):
        await close_attention(session, kind, order.id, note="The difference has changed")
    if difference:
        is_owed = difference > 0
        await raise_attention(
            session,
            AttentionKind.EDIT_OWED if is_owed else AttentionKind.EDIT_REFUND,
            message=f"Order {order.number}: its total changed, and {abs(difference)} pesos are "
            + ("owed" if is_owed else "to be given back"),
            amount=abs(difference),
            order_id=order.id,
        )


async def receive_difference(
    session: AsyncSession, actor: Actor, order_id: str, receipt: DifferenceReceipt
) -> PaymentSession:
    """Book money for the difference that a staff member has received.

    Raises:
        NotFound: there is no such order.
        NothingOwed: no difference is owed.
        DifferenceAtBank: the customer is paying the difference at the bank.
        DifferenceChanged: the owed amount differs from the amount that the staff member saw.
        InvalidData: the reference is missing or too long.
    """
    actor.require(Right.EDIT_ORDERS)
    cart = await lock_cart(session, (await read_order(session, order_id)).cart_id)
    order = await lock_order(session, order_id)
    owed = await require_owed(session, order)
    await require_no_difference_at_bank(session, order)
    if receipt.amount != owed:
        raise DifferenceChanged(f"The difference is now {owed}, not {receipt.amount}")
    check_reference(receipt.reference, is_needed=receipt.method is not ManualMethod.CASH)
    await record(
        session,
        actor,
        "difference received",
        Subject(SubjectType.ORDER, order.id),
        {
            "amount": (None, owed),
            "way": (None, receipt.method),
            "reference": (None, receipt.reference or None),
        },
    )
    return await capture_difference(session, cart, order, receipt)


async def capture_difference(
    session: AsyncSession, cart: Cart, order: Order, receipt: DifferenceReceipt
) -> PaymentSession:
    """Store money for the difference of the (locked) order as a captured payment.

    Raises:
        NothingOwed: the order has no payment collection.
    """
    collection = (await read_cart_payments(session, cart.id)).collection
    if collection is None:
        raise NothingOwed(f"Order {order.id} has no payment collection")
    payment = PaymentSession(
        collection_id=collection.id,
        provider_id=SYSTEM_PAYMENT,
        amount=receipt.amount,
        invoice=generate_invoice(),
        data={PAYS_DIFFERENCE: order.id},
        holds_stock=False,
        method=receipt.method,
        reference=receipt.reference or None,
    )
    session.add(payment)
    await session.flush()
    await transitions.move(session, payment, cart, SessionState.AUTHORIZED)
    payment.captured_amount = receipt.amount
    await transitions.move(session, payment, cart, SessionState.CAPTURED)
    return payment


async def give_back_difference(
    database: Database, actor: Actor, order_id: str, receipt: DifferenceReceipt
) -> Refund:
    """Book the refund of the difference that a staff member has given back.

    Raises:
        NotFound: there is no such order.
        NothingOwed: no difference is to be given back.
        DifferenceChanged: the difference is not the amount that the staff member saw.
        InvalidData: the reference is missing or too long.
        Conflict: the reference is already used for another amount.
    """
    actor.require(Right.BOOK_REFUNDS)
    check_reference(receipt.reference, is_needed=True)
    async with database.read() as session:
        session_id = await find_refund_session(
            session, await read_order(session, order_id), _to_refund(receipt)
        )
    async with database.transaction() as session:
        await lock_session(session, session_id)
        order = await lock_order(session, order_id)
        return await _book_refund(session, actor, order, session_id, receipt)


class DifferenceRefundResolver(Resolver):
    """Resolver of a difference to give back: `refunded` books the refund, `dismissed` changes nothing."""

    async def lock(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """Lock the payment that is refunded, and the order."""
        if decision.action is not Action.REFUNDED or row.order_id is None:
            return
        order = await read_order(session, row.order_id)
        await lock_session(session, await find_refund_session(session, order, _to_receipt(row, decision)))
        await lock_order(session, order.id)

    async def apply(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """Apply the decision. See `Resolver`.

        Raises:
            NothingOwed, DifferenceChanged: the difference has changed since the attention row was opened.
        """
        if decision.action is not Action.REFUNDED or row.order_id is None:
            return
        order = await read_order(session, row.order_id)
        new = _to_receipt(row, decision)
        session_id = await find_refund_session(session, order, new)
        receipt = DifferenceReceipt(new.amount, ManualMethod.TRANSFER, new.reference)
        await _book_refund(session, decision.by, order, session_id, receipt)


@subscribe(PaymentApproved)
async def refuse_settled_difference(session: AsyncSession, event: PaymentApproved) -> None:
    """Refuse an approved payment of a difference that has changed since, so that staff decide about the money.

    Raises:
        PurchaseCanceled: the order owes another amount or nothing, or it was cancelled.
    """
    payment = await session.get_one(PaymentSession, event.session_id)
    if PAYS_DIFFERENCE not in payment.data:
        return
    order = await lock_order_of_cart(session, event.cart_id)
    if (
        order is None
        or order.status != OrderStatus.PENDING
        or await read_difference(session, order) != payment.amount
    ):
        raise PurchaseCanceled("approved after the difference of the order had changed")


@subscribe(PaymentSessionChanged)
async def follow_difference(session: AsyncSession, event: PaymentSessionChanged) -> None:
    """Settle the difference of the order when a payment of the difference is captured."""
    if event.state is not SessionState.CAPTURED:
        return
    payment = await session.get_one(PaymentSession, event.session_id)
    if PAYS_DIFFERENCE in payment.data:
        order = await lock_order_of_cart(session, event.cart_id)
        if order is not None:
            await settle_difference(session, order)


@subscribe(OrderCanceled)
async def close_rows_of_canceled_order(session: AsyncSession, event: OrderCanceled) -> None:
    """Close the attention rows about the difference of an order that was cancelled."""
    for kind in (AttentionKind.EDIT_OWED, AttentionKind.EDIT_REFUND):
        await close_attention(session, kind, event.order_id, note="The order was cancelled")


@subscribe(RefundBooked)
async def close_row_of_refunded_difference(session: AsyncSession, event: RefundBooked) -> None:
    """Close the attention row about a difference to refund, if any refund of the order has covered it."""
    refund = await session.get_one(Refund, event.refund_id)
    if refund.order_id is None or not await is_difference_to_refund(session, refund.order_id):
        return
    if await read_difference(session, await read_order(session, refund.order_id)) >= 0:
        note = "The difference was refunded"
        await close_attention(session, AttentionKind.EDIT_REFUND, refund.order_id, note=note)


async def _book_refund(
    session: AsyncSession, actor: Actor, order: Order, session_id: str, receipt: DifferenceReceipt
) -> Refund:
    """Book the refund of the difference. The caller has locked the payment session and the order.

    Raises:
        NothingOwed, DifferenceChanged, Conflict: see `give_back_difference`.
    """
    if not await is_difference_to_refund(session, order.id):
        raise NothingOwed(f"No difference of order {order.id} is to be given back")
    surplus = -await read_difference(session, order)
    if receipt.amount != surplus:
        raise DifferenceChanged(f"The difference to give back is now {surplus}, not {receipt.amount}")
    payment = await session.get_one(PaymentSession, session_id)
    refund = await book_manual_refund(session, actor, payment, order, _to_refund(receipt))
    await settle_difference(session, order)
    return refund


def _to_refund(receipt: DifferenceReceipt) -> CreateRefund:
    return CreateRefund(
        amount=receipt.amount, reference=receipt.reference, reason=REFUND_REASON, method=receipt.method
    )


def _to_receipt(row: Attention, decision: Decision) -> CreateRefund:
    return CreateRefund(amount=row.amount or 0, reference=decision.reference or "", reason=REFUND_REASON)
