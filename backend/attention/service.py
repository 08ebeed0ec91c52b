"""Attention: create rows that staff must resolve, and resolve each once.

Other packages know the effects of a decision on orders, stock, payments and labels: they provide a `Resolver` for
each kind. The attention row is always locked after its subject (such as a payment or an order), to avoid deadlocks
with code that creates a row while it holds the lock of the subject.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy import bindparam, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.descriptions import AHEAD_S
from backend.attention.kinds import RULES, Action, AttentionKind
from backend.attention.models import Attention
from backend.audit import Subject, SubjectType, record
from backend.core.db.database import Database, database_now, lock_rows
from backend.core.db.tables import JsonObject, get_or_404, insert_into
from backend.core.errors import Conflict, InvalidData
from backend.core.events import publish, subscribe
from backend.core.money import Cop
from backend.core.texts import _
from backend.jobs import JobFailed, MomentsPulledBack, dismiss_job, retry_job
from backend.staff.rights import SHOP, Actor, Right

_OPEN = lock_rows(
    select(Attention).where(
        Attention.kind == bindparam("kind"),
        Attention.subject_id == bindparam("subject_id"),
        Attention.resolved_at.is_(None),
    )
)


@dataclass(frozen=True, slots=True)
class AttentionRaised:
    """Event: an attention row was created. Published in the transaction that creates it."""

    attention_id: str


async def raise_attention(
    session: AsyncSession,
    kind: AttentionKind,
    *,
    message: str,
    subject_id: str | None = None,
    amount: Cop | None = None,
    order_id: str | None = None,
    payment_session_id: str | None = None,
    fulfillment_id: str | None = None,
    data: JsonObject | None = None,
) -> None:
    """Create an attention row for a staff member to resolve. If a row of the same kind and subject is open, do nothing.

    Args:
        kind: determines the deadline and the allowed actions.
        message: what happened, for programs and logs, in English.
        subject_id: the id of the subject; by default the first given id of `fulfillment_id`, `payment_session_id`
            and `order_id`.
        amount: the disputed money, in whole pesos.
        order_id: the order, if any.
        payment_session_id: the payment session, if any.
        fulfillment_id: the fulfillment, if any.
        data: further data for the decision, and for the sentence in the office: see
            `backend.attention.descriptions`.
    """
    row = Attention(
        kind=kind,
        subject_id=subject_id or fulfillment_id or payment_session_id or order_id or "",
        message=message,
        amount=amount,
        order_id=order_id,
        payment_session_id=payment_session_id,
        fulfillment_id=fulfillment_id,
        data=data or {},
        due_at=await database_now(session) + RULES[kind].within,
    )
    values: dict[str, Any] = row.model_dump()
    new = (
        insert_into(Attention)
        .values(values)
        .on_conflict_do_nothing(
            index_elements=["kind", "subject_id"], index_where=text("resolved_at IS NULL")
        )
    )
    if (await session.execute(new.returning(Attention.id))).scalar_one_or_none() is not None:
        await publish(session, AttentionRaised(row.id))


async def close_attention(session: AsyncSession, kind: AttentionKind, subject_id: str, *, note: str) -> None:
    """Close the open attention row of this kind and subject, if there is one, because no decision is needed any more.

    The row is stored as dismissed by the shop itself, with the note.
    """
    row = (await session.execute(_OPEN, {"kind": kind, "subject_id": subject_id})).scalar_one_or_none()
    if row is not None:
        row.resolved_at, row.resolved_by = await database_now(session), SHOP.id
        row.resolution, row.note = Action.DISMISSED, note
        await session.flush()


async def is_dismissed(session: AsyncSession, kind: AttentionKind, subject_id: str) -> bool:
    """Return True if a staff member has dismissed an attention row of this kind and subject."""
    rows = select(Attention.id).where(
        Attention.kind == kind,
        Attention.subject_id == subject_id,
        Attention.resolution == Action.DISMISSED,
        Attention.resolved_by != SHOP.id,
    )
    return (await session.execute(rows.limit(1))).first() is not None


async def is_resolved_by_staff(session: AsyncSession, kind: AttentionKind, subject_id: str) -> bool:
    """Return True if a staff member has resolved an attention row of this kind and subject."""
    rows = select(Attention.id).where(
        Attention.kind == kind,
        Attention.subject_id == subject_id,
        Attention.resolved_at.is_not(None),
        Attention.resolved_by != SHOP.id,
    )
    return (await session.execute(rows.limit(1))).first() is not None


@subscribe(JobFailed)
async def report_failed_job(session: AsyncSession, event: JobFailed) -> None:
    """Open an attention row for a job that failed permanently."""
    await raise_attention(
        session,
        AttentionKind.JOB_FAILED,
        subject_id=str(event.job_id),
        message=f"The job {event.kind} was given up: {event.error}",
        data={"kind": event.kind, "key": event.key},
    )


@subscribe(MomentsPulledBack)
async def report_clock(session: AsyncSession, event: MomentsPulledBack) -> None:
    """Open an attention row, unless one is open: the clock of a server was set back."""
    counts = ", ".join(f"{count} of {name}" for name, count in sorted(event.counts.items()))
    ahead = timedelta(seconds=round(event.ahead.total_seconds()))
    await raise_attention(
        session,
        AttentionKind.CLOCK_PUT_BACK,
        subject_id="clock",
        message=f"A clock was put back. Moments up to {ahead} too late were pulled back: {counts}",
        data={"counts": dict(event.counts), AHEAD_S: round(event.ahead.total_seconds())},
    )


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of a staff member.

    Attributes:
        by: the staff member who made it.
        reference: reference of the bank transfer of the refund.
        label: the fields of the label that staff found at the carrier. It is used only if the shop does not know
            whether the carrier created a label.
    """

    action: Action
    by: Actor
    reference: str | None = None
    note: str | None = None
    label: JsonObject = field(default_factory=dict)


