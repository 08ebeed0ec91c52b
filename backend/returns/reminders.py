"""Reminders of returns that wait for the shop: before the legal deadline, and after it."""

from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.descriptions import TITLE
from backend.attention.kinds import RULES, AttentionKind
from backend.attention.service import close_attention, raise_attention
from backend.core.db.database import Database, lock_rows
from backend.jobs import JobRun, cancel_job, enqueue, job
from backend.orders.service import lock_order
from backend.returns.models import KIND_NAMES, Return, ReturnKind
from backend.returns.states import OPEN, ReturnState

SOON, LATE = "returns.soon", "returns.late"
ATTENTION_KINDS = {SOON: AttentionKind.RETURN_DUE, LATE: AttentionKind.RETURN_LATE}


async def schedule_reminders(session: AsyncSession, row: Return, moment: datetime) -> None:
    """Schedule the reminders for the return's deadline `due_at`, and cancel earlier reminders.

    `moment` is the current time.
    """
    await cancel_reminders(session, row)
    left = row.due_at - moment
    await enqueue(
        session, SOON, key=row.id, after=max(left - RULES[AttentionKind.RETURN_DUE].within, timedelta())
    )
    await enqueue(session, LATE, key=row.id, after=max(left, timedelta()))


async def cancel_reminders(session: AsyncSession, row: Return) -> None:
    """Cancel the return's reminder jobs, and close the attention rows that they opened."""
    for kind in (SOON, LATE):
        await cancel_job(session, kind, row.id)
        await close_attention(session, ATTENTION_KINDS[kind], row.id, note=row.state)


class ReturnReminders:
    """Handlers of the two reminder jobs that each open return has."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @job(SOON)
    async def remind_before_deadline(self, run: JobRun) -> None:
        """Remind staff of an open return before its deadline."""
        await self._remind(str(run.key), AttentionKind.RETURN_DUE, "must be resolved in time")

    @job(LATE)
    async def remind_after_deadline(self, run: JobRun) -> None:
        """Remind staff of an open return after its deadline."""
        await self._remind(str(run.key), AttentionKind.RETURN_LATE, "is late")

    async def _remind(self, return_id: str, kind: AttentionKind, problem: str) -> None:
        of_return = select(Return).where(Return.id == return_id)
        async with self._database.transaction() as session:
            row = (await session.execute(of_return)).scalar_one_or_none()
            if row is None:
                return
            await lock_order(session, row.order_id)
            row = (await session.execute(lock_rows(of_return))).scalar_one()
            if ReturnState(row.state) in OPEN:
                name = KIND_NAMES[ReturnKind(row.kind)]
                await raise_attention(
                    session,
                    kind,
                    subject_id=row.id,
                    order_id=row.order_id,
                    amount=row.amount,
                    message=f"Return {row.number} ({name}) {problem}",
                    data={TITLE: f"{name} {row.number}"},
                )
