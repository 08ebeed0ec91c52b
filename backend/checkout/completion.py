"""Completing a cart, and moving its order as the payment session moves (design: decisions 4–7).

Idempotent by cart: under the cart's lock everything is read again. An order is made of the snapshot of its payment
session, never of the cart.
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
    read_offered,
    read_priced_cart,
    require_address,
    sale_now,
    sale_of,
    snapshot_of,
    taken_by,
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
from backend.orders.money.refunds import restate_payment
from backend.orders.search import index_order
from backend.orders.service import (
    create_order,
    lines_of_order,
    lock_order,
    mark_paid,
    mark_unpaid,
    order_of_cart,
    require_nothing_sent,
    rewrite_order,
    sells,
    units_to_send,
)
from backend.orders.states import OrderStatus, PaymentStatus
from backend.orders.wire.orders import OrderRows
from backend.payment.events import PaymentSessionChanged
from backend.payment.models import PaymentSession
from backend.payment.sessions import RESERVATION_TIME, Terms, sessions_of
from backend.payment.states import CHECKED, SessionState
from backend.payment.transitions import APPROVED, DISMISSED, CloseReason, move, pays
from backend.payment.wire import was_taken_back
from backend.promotions.uses import confirm_uses, release_uses, reserve_uses

DOCUMENT_FIELDS = ("doc_type", "doc_number")
"""The fields of a cart's draft that are about the payer's document."""
HELD_TIME = RESERVATION_TIME * 24
"""How long stock is reserved for a payment that is held: the gateway, or a person, decides within a working day."""
NO_COLLECTION = "Payment collection has not been initiated for cart"
NO_SESSION = "Payment sessions are required to complete cart"
NOT_AUTHORIZED = "Session: {session_id} was not authorized with the provider."

_STATUS_OF = {
    SessionState.PENDING_AUTHORIZATION: PaymentStatus.AWAITING,
    SessionState.HELD: PaymentStatus.AWAITING,
    SessionState.AUTHORIZED: PaymentStatus.AUTHORIZED,
    SessionState.CAPTURED: PaymentStatus.CAPTURED,
}
_MAY_PAY = (
    SessionState.PENDING,
    SessionState.PENDING_AUTHORIZATION,
    SessionState.HELD,
    SessionState.AUTHORIZED,
)
"""An order can be made of a session in these, before it is paid."""
_ENDED = (SessionState.REJECTED, SessionState.CANCELED, SessionState.EXPIRED, SessionState.FAILED)
"""Ended without money by the provider's word. One that was closed counts as none."""
_LET_PACK = (SessionState.AUTHORIZED, SessionState.HELD)
"""Staff may have packed the order: a payment that was authorized is held when other money came than was asked for."""
_CLOSED_BY_SHOPPER = (CloseReason.REPLACED, CloseReason.BANK_CHANGED)
"""The shopper closed the payment on purpose, so no mail says that it failed."""


@dataclass(frozen=True, slots=True)
class Completed:
    """A cart's order, and the rows that were stored with it when it has just been made."""

    order: Order
    rows: OrderRows | None = None


