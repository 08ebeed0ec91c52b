"""What an invoice and a credit note say: the lines of an order, and what of them a refund gave back.

The lines of an invoice are the order's and its shipping; their totals are the order's to the peso. A refund is shared
out over them as the report of IVA shares it out (`backend.orders.money.payment_allocation`), so that both tell the
same.
"""

from collections import Counter
from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import variant_name
from backend.core.config.modules import GATEWAY_PSE
from backend.core.money import Cop
from backend.core.texts import _
from backend.invoices.documents import Corrected, DocumentLine, document_from
from backend.invoices.models import Invoice
from backend.orders.models import Order, OrderLine
from backend.orders.money.captured_money import read_money
from backend.orders.money.payment_allocation import Account, Event, Share, parts_of, taken_by_part
from backend.orders.money.refunds import refunds_of_order
from backend.orders.service import lines_of_order, totals_of
from backend.payment.models import Refund
from backend.payment.sessions import sessions_of
from backend.payment.transitions import pays
from backend.pricing import PartTotals

SHIPPING_CODE = "ENVIO"
GIVEN_BACK, ANNULLED, LOWERED = "1", "2", "3"
CONCEPTS = {
    GIVEN_BACK: "Devolución parcial de los bienes y/o no aceptación parcial del servicio",
    ANNULLED: "Anulación de factura electrónica",
    LOWERED: "Rebaja o descuento parcial o total",
}
"""Why a credit note is made (annex 1.9, table 13.2.4): the document is Spanish in every shop."""


async def invoice_lines(session: AsyncSession, order: Order) -> tuple[DocumentLine, ...]:
    """The order's lines and its shipping. What cost nothing from the start is no line."""
    lines = await lines_of_order(session, order.id)
    totals = totals_of(order, lines)
    parts = [
        _sold(line.sku or line.variant_id, title_of(line), line.quantity, part)
        for line, part in zip(lines, totals.lines, strict=True)
    ]
    parts.append(_sold(SHIPPING_CODE, order.shipping_name or _("Envío"), 1, totals.shipping))
    return tuple(part for part in parts if part.gross)


async def is_transfer(session: AsyncSession, order: Order) -> bool:
    """Whether its money came through PSE."""
    return any(
        one.provider_id == GATEWAY_PSE and one.captured_at
        for one in await sessions_of(session, order.cart_id)
    )


async def prepaid_part(session: AsyncSession, order: Order) -> Cop | None:
    """Return what was paid of an order that is paid in part; None where all of it was."""
    money = await read_money(session, order)
    return money.paid if money.missing else None


async def credited(session: AsyncSession, order: Order, refund: Refund) -> list[Share]:
    """What of the order's lines and shipping a refund gives back; nothing where the money had paid none of them."""
    lines = await lines_of_order(session, order.id)
    sold = [(line.id, line.tax_rate, line.quantity, line.unit_price) for line in lines]
    shipping = (order.shipping_tax_rate, order.shipping_total)
    account = Account(parts_of(sold, shipping, taken_by_part(order.adjustments)))
    for event in await _events(session, order):
        shares = account.book(event)
        if event.id == refund.id:
            return [share for share in shares if share.part and share.amount]
    return []


async def credit_lines(session: AsyncSession, order: Order, refund: Refund) -> tuple[DocumentLine, ...]:
    """The lines of the credit note: units where the refund names them, else one line for the amount."""
    titles = {line.id: line for line in await lines_of_order(session, order.id)}
    units: Counter[str] = Counter()
    for named in refund.lines:
        units[str(named.get("line_id"))] += int(named.get("quantity", 0))
    found = []
    for share in await credited(session, order, refund):
        line = titles.get(share.part)
        code = (line.sku or line.variant_id) if line is not None else SHIPPING_CODE
        title = title_of(line) if line is not None else order.shipping_name or _("Envío")
        gross = share.amount - share.tax
        found.append(DocumentLine(code, title, max(1, units[share.part]), gross, 0, share.rate, share.tax))
    return tuple(found)


def correction(
    invoice: Invoice, refund: Refund, lines: Sequence[DocumentLine], credited_before: Cop
) -> Corrected:
    """Which invoice the credit note corrects, and why. `credited_before` is what earlier ones gave back of it."""
    total = sum(line.total for line in lines)
    is_all = credited_before + total >= invoice.amount and not credited_before
    concept = ANNULLED if is_all else GIVEN_BACK if refund.lines else LOWERED
    told = document_from(invoice.document)
    return Corrected(invoice.full_number, invoice.code, told.local.date(), concept, CONCEPTS[concept])


def title_of(line: OrderLine) -> str:
    """What the line is called, with its variant."""
    variant = variant_name(line.variant_title)
    return f"{line.title} ({variant})" if variant else line.title


def _sold(code: str, title: str, quantity: int, part: PartTotals) -> DocumentLine:
    return DocumentLine(
        code=code,
        title=title,
        quantity=quantity,
        gross=part.original_subtotal,
        discount=part.discount_subtotal,
        rate=part.tax_rate,
        tax=part.tax_total,
    )


async def _events(session: AsyncSession, order: Order) -> list[Event]:
    """Every capture and refund of the order's money, in the order in which they happened."""
    payments = {one.id: one for one in await sessions_of(session, order.cart_id)}
    events = [
        Event(one.captured_at, is_refund=False, id=id_, amount=one.captured_amount or 0, pays=pays(one))
        for id_, one in payments.items()
        if one.captured_at is not None
    ]
    for refund in await refunds_of_order(session, order):
        named = tuple((str(line.get("line_id")), int(line.get("quantity", 0))) for line in refund.lines)
        events.append(
            Event(
                refund.created_at,
                is_refund=True,
                id=refund.id,
                amount=refund.amount,
                units=named,
                pays=pays(payments[refund.payment_session_id]),
            )
        )
    return sorted(events)
