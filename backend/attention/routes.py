"""Routes of attention in the Admin API."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from sqlalchemy import ColumnElement

from backend.attention.models import Attention
from backend.attention.schemas import (
    AttentionAnswer,
    AttentionParameters,
    AttentionsAnswer,
    NewResolution,
    attention_wire,
)
from backend.attention.service import AttentionService, Decision, read_attention
from backend.edge.dependencies import Db, RequestedFields
from backend.edge.errors import REFUSALS
from backend.edge.query import order_clauses, paging_fields, pick_each, read_page, read_query
from backend.edge.requests import WireRoute
from backend.edge.wire import Wire
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin/attention",
    route_class=WireRoute,
    tags=["admin: attention"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_ATTENTION),
)

SORTABLE = {"created_at": Attention.created_at, "due_at": Attention.due_at, "amount": Attention.amount}


def attention_service(request: Request) -> AttentionService:
    """Return the attention service of the running shop."""
    service: AttentionService = request.app.state.attention
    return service


@router.get("")
async def list_attention(
    params: Annotated[AttentionParameters, read_query(AttentionParameters)], database: Db
) -> Wire[AttentionsAnswer]:
    """Return a page of attention rows: open rows first, the most urgent on top, then resolved rows."""
    urgent_first = [Attention.resolved_at.desc().nulls_first(), Attention.due_at.asc(), Attention.id.asc()]
    order = order_clauses(params.order, SORTABLE, urgent_first)
    async with database.read() as session:
        rows, count = await read_page(session, Attention, _conditions(params), order, params)
    return Wire({"attention": pick_each(map(attention_wire, rows), params), **paging_fields(count, params)})


@router.get("/{attention_id}")
async def read(attention_id: str, database: Db, fields: RequestedFields) -> Wire[AttentionAnswer]:
    """Return one attention row."""
    async with database.read() as session:
        row = await read_attention(session, attention_id)
    return Wire({"attention": fields.pick(attention_wire(row))})


@router.post("/{attention_id}/resolve")
async def resolve(
    attention_id: str,
    body: NewResolution,
    service: Annotated[AttentionService, Depends(attention_service)],
    actor: StaffMember,
    fields: RequestedFields,
) -> Wire[AttentionAnswer]:
    """Resolve an attention row, once.

    The action is `honor`, `refunded` (with the reference of the bank transfer) or `dismissed` (with a note).
    """
    decision = Decision(
        action=body.action,
        by=actor,
        reference=body.reference,
        note=body.note,
        label=body.label_found(),
    )
    row = await service.resolve(attention_id, decision)
    return Wire({"attention": fields.pick(attention_wire(row))})


def _conditions(params: AttentionParameters) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if params.kind is not None:
        conditions.append(Attention.kind.in_(params.kind))
    if params.status is not None:
        is_open = Attention.resolved_at.is_(None)
        conditions.append(is_open if params.status == "open" else ~is_open)
    if params.order_id is not None:
        conditions.append(Attention.order_id == params.order_id)
    return conditions
