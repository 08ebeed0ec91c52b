"""The worker, which runs due jobs. Every replica has a worker; the workers share the jobs.

- At least once: a job is deleted after it is done. If the process dies before that, the job runs again.
- One worker per job: a claim selects only due jobs (`SKIP LOCKED` on PostgreSQL), and makes them due again only
  when the claim ends.
- A failing job does not stop others: each runs in a separate task with a time limit.
- A claim that expired counts as a failure, because the process was killed, perhaps by the job.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any, cast
from uuid import uuid4

from sqlalchemy import CursorResult, Float, Row, Select, bindparam, case, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import Database, database_now, db_now, db_now_in
from backend.core.db.json_rows import IDS_PARAMETER, json_rows
from backend.core.db.tables import table_of
from backend.core.errors import ShopError
from backend.core.events import publish
from backend.core.observability.logs import log_scope
from backend.core.observability.metrics import JOB_RUNS
from backend.core.observability.tracing import span, trace_fields
from backend.core.outage import DatabaseUnavailable
from backend.jobs.clock_changes import pull_back_jobs
from backend.jobs.kinds import (
    Finished,
    Handler,
    JobFailed,
    JobKind,
    JobRun,
    Result,
    RetryLater,
    collect_handlers,
)
from backend.jobs.models import Job
from backend.jobs.queue import enqueue, stop_waking, wake_on_commit

log = logging.getLogger(__name__)

POLL_INTERVAL_S = 0.5
"""Seconds between two polls of the table without a wake-up: other processes enqueue jobs too."""
SCHEDULE_INTERVAL_S = 60.0
CONCURRENCY = 8
MAX_DUE_JOBS = 64
CLAIM_MARGIN = timedelta(seconds=15)
"""Time for which a claim remains valid after the time limit of its run."""
MAX_ERROR_LENGTH = 500
PROCESS_ENDED = "the process ended while it ran"
"""Error of a job whose claim expired.

