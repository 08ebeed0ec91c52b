"""The queue of jobs: enqueue and cancel jobs in the caller's transaction, retry failed ones, and read statistics."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, Float, bindparam, case, delete, event, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Session

from backend.core.clock import now
from backend.core.db.database import UtcDateTime, database_now, db_now, db_now_in
from backend.core.db.tables import Json, insert_into, table_of
from backend.jobs.kinds import pause_of
from backend.jobs.models import Job

_ENQUEUED = "jobs.enqueued"
_wakers: WeakKeyDictionary[Engine | Connection, list[Callable[[], None]]] = WeakKeyDictionary()


async def enqueue(
    session: AsyncSession,
    kind: str,
    payload: Mapping[str, Any] | None = None,
    *,
    key: str | None = None,
    after: timedelta | None = None,
) -> None:
    """Enqueue a job of this kind. It runs after the commit and, with `after`, not before this time has passed.

    With a `key` there is at most one job of this kind and key. If it exists, it gets the new payload and the
    earlier of the two times. If it is running, it runs again afterwards, even if the current run fails. If it was
    given up, it is retried and its failures are counted from zero. A payload is JSON and must not contain a secret.
    """
    await session.execute(_ENQUEUE, _row(kind, payload, key, after))
    session.info[_ENQUEUED] = True


def enqueue_in(
    session: Session,
    kind: str,
    payload: Mapping[str, Any] | None = None,
    *,
    key: str | None = None,
    after: timedelta | None = None,
) -> None:
    """Enqueue a job like `enqueue`, for listeners of SQLAlchemy session events, which cannot await."""
    session.execute(_ENQUEUE, _row(kind, payload, key, after))
    session.info[_ENQUEUED] = True


def _row(
    kind: str, payload: Mapping[str, Any] | None, key: str | None, after: timedelta | None
) -> dict[str, Any]:
    return {
        "kind": kind,
        "key": key,
        "payload": dict(payload or {}),
        "seconds": after.total_seconds() if after else 0.0,
        "created_at": now(),
    }


async def cancel_job(session: AsyncSession, kind: str, key: str) -> None:
    """Delete the job of this kind and key, so that it does not run (again). Do nothing if there is none."""
    await session.execute(_CANCEL, {"kind": kind, "key": key})


def wake_on_commit(engine: Engine, wake: Callable[[], None]) -> None:
    """Call `wake` each time this process commits new jobs to this database."""
    _wakers.setdefault(engine, []).append(wake)


def stop_waking(engine: Engine, wake: Callable[[], None]) -> None:
    """Undo `wake_on_commit`, which was called with the same arguments."""
    _wakers[engine].remove(wake)


@event.listens_for(Session, "after_commit")
def _wake_workers(session: Session) -> None:
    if session.info.get(_ENQUEUED):
        for wake in _wakers.get(session.get_bind(), []):
            wake()


def _earlier_of(one: Any, other: Any) -> Any:
    return case((other < one, other), else_=one)


def _enqueue_statement() -> Any:
    """Build the statement that enqueues a job. It is built once, because building it takes longer than running it."""
    due = db_now_in(bindparam("seconds", type_=Float))
    table = table_of(Job)
    job = table.c
    insert = insert_into(table).values(
        kind=bindparam("kind"),
        key=bindparam("key"),
        payload=bindparam("payload", type_=Json),
        run_at=due,
        delay_s=bindparam("seconds", type_=Float),
        attempts=0,
        failures=0,
        created_at=bindparam("created_at", type_=UtcDateTime()),
    )
    new, is_claimed = insert.excluded, job.claim.is_not(None)
    return insert.on_conflict_do_update(
        index_elements=["kind", "key"],
        set_={
            "payload": new.payload,
            "run_at": case(
                (is_claimed, job.run_at),
                (job.failed_at.is_not(None), new.run_at),
                else_=_earlier_of(job.run_at, new.run_at),
            ),
            "delay_s": case(
                (is_claimed, job.delay_s),
                (or_(job.failed_at.is_not(None), new.run_at < job.run_at), new.delay_s),
                else_=job.delay_s,
            ),
            "again_delay_s": case(
                (is_claimed, case((job.again_at < new.run_at, job.again_delay_s), else_=new.delay_s))
            ),
            "again_at": case((is_claimed, _earlier_of(func.coalesce(job.again_at, new.run_at), new.run_at))),
            "failures": case((job.failed_at.is_not(None), 0), else_=job.failures),
            "failed_at": None,
            "failing_since": None,
        },
    )


_ENQUEUE = _enqueue_statement()
_CANCEL = delete(table_of(Job)).where(Job.kind == bindparam("kind"), Job.key == bindparam("key"))


async def retry_job(session: AsyncSession, job_id: int) -> bool:
    """Run a given-up job again immediately. Return True if the job exists and was given up."""
    session.info[_ENQUEUED] = True
    again = _REVIVE.where(Job.id == job_id).values(run_at=db_now(), delay_s=0.0).returning(Job.id)
    return (await session.execute(again)).first() is not None


async def dismiss_job(session: AsyncSession, job_id: int) -> None:
    """Delete a job that was given up. Do nothing if there is none with this id.

    Periodic work is not deleted: it runs again after its pause.
    """
    given_up = (Job.id == job_id) & Job.failed_at.is_not(None)
    kind = (await session.execute(select(Job.kind).where(given_up))).scalar_one_or_none()
    if kind is None:
        return
    if (pause := pause_of(kind)) is not None:
        revived = _REVIVE.where(Job.id == job_id)
        await session.execute(revived.values(run_at=db_now(pause), delay_s=pause.total_seconds()))
    else:
        await session.execute(delete(Job).where(given_up).execution_options(synchronize_session=False))


_REVIVE = (
    update(Job)
    .where(Job.failed_at.is_not(None))
    .values(failed_at=None, failing_since=None, failures=0)
    .execution_options(synchronize_session=False)
)


@dataclass(frozen=True, slots=True)
class JobStats:
    """Numbers of jobs of one kind.

    Attributes:
        waiting: jobs to be done, now or later.
        late_seconds: seconds for which the oldest due job has waited; 0 if none is due.
        failing: jobs whose latest run failed and that will be retried.
        failed: jobs that were given up.
    """

    kind: str
    waiting: int
    late_seconds: float
    failing: int
    failed: int


async def read_stats(session: AsyncSession) -> list[JobStats]:
    """Return the job statistics of each kind, in alphabetical order. Kinds without jobs are left out."""
    moment = await database_now(session)
    open_jobs = Job.failed_at.is_(None)
    rows = await session.execute(
        select(
            Job.kind,
            func.count().filter(open_jobs),
            func.min(Job.run_at).filter(open_jobs, Job.claim.is_(None)),
            func.count().filter(open_jobs, Job.failures > 0),
            func.count().filter(~open_jobs),
        )
        .group_by(Job.kind)
        .order_by(Job.kind)
    )
    return [
        JobStats(kind, waiting, _late_seconds(oldest, moment), failing, failed)
        for kind, waiting, oldest, failing, failed in rows
    ]


def _late_seconds(oldest: datetime | None, moment: datetime) -> float:
    return max(0.0, (moment - oldest).total_seconds()) if oldest is not None else 0.0
