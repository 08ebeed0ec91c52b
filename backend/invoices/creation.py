"""When there is to be an invoice or a credit note: the events of orders and refunds, in their own transactions."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.events import subscribe
from backend.invoices.document_lines import credited, invoice_lines
from backend.invoices.models import Invoice
from backend.invoices.states import InvoiceKind
from backend.jobs import enqueue
from backend.office_settings.invoicing import read_invoicing
from backend.orders.events import OrderPaid
from backend.orders.service import read_order
from backend.payment.events import RefundBooked
from backend.payment.models import Refund

ISSUE = "invoices.issue"
"""The job that has a document made; its key is the document's id."""


@subscribe(OrderPaid)
async def order_paid(session: AsyncSession, event: OrderPaid) -> None:
    """The order gets its invoice, if the shop makes invoices; it has one only, whatever else is paid for it."""
    if not (await read_invoicing(session)).is_on or await invoice_of(session, event.order_id) is not None:
        return
    order = await read_order(session, event.order_id)
    if not await invoice_lines(session, order):
        return  # all of it was free from the start: a document without lines is none
    await _open(session, Invoice(kind=InvoiceKind.INVOICE, order_id=order.id, amount=order.total))


@subscribe(RefundBooked)
async def refund_booked(session: AsyncSession, event: RefundBooked) -> None:
    """What a refund gives back of an order that has an invoice gets a credit note."""
    refund = await session.get_one(Refund, event.refund_id)
    if refund.order_id is None or await invoice_of(session, refund.order_id) is None:
        return
    order = await read_order(session, refund.order_id)
    amount = sum(share.amount for share in await credited(session, order, refund))
    if amount:
        note = Invoice(kind=InvoiceKind.CREDIT_NOTE, order_id=order.id, refund_id=refund.id, amount=amount)
        await _open(session, note)


async def invoice_of(session: AsyncSession, order_id: str) -> Invoice | None:
    """The invoice of the order, in whichever state."""
    query = select(Invoice).where(Invoice.order_id == order_id, Invoice.kind == InvoiceKind.INVOICE)
    return (await session.execute(query)).scalar_one_or_none()


async def _open(session: AsyncSession, row: Invoice) -> None:
    session.add(row)
    await session.flush()
    await enqueue(session, ISSUE, key=row.id)
