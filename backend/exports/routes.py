"""Fetching a file that was asked for (a route of our own), and the platform's way to ask for one of products."""

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from typing_extensions import TypedDict

from backend.catalog.schemas.admin import AdminProductsParameters
from backend.edge.dependencies import Db
from backend.edge.errors import REFUSALS
from backend.edge.query import read_query
from backend.edge.requests import WireRoute
from backend.edge.schemas import Body, example
from backend.edge.wire import Wire
from backend.exports.kinds import PLATFORM
from backend.exports.models import FileFormat
from backend.exports.service import ask_for, file_of
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import Right

LONGEST_QUERY = 8000

router = APIRouter(
    prefix="/admin/exports",
    tags=["admin: exports"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_REPORTS),
)


platform_router = APIRouter(
    prefix="/admin/products",
    route_class=WireRoute,
    tags=["admin: exports"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_REPORTS),
)


class Nothing(Body):
    """The platform's body of an export says nothing."""

    model_config = example()


class ExportBegun(TypedDict):
    """The file that is being made; a notification says when it is done."""

    transaction_id: str


@platform_router.post("/export", status_code=202)
async def export_products(
    actor: StaffMember,
    request: Request,
    database: Db,
    _asked: Annotated[AdminProductsParameters, read_query(AdminProductsParameters)],
    _body: Nothing | None = None,
) -> Wire[ExportBegun]:
    """Have a table (CSV) made of the products that are asked for, whatever page of them.

    Once it is done, it is in the feed of `GET /admin/notifications`, and at `/admin/exports/{transaction_id}`.
    """
    query = request.url.query[:LONGEST_QUERY]
    async with database.transaction() as session:
        export_id = await ask_for(session, actor, PLATFORM, FileFormat.CSV, query=query)
    return Wire({"transaction_id": export_id}, 202)


@router.get("/{export_id}", response_class=StreamingResponse)
async def fetch(export_id: str, actor: StaffMember, database: Db) -> StreamingResponse:
    """The file, for who asked for it, until it expires."""
    file = await file_of(database, actor, export_id)
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(file.name)}",
        "cache-control": "no-store",
    }
    return StreamingResponse(file.pieces, media_type=file.media_type, headers=headers)
