"""Deletion of the data of recipients who are not the customer, and of gift messages, a year and more after the order.

Recipients gave no data themselves: the customer did. Their data are used to deliver the order, and to send a
replacement within the guarantee. Name, phone and street are deleted; municipality and invoice data remain.
"""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.models import Cart
from backend.core.db.database import db_now, lock_rows
from backend.core.db.tables import JsonObject, table_of
from backend.jobs.tidy_rule import TidyRule
from backend.orders.gifts import replace_gift_message
from backend.orders.models import MAY_BE_GIFT, Order, names_differ
from backend.orders.search import index_order
from backend.orders.states import FulfillmentStatus, OrderStatus
from backend.payment.models import PaymentCollection, PaymentSession
from backend.privacy.erasure import strip_parcels

RECIPIENT_RETENTION = timedelta(days=400)
"""The year of the guarantee (Ley 1480 of 2011, art. 8), and the time of a delivery before it."""
PLACE_FIELDS = ("city", "province", "country_code")
NAMES = ("first_name", "last_name")


async def erase_recipients(session: AsyncSession, cart_ids: Sequence[str]) -> None:
    """Delete the recipients' data and the gift messages of these (locked) carts, and of their orders."""
    query = select(Order, or_(*map(names_differ, NAMES))).where(Order.cart_id.in_(cart_ids))
    for order, has_recipient in (await session.execute(lock_rows(query))).all():
        await _erase_recipient(session, order, has_recipient=bool(has_recipient))


async def _erase_recipient(session: AsyncSession, order: Order, *, has_recipient: bool) -> None:
    values: JsonObject = {"meta": replace_gift_message(order.meta, "")}
    if has_recipient:
        values["shipping_address"] = _keep_place(order.shipping_address)
        await strip_parcels(session, [order.id])
    mine, cart, payment = table_of(Order), table_of(Cart), table_of(PaymentSession)
    changed = update(mine).where(mine.c.number == order.number)
    await session.execute(changed.values(**values, updated_at=mine.c.updated_at))
    of_cart = update(cart).where(cart.c.id == order.cart_id)
    await session.execute(of_cart.values(**values, draft={}, updated_at=cart.c.updated_at))
    collections = select(PaymentCollection.id).where(PaymentCollection.cart_id == order.cart_id)
    sold = {"metadata" if name == "meta" else name: value for name, value in values.items()}
    rows = select(payment.c.id, payment.c.snapshot).where(payment.c.collection_id.in_(collections))
    for row in (await session.execute(rows)).all():
        if row.snapshot:
            stripped = update(payment).where(payment.c.id == row.id)
            snapshot = {**row.snapshot, **sold}
            await session.execute(stripped.values(snapshot=snapshot, updated_at=payment.c.updated_at))
    await session.refresh(order)
    await index_order(session, order)


def _keep_place(address: JsonObject) -> JsonObject:
    """Return only the municipality of the address."""
    place = {name: address[name] for name in PLACE_FIELDS if address.get(name)}
    code = (address.get("metadata") or {}).get("dane_code")
    return {**place, "metadata": {"dane_code": code}} if code else place


OLD_RECIPIENTS = TidyRule(
    "recipients and messages of gifts",
    Cart,
    (
        Cart.id.in_(
            select(Order.cart_id).where(
                Order.created_at <= db_now(-RECIPIENT_RETENTION),
                or_(
                    Order.status == OrderStatus.CANCELED,
                    Order.fulfillment_status == FulfillmentStatus.DELIVERED,
                ),
                MAY_BE_GIFT,
            )
        ),
    ),
    erase_recipients,
)
"""Delete recipients and messages of delivered and canceled orders that are older than `RECIPIENT_RETENTION`."""
