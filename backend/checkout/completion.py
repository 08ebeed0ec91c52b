"""Complete carts, and update their orders when their payment sessions change (design: decisions 4–7).

Completing is idempotent per cart: everything is read again under the cart's lock. An order is created from the
snapshot of its payment session, never from the cart.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NoReturn

from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind, raise_attention
from backend.cart.access import Caller, lock_cart
from backend.cart.events import CartChanged, CartsMerged
from backend.cart.models import Cart
from backend.cart.purchase_chains import join_chain
from backend.checkout.cart_snapshot import (
    build_sale,
    parse_snapshot,
    read_payable_cart,
    read_priced_cart,
    require_address,
    to_promotion_claims,
    to_snapshot,
)
from backend.checkout.quotes.unquoted_delivery import report_unquoted
from backend.core.db.database import database_now
from backend.core.errors import Conflict, InsufficientStock, InvalidData, NotAllowed, TotalChanged
from backend.core.events import publish, subscribe
from backend.core.money import Cop
from backend.inventory import service as inventory
from backend.orders import states as order_states
from backend.orders.events import OrderLost, OrderPaid, OrderUnconfirmed
from backend.orders.models import Order
from backend.orders.money.refunds import update_payment_status
from backend.orders.search import index_order
from backend.orders.service import (
    count_units_to_send,
    create_order,
    list_order_lines,
    lock_order,
    lock_order_of_cart,
    mark_paid,
    mark_unpaid,
    matches_sale,
    require_nothing_sent,
    rewrite_order,
)
from backend.orders.states import OrderStatus, PaymentStatus
from backend.orders.wire.orders import OrderRows
from backend.payment.events import PaymentSessionChanged
from backend.payment.models import PaymentSession
from backend.payment.sessions import RESERVATION_TIME, CartPayments, list_payment_sessions
from backend.payment.states import CHECKED_STATES, SessionState
from backend.payment.transitions import APPROVED, DISMISSED, PAYS_DIFFERENCE, CloseReason, move, pays
from backend.payment.wire import was_withdrawn
from backend.promotions.uses import confirm_uses, release_uses, reserve_uses

DOCUMENT_FIELDS = ("doc_type", "doc_number")
"""The fields of a cart's draft with the payer's identity document."""
HELD_RESERVATION_TIME = RESERVATION_TIME * 24
"""How long stock is reserved for a held payment: the gateway or a staff member decides within a working day."""
NO_COLLECTION = "Payment collection has not been initiated for cart"
NO_SESSION = "Payment sessions are required to complete cart"
NOT_AUTHORIZED = "Session: {session_id} was not authorized with the provider."

_PAYMENT_STATUSES = {
    SessionState.PENDING_AUTHORIZATION: PaymentStatus.AWAITING,
    SessionState.HELD: PaymentStatus.AWAITING,
    SessionState.AUTHORIZED: PaymentStatus.AUTHORIZED,
    SessionState.CAPTURED: PaymentStatus.CAPTURED,
}
_PAYABLE_STATES = (
    SessionState.PENDING,
    SessionState.PENDING_AUTHORIZATION,
    SessionState.HELD,
    SessionState.AUTHORIZED,
)
"""States in which a session that is not paid yet can get an order."""
_UNPAID_END_STATES = (SessionState.REJECTED, SessionState.CANCELED, SessionState.EXPIRED, SessionState.FAILED)
"""States of a session that its provider ended without money. A session that the shop closed has another state."""
_PACKABLE_STATES = (SessionState.AUTHORIZED, SessionState.HELD)
"""States in which staff may have packed the order.

