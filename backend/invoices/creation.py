"""Creation of invoices and credit notes when orders are paid and refunds are booked, in the same transaction."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.clock import now
from backend.core.db.database import lock_rows
from backend.core.events import subscribe
from backend.invoices.document_lines import build_invoice_lines, compute_refund_shares
from backend.invoices.models import Invoice, OrderInvoicedElsewhere
from backend.invoices.states import InvoiceKind, InvoiceState
from backend.jobs import enqueue
from backend.office_settings.invoicing import read_invoicing
from backend.orders.events import OrderEdited, OrderPaid
from backend.orders.models import Order
from backend.orders.service import read_order
from backend.payment.events import RefundBooked
from backend.payment.models import Refund

ISSUE = "invoices.issue"
"""Job that issues a document; its key is the document's id."""


@subscribe(OrderPaid)
async def create_invoice_of_order(session: AsyncSession, event: OrderPaid) -> None:
    """Create the order's invoice. If the shop issues no invoices now, store that the order was skipped.

    Do nothing if the order already has an invoice, from this shop or from elsewhere.
    """
    if (
        await find_invoice_of_order(session, event.order_id) is not None
        or await session.get(OrderInvoicedElsewhere, event.order_id) is not None
    ):
        return
    order = await read_order(session, event.order_id)
    if (await read_invoicing(session)).is_on:
        await create_invoice(session, order)
    else:
        order.invoice_skipped_at = order.invoice_skipped_at or now()


async def create_invoice(session: AsyncSession, order: Order) -> bool:
    """Create the invoice of an order that has none.

    Returns:
        False if everything was free: a document without lines is not valid, so none is created.
    """
    if not await build_invoice_lines(session, order):
        return False
    order.invoice_skipped_at = None
    await _store_and_enqueue(
        session, Invoice(kind=InvoiceKind.INVOICE, order_id=order.id, amount=order.total)
    )
    return True


@subscribe(RefundBooked)
async def create_credit_note(session: AsyncSession, event: RefundBooked) -> None:
    """Create a credit note for the event's refund, if its order has an invoice."""
    refund = await session.get_one(Refund, event.refund_id)
    if refund.order_id is None or await find_invoice_of_order(session, refund.order_id) is None:
        return
    await create_note_of_refund(session, await read_order(session, refund.order_id), refund)


async def create_note_of_refund(session: AsyncSession, order: Order, refund: Refund) -> None:
    """Create the credit note for a refund. Do nothing if the order has no invoice, or the credit would be zero."""
    amount = sum(share.amount for share in await compute_refund_shares(session, order, refund))
    invoice = await find_invoice_of_order(session, order.id)
    if amount and invoice is not None:
        note = Invoice(
            kind=InvoiceKind.CREDIT_NOTE,
            order_id=order.id,
            refund_id=refund.id,
            corrects_id=invoice.id,
            amount=amount,
        )
        await _store_and_enqueue(session, note)


@subscribe(OrderEdited)
async def replace_invoice(session: AsyncSession, event: OrderEdited) -> None:
    """Annul the invoice of an edited order with a credit note, and create the invoice of its new content.

    An invoice that has no number yet, or was rejected, is not annulled. Only its amount changes, because its document
    is built from the order when it is sent. The invoice is locked, so it cannot get a number during this change.
    """
    invoice = await find_invoice_of_order(session, event.order_id, lock=True)
    if invoice is None:
        return
    order = await read_order(session, event.order_id)
    if invoice.number is None or invoice.state == InvoiceState.REJECTED:
        invoice.amount = order.total
        await session.flush()
        return
    invoice.annulled_at = now()
    note = Invoice(
        kind=InvoiceKind.CREDIT_NOTE, order_id=order.id, corrects_id=invoice.id, amount=invoice.amount
    )
    await _store_and_enqueue(session, note)
    await create_invoice(session, order)


async def find_invoice_of_order(
    session: AsyncSession, order_id: str, *, lock: bool = False
) -> Invoice | None:
    """Return the order's invoice in any state; None if there is none. With `lock`, lock its row.

    An invoice that an edit of the order has replaced is not returned.
    """
    query = select(Invoice).where(
        Invoice.order_id == order_id, Invoice.kind == InvoiceKind.INVOICE, Invoice.annulled_at.is_(None)
    )
    if lock:
        query = lock_rows(query).execution_options(populate_existing=True)
    return (await session.execute(query)).scalar_one_or_none()


async def _store_and_enqueue(session: AsyncSession, row: Invoice) -> None:
    session.add(row)
    await session.flush()
    await enqueue(session, ISSUE, key=row.id)
