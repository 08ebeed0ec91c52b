"""From cart to order: idempotent by cart, under one lock, with everything re-read inside it (design: decisions 4–7).

An order is made of the snapshot of the payment session that decides, and follows that session.
"""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind, raise_attention
from backend.cart.models import Cart
from backend.cart.service import CartChanged, find_cart, read_cart
from backend.checkout.sale import read_priced_cart, require_address, sale_now, sale_of, snapshot_of
from backend.clock import now
from backend.errors import Conflict, InsufficientStock, InvalidData, TotalChanged
from backend.events import publish, subscribe
from backend.inventory import service as inventory
from backend.money import Cop
from backend.orders import states as order_states
from backend.orders.events import OrderLost, OrderPaid, OrderUnconfirmed
from backend.orders.models import Order
from backend.orders.service import (
    create_order,
    lines_of_order,
    mark_paid,
    mark_unpaid,
    order_of_cart,
    rewrite_order,
    sells,
)
from backend.orders.states import OrderStatus, PaymentStatus
from backend.payment.events import PaymentSessionChanged
from backend.payment.models import PaymentSession
from backend.payment.sessions import RESERVATION_TIME, read_collection, sessions_of
from backend.payment.states import SessionState
from backend.payment.transitions import CloseReason, move

DOCUMENT_FIELDS = ("doc_type", "doc_number")
"""What a cart's draft holds of the payer's document."""
NO_COLLECTION = "Payment collection has not been initiated for cart"
NO_SESSION = "Payment sessions are required to complete cart"

_STATUS_OF = {
    SessionState.PENDING_AUTHORIZATION: PaymentStatus.AWAITING,
    SessionState.HELD: PaymentStatus.AWAITING,
    SessionState.AUTHORIZED: PaymentStatus.AUTHORIZED,
    SessionState.CAPTURED: PaymentStatus.CAPTURED,
}
_KEEPING = (SessionState.CAPTURED, SessionState.AUTHORIZED, SessionState.PENDING)
_WENT_ON = (CloseReason.REPLACED, CloseReason.BANK_CHANGED)
"""The shopper closed the payment and went on: there is no need to tell them that it came to nothing."""


async def complete(
    session: AsyncSession,
    cart_id: str,
    *,
    expected_total: Cop | None = None,
    manual_for: timedelta = timedelta(days=3),
) -> Order:
    """Make the cart's order; the same one however often it is asked for.

    Args:
        session: the caller's transaction.
        cart_id: which cart.
        expected_total: the total the shopper saw, where there is one to compare with.
        manual_for: how long an order is reserved whose money staff have still to confirm.

    Raises:
        NotFound: no cart has this id.
        InvalidData: something is missing (items, e-mail, address, payment, shipping): see `backend.checkout.steps`.
        InsufficientStock: the units are gone, and not reserved for this cart.
        TotalChanged: the cart costs something else than the payment was started for, or than the shopper saw.
        Conflict: the payment is being started right now.
    """
    cart = await lock_cart(session, cart_id)
    order = await order_of_cart(session, cart_id)
    if order is not None:
        return order
    payment_sessions = await sessions_of(session, cart_id)
    payment = _deciding(payment_sessions)
    if payment is None or payment.state == SessionState.PENDING or not payment.snapshot:
        # nothing of it has left the shop: it costs what it costs now
        priced = await read_priced_cart(session, cart)
        require_address(cart, has_items=True)
        payment = payment or await _missing(session, cart_id, payment_sessions)
        sale = sale_now(cart, priced)
        _compare(priced.total, payment.amount)
        payment.snapshot = snapshot_of(sale, payment.snapshot.get("payer", {}))
    else:
        sale = sale_of(payment.snapshot)
    _compare(payment.amount, expected_total)
    if payment.state == SessionState.PENDING:
        payment.expires_at = payment.created_at + manual_for
        await move(session, payment, cart, SessionState.AUTHORIZED)
    status = _STATUS_OF[SessionState(payment.state)]
    until = payment.expires_at if status is not PaymentStatus.CAPTURED else None
    await inventory.reserve(session, cart_id, sale.units, until=until)
    order = await create_order(session, cart, sale, status)
    store_payer(order, cart, payment)
    return order


def store_payer(order: Order, cart: Cart, payment: PaymentSession) -> None:
    """Whose document the invoice is for stays with the order, and no longer with what was typed into the cart."""
    order.payer = payment.snapshot.get("payer") or order.payer
    cart.draft = {name: text for name, text in cart.draft.items() if name not in DOCUMENT_FIELDS}


async def lock_cart(session: AsyncSession, cart_id: str) -> Cart:
    """The cart, locked, completed or not.

    Raises:
        NotFound: no cart has this id.
    """
    return await find_cart(session, cart_id, lock=True) or await read_cart(session, cart_id)


def _deciding(payment_sessions: Sequence[PaymentSession]) -> PaymentSession | None:
    """The payment session whose order the cart becomes: the paid one, else the newest; None when there is none."""
    usable = [
        payment
        for payment in payment_sessions
        if payment.state in _STATUS_OF or payment.state == SessionState.PENDING
    ]
    newest = usable[0] if usable else None
    return next((payment for payment in usable if payment.state == SessionState.CAPTURED), newest)


async def _missing(
    session: AsyncSession, cart_id: str, payment_sessions: Sequence[PaymentSession]
) -> PaymentSession:
    """Say what is missing to pay the cart."""
    if any(payment.state == SessionState.INITIATING for payment in payment_sessions):
        raise Conflict("The payment of this cart is being started")
    is_owed = await read_collection(session, cart_id) is not None
    raise InvalidData(NO_SESSION if is_owed else NO_COLLECTION)


