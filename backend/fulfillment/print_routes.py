"""What is printed of several orders, labels and packing slips. The platform has neither."""

from typing import Annotated

from fastapi import APIRouter, Response
from fastapi.responses import HTMLResponse
from pydantic import Field

from backend.edge.dependencies import Db, ShopSettings
from backend.edge.errors import REFUSALS
from backend.edge.query import read_query
from backend.edge.requests import WireRoute
from backend.edge.schemas import Name, Parameters
from backend.fulfillment.printing import merged_labels, packing_slips
from backend.office_settings import read_effective_settings
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: orders"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_ORDERS),
)
PRINTED = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
}


class PrintedOrders(Parameters):
    """Which orders, in the order in which they are printed."""

    id: Annotated[list[Name], Field(min_length=1, max_length=100)]


@router.get(
    "/order-labels",
    response_class=Response,
    responses={200: {"content": {"application/pdf": {}}, "description": "The labels, one after the other."}},
)
async def print_labels(
    actor: StaffMember, asked: Annotated[PrintedOrders, read_query(PrintedOrders)], database: Db
) -> Response:
    """The labels of these orders to print, as one document. Orders without one are left out."""
    merged = await merged_labels(database, actor, asked.id)
    headers = {"Content-Disposition": 'inline; filename="guias.pdf"', "Cache-Control": "no-store"}
    return Response(merged, media_type="application/pdf", headers=headers)


@router.get(
    "/packing-slips",
    response_class=Response,
    responses={200: {"content": {"text/html": {}}, "description": "The slips, a page an order."}},
)
async def print_packing_slips(
    actor: StaffMember,
    asked: Annotated[PrintedOrders, read_query(PrintedOrders)],
    database: Db,
    settings: ShopSettings,
) -> HTMLResponse:
    """What goes into the box of each of these orders, to print: a page an order."""
    async with database.read() as session:
        shop_name = (await read_effective_settings(session, settings)).store_name
        page = await packing_slips(session, actor, shop_name, asked.id)
    return HTMLResponse(page, headers=PRINTED)
