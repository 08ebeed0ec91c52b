"""A cart with what a cancelled order contained, after a failed payment or to pay from another bank."""

import logging
from collections import Counter

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import new_cart, open_cart, read_cart
from backend.cart.contents import line_key, lines_of, units_by_variant
from backend.cart.lines import add_to_cart, drop_lone_wrapping
from backend.cart.models import Cart
from backend.cart.notices import CartUnits, NewsKind, add_code_news, add_units_news, full_title, move_news
from backend.cart.owners import set_email
from backend.cart.promotion_codes import take_codes_along
from backend.cart.purchase_chains import join_chain, lock_chains
from backend.checkout.carts.changes import set_shipping_address
from backend.checkout.completion import DOCUMENT_FIELDS
from backend.checkout.payment.start import PaymentStarter
from backend.core.db.database import Database
from backend.core.errors import Conflict, InvalidData, NotAllowed, NotFound
from backend.inventory import service as inventory
from backend.legal.consents import BOXES
from backend.orders.models import Order, OrderLine
from backend.orders.service import lines_of_order, read_order
from backend.orders.states import OrderStatus
from backend.payment.models import PaymentSession
from backend.payment.sessions import sessions_of
from backend.payment.states import OPEN, SessionState
from backend.payment.transitions import CloseReason, close, lock_session

log = logging.getLogger(__name__)

STANDS = "The order stands: its payment is not lost"
CANNOT_CLOSE = "The order's payment cannot be given up now: look again in a moment"


async def restore_cart(database: Database, order_id: str, present: str) -> str:
    """Put what a cancelled order contained, its destination and what was typed into a cart again.

    `present` is the id of the cart that the browser has now, or empty; the caller has checked that it may use it
    (`backend.cart.owners`). Its own lines stay. Of a variant that is in both, the larger quantity counts, so that a
    second call changes nothing.

    Returns:
        The cart's id: `present` where that is open, else a new one. What is no longer for sale, or no longer there, is
        left out.

    Raises:
        NotFound: there is no such order.
        Conflict: the order stands; there is nothing to restore.
    """
    async with database.transaction() as session:
        order = await read_order(session, order_id)
        await lock_chains(session, *filter(None, (order.cart_id, present)))
        return await _restore_cart(session, await read_order(session, order_id), present)


async def change_bank(starter: PaymentStarter, order_id: str, present: str) -> str:
    """Close the payment of an order that is at the bank, cancel the order, and restore its cart.

    The provider is asked first: a payment that it has approved stays. A payment that it approves later still pays the
    order, unless the restored cart has been paid. Called twice, or for a cancelled order, it returns one cart.

    Returns:
        The cart's id, as `restore_cart` does.

    Raises:
        NotFound: there is no such order.
        Conflict: it is paid, or the gateway is reviewing its payment: it cannot be closed.
    """
    database = starter.database
    async with database.read() as session:
        order = await read_order(session, order_id)
        waiting = await _open_sessions(session, order.cart_id)
    for payment in waiting:
        await starter.ask_to_cancel(payment.id)
    async with database.transaction() as session:
        await lock_chains(session, *filter(None, (order.cart_id, present)))
        order = await read_order(session, order_id)
        if order.status == OrderStatus.CANCELED:
            known = await _restored_cart(session, order.cart_id)
            present = present or (known.id if known else "")
        for payment in await _open_sessions(session, order.cart_id):
            payment, cart = await lock_session(session, payment.id)  # noqa: PLW2901 (the same, locked)
            if not SessionState(payment.state).leads_to(SessionState.CLOSED):
                raise Conflict(CANNOT_CLOSE)
            await close(session, payment, cart, CloseReason.BANK_CHANGED)
        return await _restore_cart(session, order, present)


async def _open_sessions(session: AsyncSession, cart_id: str) -> list[PaymentSession]:
    return [payment for payment in await sessions_of(session, cart_id) if payment.state in OPEN]


async def _restored_cart(session: AsyncSession, cart_id: str) -> Cart | None:
    """The open cart that this one was restored to by an earlier call; None when there is none."""
    found = select(Cart).where(Cart.replaces_cart_id == cart_id, Cart.completed_at.is_(None))
    return (
        await session.execute(found.order_by(Cart.created_at.desc(), Cart.id.desc()).limit(1))
    ).scalar_one_or_none()


async def _restore_cart(session: AsyncSession, order: Order, present: str) -> str:
    if order.status != OrderStatus.CANCELED:
        raise Conflict(STANDS)
    old = await read_cart(session, order.cart_id)
    cart = await _open_or_new(session, present, old)
    if old.email and not cart.email:
        await set_email(session, cart, old.email)
    cart.locale = cart.locale or old.locale
    cart.meta = {**old.meta, **cart.meta}
    payer = {name: str(text) for name, text in (order.payer or {}).items() if name in DOCUMENT_FIELDS}
    typed = {name: text for name, text in old.draft.items() if name not in BOXES}  # agreed to once more
    cart.draft = {**typed, **payer, **{name: text for name, text in cart.draft.items() if text}}
    await join_chain(session, cart, old.id)
    if old.shipping_address and not cart.shipping_address:
        await set_shipping_address(session, cart, old.shipping_address)
    cart.billing_address = cart.billing_address or old.billing_address
    sold = await lines_of_order(session, order.id)
    keys = {line_key(line.variant_id, line.meta) for line in sold}
    units_there = {
        line_key(line.variant.id, line.item.meta): line.item.quantity
        for line in await lines_of(session, cart.id)
    }
    changed: Counter[str] = Counter()  # units of lines whose metadata was changed since, by variant
    for (variant_id, meta), units in units_there.items():
        if (variant_id, meta) not in keys:
            changed[variant_id] += units
    left_out = []
    for line in sold:
        in_cart = units_there.get(line_key(line.variant_id, line.meta), 0)
        moved = min(changed[line.variant_id], max(0, line.quantity - in_cart))
        changed[line.variant_id] -= moved
        in_cart += moved
        added = await _add_missing(session, cart.id, line, in_cart)
        if (quantity := line.quantity - in_cart - added) > 0:
            left_out.append(CartUnits(full_title(line.title, line.variant_title), quantity, line.product_id))
    await move_news(session, old.id, cart.id)
    await add_units_news(session, cart.id, NewsKind.NO_STOCK, left_out)
    await drop_lone_wrapping(session, cart.id)
    await add_code_news(session, cart.id, await take_codes_along(session, old, cart))
    return cart.id


async def _open_or_new(session: AsyncSession, cart_id: str, like: Cart) -> Cart:
    try:
        return await open_cart(session, cart_id)
    except (NotFound, NotAllowed, Conflict):  # none, or an order by now, or about to be one
        new = await new_cart(session, region_id=like.region_id, sales_channel_id=like.sales_channel_id)
        return await open_cart(session, new)


async def _add_missing(session: AsyncSession, cart_id: str, sold: OrderLine, there: int) -> int:
    """Add units until the cart has as many of the line as were sold, or as many as can be sold.

    Returns:
        The units that were added.
    """
    variant_id = sold.variant_id
    units = (await inventory.available_units(session, [variant_id], holder=cart_id))[variant_id]
    in_cart = units_by_variant(await lines_of(session, cart_id))[variant_id]
    missing = min(sold.quantity - there, units - in_cart)
    if missing <= 0:
        return 0
    try:
        await add_to_cart(session, cart_id, variant_id, missing, sold.meta)
    except InvalidData as error:
        log.info("left out of the cart: %s", error.message)  # no longer for sale
        return 0
    return missing
