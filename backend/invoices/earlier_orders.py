"""Invoices of orders that were paid while the shop issued no invoices: created today, or marked as issued elsewhere."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.db.database import database_now
from backend.core.errors import NotAllowed
from backend.core.texts import _
from backend.invoices.creation import create_invoice, create_note_of_refund
from backend.invoices.models import Invoice, OrderInvoicedElsewhere
from backend.invoices.states import InvoiceKind
from backend.office_settings.invoicing import read_invoicing
from backend.orders.models import Order
from backend.orders.money.refunds import list_order_refunds
from backend.orders.service import lock_order
from backend.orders.states import HAS_MONEY
from backend.staff.rights import Actor, Right

MAX_ORDERS_PER_CALL = 50


class InvoicingOff(NotAllowed):
    """The shop issues no invoices."""

    staff_text = _("Primero elige quién hace las facturas y guarda la numeración.")


def has_no_invoice() -> ColumnElement[bool]:
    """Return the SQL condition for paid orders above 0 pesos that were invoiced neither here nor elsewhere.

    Orders created after the first invoice are checked only if they were paid while invoicing was switched off:
    the others got an invoice when they were paid. So the query is fast in a shop with a million invoiced orders.
    """
    first = select(func.min(Invoice.created_at)).scalar_subquery()
    has_invoice = exists().where(Invoice.order_id == Order.id, Invoice.kind == InvoiceKind.INVOICE)
    is_elsewhere = exists().where(OrderInvoicedElsewhere.order_id == Order.id)
    can_lack = or_(first.is_(None), Order.created_at <= first, Order.invoice_skipped_at.is_not(None))
    return can_lack & Order.payment_status.in_(HAS_MONEY) & (Order.total > 0) & ~has_invoice & ~is_elsewhere


async def list_orders_without_invoice(session: AsyncSession, actor: Actor, limit: int) -> Sequence[Order]:
    """Return the paid orders without an invoice, the oldest first, at most `limit`.

    Raises:
        Forbidden: the actor may not see invoices.
    """
    actor.require(Right.READ_INVOICES)
    query = select(Order).where(has_no_invoice()).order_by(Order.paid_at, Order.number).limit(limit)
    return (await session.execute(query)).scalars().all()


async def count_orders_without_invoice(session: AsyncSession) -> int:
    """Count the paid orders without an invoice."""
    return (
        await session.execute(select(func.count()).select_from(Order).where(has_no_invoice()))
    ).scalar_one()


async def invoice_earlier_orders(session: AsyncSession, actor: Actor, order_ids: Sequence[str]) -> int:
    """Create the invoices of these orders, with a credit note for each refund that they already have.

    The documents get today's date. Orders that got an invoice in the meantime are left out, and so are those beyond
    `MAX_ORDERS_PER_CALL`.

    Returns:
        The number of created invoices.

    Raises:
        Forbidden: the actor may not create invoices.
        InvoicingOff: the shop issues no invoices.
        NotFound: an order does not exist.
    """
    actor.require(Right.RETRY_INVOICES)
    if not (await read_invoicing(session)).is_on:
        raise InvoicingOff("The shop issues no invoices")
    created = 0
    for order in await _lock_orders(session, order_ids):
        await record(session, actor, "invoice requested", Subject(SubjectType.ORDER, order.id))
        if not await create_invoice(session, order):
            continue
        created += 1
        for refund in await list_order_refunds(session, order):
            await create_note_of_refund(session, order, refund)
    return created


async def mark_invoiced_elsewhere(session: AsyncSession, actor: Actor, order_ids: Sequence[str]) -> int:
    """Record that the invoices of these orders were issued outside the shop.

    Returns:
        The number of marked orders; those that got an invoice in the meantime are left out.

    Raises:
        Forbidden: the actor may not decide about invoices.
        NotFound: an order does not exist.
    """
    actor.require(Right.RETRY_INVOICES)
    orders = await _lock_orders(session, order_ids)
    moment = await database_now(session)
    for order in orders:
        await record(session, actor, "invoiced elsewhere", Subject(SubjectType.ORDER, order.id))
        session.add(OrderInvoicedElsewhere(order_id=order.id, marked_at=moment, marked_by=actor.id))
    await session.flush()
    return len(orders)


async def _lock_orders(session: AsyncSession, order_ids: Sequence[str]) -> list[Order]:
    """Lock up to `MAX_ORDERS_PER_CALL` orders, in the order of their ids. Return those without an invoice."""
    locked = [
        await lock_order(session, order_id) for order_id in sorted(set(order_ids))[:MAX_ORDERS_PER_CALL]
    ]
    still = select(Order.id).where(Order.id.in_([order.id for order in locked]), has_no_invoice())
    ids = set((await session.execute(still)).scalars())
    return [order for order in locked if order.id in ids]
