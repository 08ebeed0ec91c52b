"""Restore a cart with the contents of a cancelled order, after a failed payment or to pay in another way."""

import logging
from collections import Counter

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import create_empty_cart, open_cart, read_cart
from backend.cart.contents import count_units_by_variant, line_key, read_lines
from backend.cart.lines import add_to_cart, drop_lone_wrapping
from backend.cart.models import Cart
from backend.cart.notices import (
    CartUnits,
    NewsKind,
    add_code_news,
    add_units_news,
    format_full_title,
    move_news,
)
from backend.cart.owners import set_email
from backend.cart.promotion_codes import move_codes
from backend.cart.purchase_chains import join_chain, lock_chains
from backend.checkout.carts.changes import set_shipping_address
from backend.checkout.completion import DOCUMENT_FIELDS
from backend.checkout.payment.start import PaymentStarter
from backend.core.db.database import Database
from backend.core.errors import Conflict, InvalidData, NotAllowed, NotFound
from backend.inventory import service as inventory
from backend.legal.consents import CHECKBOXES
from backend.orders.models import Order, OrderLine
from backend.orders.money.instructed_payments import find_instructed_payment
from backend.orders.service import HasActiveFulfillments, list_order_lines, read_order
from backend.orders.states import OrderStatus
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderState
from backend.payment.sessions import list_payment_sessions, to_started_payment
from backend.payment.states import OPEN_STATES, SessionState
from backend.payment.transitions import CloseReason, apply_report, close, lock_session, move

log = logging.getLogger(__name__)

ORDER_NOT_CANCELED = "The order is not cancelled: its payment has not failed"
CANNOT_CLOSE = "The order's payment cannot be closed now: try again in a moment"


async def restore_cart(database: Database, order_id: str, current_cart_id: str) -> str:
    """Put the contents of a cancelled order, its destination and its checkout form into a cart.

    `current_cart_id` is the browser's current cart, or empty; the caller must have checked the browser's access to
    that cart (`backend.cart.owners`). The cart's own lines stay. If a variant is in both the cart and the order,
    the larger quantity is used, so that a second call changes nothing. Units that are no longer available are left
    out.

    Returns:
        The cart's id: `current_cart_id` if that cart is open, else a new one.

    Raises:
        NotFound: there is no such order.
        Conflict: the order is not cancelled; there is nothing to restore.
    """
    async with database.transaction() as session:
        order = await read_order(session, order_id)
        await lock_chains(session, *filter(None, (order.cart_id, current_cart_id)))
        return await _restore_cart(session, await read_order(session, order_id), current_cart_id)


async def change_bank(starter: PaymentStarter, order_id: str, current_cart_id: str) -> str:
    """Let the shopper pay again: close the order's payment at the bank, cancel the order, restore its cart.

    An unpaid payment with instructions, such as a bank transfer, is cancelled instead: see
    `_cancel_instructed`.

    The provider is asked first: a payment that it has approved is not closed. If it approves a closed payment
    later, that payment still pays the order, unless the restored cart has been paid in the meantime. A
    repeated call, or a call for an order that is already cancelled, returns the same cart.

    Returns:
        The id of the restored cart, as in `restore_cart`.

    Raises:
        NotFound: there is no such order.
        Conflict: the payment cannot be closed, because it is approved, the gateway is reviewing it, or the
            order is packed.
    """
    database = starter.database
    async with database.read() as session:
        order = await read_order(session, order_id)
        waiting = await _list_open_sessions(session, order.cart_id)
        instructed = await find_instructed_payment(session, order)
    for payment in waiting:
        await starter.ask_to_cancel(payment.id)
    if instructed is not None:
        await _cancel_instructed(starter, instructed)
    async with database.transaction() as session:
        await lock_chains(session, *filter(None, (order.cart_id, current_cart_id)))
        order = await read_order(session, order_id)
        if order.status == OrderStatus.CANCELED:
            restored = await _find_restored_cart(session, order.cart_id)
            current_cart_id = current_cart_id or (restored.id if restored else "")
        for payment in await _list_open_sessions(session, order.cart_id):
            payment, cart = await lock_session(session, payment.id)  # noqa: PLW2901 (the same, locked)
            if not SessionState(payment.state).leads_to(SessionState.CLOSED):
                raise Conflict(CANNOT_CLOSE)
            await close(session, payment, cart, CloseReason.BANK_CHANGED)
        return await _restore_cart(session, order, current_cart_id)


