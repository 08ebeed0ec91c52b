"""Admin API route that exports a person's data. The commerce platform has no such route."""

from fastapi import APIRouter
from fastapi.responses import Response

from backend.edge.dependencies import Db
from backend.edge.errors import REFUSALS
from backend.privacy.customer_data import MEDIA_TYPES, Format, customer_file
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin/customers",
    tags=["admin: customers"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.EXPORT_PERSONAL_DATA),
)


@router.get("/{customer_id}/export", response_class=Response)
async def export_customer(
    customer_id: str,
    actor: StaffMember,
    database: Db,
    format: Format = Format.CSV,  # noqa: A002 - name of the query parameter
) -> Response:
    """Return all data of the customer or guest, as a CSV table or as JSON."""
    async with database.transaction() as session:
        content = await customer_file(session, actor, customer_id, format)
    headers = {
        "Content-Disposition": f'attachment; filename="cliente.{format}"',
        "Cache-Control": "no-store",
    }
    return Response(content, media_type=MEDIA_TYPES[format], headers=headers)
