"""Invoices and credit notes over the Admin API, and their files, for staff and for whoever holds the order's link."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from sqlalchemy import ColumnElement

from backend.edge.dependencies import Db, ShopSettings, Shown
from backend.edge.errors import REFUSALS
from backend.edge.query import in_order, paging, pick_each, read_query, rows_of
from backend.edge.requests import WireRoute
from backend.edge.wire import Wire
from backend.invoices.files import ADMIN, BUYERS, InvoiceFile, invoice_file
from backend.invoices.issue_job import Invoices, read_invoice
from backend.invoices.models import Invoice
from backend.invoices.retry import retry_invoice
from backend.invoices.schemas import InvoiceAnswer, InvoiceParameters, InvoicesAnswer, invoice_wire
from backend.orders.links.tokens import ORDER_LINK
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import Right

router = APIRouter(
    prefix=ADMIN,
    route_class=WireRoute,
    tags=["admin: invoices"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_INVOICES),
)

buyers = APIRouter(
    prefix=BUYERS,
    route_class=WireRoute,
    include_in_schema=False,  # for the shop's own page
)

SORTABLE = {"created_at": Invoice.created_at, "issued_at": Invoice.issued_at, "amount": Invoice.amount}


def invoices_of(request: Request) -> Invoices:
    """The running shop's own."""
    service: Invoices = request.app.state.invoices
    return service


Service = Annotated[Invoices, Depends(invoices_of)]


@router.get("")
async def list_invoices(
    asked: Annotated[InvoiceParameters, read_query(InvoiceParameters)], database: Db
) -> Wire[InvoicesAnswer]:
    """The documents, the newest first."""
    order = in_order(asked.order, SORTABLE, [Invoice.created_at.desc(), Invoice.id.desc()])
    async with database.read() as session:
        rows, count = await rows_of(session, Invoice, _conditions(asked), order, asked)
    return Wire({"invoices": pick_each(map(invoice_wire, rows), asked), **paging(count, asked)})


@router.get("/{invoice_id}")
async def read(invoice_id: str, database: Db, fields: Shown) -> Wire[InvoiceAnswer]:
    """One document."""
    async with database.read() as session:
        row = await read_invoice(session, invoice_id)
    return Wire({"invoice": fields.pick(invoice_wire(row))})


@router.post("/{invoice_id}/retry")
async def retry(invoice_id: str, database: Db, actor: StaffMember, fields: Shown) -> Wire[InvoiceAnswer]:
    """Try one that waits or was rejected once more, as the order and the shop's data stand now."""
    async with database.transaction() as session:
        row = await retry_invoice(session, actor, invoice_id)
    return Wire({"invoice": fields.pick(invoice_wire(row))})


@router.get("/{invoice_id}/{kind}", response_class=Response)
async def fetch(invoice_id: str, kind: str, database: Db, service: Service) -> Response:
    """A file of a document that was made: `pdf` or `xml`."""
    return _answer(await invoice_file(database, service, invoice_id, kind))


@buyers.get("/{invoice_id}/{kind}")
async def fetch_own(
    *, invoice_id: str, kind: str, database: Db, settings: ShopSettings, service: Service, token: str = ""
) -> Response:
    """The same for whoever holds the link of the document's order: `token` is the order's."""
    async with database.read() as session:
        row = await read_invoice(session, invoice_id)
    ORDER_LINK.require(settings.signing_key, row.order_id, token)
    return _answer(await invoice_file(database, service, invoice_id, kind))


def _answer(file: InvoiceFile) -> Response:
    headers = {
        "Cache-Control": "no-store",
        "Content-Disposition": f'attachment; filename="{file.name}"',
        "X-Content-Type-Options": "nosniff",
    }
    return Response(file.content, media_type=file.media_type, headers=headers)


def _conditions(asked: InvoiceParameters) -> list[ColumnElement[bool]]:
    return [
        column.in_(values)
        for column, values in (
            (Invoice.kind, asked.kind),
            (Invoice.state, asked.state),
            (Invoice.order_id, asked.order_id),
        )
        if values is not None
    ]
