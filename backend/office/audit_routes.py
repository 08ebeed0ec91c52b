"""Admin API of the audit log. The commerce platform has no such routes: the format is the shop's own."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse
from typing_extensions import TypedDict

from backend.edge.dependencies import Db
from backend.edge.errors import REFUSALS
from backend.edge.requests import WireRoute
from backend.edge.wire import Wire
from backend.office.audit import AuditFilter, AuditRow, audit_entries, audit_file
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin/audit",
    route_class=WireRoute,
    tags=["admin: audit"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_AUDIT),
)

file_router = APIRouter(
    prefix="/admin/audit",
    tags=["admin: audit"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_AUDIT),
)

QueryText = Annotated[str, Query(max_length=200)]


class ChangeOut(TypedDict):
    """A field that was changed, with its values before and after."""

    field: str
    before: str
    after: str


class EntryOut(TypedDict):
    """An entry of the audit log."""

    id: str
    who: str
    actor_id: str
    did: str
    subject_id: str
    when: str
    changes: list[ChangeOut]


class EntriesAnswer(TypedDict):
    """A page of audit entries. `cursor` reads the next page; null at the end."""

    audit: list[EntryOut]
    cursor: str | None


@router.get("")
async def list_entries(
    *,
    actor: StaffMember,
    database: Db,
    actor_id: QueryText = "",
    subject_id: QueryText = "",
    since: QueryText = "",
    until: QueryText = "",
    cursor: QueryText = "",
) -> Wire[EntriesAnswer]:
    """Return a page of audit entries, the newest first.

    `since` and `until` are days in Colombia. `cursor` is the `cursor` of the previous page's response.
    """
    audit_filter = AuditFilter(actor_id, subject_id, since, until)
    async with database.read() as session:
        page = await audit_entries(session, actor, audit_filter, cursor)
    return Wire({"audit": [_entry_out(row) for row in page.rows], "cursor": page.cursor or None})


@file_router.get("/export", response_class=StreamingResponse)
async def export(
    *,
    actor: StaffMember,
    database: Db,
    actor_id: QueryText = "",
    subject_id: QueryText = "",
    since: QueryText = "",
    until: QueryText = "",
) -> StreamingResponse:
    """Return the filtered audit entries as a CSV file: one line per changed field, without personal values."""
    pieces = audit_file(database, actor, AuditFilter(actor_id, subject_id, since, until))
    head = await anext(pieces)  # raises its errors before the response begins

    async def whole() -> AsyncIterator[str]:
        yield head
        async for piece in pieces:
            yield piece

    disposition = {"content-disposition": 'attachment; filename="auditoria.csv"', "cache-control": "no-store"}
    return StreamingResponse(whole(), media_type="text/csv; charset=utf-8", headers=disposition)


def _entry_out(row: AuditRow) -> EntryOut:
    return {
        "id": row.id,
        "who": row.actor_name,
        "actor_id": row.actor_id,
        "did": row.sentence,
        "subject_id": row.subject,
        "when": row.moment_label,
        "changes": [{"field": one.field, "before": one.before, "after": one.after} for one in row.changes],
    }