class Resolver:
    """The effects of decisions on attention rows of one kind.

    If a method other than `finish` raises an error, the row stays open.
    """

    async def prepare(self, row: Attention, decision: Decision) -> None:
        """Make the calls to external services that must precede the decision. No transaction is open."""

    async def lock(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """Lock what the decision changes, such as the order or the payment, before the attention row is locked."""

    async def apply(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """Apply the decision; the row is locked and still open."""

    async def finish(self, row: Attention, decision: Decision) -> None:
        """Make the calls to external services that must follow the decision.

        The row is already resolved, and no transaction is open.
        """


class NothingToRun(InvalidData):
    """The job cannot be run again: it no longer exists, or has already run."""

    staff_text = _("Esta tarea ya corrió o ya no existe: no hay que hacer nada.")


class FailedJob(Resolver):
    """Resolver of failed jobs: `honor` runs the job again, `dismissed` deletes it (see `dismiss_job`)."""

    async def apply(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """Apply the decision (see `Resolver`).

        Raises:
            NothingToRun: for `honor`, the job no longer exists or has already run.
        """
        job_id = int(row.subject_id)
        if decision.action is Action.DISMISSED:
            await dismiss_job(session, job_id)
        elif not await retry_job(session, job_id):
            raise NothingToRun("This job is done or gone: there is nothing to run. Dismiss it with a note")


class AttentionService:
    """Service that resolves each attention row with the resolver of its kind.

    If a kind has no resolver, only the decision is stored.
    """

    def __init__(self, database: Database, resolvers: Mapping[AttentionKind, Resolver]) -> None:
        self.database = database
        self._resolvers = {AttentionKind.JOB_FAILED: FailedJob(), **resolvers}

    async def resolve(self, attention_id: str, decision: Decision) -> Attention:
        """Apply a decision to the attention row with this id. A row is resolved only once.

        Raises:
            Forbidden: the actor may not resolve attention rows, or may not book the refund that `refunded`
                needs.
            NotFound: the row does not exist.
            Conflict: the row is already resolved.
            InvalidData: the kind does not allow the action, or the action lacks its reference or note.
            ShopError: an error of the kind's resolver; the row stays open.
        """
        decision.by.require(Right.RESOLVE_ATTENTION)
        if decision.action is Action.REFUNDED:
            decision.by.require(Right.BOOK_REFUNDS)
        async with self.database.read() as session:
            row = await read_attention(session, attention_id)
        require_open(row)
        require_complete(row, decision)
        resolver = self._resolvers.get(AttentionKind(row.kind)) or Resolver()
        await resolver.prepare(row, decision)
        async with self.database.transaction() as session:
            await resolver.lock(session, row, decision)
            row = await read_attention(session, attention_id, lock=True)
            require_open(row)
            subject = (
                Subject(SubjectType.ORDER, row.order_id)
                if row.order_id
                else Subject(SubjectType.ATTENTION, row.id)
            )
            await record(session, decision.by, "resolved", subject)
            await resolver.apply(session, row, decision)
            row.resolved_at = await database_now(session)
            row.resolved_by, row.resolution = decision.by.id, decision.action
            row.reference, row.note = decision.reference, decision.note
        await resolver.finish(row, decision)
        return row


async def read_attention(session: AsyncSession, attention_id: str, *, lock: bool = False) -> Attention:
    """Return the attention row with this id; with `lock`, lock it.

    Raises:
        NotFound: the row does not exist.
    """
    query = select(Attention).where(Attention.id == attention_id)
    return await get_or_404(session, lock_rows(query) if lock else query, "Attention", attention_id)


def require_open(row: Attention) -> None:
    """Check that the attention row is open.

    Raises:
        Conflict: the row is already resolved.
    """
    if row.resolved_at is not None:
        raise Conflict(f"Attention {row.id} is resolved already: {row.resolution} by {row.resolved_by}")


def require_complete(row: Attention, decision: Decision) -> None:
    """Check that the kind allows the action, and that a refund has its reference and a dismissal its note.

    Raises:
        InvalidData: the message names the allowed actions, or what is missing.
    """
    allowed = RULES[AttentionKind(row.kind)].actions
    if decision.action not in allowed:
        raise InvalidData(f"{row.kind} allows {', '.join(allowed)}, not {decision.action}")
    if decision.action is Action.REFUNDED and not decision.reference:
        raise InvalidData("refunded needs `reference`: the reference of the bank transfer")
    if decision.action is Action.DISMISSED and not decision.note:
        raise InvalidData("dismissed needs `note`: the reason why nothing needs to be done")
