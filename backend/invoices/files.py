"""Files of a document: the XML from its provider, and a PDF. Both are available once the XML is stored."""

import asyncio
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.content.brand import Brand, read_brand
from backend.content.brand_files import read_logo
from backend.core.db.database import Database
from backend.core.errors import NotFound
from backend.invoices.documents import restore_document
from backend.invoices.issue_job import Invoices, read_invoice
from backend.invoices.models import Invoice
from backend.invoices.pdf import DocumentLook, build_document_pdf, find_bar_color, find_heading_font
from backend.invoices.states import KIND_NAMES, InvoiceKind, InvoiceState
from backend.office_settings import read_effective_settings

PDF, XML = "pdf", "xml"
MEDIA_TYPES = {PDF: "application/pdf", XML: "application/xml"}
ADMIN_PATH, CUSTOMER_PATH = "/admin/invoices", "/api/invoices"
"""Addresses of the files for staff, and for customers who have the order's link."""


@dataclass(frozen=True, slots=True)
class InvoiceFile:
    """A file of a document, to download or to attach to an e-mail."""

    name: str
    media_type: str
    content: bytes


def build_file_path(invoice_id: str, kind: str, *, of: str = ADMIN_PATH) -> str:
    """Return the path of the URL of a document's file. `kind` is `pdf` or `xml`."""
    return f"{of}/{invoice_id}/{kind}"


async def read_invoice_file(
    database: Database, invoices: Invoices, invoice_id: str, kind: str
) -> InvoiceFile:
    """Return a file of the document. The caller has checked that the requester may read it.

    Raises:
        NotFound: there is no such document, or it has no such file.
    """
    async with database.read() as session:
        row = await read_invoice(session, invoice_id)
        brand = await read_brand(session, await read_effective_settings(session, invoices.settings))
    return await _build_file(invoices, row, kind, brand)


async def _build_file(invoices: Invoices, row: Invoice, kind: str, brand: Brand) -> InvoiceFile:
    if row.xml is None or row.state != InvoiceState.ISSUED or kind not in MEDIA_TYPES:
        raise NotFound(f"Invoice with id: {row.id} has no such file")
    name, content = f"{row.full_number}.{kind}", row.xml
    if kind == PDF:
        document = restore_document(row.document)
        provider = invoices.providers.get(row.provider_id)
        qr = provider.qr(document, row.code) if provider is not None else ""
        is_test = provider is not None and provider.is_test
        logo = await read_logo(invoices.pictures, brand)
        look = DocumentLook(logo, find_bar_color(brand), find_heading_font(brand))
        content = await asyncio.to_thread(
            build_document_pdf, document, row.code, qr, is_test=is_test, look=look
        )
    return InvoiceFile(name, MEDIA_TYPES[kind], content)


@dataclass(frozen=True, slots=True)
class CustomerInvoice:
    """An invoice or credit note, as shown on the customer's page of the order."""

    id: str
    title: str
    code: str
    code_name: str


async def list_customer_invoices(session: AsyncSession, order_id: str) -> list[CustomerInvoice]:
    """Return the order's documents that have files, oldest first.

    The caller has checked that the requester may read them.
    """
    query = select(Invoice).where(Invoice.order_id == order_id, Invoice.xml.is_not(None))
    rows = (await session.execute(query.order_by(Invoice.created_at, Invoice.id))).scalars()
    return [
        CustomerInvoice(
            id=row.id,
            title=f"{KIND_NAMES[InvoiceKind(row.kind)]} {row.full_number}",
            code=row.code,
            code_name="CUFE" if row.kind == InvoiceKind.INVOICE else "CUDE",
        )
        for row in rows
        if row.state == InvoiceState.ISSUED
    ]
