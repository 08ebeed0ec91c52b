"""Admin API of invoices and credit notes; and routes of their files, for staff and for customers with an order link."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from sqlalchemy import ColumnElement

from backend.edge.dependencies import Db, RequestedFields, ShopSettings
from backend.edge.errors import REFUSALS
from backend.edge.query import order_clauses, paging_fields, pick_each, read_page, read_query
from backend.edge.requests import WireRoute
from backend.edge.wire import Wire
from backend.invoices.files import ADMIN_PATH, CUSTOMER_PATH, InvoiceFile, read_invoice_file
from backend.invoices.issue_job import Invoices, read_invoice
from backend.invoices.models import Invoice
from backend.invoices.retry import retry_invoice
from backend.invoices.schemas import InvoiceAnswer, InvoiceParameters, InvoicesAnswer, invoice_wire
from backend.orders.links.tokens import ORDER_LINK
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Right

router = APIRouter(
    prefix=ADMIN_PATH,
    route_class=WireRoute,
    tags=["admin: invoices"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_INVOICES),
)

customer_router = APIRouter(
    prefix=CUSTOMER_PATH,
    route_class=WireRoute,
    include_in_schema=False,  # for the shop's own page
)

SORTABLE = {"created_at": Invoice.created_at, "issued_at": Invoice.issued_at, "amount": Invoice.amount}


def get_invoices(request: Request) -> Invoices:
    """Return the running shop's service that issues invoices."""
    service: Invoices = request.app.state.invoices
    return service


Service = Annotated[Invoices, Depends(get_invoices)]


@router.get("")
async def list_invoices(
    parameters: Annotated[InvoiceParameters, read_query(InvoiceParameters)], database: Db
) -> Wire[InvoicesAnswer]:
    """List the invoices and credit notes, the newest first."""
    order = order_clauses(parameters.order, SORTABLE, [Invoice.created_at.desc(), Invoice.id.desc()])
    async with database.read() as session:
        rows, count = await read_page(session, Invoice, _build_conditions(parameters), order, parameters)
    return Wire(
        {"invoices": pick_each(map(invoice_wire, rows), parameters), **paging_fields(count, parameters)}
    )


@router.get("/{invoice_id}")
async def read(invoice_id: str, database: Db, fields: RequestedFields) -> Wire[InvoiceAnswer]:
    """Return the invoice or credit note."""
    async with database.read() as session:
        row = await read_invoice(session, invoice_id)
    return Wire({"invoice": fields.pick(invoice_wire(row))})


@router.post("/{invoice_id}/retry")
async def retry(
    invoice_id: str, database: Db, actor: StaffMember, fields: RequestedFields
) -> Wire[InvoiceAnswer]:
    """Retry a pending or rejected invoice or credit note, with the current data of the order and the shop."""
    async with database.transaction() as session:
        row = await retry_invoice(session, actor, invoice_id)
    return Wire({"invoice": fields.pick(invoice_wire(row))})


@router.get("/{invoice_id}/{kind}", response_class=Response)
async def fetch(invoice_id: str, kind: str, database: Db, service: Service) -> Response:
    """Return a file of an issued invoice or credit note: `pdf` or `xml`."""
    return _file_response(await read_invoice_file(database, service, invoice_id, kind))


@customer_router.get("/{invoice_id}/{kind}")
async def fetch_own(
    *, invoice_id: str, kind: str, database: Db, settings: ShopSettings, service: Service, token: str = ""
) -> Response:
    """Return a file of an invoice or credit note to a customer with the order's link. `token` is the link's token."""
    async with database.read() as session:
        row = await read_invoice(session, invoice_id)
    ORDER_LINK.require(settings.signing_key, row.order_id, token)
    return _file_response(await read_invoice_file(database, service, invoice_id, kind))


def _file_response(file: InvoiceFile) -> Response:
    headers = {
        "Cache-Control": "no-store",
        "Content-Disposition": f'attachment; filename="{file.name}"',
        "X-Content-Type-Options": "nosniff",
    }
    return Response(file.content, media_type=file.media_type, headers=headers)


def _build_conditions(parameters: InvoiceParameters) -> list[ColumnElement[bool]]:
    return [
        column.in_(values)
        for column, values in (
            (Invoice.kind, parameters.kind),
            (Invoice.state, parameters.state),
            (Invoice.order_id, parameters.order_id),
        )
        if values is not None
    ]
