"""The worker runs the jobs that are due. Every replica has one; they share the work.

- At least once: a job leaves the table after it is done. If the process dies in between, it is done again.
- By one at a time: a claim moves `run_at` to its own end and finds only what is due (`SKIP LOCKED` on PostgreSQL).
- One that fails never stops another: each runs in a task of its own, with a time limit.
- A claim that ended by itself is a failure: the process was killed, perhaps by what the job did.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast
from uuid import uuid4

from sqlalchemy import CursorResult, Float, bindparam, case, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import Database, database_now, db_now, db_now_in
from backend.core.errors import ShopError
from backend.core.events import publish
from backend.core.observability.logs import log_scope
from backend.core.observability.metrics import JOB_RUNS
from backend.core.observability.tracing import span, trace_fields
from backend.core.outage import DatabaseUnavailable
from backend.jobs.clock_changes import pull_back_jobs
from backend.jobs.kinds import Handler, JobFailed, JobKind, JobRun, Result, RetryLater, handlers_of
from backend.jobs.models import Job
from backend.jobs.queue import enqueue, wake_no_longer, wake_on_commit

log = logging.getLogger(__name__)

POLL_EVERY = 0.5
"""Seconds after which the table is looked at even when nothing woke us: other processes enqueue jobs too."""
SCHEDULE_INTERVAL_S = 60.0
AT_ONCE = 8
LOOK_AHEAD = 64
CLAIM_MARGIN = timedelta(seconds=15)
"""How much longer a claim lasts than the run's time limit."""
LONGEST_ERROR = 500
ENDED = "the process ended while it ran"
"""The error of a job whose claim was not given back. Where it was the last error too, `failures` counts only these."""
MOST_ENDS = 5
"""In a row, after which the job is given up: it may be what ends the process."""
MIN_PERIODIC_PAUSE = timedelta(hours=1)
"""The least pause before periodic work that was given up runs again, as it may end the process again."""


def pause_after(failures: int) -> timedelta:
    """The one back-off. The pause after the n-th failure in a row: 1, 2, 4 … seconds, five minutes at most.

    A job that knows better raises `RetryLater`.
    """
    return timedelta(seconds=min(2.0 ** min(failures - 1, 9), 300.0))


@dataclass(frozen=True, slots=True)
class Claimed:
    """Jobs of one kind that this worker has to do in one run."""

    handler: Handler
    claim: str
    runs: Sequence[JobRun]