async def complete(
    session: AsyncSession,
    cart_id: str,
    *,
    manual_for: timedelta,
    expected_total: Cop | None = None,
    caller: Caller | None = None,
) -> Completed:
    """Make the cart's order. Called again, it returns the same order.

    Args:
        cart_id: which cart.
        expected_total: the total that the shopper saw, in whole pesos; None where there was none.
        manual_for: how long the stock of an order stays reserved while staff have yet to confirm its money.
        caller: who asks; None when it was checked before that they may.

    Raises:
        NotFound: no cart has this id, or it is not the caller's.
        InvalidData: something is missing (items, e-mail, address, payment, shipping): see
            `backend.checkout.cart_snapshot`.
        NotAllowed: its payment has ended without money.
        InsufficientStock: the units are gone, and not reserved for this cart.
        TotalChanged: the cart costs something else now than the payment session asks for, or than the shopper saw.
        Conflict: the payment is being started right now.
    """
    cart = await lock_cart(session, cart_id, caller)
    if cart.completed_at is not None and (order := await order_of_cart(session, cart_id)):
        return Completed(order)
    offered = await read_offered(session, cart_id)
    terms = offered.terms
    payment, may_hold_uses = _deciding(terms.payment_sessions), True
    reserved = _reserved_for(terms)
    if payment is None or payment.state == SessionState.PENDING or not payment.snapshot:
        # no provider knows of it yet: it costs what it costs now
        priced = await read_priced_cart(session, cart, offered.contents)
        require_address(cart, has_items=True)
        payment = payment or _missing(terms)
        sale, may_hold_uses = sale_now(cart, priced), priced.may_hold_uses
        _compare(priced.total, payment.amount)
        payment.snapshot = snapshot_of(sale, payment.snapshot.get("payer", {}))
    else:
        sale = sale_of(payment.snapshot)
    _compare(payment.amount, expected_total)
    if payment.state == SessionState.PENDING:
        payment.expires_at = payment.created_at + manual_for
        await move(session, payment, cart, SessionState.AUTHORIZED)
    status = _STATUS_OF[SessionState(payment.state)]
    until = _reserved_until(payment, terms.moment)
    await reserve_uses(session, taken_by(cart, sale, may_hold_uses=may_hold_uses))
    is_held = payment.holds_stock or until is None or not payment.amount  # a total of 0 is paid right now
    if is_held and not await _is_kept(session, cart_id, reserved, sale.units, until):
        await inventory.reserve(session, cart_id, sale.units, until=until)
    order, lines = await create_order(
        session, cart, sale, status, moment=terms.moment, payer=payment.snapshot.get("payer")
    )
    await store_payer(session, order, cart, payment)
    if payment.state == SessionState.AUTHORIZED and not payment.amount:
        # nobody has to confirm that no money came
        payment.captured_amount = 0
        await move(session, payment, cart, SessionState.CAPTURED)
    collections = [terms.collection] if terms.collection else []
    rows = OrderRows(lines=lines, payment_sessions=list(terms.payment_sessions), collections=collections)
    return Completed(order, rows)


async def store_payer(session: AsyncSession, order: Order, cart: Cart, payment: PaymentSession) -> None:
    """Move the payer's document, which the invoice needs, from the cart's draft to the order."""
    payer = payment.snapshot.get("payer") or order.payer
    if payer != order.payer:
        order.payer = payer
        await index_order(session, order)
    cart.draft = {name: text for name, text in cart.draft.items() if name not in DOCUMENT_FIELDS}


def _reserved_until(payment: PaymentSession, moment: datetime) -> datetime | None:
    """Until when units stay reserved for this payment, as of this moment; None: for good."""
    if payment.state == SessionState.CAPTURED:
        return None
    return moment + HELD_TIME if payment.state == SessionState.HELD else payment.expires_at


def _reserved_for(terms: Terms) -> dict[str, int] | None:
    """The units by variant id that were reserved for the cart's one payment; None where there were several, or none."""
    snapshots = [payment.snapshot for payment in terms.payment_sessions]
    return sale_of(snapshots[0]).units if len(snapshots) == 1 and snapshots[0] else None


async def _is_kept(
    session: AsyncSession,
    cart_id: str,
    reserved: Mapping[str, int] | None,
    wanted: Mapping[str, int],
    until: datetime | None,
) -> bool:
    """Let what was reserved for the cart (None: nobody knows) end at this moment, where it is just what is wanted.

    Returns:
        Whether it was, and was still there. If not, it has to be reserved again.
    """
    if reserved != wanted:
        return False
    return not wanted or await inventory.keep(session, cart_id, wanted, until)


def _deciding(payment_sessions: Sequence[PaymentSession]) -> PaymentSession | None:
    """The payment session that the order is made of: the one that pays, else the newest that may, else None."""
    paid = next(filter(pays, payment_sessions), None)
    return paid or next((one for one in payment_sessions if one.state in _MAY_PAY), None)


