"""Routes to print the labels and packing slips of several orders. The commerce platform's API has no such routes."""

from typing import Annotated

from fastapi import APIRouter, Response
from fastapi.responses import HTMLResponse
from pydantic import Field

from backend.content.brand import read_brand
from backend.edge.dependencies import Db, ShopSettings
from backend.edge.errors import REFUSALS
from backend.edge.query import read_query
from backend.edge.requests import WireRoute
from backend.edge.schemas import Name, Parameters
from backend.fulfillment.printing import merge_order_labels, render_packing_slips
from backend.office_settings import read_effective_settings
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: orders"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_ORDERS),
)
PRINTED = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
}


class PrintedOrders(Parameters):
    """Ids of the orders, in the order of printing."""

    id: Annotated[list[Name], Field(min_length=1, max_length=100)]


@router.get(
    "/order-labels",
    response_class=Response,
    responses={200: {"content": {"application/pdf": {}}, "description": "The labels, one after the other."}},
)
async def print_labels(
    actor: StaffMember, parameters: Annotated[PrintedOrders, read_query(PrintedOrders)], database: Db
) -> Response:
    """Return the labels of these orders as one PDF. Orders without a label are left out."""
    merged = await merge_order_labels(database, actor, parameters.id)
    headers = {"Content-Disposition": 'inline; filename="guias.pdf"', "Cache-Control": "no-store"}
    return Response(merged, media_type="application/pdf", headers=headers)


@router.get(
    "/packing-slips",
    response_class=Response,
    responses={200: {"content": {"text/html": {}}, "description": "The slips, one page per order."}},
)
async def print_packing_slips(
    actor: StaffMember,
    parameters: Annotated[PrintedOrders, read_query(PrintedOrders)],
    database: Db,
    settings: ShopSettings,
) -> HTMLResponse:
    """Return the packing slips of these orders as HTML, one page per order."""
    async with database.read() as session:
        brand = await read_brand(session, await read_effective_settings(session, settings))
        page = await render_packing_slips(session, actor, brand, parameters.id)
    return HTMLResponse(page, headers=PRINTED)