class Worker:
    """Does the jobs of these services while it runs."""

    def __init__(
        self, database: Database, services: Iterable[object], *, poll_every: float = POLL_EVERY
    ) -> None:
        self._database = database
        self._handlers = handlers_of(services)
        self._poll_every = poll_every
        self._woken = asyncio.Event()
        self._loop: asyncio.Task[None] | None = None
        self._running: dict[asyncio.Task[None], Claimed] = {}

    def wake(self) -> None:
        """Say that there may be something to do now."""
        self._woken.set()

    def start(self) -> None:
        """Begin. Does nothing when it has begun."""
        if self._loop is None:
            wake_on_commit(self._database.engine.sync_engine, self.wake)
            self._loop = asyncio.create_task(self._run(), name="job worker")

    async def stop(self) -> None:
        """Stop, in the middle of jobs if there are some: they are free for others at once.

        One that raises something else when it is cancelled has failed: it knows that it must not run again at once.
        """
        loop, self._loop = self._loop, None
        if loop is None:
            return
        wake_no_longer(self._database.engine.sync_engine, self.wake)
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
        """Do everything that is due now (of these kinds only, where some are named), one after the other.

        Returns:
            How many jobs were run.
        """
        count = 0
        while claimed := await self._claim(1, kinds):
            for one in claimed:
                count += len(one.runs)
                await self._do(one)
        return count

    async def schedule(self) -> None:
        """Enqueue the job of each kind of periodic work that has none, and pull back what a wrong clock wrote.

        Periodic work that was given up runs again after its pause. If the process ends once more, it is given up again.
        """
        await pull_back_jobs(self._database)
        async with self._database.transaction() as session:
            pauses = {
                name: handler.kind.every
                for name, handler in sorted(self._handlers.items())
                if handler.kind.every is not None
            }
            found = await session.execute(select(Job.kind, Job.failed_at).where(Job.kind.in_(pauses)))
            known = dict(found.all())
            for name, pause in pauses.items():
                if name not in known:
                    await enqueue(session, name, key="")
                elif known[name] is not None:
                    await _revive_periodic(session, name, max(pause, MIN_PERIODIC_PAUSE))

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        scheduled_until = loop.time()  # monotonic: it runs on when the clock is put back
        while True:
            self._woken.clear()
            try:
                if loop.time() >= scheduled_until:
                    await self.schedule()
                    scheduled_until = loop.time() + SCHEDULE_INTERVAL_S
                while (free := AT_ONCE - len(self._running)) > 0 and (claimed := await self._claim(free)):
                    for one in claimed:
                        self._start(one)
            except DatabaseUnavailable:
                pass  # it is told once, and asked again soon
            except Exception:
                log.exception("looking for jobs failed and is tried again")
            with suppress(TimeoutError):
                async with asyncio.timeout(self._poll_every):
                    await self._woken.wait()

    def _start(self, claimed: Claimed) -> None:
        task = asyncio.create_task(self._do(claimed), name=f"job {claimed.handler.kind.name}")
        self._running[task] = claimed

        def done(task: asyncio.Task[None]) -> None:
            self._running.pop(task, None)
            self._woken.set()

        task.add_done_callback(done)

    async def _claim(self, free: int, kinds: Sequence[str] = ()) -> list[Claimed]:
        """Take jobs that are due, the oldest first, for at most `free` runs; none when others were quicker."""
        under_way = Counter(claimed.handler.kind.name for claimed in self._running.values())
        wanted = [
            name
            for name, handler in self._handlers.items()
            if (not kinds or name in kinds) and under_way[name] < handler.kind.at_once
        ]
        async with self._database.read() as session:
            due = (await session.execute(_DUE, {"kinds": wanted})).all()
        if not due:
            return []  # the usual case takes no lock
        groups = self._grouped(due, free, under_way)
        async with self._database.transaction() as session:
            claimed = [await _take(session, self._handlers[name], ids) for name, ids in groups]
        return [one for one in claimed if one.runs]

    def _grouped(self, due: Iterable[Any], free: int, under_way: Counter[str]) -> list[tuple[str, list[int]]]:
        """The kind and the ids of jobs that are to be run together, for at most `free` runs, of no kind too many."""
        groups: list[tuple[str, list[int]]] = []
        batches: dict[str, list[int]] = {}
        planned = Counter(under_way)
        for job_id, name in due:
            kind = self._handlers[name].kind
            batch = batches.get(name)
            if batch is not None and len(batch) < kind.batch:
                batch.append(job_id)
            elif len(groups) < free and planned[name] < kind.at_once:
                planned[name] += 1
                groups.append((name, [job_id]))
                if kind.batch > 1:
                    batches[name] = groups[-1][1]
        return groups

    async def _do(self, claimed: Claimed) -> None:
        kind = claimed.handler.kind
        with (
            span(f"job {kind.name}", "consumer"),
            log_scope(job=kind.name, job_id=str(claimed.runs[0].id), **trace_fields()),
        ):
            try:
                async with asyncio.timeout(kind.timeout.total_seconds()):
                    results = await claimed.handler(claimed.runs)
            except Exception as error:  # noqa: BLE001 - whatever it is, the job is tried again and the others go on
                JOB_RUNS.labels(kind.name, "failed").inc()
                await self._record(claimed, error=error)
            else:
                JOB_RUNS.labels(kind.name, "ok").inc()
                await self._record(claimed, results=results)

    async def _record(
        self, claimed: Claimed, *, results: Sequence[Result] = (), error: Exception | None = None
    ) -> None:
        """Write down what came of a run. A job that another worker has taken meanwhile is left alone."""
        try:
            if error is not None:
                await self._failed(claimed, error)
                return
            async with self._database.transaction() as session:
                for run, result in zip(claimed.runs, results, strict=True):
                    await _finish(session, run.id, claimed.claim, result)
        except Exception:
            log.exception(
                "what came of jobs of %s was not recorded: they run again", claimed.handler.kind.name
            )

    async def _failed(self, claimed: Claimed, error: Exception) -> None:
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
                asked, job.claim, job.again_at = job.again_at, None, None
                if (
                    asked is not None
                ):  # whoever enqueued it once more gets a run of its own, counted from the start
                    if asked < job.run_at:
                        job.run_at, job.delay_s = asked, job.again_delay_s
                    job.failures, job.failing_since = 0, None
                elif _is_failing_too_long(job, kind, error, moment):
                    await _give_up(session, job, moment)


def _note_failure(job: Job, error: Exception, moment: datetime) -> None:
    job.failures = 1 if _is_of_another_cause(error, job.error or "") else job.failures + 1
    job.failing_since = job.failing_since or moment
    job.error = (str(error) or type(error).__name__)[:LONGEST_ERROR]
    pause = error.after if isinstance(error, RetryLater) else pause_after(job.failures)
    job.run_at, job.delay_s = moment + pause, pause.total_seconds()


def _is_failing_too_long(job: Job, kind: JobKind, error: Exception, moment: datetime) -> bool:
    """Whether its last failure, which is noted, is one too many."""
    if isinstance(error, RetryLater) and error.most is not None and job.failures >= error.most:
        return True
    since = job.failing_since or moment
    return kind.give_up_after is not None and moment - since >= kind.give_up_after