An authorized payment becomes held when the money has another amount.
"""
_CLOSED_BY_SHOPPER = (CloseReason.REPLACED, CloseReason.BANK_CHANGED)
"""Reasons for which a shopper closed a payment. After these, no e-mail about a failed payment is sent."""


@dataclass(frozen=True, slots=True)
class CompletionResult:
    """The order of a completed cart.

    `rows` has the order's rows in other tables if this call created the order, and is None otherwise.
    """

    order: Order
    rows: OrderRows | None = None


async def complete(
    session: AsyncSession,
    cart_id: str,
    *,
    manual_payment_time: timedelta,
    expected_total: Cop | None = None,
    caller: Caller | None = None,
) -> CompletionResult:
    """Create the cart's order. A repeated call returns the same order.

    Args:
        cart_id: the cart's id.
        expected_total: the total that the shopper saw, in whole pesos; None to accept any total.
        manual_payment_time: how long the stock of an order stays reserved until staff confirm its money.
        caller: the caller; None if their access was checked before.

    Raises:
        NotFound: no cart has this id, or it is not the caller's.
        InvalidData: something is missing (items, e-mail, address, payment, shipping): see
            `backend.checkout.cart_snapshot`.
        NotAllowed: the cart's payment has ended without money.
        InsufficientStock: the units are sold out, and not reserved for this cart.
        TotalChanged: the cart's total differs from the payment session's, or from the one that the shopper saw.
        Conflict: the payment is being started right now.
    """
    cart = await lock_cart(session, cart_id, caller)
    if cart.completed_at is not None and (order := await lock_order_of_cart(session, cart_id)):
        return CompletionResult(order)
    payable = await read_payable_cart(session, cart_id)
    cart_payments = payable.payments
    payment, may_hold_uses = _choose_session(cart_payments.payment_sessions), True
    reserved = _get_reserved_units(cart_payments)
    if payment is None or payment.state == SessionState.PENDING or not payment.snapshot:
        # no provider knows of the payment yet, so current prices apply
        priced = await read_priced_cart(session, cart, payable.contents)
        require_address(cart, has_items=True)
        payment = payment or _raise_missing_payment(cart_payments)
        sale, may_hold_uses = build_sale(cart, priced), priced.may_hold_uses
        _require_total(priced.total, payment.amount)
        payment.snapshot = to_snapshot(sale, payment.snapshot.get("payer", {}))
    else:
        sale = parse_snapshot(payment.snapshot)
    _require_total(payment.amount, expected_total)
    if payment.state == SessionState.PENDING:
        payment.expires_at = payment.created_at + manual_payment_time
        await move(session, payment, cart, SessionState.AUTHORIZED)
    status = _PAYMENT_STATUSES[SessionState(payment.state)]
    until = _get_reservation_end(payment, cart_payments.moment)
    await reserve_uses(session, to_promotion_claims(cart, sale, may_hold_uses=may_hold_uses))
    is_held = payment.holds_stock or until is None or not payment.amount  # a total of 0 is paid immediately
    if is_held and not await _extend_reservation(session, cart_id, reserved, sale.units, until):
        await inventory.reserve(session, cart_id, sale.units, until=until)
    order, lines = await create_order(
        session, cart, sale, status, moment=cart_payments.moment, payer=payment.snapshot.get("payer")
    )
    await store_payer(session, order, cart, payment)
    if payment.state == SessionState.AUTHORIZED and not payment.amount:
        # a payment of 0 pesos needs no confirmation by staff
        payment.captured_amount = 0
        await move(session, payment, cart, SessionState.CAPTURED)
    collections = [cart_payments.collection] if cart_payments.collection else []
    rows = OrderRows(
        lines=lines, payment_sessions=list(cart_payments.payment_sessions), collections=collections
    )
    return CompletionResult(order, rows)


async def store_payer(session: AsyncSession, order: Order, cart: Cart, payment: PaymentSession) -> None:
    """Store the payer from the payment's snapshot in the order, for the invoice.

    Delete the payer's identity document from the cart's draft.
    """
    payer = payment.snapshot.get("payer") or order.payer
    if payer != order.payer:
        order.payer = payer
        await index_order(session, order)
    cart.draft = {name: text for name, text in cart.draft.items() if name not in DOCUMENT_FIELDS}


def _get_reservation_end(payment: PaymentSession, moment: datetime) -> datetime | None:
    """Return the time at which the reservation for this payment ends; None if it is permanent.

    `moment` is the current time.
    """
    if payment.state == SessionState.CAPTURED:
        return None
    return moment + HELD_RESERVATION_TIME if payment.state == SessionState.HELD else payment.expires_at


def _get_reserved_units(cart_payments: CartPayments) -> dict[str, int] | None:
    """Return the units, by variant id, that are reserved for the cart's payment.

    Return None if the cart does not have exactly one payment session with a snapshot.
    """
    snapshots = [payment.snapshot for payment in cart_payments.payment_sessions]
    return parse_snapshot(snapshots[0]).units if len(snapshots) == 1 and snapshots[0] else None


async def _extend_reservation(
    session: AsyncSession,
    cart_id: str,
    reserved: Mapping[str, int] | None,
    required: Mapping[str, int],
    until: datetime | None,
) -> bool:
    """Set the end of the cart's reservation, if exactly the `required` units are reserved.

    `reserved` has the units that the cart has reserved; it is None if they are unknown.

    Returns:
        True if the reservation is complete; False if the units must be reserved again.
    """
    if reserved != required:
        return False
    return not required or await inventory.set_reservation_end(session, cart_id, required, until)


def _choose_session(payment_sessions: Sequence[PaymentSession]) -> PaymentSession | None:
    """Return the payment session for the order; None if there is none.

    This is the session that has paid or, if none has, the newest session that may still pay.
    """
    paid = next(filter(pays, payment_sessions), None)
    return paid or next((one for one in payment_sessions if one.state in _PAYABLE_STATES), None)


def _raise_missing_payment(cart_payments: CartPayments) -> NoReturn:
    """Raise the error that describes why the cart has no payment."""
    if any(payment.state == SessionState.INITIATING for payment in cart_payments.payment_sessions):
        raise Conflict("The payment of this cart is being started")
    newest = cart_payments.payment_sessions[0] if cart_payments.payment_sessions else None
    if newest is not None and newest.state in _UNPAID_END_STATES and not was_withdrawn(newest):
        raise NotAllowed(NOT_AUTHORIZED.format(session_id=newest.id))
    raise InvalidData(NO_SESSION if cart_payments.collection else NO_COLLECTION)


def _require_total(total: Cop, expected: Cop | None) -> None:
    if expected is not None and total != expected:
        raise TotalChanged(f"The total is now {total}, not {expected}: show it and ask again")


@subscribe(PaymentSessionChanged)
async def follow_payment(session: AsyncSession, event: PaymentSessionChanged) -> None:
    """Update the order when its payment session changes (design: decision 4).

    The order becomes paid or authorized, or it is cancelled and its stock is released. If the payment is held, the
    cart's reservation is extended.
    """
    payment = await session.get_one(PaymentSession, event.session_id)
    if PAYS_DIFFERENCE in payment.data:
        return  # the order is already paid: `backend.order_edits.difference` handles this one
    cart = await session.get_one(Cart, event.cart_id)
    if event.state is SessionState.CAPTURED:
        await _apply_capture(session, cart, payment)
    elif event.state is SessionState.AUTHORIZED and event.was is not SessionState.PENDING:
        await _apply_authorization(session, cart, payment)
    elif event.state is SessionState.CLOSED and payment.close_reason != CloseReason.REPLACED:
        await _cancel_unpaid_order(session, cart, payment, event)
    elif event.state is SessionState.HELD:
        await inventory.extend(session, event.cart_id, await database_now(session) + HELD_RESERVATION_TIME)
    elif event.state.is_final:
        await _cancel_unpaid_order(session, cart, payment, event)


async def _apply_capture(session: AsyncSession, cart: Cart, payment: PaymentSession) -> None:
    """Mark the order as paid, or as partly paid if staff accepted a smaller amount.

    If there is no order yet, it is created from the session's snapshot; without a snapshot, an attention row is
    opened instead. If the order differs from the snapshot, it is rewritten.
    """
    order = await lock_order_of_cart(session, cart.id)
    sale = parse_snapshot(payment.snapshot) if payment.snapshot else None
    if order is None:
        if sale is None:
            await _report_payment_without_order(session, payment)
            return
        # the notification came before the storefront completed the cart (spec: What the service does 3)
        order, _ = await create_order(session, cart, sale, PaymentStatus.AWAITING)
    await store_payer(session, order, cart, payment)
    lines = await list_order_lines(session, order.id)
    if sale is not None and not matches_sale(order, lines, sale):
        lines = await rewrite_order(session, order, sale)
    if (payment.captured_amount or 0) < order.total:  # staff accepted a smaller amount
        order_states.move(order, status=OrderStatus.PENDING, payment=PaymentStatus.PARTIALLY_CAPTURED)
    else:
        mark_paid(order)
    await publish(session, OrderPaid(order.id, order.origin))
    await report_unquoted(session, order)
    if sale is not None:
        await confirm_uses(session, to_promotion_claims(cart, sale))
    required = count_units_to_send(lines)  # staff may have packed some units before the money arrived
    reserved = await inventory.read_reserved_units(session, cart.id)
    if not await _extend_reservation(session, cart.id, reserved, required, None):
        await _reserve_again(session, order, required)


async def _report_payment_without_order(session: AsyncSession, payment: PaymentSession) -> None:
    await raise_attention(
        session,
        AttentionKind.PAID_WITHOUT_ORDER,
        message=f"Payment {payment.invoice}: it was approved, and its purchase is unknown",
        amount=payment.captured_amount,
        payment_session_id=payment.id,
    )


async def _reserve_again(session: AsyncSession, order: Order, required: dict[str, int]) -> None:
    """Reserve the units of a paid order whose reservation had expired. Raise attention if units are missing."""
    try:
        async with session.begin_nested():
            await inventory.reserve(session, order.cart_id, required, until=None)
    except InsufficientStock:
        await inventory.confirm(session, order.cart_id)  # retain the remaining units
        await raise_attention(
            session,
            AttentionKind.STOCK_SHORT,
            message=f"Order {order.number} is paid, and some of its units are sold out",
            amount=order.total,
            order_id=order.id,
        )


async def _apply_authorization(session: AsyncSession, cart: Cart, payment: PaymentSession) -> None:
    """Set the order to authorized, or create it as authorized. Staff confirm later that the money has arrived."""
    order = await lock_order_of_cart(session, cart.id)
    if order is not None:
        order_states.move(order, payment=PaymentStatus.AUTHORIZED)
    elif payment.snapshot:
        sale = parse_snapshot(payment.snapshot)
        await reserve_uses(session, to_promotion_claims(cart, sale))
        if payment.holds_stock:
            await inventory.reserve(session, cart.id, sale.units, until=payment.expires_at)
        await create_order(session, cart, sale, PaymentStatus.AUTHORIZED)


async def _cancel_unpaid_order(
    session: AsyncSession, cart: Cart, payment: PaymentSession, event: PaymentSessionChanged
) -> None:
    """Cancel the order of a session that ended without money, unless another session has paid it or may still pay it.

    Raises:
        NotAllowed: units of the order were packed while its money was expected. The payment keeps its state.
    """
    others = [other for other in await list_payment_sessions(session, cart.id) if other.id != payment.id]
    is_last = not any(pays(other) or _may_still_pay(other) for other in others)
    order = await lock_order_of_cart(session, cart.id) if is_last else None
    if order is not None and order.payment_status != PaymentStatus.REFUNDED:
        if event.was in _PACKABLE_STATES:
            await lock_order(session, order.id)  # packing locks it too
            await require_nothing_sent(session, order.id)
        await mark_unpaid(session, order)
        await update_payment_status(
            session, order
        )  # money may have been captured and refunded in the meantime
        await _publish_loss(session, order, payment, event, others)
    await release_reserved(session, cart.id, others)


async def release_reserved(session: AsyncSession, cart_id: str, payments: Sequence[PaymentSession]) -> None:
    """Release the units and promotion uses that the (locked) cart has reserved, if no payment of the cart needs them.

    `payments` are the cart's payments. While one of them may still pay, nothing is released. After one has paid, the
    units stay reserved, and only promotion uses that the payment did not confirm are released.
    """
    if any(map(_may_still_pay, payments)):
        return
    await release_uses(session, cart_id)
    if not any(map(pays, payments)):
        await inventory.release(session, cart_id)


def _may_still_pay(payment: PaymentSession) -> bool:
    return payment.state in _PAYABLE_STATES or SessionState(payment.state).is_open


async def _publish_loss(
    session: AsyncSession,
    order: Order,
    payment: PaymentSession,
    event: PaymentSessionChanged,
    others: Sequence[PaymentSession],
) -> None:
    """Publish `OrderLost` if certainly no payment of the order charged anything, else `OrderUnconfirmed`.

    Refunded money counts as not charged. If the ended payment had been authorized, `OrderLost` is never
    published.

    Nothing is published if the shopper closed the payment. Nor is anything published if staff ended a payment
    after its provider had reported money: then staff write to the customer.
    """
    if payment.close_reason in _CLOSED_BY_SHOPPER or any(map(_took_money, (payment, *others))):
        return
    if event.was is not SessionState.AUTHORIZED and all(map(_is_uncharged, (payment, *others))):
        await publish(session, OrderLost(order.id))
    else:
        await publish(session, OrderUnconfirmed(order.id))


def _is_uncharged(payment: PaymentSession) -> bool:
    """Return True if the payment's provider has reported that nothing was charged."""
    return SessionState(payment.state).is_final and DISMISSED not in payment.data


def _took_money(payment: PaymentSession) -> bool:
    """Return True if staff ended the payment after its provider had reported that it took money."""
    return DISMISSED in payment.data and (APPROVED in payment.data or payment.captured_amount is not None)


@subscribe(CartsMerged)
async def join_purchases(session: AsyncSession, event: CartsMerged) -> None:
    """Link two merged carts as one purchase, if a payment of the emptied cart may still be approved.

    A purchase is paid by one payment only: a second one is detected as a double payment.
    """
    if any(
        payment.state in CHECKED_STATES for payment in await list_payment_sessions(session, event.cart_id)
    ):
        await join_chain(session, await session.get_one(Cart, event.into), event.cart_id)


@subscribe(CartChanged)
async def void_payment(session: AsyncSession, event: CartChanged) -> None:
    """Cancel those payment sessions of the changed cart that were not sent to a provider yet.

    The platform deletes such sessions instead.
    """
    for payment in await list_payment_sessions(session, event.cart_id):
        if payment.state == SessionState.PENDING:
            cart = await session.get_one(Cart, event.cart_id)
            await move(session, payment, cart, SessionState.CANCELED)
