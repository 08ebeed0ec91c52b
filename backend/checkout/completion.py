"""From cart to order: idempotent by cart, under one lock, with everything re-read inside it (design: decisions 4–7)."""

import logging

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.events import CartChanged
from backend.cart.models import Cart
from backend.cart.service import find_cart, read_cart
from backend.checkout.steps import require_address
from backend.checkout.totals import PricedCart, read_priced_cart
from backend.clock import now
from backend.errors import Conflict, InsufficientStock, InvalidData, TotalChanged
from backend.events import publish, subscribe
from backend.inventory import service as inventory
from backend.money import Cop
from backend.orders.events import OrderLost, OrderPaid
from backend.orders.models import Order
from backend.orders.service import create_order, lines_of_order, mark_paid, mark_unpaid, order_of_cart
from backend.orders.states import PaymentStatus
from backend.payment.events import PaidLate, PaymentSettled
from backend.payment.models import PaymentSession
from backend.payment.service import HOLD_TIME, attempts_of, read_collection
from backend.payment.settlement import move
from backend.payment.states import SessionState

log = logging.getLogger(__name__)

NO_COLLECTION = "Payment collection has not been initiated for cart"
NO_SESSION = "Payment sessions are required to complete cart"

_STATUS_OF = {
    SessionState.PENDING_AUTHORIZATION: PaymentStatus.AWAITING,
    SessionState.HELD: PaymentStatus.AWAITING,
    SessionState.AUTHORIZED: PaymentStatus.AUTHORIZED,
    SessionState.CAPTURED: PaymentStatus.CAPTURED,
}


async def complete(session: AsyncSession, cart_id: str, *, expected_total: Cop | None = None) -> Order:
    """Make the cart's order; the same one however often it is asked for.

    `expected_total` is the total the shopper saw, where there is one to compare with.

    Raises:
        NotFound: no cart has this id.
        InvalidData: something is missing (items, e-mail, address, payment, shipping): see `backend.checkout.steps`.
        InsufficientStock: the units are gone, and not held for this cart.
        TotalChanged: the cart costs something else than the payment was started for, or than the shopper saw.
        Conflict: the payment is being started right now.
    """
    cart = await lock_cart(session, cart_id)
    order = await order_of_cart(session, cart_id)
    if order is not None:
        return order
    prices = await read_priced_cart(session, cart)
    require_address(cart, has_items=True)
    attempt = await _attempt_to_complete(session, cart_id)
    shipping = prices.require_shipping()
    _compare(prices, attempt, expected_total)
    if attempt.state == SessionState.PENDING:
        await move(session, attempt, SessionState.AUTHORIZED, cart_id)
    status = _STATUS_OF[SessionState(attempt.state)]
    is_awaited = status is PaymentStatus.AWAITING
    until = (attempt.expires_at or now() + HOLD_TIME) if is_awaited else None
    await inventory.hold(session, cart_id, prices.units, until=until)
    return await create_order(
        session,
        cart,
        lines=prices.lines,
        shipping=shipping,
        totals=prices.totals,
        payment_status=status,
    )


async def lock_cart(session: AsyncSession, cart_id: str) -> Cart:
    """The cart, locked, completed or not.

    Raises:
        NotFound: no cart has this id.
    """
    return await find_cart(session, cart_id, lock=True) or await read_cart(session, cart_id)


async def _attempt_to_complete(session: AsyncSession, cart_id: str) -> PaymentSession:
    attempts = await attempts_of(session, cart_id)
    usable = [
        attempt
        for attempt in attempts
        if attempt.state in _STATUS_OF or attempt.state == SessionState.PENDING
    ]
    if not usable:
        if any(attempt.state == SessionState.INITIATING for attempt in attempts):
            raise Conflict("The payment of this cart is being started")
        is_owed = await read_collection(session, cart_id) is not None
        raise InvalidData(NO_SESSION if is_owed else NO_COLLECTION)
    return next((attempt for attempt in usable if attempt.state == SessionState.CAPTURED), usable[0])