def _is_of_another_cause(error: Exception, last: str) -> bool:
    """Whether the failures so far do not count towards the most that this one allows."""
    if not isinstance(error, RetryLater) or error.most is None:
        return False
    return not last.startswith(error.cause[:LONGEST_ERROR])


async def _give_up(session: AsyncSession, job: Job, moment: datetime) -> None:
    job.failed_at = moment
    await session.flush()
    await publish(session, JobFailed(cast("int", job.id), job.kind, job.key, job.error or ""))


async def _take(session: AsyncSession, handler: Handler, ids: Sequence[int]) -> Claimed:
    """Claim these jobs of one kind; those that somebody else was quicker to take are left out."""
    claim, lasts = uuid4().hex, handler.kind.timeout + CLAIM_MARGIN
    rows = await session.execute(_CLAIM, {"ids": ids, "of_claim": claim, "seconds": lasts.total_seconds()})
    runs = []
    for job_id, key, payload, attempts, failures, error in rows.all():
        if error == ENDED and failures >= MOST_ENDS:
            await _give_up_what_ends_processes(session, cast("int", job_id))
        else:
            runs.append(JobRun(cast("int", job_id), handler.kind.name, key, payload, attempts))
    return Claimed(handler, claim, sorted(runs, key=lambda run: ids.index(run.id)))


async def _give_up_what_ends_processes(session: AsyncSession, job_id: int) -> None:
    """Whatever its kind: what ends the process takes the shop along."""
    job = await session.get_one(Job, job_id)
    job.error = f"the process ended {job.failures} times in a row while it ran"
    job.claim, job.again_at = None, None
    log.error("job %s is given up: %s", job.kind, job.error)
    await _give_up(session, job, await database_now(session))


async def _revive_periodic(session: AsyncSession, name: str, pause: timedelta) -> None:
    """Let periodic work that was given up before the pause run again. Its attention row stays open."""
    await session.execute(
        update(Job)
        .where(Job.kind == name, Job.failed_at <= db_now(-pause))
        .values(failed_at=None, failing_since=None, failures=MOST_ENDS - 1, error=ENDED)
        .values(run_at=db_now(), delay_s=0.0)
        .execution_options(synchronize_session=False)
    )


async def _finish(session: AsyncSession, job_id: int, claim: str, result: Result) -> None:
    """The job is done and goes, or runs once more: because it says so, or was enqueued again meanwhile."""
    mine = {"job_id": job_id, "of_claim": claim}
    if result is None and cast("CursorResult[Any]", await session.execute(_DONE, mine)).rowcount == 1:
        return
    job = (await session.execute(_MINE_LOCKED, mine)).scalar_one_or_none()
    if job is None:
        return  # its claim had ended: somebody else does it
    moments = [(job.again_at, job.again_delay_s)] if job.again_at is not None else []
    if result is not None:
        moments.append((await database_now(session) + result.after, result.after.total_seconds()))
    job.attempts = job.attempts if result is not None and not result.reset else 0
    job.run_at, job.delay_s = min(moments, key=lambda one: one[0])
    job.again_at, job.again_delay_s, job.claim = None, None, None
    job.failures, job.failing_since, job.error = 0, None, None


_DUE = (
    select(Job.id, Job.kind)
    .where(
        Job.failed_at.is_(None),
        Job.run_at <= db_now(),
        Job.kind.in_(bindparam("kinds", expanding=True)),
    )
    .order_by(Job.run_at, Job.id)
    .limit(LOOK_AHEAD)
)
_FREE = (
    select(Job.id)
    .where(
        Job.id.in_(bindparam("ids", expanding=True)),
        Job.failed_at.is_(None),
        Job.run_at <= db_now(),
    )
    .order_by(Job.run_at, Job.id)
    .with_for_update(skip_locked=True)
)
_CLAIM = (
    update(Job)
    .where(Job.id.in_(_FREE))
    .values(
        claim=bindparam("of_claim"),
        attempts=Job.attempts + 1,
        failures=case(
            (Job.claim.is_(None), Job.failures),
            (Job.error == ENDED, Job.failures + 1),
            else_=1,
        ),
        failing_since=case(
            (Job.claim.is_(None), Job.failing_since), else_=func.coalesce(Job.failing_since, db_now())
        ),
        error=case((Job.claim.is_(None), Job.error), else_=ENDED),
        run_at=db_now_in(bindparam("seconds", type_=Float)),
        delay_s=bindparam("seconds", type_=Float),
    )
    .returning(Job.id, Job.key, Job.payload, Job.attempts, Job.failures, Job.error)
    .execution_options(synchronize_session=False)
)
_OF_CLAIM = select(Job).where(Job.claim == bindparam("of_claim")).with_for_update()
_MINE = (Job.id == bindparam("job_id")) & (Job.claim == bindparam("of_claim"))
_MINE_LOCKED = select(Job).where(_MINE).with_for_update()
_DONE = delete(Job).where(_MINE, Job.again_at.is_(None)).execution_options(synchronize_session=False)
