"""What staff must resolve, over the Admin API."""

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
from backend.edge.dependencies import Db, Shown
from backend.edge.errors import REFUSALS
from backend.edge.query import in_order, paging, pick_each, read_query, rows_of
from backend.edge.requests import WireRoute
from backend.edge.wire import Wire
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin/attention",
    route_class=WireRoute,
    tags=["admin: attention"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_ATTENTION),
)

SORTABLE = {"created_at": Attention.created_at, "due_at": Attention.due_at, "amount": Attention.amount}


def attention_service(request: Request) -> AttentionService:
    """The attention service of the running shop."""
    service: AttentionService = request.app.state.attention
    return service


@router.get("")
async def list_attention(
    asked: Annotated[AttentionParameters, read_query(AttentionParameters)], database: Db
) -> Wire[AttentionsAnswer]:
    """What somebody must resolve, the most urgent first; what is resolved comes last."""
    urgent_first = [Attention.resolved_at.desc().nulls_first(), Attention.due_at.asc(), Attention.id.asc()]
    order = in_order(asked.order, SORTABLE, urgent_first)
    async with database.read() as session:
        rows, count = await rows_of(session, Attention, _conditions(asked), order, asked)
    return Wire({"attention": pick_each(map(attention_wire, rows), asked), **paging(count, asked)})


@router.get("/{attention_id}")
async def read(attention_id: str, database: Db, fields: Shown) -> Wire[AttentionAnswer]:
    """One row."""
    async with database.read() as session:
        row = await read_attention(session, attention_id)
    return Wire({"attention": fields.pick(attention_wire(row))})


@router.post("/{attention_id}/resolve")
async def resolve(
    attention_id: str,
    body: NewResolution,
    service: Annotated[AttentionService, Depends(attention_service)],
    actor: StaffMember,
    fields: Shown,
) -> Wire[AttentionAnswer]:
    """Decide: `honor`, `refunded` (with the transfer's reference) or `dismissed` (with a note). Done once."""
    decision = Decision(
        action=body.action,
        by=actor,
        reference=body.reference,
        note=body.note,
        label=body.label_found(),
    )
    row = await service.resolve(attention_id, decision)
    return Wire({"attention": fields.pick(attention_wire(row))})


def _conditions(asked: AttentionParameters) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if asked.kind is not None:
        conditions.append(Attention.kind.in_(asked.kind))
    if asked.status is not None:
        is_open = Attention.resolved_at.is_(None)
        conditions.append(is_open if asked.status == "open" else ~is_open)
    if asked.order_id is not None:
        conditions.append(Attention.order_id == asked.order_id)
    return conditions
