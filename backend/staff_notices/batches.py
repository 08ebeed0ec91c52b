"""Batches of notices: the job that sends all unsent notices of a kind together.

If no batch of the kind was sent recently, a notice is sent after `WINDOW`. Otherwise it waits, so that at most one
batch of a kind is sent in each `PAUSE`.
"""

from datetime import timedelta

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import Database, database_now
from backend.core.events import publish
from backend.core.ids import new_id
from backend.jobs import JobRun, RunAgain, enqueue, job
from backend.rate_limit.limiter import take_turns
from backend.staff_notices.choices import Channel, list_recipients
from backend.staff_notices.events import NoticeMailRequested
from backend.staff_notices.kinds import NoticeKind
from backend.staff_notices.models import StaffNotice
from backend.staff_notices.push.models import SEND_PUSH, PushSubscription
from backend.staff_notices.recording import SEND_BATCH

PAUSE = timedelta(minutes=15)
"""Minimum time between two batches of a kind."""


class NoticeBatches:
    """Job handler that sends notices to staff in batches."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @job(SEND_BATCH)
    async def send_batch(self, run: JobRun) -> RunAgain | None:
        """Send all unsent notices of the same kind as the job's notice. Do nothing if that notice was already sent.

        If the previous batch of the kind is more recent than `PAUSE`, run again when this time has passed.
        """
        async with self._database.transaction() as session:
            notice = await session.get(StaffNotice, str(run.key))
            if notice is None:
                return None
            kind = NoticeKind(notice.kind)
            await take_turns(session, f"staff notices {kind}")
            await session.refresh(notice)
            if notice.batch_id is not None:
                return None
            pause = await _find_pause(session, kind)
            if pause > timedelta():
                return RunAgain(pause, reset=True)
            await _send(session, kind)
        return None


async def _find_pause(session: AsyncSession, kind: NoticeKind) -> timedelta:
    """Return the time until the next batch of this kind may be sent; zero or negative if it may be sent now."""
    newest = select(func.max(StaffNotice.batched_at)).where(StaffNotice.kind == kind)
    batched_at = (await session.execute(newest)).scalar_one()
    return timedelta() if batched_at is None else batched_at + PAUSE - await database_now(session)


async def _send(session: AsyncSession, kind: NoticeKind) -> None:
    """Put the unsent notices of this kind into a batch, and request its mails and push messages."""
    batch_id, moment = new_id("batch"), await database_now(session)
    unsent = (StaffNotice.kind == kind) & StaffNotice.batch_id.is_(None)
    await session.execute(
        update(StaffNotice)
        .where(unsent)
        .values(batch_id=batch_id, batched_at=moment)
        .execution_options(synchronize_session=False)
    )
    for member in await list_recipients(session, kind, Channel.MAIL):
        await publish(session, NoticeMailRequested(batch_id, member.id))
    members = [member.id for member in await list_recipients(session, kind, Channel.PUSH)]
    subscriptions = select(PushSubscription.id).where(PushSubscription.staff_id.in_(members))
    for subscription_id in (await session.execute(subscriptions)).scalars():
        await enqueue(session, SEND_PUSH, key=f"{batch_id} {subscription_id}")