async def _cancel_instructed(starter: PaymentStarter, payment: PaymentSession) -> None:
    """Cancel an unpaid payment with instructions, and its order. The customer gets no e-mail about it.

    Raises:
        Conflict: the provider does not cancel the payment, staff have just confirmed the money, or the order
            is packed.
        OutsideFailure: the provider could not be reached.
    """
    provider = starter.payments.find_provider(payment.provider_id)
    if provider is None:
        raise Conflict(CANNOT_CLOSE)
    report = await provider.cancel(to_started_payment(payment))
    if report.state is not ProviderState.CANCELED:
        await apply_report(starter.database, payment.id, report)
        raise Conflict(CANNOT_CLOSE)
    async with starter.database.transaction() as session:
        payment, cart = await lock_session(session, payment.id)
        if payment.state == SessionState.CANCELED:
            return  # a repeated call
        if payment.state != SessionState.AUTHORIZED:
            raise Conflict(CANNOT_CLOSE)
        payment.close_reason = CloseReason.BANK_CHANGED
        try:
            await move(session, payment, cart, SessionState.CANCELED)
        except HasActiveFulfillments as error:
            raise Conflict(CANNOT_CLOSE) from error


async def _list_open_sessions(session: AsyncSession, cart_id: str) -> list[PaymentSession]:
    return [
        payment for payment in await list_payment_sessions(session, cart_id) if payment.state in OPEN_STATES
    ]


async def _find_restored_cart(session: AsyncSession, cart_id: str) -> Cart | None:
    """Return the open cart into which an earlier call restored this cart; None if there is none."""
    found = select(Cart).where(Cart.replaces_cart_id == cart_id, Cart.completed_at.is_(None))
    return (
        await session.execute(found.order_by(Cart.created_at.desc(), Cart.id.desc()).limit(1))
    ).scalar_one_or_none()


async def _restore_cart(session: AsyncSession, order: Order, current_cart_id: str) -> str:
    if order.status != OrderStatus.CANCELED:
        raise Conflict(ORDER_NOT_CANCELED)
    old = await read_cart(session, order.cart_id)
    cart = await _open_or_create_cart(session, current_cart_id, old)
    if old.email and not cart.email:
        await set_email(session, cart, old.email)
    cart.locale = cart.locale or old.locale
    cart.meta = {**old.meta, **cart.meta}
    payer = {name: str(text) for name, text in (order.payer or {}).items() if name in DOCUMENT_FIELDS}
    typed = {
        name: text for name, text in old.draft.items() if name not in CHECKBOXES
    }  # consents must be given again
    cart.draft = {**typed, **payer, **{name: text for name, text in cart.draft.items() if text}}
    await join_chain(session, cart, old.id)
    if old.shipping_address and not cart.shipping_address:
        await set_shipping_address(session, cart, old.shipping_address)
    cart.billing_address = cart.billing_address or old.billing_address
    sold = await list_order_lines(session, order.id)
    keys = {line_key(line.variant_id, line.meta) for line in sold}
    units_in_cart = {
        line_key(line.variant.id, line.item.meta): line.item.quantity
        for line in await read_lines(session, cart.id)
    }
    changed: Counter[str] = Counter()  # by variant: units of lines whose metadata changed after the order
    for (variant_id, meta), units in units_in_cart.items():
        if (variant_id, meta) not in keys:
            changed[variant_id] += units
    left_out = []
    for line in sold:
        in_cart = units_in_cart.get(line_key(line.variant_id, line.meta), 0)
        moved = min(changed[line.variant_id], max(0, line.quantity - in_cart))
        changed[line.variant_id] -= moved
        in_cart += moved
        added = await _add_missing(session, cart.id, line, in_cart)
        if (quantity := line.quantity - in_cart - added) > 0:
            left_out.append(
                CartUnits(format_full_title(line.title, line.variant_title), quantity, line.product_id)
            )
    await move_news(session, old.id, cart.id)
    await add_units_news(session, cart.id, NewsKind.NO_STOCK, left_out)
    await drop_lone_wrapping(session, cart.id)
    await add_code_news(session, cart.id, await move_codes(session, old, cart))
    return cart.id


async def _open_or_create_cart(session: AsyncSession, cart_id: str, template: Cart) -> Cart:
    try:
        return await open_cart(session, cart_id)
    except (NotFound, NotAllowed, Conflict):  # unknown, already an order, or being paid
        new = await create_empty_cart(
            session, region_id=template.region_id, sales_channel_id=template.sales_channel_id
        )
        return await open_cart(session, new)


async def _add_missing(session: AsyncSession, cart_id: str, sold: OrderLine, units_in_cart: int) -> int:
    """Add units of an order line to the cart, up to the ordered quantity or all available units.

    Returns:
        The number of units added.
    """
    variant_id = sold.variant_id
    units = (await inventory.read_available_units(session, [variant_id], holder=cart_id))[variant_id]
    in_cart = count_units_by_variant(await read_lines(session, cart_id))[variant_id]
    missing = min(sold.quantity - units_in_cart, units - in_cart)
    if missing <= 0:
        return 0
    try:
        await add_to_cart(session, cart_id, variant_id, missing, sold.meta)
    except InvalidData as error:
        log.info("left out of the cart: %s", error.message)  # the variant is no longer for sale
        return 0
    return missing
