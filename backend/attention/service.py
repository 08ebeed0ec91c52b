"""Raising what a person must settle."""

from typing import Any

from sqlalchemy import bindparam, select, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.events import AttentionRaised
from backend.attention.kinds import RULES, Action, AttentionKind
from backend.attention.models import Attention
from backend.database import database_now, locked
from backend.events import publish, subscribe
from backend.jobs import JobFailed
from backend.money import Cop
from backend.tables import JsonObject

BY_ITSELF = "shop"
"""Who resolved a row that settled itself."""

_OPEN = locked(
    select(Attention).where(
        Attention.kind == bindparam("kind"),
        Attention.subject_id == bindparam("subject_id"),
        Attention.resolved_at.is_(None),
    )
)


async def raise_attention(
    session: AsyncSession,
    kind: AttentionKind,
    *,
    subject_id: str,
    message: str,
    amount: Cop | None = None,
    order_id: str | None = None,
    payment_session_id: str | None = None,
    fulfillment_id: str | None = None,
    data: JsonObject | None = None,
) -> None:
    """Note that a person must settle this. While a row of the same kind and subject is open, nothing happens."""
    row = Attention(
        kind=kind,
        subject_id=subject_id,
        message=message,
        amount=amount,
        order_id=order_id,
        payment_session_id=payment_session_id,
        fulfillment_id=fulfillment_id,
        data=data or {},
        due_at=await database_now(session) + RULES[kind].within,
    )
    values: dict[str, Any] = row.model_dump()
    insert = (sqlite if session.get_bind().dialect.name == "sqlite" else postgresql).insert(Attention)
    new = insert.values(values).on_conflict_do_nothing(
        index_elements=["kind", "subject_id"], index_where=text("resolved_at IS NULL")
    )
    if (await session.execute(new.returning(Attention.id))).scalar_one_or_none() is not None:
        await publish(session, AttentionRaised(row.id))


async def close_attention(session: AsyncSession, kind: AttentionKind, subject_id: str, *, note: str) -> None:
    """What was to be settled has settled itself. Nothing happens where nothing of the kind and subject is open."""
    row = (await session.execute(_OPEN, {"kind": kind, "subject_id": subject_id})).scalar_one_or_none()
    if row is not None:
        row.resolved_at, row.resolved_by = await database_now(session), BY_ITSELF
        row.resolution, row.note = Action.DISMISSED, note
        await session.flush()


@subscribe(JobFailed)
async def job_failed(session: AsyncSession, event: JobFailed) -> None:
    """A job was given up."""
    await raise_attention(
        session,
        AttentionKind.JOB_FAILED,
        subject_id=str(event.job_id),
        message=f"The job {event.kind} was given up: {event.error}",
        data={"kind": event.kind, "key": event.key},
    )
