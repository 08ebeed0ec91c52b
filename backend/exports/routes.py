"""Fetching a file that was asked for in the office. The platform has no such route: it is our own."""

from urllib.parse import quote

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from backend.edge.dependencies import Db
from backend.edge.errors import REFUSALS
from backend.exports.service import file_of
from backend.staff.access import StaffMember, staff_who_may
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin/exports",
    tags=["admin: exports"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_REPORTS),
)


@router.get("/{export_id}", response_class=StreamingResponse)
async def fetch(export_id: str, actor: StaffMember, database: Db) -> StreamingResponse:
    """The file, for who asked for it, until it expires."""
    file = await file_of(database, actor, export_id)
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(file.name)}",
        "cache-control": "no-store",
    }
    return StreamingResponse(file.pieces, media_type=file.media_type, headers=headers)
