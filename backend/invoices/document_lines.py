"""Lines of invoices and credit notes: the lines of an order, and their refunded parts.

The lines of an invoice are the order's lines and its shipping; their totals equal the order's, exact to the peso. A
refund is allocated to these lines as in the IVA report (`backend.orders.money.payment_allocation`), so the credit
notes agree with the report.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import variant_name
from backend.core.config.modules import GATEWAY_PSE
from backend.core.money import Cop
from backend.core.texts import _
from backend.invoices.documents import CorrectedInvoice, DocumentLine, restore_document
from backend.invoices.models import Invoice
from backend.orders.models import Order, OrderLine
from backend.orders.money.captured_money import read_order_money
from backend.orders.money.payment_allocation import Account, Event, Share, build_parts, sum_discounts_by_part
from backend.orders.money.refunds import list_order_refunds
from backend.orders.service import compute_order_totals, list_order_lines
from backend.payment.models import Refund
from backend.payment.sessions import list_payment_sessions
from backend.payment.transitions import pays
from backend.pricing import PartTotals

SHIPPING_CODE = "ENVIO"
PARTIAL_RETURN, ANNULLED, LOWERED = "1", "2", "3"
CONCEPTS = {
    PARTIAL_RETURN: "Devolución parcial de los bienes y/o no aceptación parcial del servicio",
    ANNULLED: "Anulación de factura electrónica",
    LOWERED: "Rebaja o descuento parcial o total",
}
"""Reasons of a credit note (annex 1.9, table 13.2.4). The document is always in Spanish."""


async def build_invoice_lines(session: AsyncSession, order: Order) -> tuple[DocumentLine, ...]:
    """Return the order's lines and its shipping. Leave out those whose price was zero before discounts."""
    lines = await list_order_lines(session, order.id)
    totals = compute_order_totals(order, lines)
    parts = [
        _to_document_line(
            line.sku or line.variant_id,
            format_line_title(line),
            line.quantity,
            part,
            is_excluded=line.tax_excluded,
        )
        for line, part in zip(lines, totals.lines, strict=True)
    ]
    parts.append(_to_document_line(SHIPPING_CODE, order.shipping_name or _("Envío"), 1, totals.shipping))
    return tuple(part for part in parts if part.gross)


async def is_paid_by_transfer(session: AsyncSession, order: Order) -> bool:
    """Return True if the order was paid through PSE."""
    return any(
        one.provider_id == GATEWAY_PSE and one.captured_at
        for one in await list_payment_sessions(session, order.cart_id)
    )


async def compute_prepaid(session: AsyncSession, order: Order) -> Cop | None:
    """Return the paid amount of a partly paid order; None if it was paid in full."""
    money = await read_order_money(session, order)
    return money.paid if money.missing else None


async def compute_refund_shares(session: AsyncSession, order: Order, refund: Refund) -> list[Share]:
    """Return the amounts that a refund allocates to the order's lines and shipping.

    The list is empty if the refund only returns money that was not paid for a line or for shipping.
    """
    lines = await list_order_lines(session, order.id)
    sold = [(line.id, line.tax_rate, line.quantity, line.unit_price) for line in lines]
    shipping = (order.shipping_tax_rate, order.shipping_total)
    account = Account(build_parts(sold, shipping, sum_discounts_by_part(order.adjustments)))
    for event in await _list_events(session, order):
        shares = account.book(event)
        if event.id == refund.id:
            return [share for share in shares if share.part and share.amount]
    return []


async def build_credit_lines(session: AsyncSession, order: Order, refund: Refund) -> tuple[DocumentLine, ...]:
    """Return the lines of the credit note, one for each refunded order line and for refunded shipping.

    The quantity is the number of units that the refund lists for the order line; 1 if the refund lists none.
    """
    titles = {line.id: line for line in await list_order_lines(session, order.id)}
    units: Counter[str] = Counter()
    for stored in refund.lines:
        units[str(stored.get("line_id"))] += int(stored.get("quantity", 0))
    found = []
    for share in await compute_refund_shares(session, order, refund):
        line = titles.get(share.part)
        code = (line.sku or line.variant_id) if line is not None else SHIPPING_CODE
        title = format_line_title(line) if line is not None else order.shipping_name or _("Envío")
        gross = share.amount - share.tax
        is_excluded = line is not None and line.tax_excluded
        quantity = max(1, units[share.part])
        found.append(DocumentLine(code, title, quantity, gross, 0, share.rate, share.tax, is_excluded))
    return tuple(found)


def build_correction(
    invoice: Invoice, refund: Refund, lines: Sequence[DocumentLine], credited_before: Cop
) -> CorrectedInvoice:
    """Return the reference from a credit note to the invoice that it corrects, with the reason for the correction.

    `credited_before` is the sum of the invoice's earlier credit notes.
    """
    total = sum(line.total for line in lines)
    is_all = credited_before + total >= invoice.amount and not credited_before
    concept = ANNULLED if is_all else PARTIAL_RETURN if refund.lines else LOWERED
    corrected = restore_document(invoice.document)
    return CorrectedInvoice(
        invoice.full_number, invoice.code, corrected.local.date(), concept, CONCEPTS[concept]
    )


def build_annulment(invoice: Invoice) -> tuple[tuple[DocumentLine, ...], CorrectedInvoice]:
    """Return the lines of the credit note that annuls a numbered invoice, and the reference to it.

    The lines are copied from the invoice's document, because the edit has already changed the order's lines.
    """
    document = restore_document(invoice.document)
    lines = tuple(replace(line, gross=line.base, discount=0) for line in document.lines)
    return lines, CorrectedInvoice(
        invoice.full_number, invoice.code, document.local.date(), ANNULLED, CONCEPTS[ANNULLED]
    )


def format_line_title(line: OrderLine) -> str:
    """Return the line's title with its variant."""
    variant = variant_name(line.variant_title)
    return f"{line.title} ({variant})" if variant else line.title


def _to_document_line(
    code: str, title: str, quantity: int, part: PartTotals, *, is_excluded: bool = False
) -> DocumentLine:
    return DocumentLine(
        code=code,
        title=title,
        quantity=quantity,
        gross=part.original_subtotal,
        discount=part.discount_subtotal,
        rate=part.tax_rate,
        tax=part.tax_total,
        is_excluded=is_excluded,
    )


async def _list_events(session: AsyncSession, order: Order) -> list[Event]:
    """Return all captures and refunds of the order's money, in chronological order."""
    payments = {one.id: one for one in await list_payment_sessions(session, order.cart_id)}
    events = [
        Event(one.captured_at, is_refund=False, id=id_, amount=one.captured_amount or 0, pays=pays(one))
        for id_, one in payments.items()
        if one.captured_at is not None
    ]
    for refund in await list_order_refunds(session, order):
        units = tuple((str(line.get("line_id")), int(line.get("quantity", 0))) for line in refund.lines)
        events.append(
            Event(
                refund.created_at,
                is_refund=True,
                id=refund.id,
                amount=refund.amount,
                units=units,
                pays=pays(payments[refund.payment_session_id]),
            )
        )
    return sorted(events)
