"""Rows of the export files of documents and document lines for an accountant's program. Amounts are whole pesos."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.texts import _
from backend.invoices.documents import Document, restore_document, sum_by_rate
from backend.invoices.models import Invoice
from backend.invoices.states import KIND_NAMES, InvoiceKind

RATES = (0, 5, 19)
DOCUMENT_COLUMNS = (
    _("Tipo"),
    _("Prefijo"),
    _("Número"),
    _("Fecha"),
    _("Hora"),
    _("Pedido"),
    _("Resolución"),
    _("Tipo de documento"),
    _("Documento"),
    _("Dígito de verificación"),
    _("Nombre"),
    _("Correo"),
    _("Dirección"),
    _("Municipio"),
    *(
        name
        for rate in RATES
        for name in (_("Base {rate} %").format(rate=rate), _("IVA {rate} %").format(rate=rate))
    ),
    _("Excluido de IVA"),
    _("Descuentos"),
    _("Base"),
    _("IVA"),
    _("Total"),
    _("Anticipo recibido"),
    _("Saldo por pagar"),
    _("Corrige la factura"),
    _("Motivo"),
    _("CUFE o CUDE"),
)
LINE_COLUMNS = (
    _("Tipo"),
    _("Prefijo"),
    _("Número"),
    _("Fecha"),
    _("Renglón"),
    _("Código"),
    _("Descripción"),
    _("Cantidad"),
    _("Valor sin IVA"),
    _("Descuento sin IVA"),
    _("Base"),
    _("Tarifa de IVA"),
    _("IVA"),
    _("Total"),
)


async def list_document_rows(_session: AsyncSession, invoices: Sequence[Invoice]) -> list[Sequence[object]]:
    """Return one row for each invoice or credit note."""
    return [_document_row(restore_document(one.document), one.code) for one in invoices if one.document]


async def list_line_rows(_session: AsyncSession, invoices: Sequence[Invoice]) -> list[Sequence[object]]:
    """Return one row for each line of the invoices and credit notes."""
    documents = [restore_document(one.document) for one in invoices if one.document]
    return [row for document in documents for row in _line_rows(document)]


def _document_row(document: Document, code: str) -> Sequence[object]:
    rates = {rate: (base, tax) for rate, base, tax in sum_by_rate(document.lines)}
    buyer, corrects = document.buyer, document.corrects
    return (
        KIND_NAMES[InvoiceKind(document.kind)],
        document.prefix,
        document.number,
        document.local.date().isoformat(),
        document.local.strftime("%H:%M:%S"),
        document.order_number,
        document.range.resolution if document.range else "",
        buyer.document_type,
        buyer.document,
        buyer.check_digit,
        buyer.name,
        buyer.email,
        buyer.place.address if buyer.place else "",
        buyer.place.name if buyer.place else "",
        *(amount for rate in RATES for amount in rates.get(rate, (0, 0))),
        document.excluded,
        document.discount,
        document.base,
        document.tax,
        document.total,
        document.prepaid if document.prepaid is not None else document.total,
        document.payable if document.prepaid is not None else 0,
        corrects.number if corrects else "",
        corrects.description if corrects else "",
        code,
    )


def _line_rows(document: Document) -> list[Sequence[object]]:
    head = (
        KIND_NAMES[InvoiceKind(document.kind)],
        document.prefix,
        document.number,
        document.local.date().isoformat(),
    )
    return [
        (
            *head, place, line.code, line.title, line.quantity, line.gross, line.discount, line.base,
            _("Excluido") if line.is_excluded else line.rate,
            line.tax, line.total,
        )
        for place, line in enumerate(document.lines, 1)
    ]  # fmt: skip