def _missing(terms: Terms) -> NoReturn:
    """Raise what is missing to pay the cart."""
    if any(payment.state == SessionState.INITIATING for payment in terms.payment_sessions):
        raise Conflict("The payment of this cart is being started")
    newest = terms.payment_sessions[0] if terms.payment_sessions else None
    if newest is not None and newest.state in _ENDED and not was_taken_back(newest):
        raise NotAllowed(NOT_AUTHORIZED.format(session_id=newest.id))
    raise InvalidData(NO_SESSION if terms.collection else NO_COLLECTION)


def _compare(total: Cop, expected: Cop | None) -> None:
    if expected is not None and total != expected:
        raise TotalChanged(f"The total is now {total}, not {expected}: show it and ask again")


@subscribe(PaymentSessionChanged)
async def follow_payment(session: AsyncSession, event: PaymentSessionChanged) -> None:
    """Move the order after its payment session: paid, or cancelled with its stock released (design: decision 4)."""
    payment = await session.get_one(PaymentSession, event.session_id)
    cart = await session.get_one(Cart, event.cart_id)
    if event.state is SessionState.CAPTURED:
        await _paid(session, cart, payment)
    elif event.state is SessionState.AUTHORIZED and event.was is not SessionState.PENDING:
        await _authorized(session, cart, payment)
    elif event.state is SessionState.CLOSED and payment.close_reason != CloseReason.REPLACED:
        await _lost(session, cart, payment, event)
    elif event.state is SessionState.HELD:
        await inventory.extend(session, event.cart_id, await database_now(session) + HELD_TIME)
    elif event.state.is_final:
        await _lost(session, cart, payment, event)


async def _paid(session: AsyncSession, cart: Cart, payment: PaymentSession) -> None:
    """The money is there: mark the order paid. It is made, or rewritten, to be what the session's snapshot says."""
    order = await order_of_cart(session, cart.id)
    sale = sale_of(payment.snapshot) if payment.snapshot else None
    if order is None:
        if sale is None:
            await _without_order(session, payment)
            return
        # paid before the storefront completed the cart: the notification completes it (spec: What the service does 3)
        order, _ = await create_order(session, cart, sale, PaymentStatus.AWAITING)
    await store_payer(session, order, cart, payment)
    lines = await lines_of_order(session, order.id)
    if sale is not None and not sells(order, lines, sale):
        lines = await rewrite_order(session, order, sale)
    if (payment.captured_amount or 0) < order.total:  # staff accepted it as payment nevertheless
        order_states.move(order, status=OrderStatus.PENDING, payment=PaymentStatus.PARTIALLY_CAPTURED)
    else:
        mark_paid(order)
    await publish(session, OrderPaid(order.id))
    await report_unquoted(session, order)
    if sale is not None:
        await confirm_uses(session, taken_by(cart, sale))
    wanted = units_to_send(lines)  # staff may have packed before the money came
    reserved = await inventory.reserved_units(session, cart.id)
    if not await _is_kept(session, cart.id, reserved, wanted, None):
        await _reserve_again(session, order, wanted)


async def _without_order(session: AsyncSession, payment: PaymentSession) -> None:
    await raise_attention(
        session,
        AttentionKind.PAID_WITHOUT_ORDER,
        message=f"Payment {payment.invoice}: it was approved, and nothing is known of what was paid for",
        amount=payment.captured_amount,
        payment_session_id=payment.id,
    )


async def _reserve_again(session: AsyncSession, order: Order, wanted: dict[str, int]) -> None:
    """Reserve the units of a paid order whose reservation had expired. What is missing goes to attention."""
    try:
        async with session.begin_nested():
            await inventory.reserve(session, order.cart_id, wanted, until=None)
    except InsufficientStock:
        await inventory.confirm(session, order.cart_id)  # what is left of it
        await raise_attention(
            session,
            AttentionKind.STOCK_SHORT,
            message=f"Order {order.number} is paid, and some of its units are gone",
            amount=order.total,
            order_id=order.id,
        )