While a job has this error, `failures` counts only failures with this error.
"""
MAX_PROCESS_ENDS = 5
"""Maximum number of consecutive runs during which the process ended; then the job is given up, as a possible cause."""
MIN_PERIODIC_PAUSE = timedelta(hours=1)
"""Minimum pause before periodic work that was given up runs again, because it may end the process again."""


def pause_after(failures: int) -> timedelta:
    """Return the pause after the n-th consecutive failure: 1, 2, 4 … seconds, five minutes at most.

    A job that needs another pause raises `RetryLater`.
    """
    return timedelta(seconds=min(2.0 ** min(failures - 1, 9), 300.0))


DueJob = Row[int, str]
"""The id and the kind of a due job."""


@dataclass(frozen=True, slots=True)
class ClaimedJobs:
    """Claimed jobs of one kind that this worker runs together."""

    handler: Handler
    claim: str
    runs: Sequence[JobRun]


class Worker:
    """A worker that claims due jobs and runs them with the job handlers of `services`."""

    def __init__(
        self, database: Database, services: Iterable[object], *, poll_interval_s: float = POLL_INTERVAL_S
    ) -> None:
        self._database = database
        self._handlers = collect_handlers(services)
        self._poll_interval_s = poll_interval_s
        self._woken = asyncio.Event()
        self._loop: asyncio.Task[None] | None = None
        self._running: dict[asyncio.Task[bool], ClaimedJobs] = {}
        self._has_waiting = False
        """True if due jobs may wait until a run ends."""

    def wake(self) -> None:
        """Wake the worker, because there may be new jobs."""
        self._woken.set()

    def start(self) -> None:
        """Start the worker. Do nothing if it is running."""
        if self._loop is None:
            wake_on_commit(self._database.engine.sync_engine, self.wake)
            self._loop = asyncio.create_task(self._run(), name="job worker")

    async def stop(self) -> None:
        """Stop the worker and cancel running jobs; other workers can take them immediately.

        A job that raises another error when it is cancelled counts as failed, so it does not run again immediately.
        """
        loop, self._loop = self._loop, None
        if loop is None:
            return
        stop_waking(self._database.engine.sync_engine, self.wake)
        interrupted = dict(self._running)
        for task in (loop, *interrupted):
            task.cancel()
        await asyncio.gather(loop, *interrupted, return_exceptions=True)
        claims = [claimed.claim for task, claimed in interrupted.items() if task.cancelled()]
        if claims:
            async with self._database.transaction() as session:
                free = (
                    update(Job).where(Job.claim.in_(claims)).values(claim=None, run_at=db_now(), delay_s=0.0)
                )
                await session.execute(free)

    async def run_due(self, *kinds: str) -> int:
        """Run all due jobs one after the other; with `kinds`, only the jobs of these kinds.

        Returns:
            The number of jobs that were run.
        """
        count = 0
        while (due := await self._read_due(self._list_free_kinds(kinds))) and (
            claimed := await self._claim(due, 1)
        ):
            for group in claimed:
                count += len(group.runs)
                await self._run_claimed(group)
        return count

    async def schedule(self) -> None:
        """Enqueue each kind of periodic work that has no job, and correct job times that a wrong clock has set.

        Periodic work that was given up runs again after its pause. It is given up again immediately if the process
        ends during that run.
        """
        await pull_back_jobs(self._database)
        async with self._database.transaction() as session:
            pauses = {
                name: handler.kind.every
                for name, handler in sorted(self._handlers.items())
                if handler.kind.every is not None
            }
            found = await session.execute(select(Job.kind, Job.failed_at).where(Job.kind.in_(pauses)))
            failed_at_by_kind = dict(found.all())
            for name, pause in pauses.items():
                if name not in failed_at_by_kind:
                    await enqueue(session, name, key="")
                elif failed_at_by_kind[name] is not None:
                    await _revive_periodic(session, name, max(pause, MIN_PERIODIC_PAUSE))

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        scheduled_until = loop.time()  # monotonic: not affected when the clock is corrected
        while True:
            self._woken.clear()
            try:
                if loop.time() >= scheduled_until:
                    await self.schedule()
                    scheduled_until = loop.time() + SCHEDULE_INTERVAL_S
                await self._start_due()
            except DatabaseUnavailable:
                pass  # the outage was logged, and the next poll is soon
            except Exception:
                log.exception("polling for jobs failed and is tried again")
            with suppress(TimeoutError):
                async with asyncio.timeout(self._poll_interval_s):
                    await self._woken.wait()

    async def _start_due(self) -> None:
        """Start due jobs. Set `_has_waiting` if more jobs may be due that can only start after a run has ended."""
        self._has_waiting = True
        while (free := CONCURRENCY - len(self._running)) > 0:
            kinds = self._list_free_kinds()
            due = await self._read_due(kinds)
            claimed = await self._claim(due, free)
            for group in claimed:
                self._start(group)
            if not claimed or len(due) < MAX_DUE_JOBS:
                started = sum(len(group.runs) for group in claimed)
                self._has_waiting = len(due) > started or len(kinds) < len(self._handlers)
                return

    def _start(self, claimed: ClaimedJobs) -> None:
        task = asyncio.create_task(self._run_claimed(claimed), name=f"job {claimed.handler.kind.name}")
        self._running[task] = claimed

        def done(task: asyncio.Task[bool]) -> None:
            self._running.pop(task, None)
            # usually the jobs are finished and no other job waits for the end of this run: a poll would find nothing
            if self._has_waiting or task.cancelled() or task.exception() is not None or not task.result():
                self._woken.set()

        task.add_done_callback(done)

    def _list_free_kinds(self, kinds: Sequence[str] = ()) -> list[str]:
        """Return the kinds that may start another run; with `kinds`, only those of them."""
        running = self._count_running()
        return [
            name
            for name, handler in self._handlers.items()
            if (not kinds or name in kinds) and running[name] < handler.kind.concurrency
        ]

    def _count_running(self) -> Counter[str]:
        return Counter(claimed.handler.kind.name for claimed in self._running.values())

    async def _read_due(self, kinds: Sequence[str]) -> Sequence[DueJob]:
        """Return due jobs of these kinds, the oldest first, at most `MAX_DUE_JOBS`. Take no lock."""
        async with self._database.read() as session:
            dialect = session.get_bind().dialect.name
            wanted = {IDS_PARAMETER: json_rows(dialect).ids([*kinds])}
            return (await session.execute(_due_statement(dialect), wanted)).all()

    async def _claim(self, due: Sequence[DueJob], free: int) -> list[ClaimedJobs]:
        """Claim due jobs for at most `free` runs, the oldest first.

        Return an empty list if no job is due, or if other workers claimed them all.
        """
        if not due:
            return []  # the usual case opens no transaction
        groups = self._group_due(due, free)
        async with self._database.transaction() as session:
            claimed = [await _claim_jobs(session, self._handlers[name], ids) for name, ids in groups]
        return [group for group in claimed if group.runs]

    def _group_due(self, due: Iterable[DueJob], free: int) -> list[tuple[str, list[int]]]:
        """Group due jobs into at most `free` runs, without exceeding the concurrency of each kind."""
        groups: list[tuple[str, list[int]]] = []
        batches: dict[str, list[int]] = {}
        planned = self._count_running()
        for job_id, name in due:
            kind = self._handlers[name].kind
            batch = batches.get(name)
            if batch is not None and len(batch) < kind.batch_size:
                batch.append(job_id)
            elif len(groups) < free and planned[name] < kind.concurrency:
                planned[name] += 1
                groups.append((name, [job_id]))
                if kind.batch_size > 1:
                    batches[name] = groups[-1][1]
        return groups

    async def _run_claimed(self, claimed: ClaimedJobs) -> bool:
        """Run the jobs and record the result. Return True if all of them are finished."""
        kind = claimed.handler.kind
        with (
            span(f"job {kind.name}", "consumer"),
            log_scope(job=kind.name, job_id=str(claimed.runs[0].id), **trace_fields()),
        ):
            try:
                async with asyncio.timeout(kind.timeout.total_seconds()):
                    results = await claimed.handler(claimed.runs)
            except Exception as error:  # noqa: BLE001 - after any error the job is tried again and other jobs continue
                JOB_RUNS.labels(kind.name, "failed").inc()
                return await self._record_result(claimed, error=error)
            JOB_RUNS.labels(kind.name, "ok").inc()
            return await self._record_result(claimed, results=results)

    async def _record_result(
        self, claimed: ClaimedJobs, *, results: Sequence[Result] = (), error: Exception | None = None
    ) -> bool:
        """Store the result of a run. Jobs that another worker has claimed in the meantime are not changed.

        Returns:
            True if all jobs of the run are finished and deleted.
        """
        try:
            if error is not None:
                await self._record_failure(claimed, error)
                return False
            async with self._database.transaction() as session:
                finished = [
                    await _finish_job(session, run.id, claimed.claim, result)
                    for run, result in zip(claimed.runs, results, strict=True)
                ]
        except Exception:
            log.exception(
                "the result of jobs of %s was not recorded: they run again", claimed.handler.kind.name
            )
            return False
        return all(finished)

    async def _record_failure(self, claimed: ClaimedJobs, error: Exception) -> None:
        kind = claimed.handler.kind
        if isinstance(error, ShopError):
            log.warning("job %s failed and is tried again: %s", kind.name, error.message)
        else:
            log.error("job %s failed and is tried again", kind.name, exc_info=error)
        async with self._database.transaction() as session:
            moment = await database_now(session)
            rows = await session.execute(_OF_CLAIM, {"of_claim": claimed.claim})
            for job in rows.scalars():
                _note_failure(job, error, moment)
                next_run, job.claim, job.again_at = job.again_at, None, None
                if (
                    next_run is not None
                ):  # it was enqueued again in the meantime: that run starts with a new count of failures
                    if next_run < job.run_at:
                        job.run_at, job.delay_s = next_run, job.again_delay_s
                    job.failures, job.failing_since = 0, None
                elif _is_failing_too_long(job, kind, error, moment):
                    await _give_up(session, job, moment)


def _note_failure(job: Job, error: Exception, moment: datetime) -> None:
    job.failures = 1 if _is_of_another_cause(error, job.error or "") else job.failures + 1
    job.failing_since = job.failing_since or moment
    job.error = (str(error) or type(error).__name__)[:MAX_ERROR_LENGTH]
    pause = error.after if isinstance(error, RetryLater) else pause_after(job.failures)
    job.run_at, job.delay_s = moment + pause, pause.total_seconds()


def _is_failing_too_long(job: Job, kind: JobKind, error: Exception, moment: datetime) -> bool:
    """Return True if the job has failed too often or for too long. The latest failure is already counted."""
    if (
        isinstance(error, RetryLater)
        and error.max_failures is not None
        and job.failures >= error.max_failures
    ):
        return True
    since = job.failing_since or moment
    return kind.give_up_after is not None and moment - since >= kind.give_up_after


def _is_of_another_cause(error: Exception, last: str) -> bool:
    """Return True if the earlier failures had another cause, so that they do not count towards this error's maximum.

    Return False if the error has no maximum number of failures.
    """
    if not isinstance(error, RetryLater) or error.max_failures is None:
        return False
    return not last.startswith(error.cause[:MAX_ERROR_LENGTH])


async def _give_up(session: AsyncSession, job: Job, moment: datetime) -> None:
    job.failed_at = moment
    await session.flush()
    await publish(session, JobFailed(cast("int", job.id), job.kind, job.key, job.error or ""))


async def _claim_jobs(session: AsyncSession, handler: Handler, ids: Sequence[int]) -> ClaimedJobs:
    """Claim and return these jobs of one kind. Jobs that another worker has claimed are left out."""
    claim, claim_duration = uuid4().hex, handler.kind.timeout + CLAIM_MARGIN
    rows = await session.execute(
        _CLAIM, {"ids": ids, "of_claim": claim, "seconds": claim_duration.total_seconds()}
    )
    runs = []
    for job_id, key, payload, attempts, failures, error in rows.all():
        if error == PROCESS_ENDED and failures >= MAX_PROCESS_ENDS:
            await _give_up_process_killer(session, cast("int", job_id))
        else:
            runs.append(JobRun(cast("int", job_id), handler.kind.name, key, payload, attempts))
    return ClaimedJobs(handler, claim, sorted(runs, key=lambda run: ids.index(run.id)))


async def _give_up_process_killer(session: AsyncSession, job_id: int) -> None:
    """Give up a job because the process ended repeatedly while it ran.

    This is done for every kind of job, because such a job stops the whole shop.
    """
    job = await session.get_one(Job, job_id)
    job.error = f"the process ended {job.failures} times in a row while it ran"
    job.claim, job.again_at = None, None
    log.error("job %s is given up: %s", job.kind, job.error)
    await _give_up(session, job, await database_now(session))


async def _revive_periodic(session: AsyncSession, name: str, pause: timedelta) -> None:
    """Make given-up periodic work due again when its pause has passed. Its attention row stays open."""
    await session.execute(
        update(Job)
        .where(Job.kind == name, Job.failed_at <= db_now(-pause))
        .values(failed_at=None, failing_since=None, failures=MAX_PROCESS_ENDS - 1, error=PROCESS_ENDED)
        .values(run_at=db_now(), delay_s=0.0)
        .execution_options(synchronize_session=False)
    )


async def _finish_job(session: AsyncSession, job_id: int, claim: str, result: Result) -> bool:
    """Delete a finished job and store its change. Schedule a job that is unfinished or was enqueued again.

    Returns:
        True if the job was deleted.
    """
    mine = {"job_id": job_id, "of_claim": claim}
    if isinstance(result, Finished):
        await result.store(session)
        result = None
    if result is None and cast("CursorResult[Any]", await session.execute(_DONE, mine)).rowcount == 1:
        return True
    job = (await session.execute(_MINE_LOCKED, mine)).scalar_one_or_none()
    if job is None:
        return False  # its claim expired: another worker runs it
    moments = [(job.again_at, job.again_delay_s)] if job.again_at is not None else []
    if result is not None:
        moments.append((await database_now(session) + result.after, result.after.total_seconds()))
    job.attempts = job.attempts if result is not None and not result.reset else 0
    job.run_at, job.delay_s = min(moments, key=lambda moment: moment[0])
    job.again_at, job.again_delay_s, job.claim = None, None, None
    job.failures, job.failing_since, job.error = 0, None, None
    return False


# statements on the table alone: on the mapped class, each of them takes twice as long
_JOB = table_of(Job)


@cache
def _due_statement(dialect: str) -> Select[int, str]:
    """Return the query for due jobs of the kinds in `IDS_PARAMETER`.

    All kinds are in one parameter, so that SQLAlchemy builds the statement only once.
    """
    return (
        select(_JOB.c.id, _JOB.c.kind)
        .where(
            _JOB.c.failed_at.is_(None), _JOB.c.run_at <= db_now(), json_rows(dialect).is_one_of(_JOB.c.kind)
        )
        .order_by(_JOB.c.run_at, _JOB.c.id)
        .limit(MAX_DUE_JOBS)
    )


_FREE = (
    select(_JOB.c.id)
    .where(
        _JOB.c.id.in_(bindparam("ids", expanding=True)),
        _JOB.c.failed_at.is_(None),
        _JOB.c.run_at <= db_now(),
    )
    .order_by(_JOB.c.run_at, _JOB.c.id)
    .with_for_update(skip_locked=True)
)
_CLAIM = (
    update(_JOB)
    .where(_JOB.c.id.in_(_FREE))
    .values(
        claim=bindparam("of_claim"),
        attempts=_JOB.c.attempts + 1,
        failures=case(
            (_JOB.c.claim.is_(None), _JOB.c.failures),
            (_JOB.c.error == PROCESS_ENDED, _JOB.c.failures + 1),
            else_=1,
        ),
        failing_since=case(
            (_JOB.c.claim.is_(None), _JOB.c.failing_since),
            else_=func.coalesce(_JOB.c.failing_since, db_now()),
        ),
        error=case((_JOB.c.claim.is_(None), _JOB.c.error), else_=PROCESS_ENDED),
        run_at=db_now_in(bindparam("seconds", type_=Float)),
        delay_s=bindparam("seconds", type_=Float),
    )
    .returning(_JOB.c.id, _JOB.c.key, _JOB.c.payload, _JOB.c.attempts, _JOB.c.failures, _JOB.c.error)
)
_OF_CLAIM = select(Job).where(Job.claim == bindparam("of_claim")).with_for_update()
_MINE = (_JOB.c.id == bindparam("job_id")) & (_JOB.c.claim == bindparam("of_claim"))
_MINE_LOCKED = select(Job).where(_MINE).with_for_update()
_DONE = delete(_JOB).where(_MINE, _JOB.c.again_at.is_(None))