def _compare(total: Cop, expected: Cop | None) -> None:
    if expected is not None and total != expected:
        raise TotalChanged(f"The total is now {total}, not {expected}: show it and ask again")


@subscribe(PaymentSessionChanged)
async def follow_payment(session: AsyncSession, event: PaymentSessionChanged) -> None:
    """The order follows its payment: paid, or cancelled with its stock freed (design: decision 4)."""
    payment = await session.get_one(PaymentSession, event.session_id)
    cart = await session.get_one(Cart, event.cart_id)
    if event.state is SessionState.CAPTURED:
        await _paid(session, cart, payment)
    elif event.state is SessionState.AUTHORIZED and event.was is not SessionState.PENDING:
        await _promised(session, cart, payment)
    elif event.state is SessionState.CLOSED and payment.close_reason != CloseReason.REPLACED:
        await _lost(session, cart, payment, event)
    elif event.state is SessionState.HELD:
        await inventory.extend(session, event.cart_id, now() + RESERVATION_TIME * 24)
    elif event.state.is_final:
        await _lost(session, cart, payment, event)


async def _paid(session: AsyncSession, cart: Cart, payment: PaymentSession) -> None:
    """The money is there. The order is the one that was paid for: it is made now, or made what was paid for."""
    order = await order_of_cart(session, cart.id)
    if order is None and not payment.snapshot:
        await _without_order(session, payment)
        return
    sale = sale_of(payment.snapshot) if payment.snapshot else None
    if order is None and sale is not None:
        # paid before the storefront completed the cart: the notification does (spec: What the service does 3)
        order = await create_order(session, cart, sale, PaymentStatus.AWAITING)
    if order is None:
        return
    store_payer(order, cart, payment)
    lines = await lines_of_order(session, order.id)
    if sale is not None and not sells(order, lines, sale):
        lines = await rewrite_order(session, order, sale)
    if (payment.captured_amount or 0) < order.total:  # a person lets it pay all the same
        order_states.move(order, status=OrderStatus.PENDING, payment=PaymentStatus.PARTIALLY_CAPTURED)
    else:
        mark_paid(order)
        await publish(session, OrderPaid(order.id))
    wanted = {line.variant_id: line.quantity for line in lines}
    if await inventory.reserved_units(session, cart.id) != wanted:
        await _reserve_again(session, order, wanted)
    await inventory.confirm(session, cart.id)


async def _without_order(session: AsyncSession, payment: PaymentSession) -> None:
    await raise_attention(
        session,
        AttentionKind.PAID_WITHOUT_ORDER,
        message=f"Payment {payment.invoice}: it was approved, and nothing is known of what was paid for",
        amount=payment.captured_amount,
        payment_session_id=payment.id,
    )


async def _reserve_again(session: AsyncSession, order: Order, wanted: dict[str, int]) -> None:
    """The reservation had ended, and the money is ours: take the units again, or tell that some are missing."""
    try:
        async with session.begin_nested():
            await inventory.reserve(session, order.cart_id, wanted, until=None)
    except InsufficientStock:
        await raise_attention(
            session,
            AttentionKind.STOCK_SHORT,
            message=f"Order {order.number} is paid, and some of its units are gone",
            amount=order.total,
            order_id=order.id,
        )


async def _promised(session: AsyncSession, cart: Cart, payment: PaymentSession) -> None:
    """The provider promises the money: staff take it."""
    order = await order_of_cart(session, cart.id)
    if order is not None:
        order_states.move(order, payment=PaymentStatus.AUTHORIZED)
    elif payment.snapshot:
        sale = sale_of(payment.snapshot)
        await inventory.reserve(session, cart.id, sale.units, until=payment.expires_at)
        await create_order(session, cart, sale, PaymentStatus.AUTHORIZED)


async def _lost(
    session: AsyncSession, cart: Cart, payment: PaymentSession, event: PaymentSessionChanged
) -> None:
    """No money comes of this session, as far as we know. Another one that is paid or still open keeps the order."""
    others = [other for other in await sessions_of(session, cart.id) if other.id != payment.id]
    if any(SessionState(other.state).is_open or other.state in _KEEPING for other in others):
        return
    order = await order_of_cart(session, cart.id)
    if order is not None:
        mark_unpaid(order)
        await _tell(session, order, payment, event, others)
    await inventory.release(session, cart.id)


async def _tell(
    session: AsyncSession,
    order: Order,
    payment: PaymentSession,
    event: PaymentSessionChanged,
    others: Sequence[PaymentSession],
) -> None:
    """That nothing was charged is told only when the providers of all its payments have said so."""
    if payment.close_reason in _WENT_ON:
        return
    is_said = event.state.is_final and event.was is not SessionState.AUTHORIZED
    if is_said and all(SessionState(other.state).is_final for other in others):
        await publish(session, OrderLost(order.id))
    else:
        await publish(session, OrderUnconfirmed(order.id))


@subscribe(CartChanged)
async def void_payment(session: AsyncSession, event: CartChanged) -> None:
    """The cart changed: a payment that has not left the shop is void (the platform deletes it).

    While a payment is at the bank no cart can be changed (`backend.cart.service.open_cart`).
    """
    for payment in await sessions_of(session, event.cart_id):
        if payment.state == SessionState.PENDING:
            cart = await session.get_one(Cart, event.cart_id)
            await move(session, payment, cart, SessionState.CANCELED)