async def _authorized(session: AsyncSession, cart: Cart, payment: PaymentSession) -> None:
    """The payment is authorized: there is an order, and staff confirm its money later."""
    order = await order_of_cart(session, cart.id)
    if order is not None:
        order_states.move(order, payment=PaymentStatus.AUTHORIZED)
    elif payment.snapshot:
        sale = sale_of(payment.snapshot)
        await reserve_uses(session, taken_by(cart, sale))
        if payment.holds_stock:
            await inventory.reserve(session, cart.id, sale.units, until=payment.expires_at)
        await create_order(session, cart, sale, PaymentStatus.AUTHORIZED)


async def _lost(
    session: AsyncSession, cart: Cart, payment: PaymentSession, event: PaymentSessionChanged
) -> None:
    """The session ended without money: cancel the order, unless another session has paid it or still may.

    Raises:
        NotAllowed: the order was packed on the word that its money comes; the payment stays as it was.
    """
    others = [other for other in await sessions_of(session, cart.id) if other.id != payment.id]
    is_last = not any(pays(other) or _may_pay(other) for other in others)
    order = await order_of_cart(session, cart.id) if is_last else None
    if order is not None and order.payment_status != PaymentStatus.REFUNDED:
        if event.was in _LET_PACK:
            await lock_order(session, order.id)  # packing takes turns with it
            await require_nothing_sent(session, order.id)
        mark_unpaid(order)
        await restate_payment(session, order)  # money may have come and gone meanwhile
        await _publish_loss(session, order, payment, event, others)
    await release_reserved(session, cart.id, others)


async def release_reserved(session: AsyncSession, cart_id: str, payments: Sequence[PaymentSession]) -> None:
    """Give back the uses and units that the (locked) cart has reserved, when its `payments` do not need them.

    While one of them may still pay, they need all; once one has paid, all but uses of a price that was not paid.
    """
    if any(map(_may_pay, payments)):
        return
    await release_uses(session, cart_id)
    if not any(map(pays, payments)):
        await inventory.release(session, cart_id)


def _may_pay(payment: PaymentSession) -> bool:
    return payment.state in _MAY_PAY or SessionState(payment.state).is_open


async def _publish_loss(
    session: AsyncSession,
    order: Order,
    payment: PaymentSession,
    event: PaymentSessionChanged,
    others: Sequence[PaymentSession],
) -> None:
    """Publish `OrderLost` only when the providers of all its payments have said that nothing was charged.

    What was given back counts as not charged. Where a person has ended a payment that had taken money, nothing is
    published: staff write to the buyer.
    """
    if payment.close_reason in _CLOSED_BY_SHOPPER or any(map(_is_taken, (payment, *others))):
        return
    if event.was is not SessionState.AUTHORIZED and all(map(_is_uncharged, (payment, *others))):
        await publish(session, OrderLost(order.id))
    else:
        await publish(session, OrderUnconfirmed(order.id))


def _is_uncharged(payment: PaymentSession) -> bool:
    """Whether its provider has said that nothing was charged."""
    return SessionState(payment.state).is_final and DISMISSED not in payment.data


def _is_taken(payment: PaymentSession) -> bool:
    """Whether a person has ended a payment whose provider had said that it took money."""
    return DISMISSED in payment.data and (APPROVED in payment.data or payment.captured_amount is not None)


@subscribe(CartsMerged)
async def join_purchases(session: AsyncSession, event: CartsMerged) -> None:
    """The carts are one purchase where a payment of the first may still be approved: of all its payments one pays."""
    if any(payment.state in CHECKED for payment in await sessions_of(session, event.cart_id)):
        await join_chain(session, await session.get_one(Cart, event.into), event.cart_id)


@subscribe(CartChanged)
async def void_payment(session: AsyncSession, event: CartChanged) -> None:
    """The cart changed: cancel a payment session that no provider knows of yet (the platform deletes it).

    While a payment is at the bank no cart can be changed (`backend.cart.access.open_cart`).
    """
    for payment in await sessions_of(session, event.cart_id):
        if payment.state == SessionState.PENDING:
            cart = await session.get_one(Cart, event.cart_id)
            await move(session, payment, cart, SessionState.CANCELED)
