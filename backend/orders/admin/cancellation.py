"""Cancellation of an order by staff: its payment is cancelled first, then the order (design: decision 4)."""

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.db.database import Database, lock_rows
from backend.core.errors import NotAllowed, NotImplementedByProvider
from backend.core.events import subscribe
from backend.inventory import service as inventory
from backend.orders.models import Order
from backend.orders.service import lock_order, mark_canceled, mark_unpaid, read_order, require_nothing_sent
from backend.orders.states import OrderStatus, PaymentStatus
from backend.payment.events import PaymentApproved, PurchaseCanceled
from backend.payment.models import PaymentSession
from backend.payment.service import PaymentService
from backend.payment.sessions import find_decisive_session, to_started_payment
from backend.payment.states import SessionState
from backend.payment.transitions import apply_report, pays, took_nothing
from backend.staff.rights import Actor, Right

REFUND_BY_TRANSFER = (
    "{provider_id}: refundPayment is not implemented. Give the money back by a bank transfer and book it with "
    "POST /admin/orders/:id/refunds: with `cancel`, that cancels the order"
)
PAYMENT_AT_BANK = (
    "The payment is still at the bank and cannot be called back: unless it is approved, "
    "the order is cancelled by itself"
)

_ORDERS_OF_PURCHASE = lock_rows(
    select(Order).where(Order.cart_id.in_(bindparam("cart_ids", expanding=True))).order_by(Order.id)
)


async def cancel_order(database: Database, actor: Actor, payments: PaymentService, order_id: str) -> None:
    """Cancel the order and release its units. A payment that is approved later does not reactivate it automatically.

    If a failed payment has already cancelled the order, record the actor as the staff member who cancelled it. If a
    staff member has cancelled it before, do nothing.

    Raises:
        NotFound: there is no such order.
        NotAllowed: the order has active fulfillments; or its payment is still at the bank.
        NotImplementedByProvider: the order is paid, and the provider cannot refund (spec: refundPayment).
        OutsideFailure: the provider could not be reached.
    """
    actor.require(Right.CANCEL_ORDERS)
    async with database.read() as session:
        order = await read_order(session, order_id)
        if order.canceled_by is not None:
            return
        is_canceled = order.status == OrderStatus.CANCELED
        if not is_canceled:
            await require_nothing_sent(session, order_id)
        payment = await find_decisive_session(session, order.cart_id)
        is_given_back = order.payment_status == PaymentStatus.REFUNDED
        before = order.status
    if payment is not None and not is_given_back and not is_canceled:
        await _cancel_payment(database, actor, payments, payment)
    async with database.transaction() as session:
        order = await lock_order(session, order_id)
        # cancelling the payment may have cancelled the order already, in a separate transaction
        change = {"status": (before, OrderStatus.CANCELED)}
        await record(session, actor, "canceled", Subject(SubjectType.ORDER, order_id), change)
        await _cancel(session, order)
        order.canceled_by = order.canceled_by or actor.id


async def _cancel_payment(
    database: Database, actor: Actor, payments: PaymentService, payment: PaymentSession
) -> None:
    """Cancel the payment unless it has ended. Do nothing for a payment of 0 pesos: it needs no refund.

    Raises:
        NotAllowed: the shop does not use the payment's provider.
        NotImplementedByProvider: the payment is captured.
    """
    if took_nothing(payment):
        return
    state = SessionState(payment.state)
    provider = payments.find_provider(payment.provider_id)
    if provider is None:
        raise NotAllowed(f"The shop does not run with provider {payment.provider_id}")
    if pays(payment):
        raise NotImplementedByProvider(REFUND_BY_TRANSFER.format(provider_id=provider.id))
    if not state.is_final:
        report = await provider.cancel(to_started_payment(payment))
        await apply_report(database, payment.id, report, by=actor)


async def _cancel(session: AsyncSession, order: Order) -> None:
    """Cancel the order if it is still active. A failed payment may have cancelled it already.

    Raises:
        NotAllowed: the order has active fulfillments, or its payment may still be approved or was just approved.
    """
    if order.status == OrderStatus.CANCELED:
        return
    await require_nothing_sent(session, order.id)
    if order.payment_status == PaymentStatus.REFUNDED:
        await mark_canceled(session, order)
        await inventory.release(session, order.cart_id)
        return
    payment = await find_decisive_session(session, order.cart_id)
    if payment is not None and took_nothing(payment):
        await mark_canceled(session, order)
        await inventory.release(session, order.cart_id)
        return
    if payment is not None and not SessionState(payment.state).is_final:
        raise NotAllowed(PAYMENT_AT_BANK)
    if payment is not None and pays(payment):
        raise NotAllowed("The payment was just approved: look again")
    await mark_unpaid(session, order)
    await inventory.release(session, order.cart_id)


@subscribe(PaymentApproved)
async def refuse_canceled_purchase(session: AsyncSession, event: PaymentApproved) -> None:
    """Prevent an approved payment from reactivating an order that a staff member has cancelled.

    A purchase has several orders if its cart was restored after a failed payment. If another order was cancelled
    before this payment started, the payment counts as a new purchase and is not refused. The orders are locked,
    so that none is cancelled at the same time.

    Raises:
        PurchaseCanceled: a staff member cancelled the payment's own order at any time, or another order of
            the purchase after the payment had started.
    """
    payment = await session.get_one(PaymentSession, event.session_id)
    orders = await session.execute(_ORDERS_OF_PURCHASE, {"cart_ids": sorted(event.cart_ids)})
    for order in orders.scalars():
        if order.canceled_by is None or order.canceled_at is None:
            continue
        if order.cart_id == event.cart_id or payment.created_at <= order.canceled_at:
            raise PurchaseCanceled(f"approved after a staff member had cancelled order {order.number}")
