"""Routes to download a requested file, and to request a file of products.

The first route exists only in this shop, the second also on the platform.
"""

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
from backend.exports.service import open_export_file, request_export
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Right

MAX_QUERY_LENGTH = 8000

router = APIRouter(
    prefix="/admin/exports",
    tags=["admin: exports"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_REPORTS),
)


platform_router = APIRouter(
    prefix="/admin/products",
    route_class=WireRoute,
    tags=["admin: exports"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_REPORTS),
)


class Nothing(Body):
    """The platform's request body of an export, which is empty."""

    model_config = example()


class ExportBegun(TypedDict):
    """A requested file; a notification reports when it is complete."""

    transaction_id: str


@platform_router.post("/export", status_code=202)
async def export_products(
    actor: StaffMember,
    request: Request,
    database: Db,
    _asked: Annotated[AdminProductsParameters, read_query(AdminProductsParameters)],
    _body: Nothing | None = None,
) -> Wire[ExportBegun]:
    """Request a CSV of all products that match the query. Paging in the query is ignored.

    When the file is complete, it is in the feed of `GET /admin/notifications`, and at
    `/admin/exports/{transaction_id}`.
    """
    query = request.url.query[:MAX_QUERY_LENGTH]
    async with database.transaction() as session:
        export_id = await request_export(session, actor, PLATFORM, FileFormat.CSV, query=query)
    return Wire({"transaction_id": export_id}, 202)


@router.get("/{export_id}", response_class=StreamingResponse)
async def fetch(export_id: str, actor: StaffMember, database: Db) -> StreamingResponse:
    """Return the file to the staff member who requested it, until it expires."""
    file = await open_export_file(database, actor, export_id)
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(file.name)}",
        "cache-control": "no-store",
    }
    return StreamingResponse(file.pieces, media_type=file.media_type, headers=headers)
