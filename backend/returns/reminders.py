"""Telling the shop of returns that wait for it: before the law's time runs out, and when it is over."""

from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.kinds import RULES, AttentionKind
from backend.attention.service import close_attention, raise_attention
from backend.core.db.database import Database, locked
from backend.jobs import JobRun, cancel, enqueue, job
from backend.orders.service import lock_order
from backend.returns.models import KIND_NAMES, Return, ReturnKind
from backend.returns.states import OPEN, ReturnState

SOON, LATE = "returns.soon", "returns.late"
KINDS = {SOON: AttentionKind.RETURN_DUE, LATE: AttentionKind.RETURN_LATE}


async def schedule(session: AsyncSession, row: Return, moment: datetime) -> None:
    """Have the shop reminded by the return's `due_at`, and by no earlier one. `moment` is now."""
    await be_quiet(session, row)
    left = row.due_at - moment
    await enqueue(
        session, SOON, key=row.id, after=max(left - RULES[AttentionKind.RETURN_DUE].within, timedelta())
    )
    await enqueue(session, LATE, key=row.id, after=max(left, timedelta()))


async def be_quiet(session: AsyncSession, row: Return) -> None:
    """Nobody has to be reminded of the return any more."""
    for kind in (SOON, LATE):
        await cancel(session, kind, row.id)
        await close_attention(session, KINDS[kind], row.id, note=row.state)


class ReturnReminders:
    """The two jobs of every return that is open."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @job(SOON)
    async def soon(self, run: JobRun) -> None:
        """The time is running out."""
        await self._remind(str(run.key), AttentionKind.RETURN_DUE, "must be settled in time")

    @job(LATE)
    async def late(self, run: JobRun) -> None:
        """The time is over."""
        await self._remind(str(run.key), AttentionKind.RETURN_LATE, "is late")

    async def _remind(self, return_id: str, kind: AttentionKind, what: str) -> None:
        of_return = select(Return).where(Return.id == return_id)
        async with self._database.transaction() as session:
            row = (await session.execute(of_return)).scalar_one_or_none()
            if row is None:
                return
            await lock_order(session, row.order_id)
            row = (await session.execute(locked(of_return))).scalar_one()
            if ReturnState(row.state) in OPEN:
                name = KIND_NAMES[ReturnKind(row.kind)]
                await raise_attention(
                    session,
                    kind,
                    subject_id=row.id,
                    order_id=row.order_id,
                    amount=row.amount,
                    message=f"Return {row.number} ({name}) {what}",
                )