def _compare(prices: PricedCart, attempt: PaymentSession, expected_total: Cop | None) -> None:
    for total in (attempt.amount, expected_total):
        if total is not None and total != prices.total:
            raise TotalChanged(f"The total is now {prices.total}, not {total}: show it and ask again")


@subscribe(PaymentSettled)
async def follow_payment(session: AsyncSession, event: PaymentSettled) -> None:
    """The order follows its payment: paid, or cancelled with its stock freed (design: decision 4)."""
    if event.state is SessionState.CAPTURED:
        await _paid(session, event.cart_id)
    elif event.state in (
        SessionState.REJECTED,
        SessionState.CANCELED,
        SessionState.EXPIRED,
        SessionState.FAILED,
    ):
        await _lost(session, event)
    elif event.state is SessionState.HELD:
        await inventory.extend(session, event.cart_id, now() + HOLD_TIME * 24)


async def _paid(session: AsyncSession, cart_id: str) -> None:
    order = await order_of_cart(session, cart_id)
    if order is None:
        # paid before the storefront completed the cart: the notification does (spec: What the service does 3)
        await _complete_paid(session, cart_id)
        return
    mark_paid(order)
    await publish(session, OrderPaid(order.id))
    wanted = {line.variant_id: line.quantity for line in await lines_of_order(session, order.id)}
    if await inventory.promised(session, cart_id) != wanted:
        await _hold_again(session, order, wanted)
    await inventory.keep(session, cart_id)


async def _complete_paid(session: AsyncSession, cart_id: str) -> None:
    cart = await lock_cart(session, cart_id)
    try:
        prices = await read_priced_cart(session, cart)
        shipping = prices.require_shipping()
    except (InvalidData, InsufficientStock) as error:
        log.exception(
            "cart %s is paid but cannot become an order: %s; someone must settle it", cart_id, error.message
        )
        cart.meta = {**cart.meta, "paid_without_order": error.message}
        return
    order = await create_order(
        session,
        cart,
        lines=prices.lines,
        shipping=shipping,
        totals=prices.totals,
        payment_status=PaymentStatus.CAPTURED,
    )
    mark_paid(order)
    await _hold_again(session, order, prices.units)
    await inventory.keep(session, cart_id)


async def _hold_again(session: AsyncSession, order: Order, wanted: dict[str, int]) -> None:
    """The hold had lapsed, and the money is ours all the same: take the units again, or tell that some are missing."""
    try:
        async with session.begin_nested():
            await inventory.hold(session, order.cart_id, wanted, until=None)
    except InsufficientStock:
        log.exception("order %s is paid but its units are gone; someone must settle it", order.number)
        order.meta = {**order.meta, "stock_shortfall": True}


async def _lost(session: AsyncSession, event: PaymentSettled) -> None:
    """Another try of the same cart that is paid or still open keeps the order and the stock."""
    others = [
        attempt for attempt in await attempts_of(session, event.cart_id) if attempt.id != event.session_id
    ]
    if any(SessionState(other.state).is_open or other.state in _KEEPING for other in others):
        return
    order = await order_of_cart(session, event.cart_id)
    if order is not None:
        mark_unpaid(order)
        await publish(session, OrderLost(order.id))
    await inventory.release(session, event.cart_id)


_KEEPING = (SessionState.CAPTURED, SessionState.AUTHORIZED, SessionState.PENDING)


@subscribe(PaidLate)
async def flag_late_money(session: AsyncSession, event: PaidLate) -> None:
    """Money came for an order that was given up: a person must give it back or honour it."""
    order = await order_of_cart(session, event.cart_id)
    if order is not None:
        order.meta = {**order.meta, "paid_late": event.session_id}


@subscribe(CartChanged)
async def void_payment(session: AsyncSession, event: CartChanged) -> None:
    """The cart changed: a payment that no bank knows of yet is void (the platform deletes it).

    A payment that a bank may already have is not ours to undo: `complete` compares its amount.
    """
    for attempt in await attempts_of(session, event.cart_id):
        if attempt.state == SessionState.PENDING:
            await move(session, attempt, SessionState.CANCELED, event.cart_id)
