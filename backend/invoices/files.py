"""The files of a document: its XML as its provider made it, and a PDF of it. Both exist once it has its XML."""

import asyncio
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import Database
from backend.core.errors import NotFound
from backend.invoices.documents import document_from
from backend.invoices.issue_job import Invoices, read_invoice
from backend.invoices.models import Invoice
from backend.invoices.pdf import document_pdf
from backend.invoices.states import KIND_NAMES, InvoiceKind, InvoiceState

PDF, XML = "pdf", "xml"
MEDIA_TYPES = {PDF: "application/pdf", XML: "application/xml"}
ADMIN, BUYERS = "/admin/invoices", "/api/invoices"
"""Where staff fetch them, and whoever holds the order's link."""


@dataclass(frozen=True, slots=True)
class InvoiceFile:
    """A file of a document, as it is fetched or mailed."""

    name: str
    media_type: str
    content: bytes


def file_path(invoice_id: str, kind: str, *, of: str = ADMIN) -> str:
    """Where the file is fetched."""
    return f"{of}/{invoice_id}/{kind}"


async def invoice_file(database: Database, invoices: Invoices, invoice_id: str, kind: str) -> InvoiceFile:
    """A file of the document. The caller has checked that it may be seen.

    Raises:
        NotFound: there is no such document, or it has no such file.
    """
    async with database.read() as session:
        row = await read_invoice(session, invoice_id)
    return await file_of(invoices, row, kind)


async def file_of(invoices: Invoices, row: Invoice, kind: str) -> InvoiceFile:
    """See `invoice_file`."""
    if row.xml is None or row.state != InvoiceState.ISSUED or kind not in MEDIA_TYPES:
        raise NotFound(f"Invoice with id: {row.id} has no such file")
    name, content = f"{row.full_number}.{kind}", row.xml
    if kind == PDF:
        document = document_from(row.document)
        provider = invoices.providers.get(row.provider_id)
        qr = provider.qr(document, row.code) if provider is not None else ""
        is_test = provider is not None and provider.is_test
        content = await asyncio.to_thread(document_pdf, document, row.code, qr, is_test=is_test)
    return InvoiceFile(name, MEDIA_TYPES[kind], content)


@dataclass(frozen=True, slots=True)
class BuyersInvoice:
    """A document as the buyer's page of the order shows it."""

    id: str
    title: str
    code: str
    code_name: str


async def buyers_invoices(session: AsyncSession, order_id: str) -> list[BuyersInvoice]:
    """The documents of the order that have files, the oldest first. Whoever shows them has checked whose it is."""
    query = select(Invoice).where(Invoice.order_id == order_id, Invoice.xml.is_not(None))
    rows = (await session.execute(query.order_by(Invoice.created_at, Invoice.id))).scalars()
    return [
        BuyersInvoice(
            id=row.id,
            title=f"{KIND_NAMES[InvoiceKind(row.kind)]} {row.full_number}",
            code=row.code,
            code_name="CUFE" if row.kind == InvoiceKind.INVOICE else "CUDE",
        )
        for row in rows
        if row.state == InvoiceState.ISSUED
    ]
