"""Background jobs: enqueued in a transaction, run once by one worker, tried again after a failure."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import cast

import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.models import Attention
from backend.core import clock
from backend.core.db.database import Database, database_now, db_now
from backend.core.errors import Conflict
from backend.jobs import (
    Finished,
    JobRun,
    RetryLater,
    RunAgain,
    Worker,
    cancel_job,
    enqueue,
    job,
    job_batch,
    periodic,
    read_stats,
    retry_job,
)
from backend.jobs.kinds import collect_handlers
from backend.jobs.models import Job
from backend.jobs.queue import dismiss_job
from backend.jobs.worker import MAX_PROCESS_ENDS, PROCESS_ENDED, pause_after


class Services:
    """A service that records its runs, and fails or waits on demand."""

    def __init__(self) -> None:
        self.done: list[object] = []
        self.fail: Exception | None = None
        self.result: RunAgain | Finished | None = None
        self.hold: asyncio.Event | None = None
        self.began = asyncio.Event()

    @job("test.one", timeout=timedelta(seconds=30), give_up_after=timedelta(hours=1))
    async def run_one(self, run: JobRun) -> RunAgain | Finished | None:
        self.began.set()
        if self.hold is not None:
            await self.hold.wait()
        if self.fail is not None:
            raise self.fail
        self.done.append(run.payload["n"])
        return self.result

    @job("test.other")
    async def run_other(self, run: JobRun) -> None:
        self.done.append(run.payload["n"])

    @job_batch("test.batch", batch_size=3)
    async def run_batch(self, runs: Sequence[JobRun]) -> None:
        self.done.append([run.payload["n"] for run in runs])

    @periodic("test.periodic", every=timedelta(hours=1))
    async def run_periodic(self, run: JobRun) -> None:
        self.done.append(run.kind)


class HeldPeriodic(Services):
    """A service with periodic work that waits on demand, as its jobs do."""

    @periodic("test.periodic", every=timedelta(hours=1))
    async def run_periodic(self, run: JobRun) -> None:
        self.began.set()
        if self.hold is not None:
            await self.hold.wait()
        self.done.append(run.kind)


@pytest.fixture
def services() -> Services:
    return Services()


@pytest.fixture
def worker(database: Database, services: Services) -> Worker:
    return Worker(database, [services])


async def enqueue_job(
    database: Database, kind: str, n: int, key: str | None = None, after: float = 0
) -> None:
    async with database.transaction() as session:
        await enqueue(session, kind, {"n": n}, key=key, after=timedelta(seconds=after))


async def read_jobs(database: Database) -> list[Job]:
    async with database.read() as session:
        return list((await session.execute(select(Job).order_by(Job.id))).scalars())


async def make_due(database: Database) -> None:
    async with database.transaction() as session:
        await session.execute(update(Job).values(run_at=db_now()))


async def test_job_runs_once_and_is_deleted(database: Database, worker: Worker, services: Services) -> None:
    await enqueue_job(database, "test.one", 1)

    assert await worker.run_due() == 1
    assert await worker.run_due() == 0
    assert services.done == [1]
    assert await read_jobs(database) == []


async def store_follow_up(session: AsyncSession) -> None:
    await enqueue(session, "test.follow_up")


async def fail_to_store(session: AsyncSession) -> None:
    await store_follow_up(session)
    raise Conflict("not stored")


async def test_change_returned_by_a_finished_job_is_stored_when_the_job_is_deleted(
    database: Database, worker: Worker, services: Services
) -> None:
    services.result = Finished(store_follow_up)
    await enqueue_job(database, "test.one", 1)
    await worker.run_due()
    assert [row.kind for row in await read_jobs(database)] == ["test.follow_up"]


async def test_finished_job_whose_change_cannot_be_stored_is_not_deleted(
    database: Database, worker: Worker, services: Services
) -> None:
    services.result = Finished(fail_to_store)
    await enqueue_job(database, "test.one", 1)
    await worker.run_due()
    assert [(row.kind, row.claim is not None) for row in await read_jobs(database)] == [("test.one", True)]


async def test_job_enqueued_again_by_its_own_final_change_runs_again(
    database: Database, services: Services
) -> None:
    async def enqueue_again(session: AsyncSession) -> None:
        await enqueue(session, "test.one", {"n": 2}, key="a")
        services.result = None

    services.result = Finished(enqueue_again)
    await enqueue_job(database, "test.one", 1, key="a")
    assert await Worker(database, [services]).run_due() == 2
    assert services.done == [1, 2]
    assert await read_jobs(database) == []


async def test_job_of_a_rolled_back_transaction_does_not_exist(
    database: Database, worker: Worker, services: Services
) -> None:
    async def enqueue_and_fail() -> None:
        async with database.transaction() as session:
            await enqueue(session, "test.one", {"n": 1})
            raise Conflict("no")

    with pytest.raises(Conflict):
        await enqueue_and_fail()

    assert await worker.run_due() == 0


async def test_job_enqueued_for_later_waits_until_it_is_due(
    database: Database, worker: Worker, services: Services
) -> None:
    await enqueue_job(database, "test.one", 1, after=60)

    assert await worker.run_due() == 0
    await make_due(database)
    assert await worker.run_due() == 1


async def test_jobs_with_the_same_key_become_one_job_at_the_earlier_time(
    database: Database, worker: Worker, services: Services
) -> None:
    await enqueue_job(database, "test.one", 1, key="a", after=3600)
    await enqueue_job(database, "test.one", 2, key="a")
    await enqueue_job(database, "test.one", 3, key="a", after=3600)
    await enqueue_job(database, "test.one", 4, key="b")

    assert await worker.run_due() == 2
    assert services.done == [3, 4]


async def test_job_enqueued_while_it_runs_runs_again(
    database: Database, worker: Worker, services: Services
) -> None:
    services.hold = asyncio.Event()
    await enqueue_job(database, "test.one", 1, key="a")
    running = asyncio.create_task(worker.run_due())
    await services.began.wait()
    await enqueue_job(database, "test.one", 2, key="a")
    services.hold.set()

    assert await running == 2
    assert services.done == [1, 2]
    assert await read_jobs(database) == []


@pytest.mark.parametrize(
    "failure", [RuntimeError("broken"), RetryLater("refused", after=timedelta(hours=4), max_failures=1)]
)
async def test_job_enqueued_during_a_failing_run_runs_again(
    database: Database, worker: Worker, services: Services, failure: Exception
) -> None:
    services.hold, services.fail = asyncio.Event(), failure
    await enqueue_job(database, "test.one", 1, key="a")
    async with database.transaction() as session:
        await session.execute(update(Job).values(failures=8, error="broken", failing_since=db_now()))
    running = asyncio.create_task(worker.run_due("test.one"))
    await services.began.wait()
    await enqueue_job(database, "test.one", 2, key="a", after=60)
    (enqueued,) = await read_jobs(database)
    services.hold.set()
    assert await running == 1

    (job,) = await read_jobs(database)
    assert (job.run_at, job.again_at, job.claim) == (enqueued.again_at, None, None)
    assert (job.failures, job.failing_since, job.failed_at, job.error) == (0, None, None, str(failure))


async def test_failed_job_is_retried_even_if_it_was_enqueued_again_for_later(
    database: Database, worker: Worker, services: Services
) -> None:
    services.hold, services.fail = asyncio.Event(), RuntimeError("broken")
    await enqueue_job(database, "test.one", 1, key="a")
    running = asyncio.create_task(worker.run_due())
    await services.began.wait()
    await enqueue_job(database, "test.one", 2, key="a", after=3600)
    services.hold.set()
    await running

    (job,) = await read_jobs(database)
    async with database.read() as session:
        assert job.run_at < await database_now(session) + timedelta(seconds=2)


async def test_job_is_run_once_by_two_workers(database: Database, services: Services) -> None:
    for n in range(20):
        await enqueue_job(database, "test.other", n)
    one, two = Worker(database, [services]), Worker(database, [services])

    counts = await asyncio.gather(one.run_due(), two.run_due())

    assert sum(counts) == 20
    assert sorted(map(str, services.done)) == sorted(map(str, range(20)))


async def test_failing_job_does_not_stop_the_next_job(
    database: Database, worker: Worker, services: Services
) -> None:
    services.fail = RuntimeError("broken")
    await enqueue_job(database, "test.one", 1)
    await enqueue_job(database, "test.other", 2)

    assert await worker.run_due() == 2
    assert services.done == [2]
    (failed,) = await read_jobs(database)
    assert (failed.failures, failed.error, failed.failed_at) == (1, "broken", None)
    async with database.read() as session:
        assert failed.run_at > await database_now(session) - timedelta(seconds=1)


async def test_failed_job_is_tried_again(database: Database, worker: Worker, services: Services) -> None:
    services.fail = RuntimeError("broken")
    await enqueue_job(database, "test.one", 1)
    await worker.run_due()
    services.fail = None
    await make_due(database)

    assert await worker.run_due() == 1
    assert services.done == [1]


async def test_job_that_keeps_failing_is_given_up_and_reported(
    database: Database, worker: Worker, services: Services
) -> None:
    services.fail = RuntimeError("broken")
    await enqueue_job(database, "test.one", 1, key="a")
    await worker.run_due("test.one")
    async with database.transaction() as session:
        await session.execute(update(Job).values(run_at=db_now(), failing_since=db_now(-timedelta(hours=2))))

    await worker.run_due("test.one")
    await make_due(database)

    assert await worker.run_due("test.one") == 0
    async with database.read() as session:
        attention = (await session.execute(select(Attention))).scalars().one()
        counted = {one.kind: one for one in await read_stats(session)}["test.one"]
    assert (attention.kind, attention.data) == ("job_failed", {"kind": "test.one", "key": "a"})
    assert (counted.waiting, counted.failed) == (0, 1)


async def test_retry_later_exception_sets_pause_and_number_of_attempts(
    database: Database, worker: Worker, services: Services
) -> None:
    services.fail = RetryLater("refused", after=timedelta(hours=4), max_failures=2)
    await enqueue_job(database, "test.one", 1)
    await worker.run_due("test.one")
    (failed,) = await read_jobs(database)
    async with database.read() as session:
        pause = failed.run_at - await database_now(session)
    assert timedelta(hours=3) < pause <= timedelta(hours=4)
    assert (failed.failures, failed.error, failed.failed_at) == (1, "refused", None)
    await make_due(database)

    await worker.run_due("test.one")

    async with database.read() as session:
        attention = (await session.execute(select(Attention.message))).scalar_one()
    assert attention == "The job test.one was given up: refused"


async def test_only_failures_of_the_same_cause_count_towards_the_maximum(
    database: Database, worker: Worker, services: Services
) -> None:
    outage = RuntimeError("no answer")
    refusals = [
        RetryLater(f"no such user, ticket {n}", after=timedelta(hours=4), max_failures=2, cause="refused")
        for n in range(4)
    ]
    await enqueue_job(database, "test.one", 1)
    counts = []
    for services.fail in (outage, outage, refusals[0], outage, refusals[1], refusals[2]):
        await worker.run_due("test.one")
        await make_due(database)
        (job, *_mail) = await read_jobs(database)
        counts.append((job.failures, job.failed_at is not None))

    assert counts == [(1, False), (2, False), (1, False), (2, False), (1, False), (2, True)]
    async with database.read() as session:
        attention = (await session.execute(select(Attention.message))).scalar_one()
    assert attention == "The job test.one was given up: refused: no such user, ticket 2"


async def test_given_up_job_can_be_enqueued_again(
    database: Database, worker: Worker, services: Services
) -> None:
    await enqueue_job(database, "test.one", 1, key="a", after=3600)
    async with database.transaction() as session:
        await session.execute(update(Job).values(failed_at=db_now(), failures=3, error="refused"))

    await enqueue_job(database, "test.one", 2, key="a")

    (waiting,) = await read_jobs(database)
    assert (waiting.failed_at, waiting.failures) == (None, 0)
    assert await worker.run_due() == 1
    assert services.done == [2]


async def test_job_can_request_another_run(database: Database, worker: Worker, services: Services) -> None:
    services.result = RunAgain(timedelta(hours=1))
    await enqueue_job(database, "test.one", 1)

    assert await worker.run_due() == 1
    (waiting,) = await read_jobs(database)
    assert (waiting.claim, waiting.attempts, waiting.failures) == (None, 1, 0)
    services.result = None
    await make_due(database)
    assert await worker.run_due() == 1
    assert await read_jobs(database) == []


async def test_jobs_of_a_batch_kind_run_together_up_to_the_batch_size(
    database: Database, worker: Worker, services: Services
) -> None:
    for n in range(5):
        await enqueue_job(database, "test.batch", n)

    assert await worker.run_due() == 5
    assert services.done == [[0, 1, 2], [3, 4]]
    assert await read_jobs(database) == []


async def test_cancelled_job_does_not_run(database: Database, worker: Worker) -> None:
    await enqueue_job(database, "test.one", 1, key="a")
    async with database.transaction() as session:
        await cancel_job(session, "test.one", "a")

    assert await worker.run_due() == 0


async def test_periodic_job_is_scheduled_again_after_its_run(
    database: Database, worker: Worker, services: Services
) -> None:
    await worker.schedule()
    await worker.schedule()

    assert await worker.run_due() == 1
    assert await worker.run_due() == 0
    assert services.done == ["test.periodic"]
    (waiting,) = await read_jobs(database)
    async with database.read() as session:
        pause = waiting.run_at - await database_now(session)
    assert timedelta(minutes=50) < pause <= timedelta(hours=1)


async def test_commit_of_an_enqueued_job_wakes_the_worker(database: Database, services: Services) -> None:
    worker = Worker(database, [services], poll_interval_s=3600)
    worker.start()
    try:
        await enqueue_job(database, "test.one", 1)
        await services.began.wait()
    finally:
        await worker.stop()


async def test_job_of_a_dead_worker_runs_after_its_claim_ends(
    database: Database, worker: Worker, services: Services
) -> None:
    await enqueue_job(database, "test.one", 1)
    async with database.transaction() as session:
        await session.execute(
            update(Job).values(claim="of a dead process", run_at=db_now(timedelta(seconds=45)))
        )
    assert await worker.run_due() == 0

    await make_due(database)
    assert await worker.run_due() == 1
    assert services.done == [1]


async def test_stopped_worker_releases_its_jobs_immediately(database: Database, services: Services) -> None:
    services.hold = asyncio.Event()
    worker = Worker(database, [services])
    worker.start()
    await enqueue_job(database, "test.one", 1)
    await services.began.wait()
    await worker.stop()
    services.hold = None
    (freed,) = [job for job in await read_jobs(database) if job.kind == "test.one"]
    assert freed.claim is None

    assert await Worker(database, [services]).run_due("test.one") == 1
    assert services.done[-1] == 1


async def kill_worker(database: Database, services: Services, kind: str = "test.one") -> None:
    """Let a worker claim the job, and kill its process: nothing is written, and the claim expires."""
    services.hold = asyncio.Event()
    services.began.clear()
    running = asyncio.create_task(Worker(database, [services]).run_due(kind))
    await services.began.wait()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    services.hold = None
    await make_due(database)


async def test_process_that_ends_during_a_job_counts_as_a_failure_of_the_job(
    database: Database, services: Services, worker: Worker
) -> None:
    await enqueue_job(database, "test.one", 1, key="a")
    await kill_worker(database, services)
    (once,) = await read_jobs(database)
    assert (once.failures, once.failing_since) == (0, None)

    await kill_worker(database, services)

    (twice,) = await read_jobs(database)
    assert (twice.attempts, twice.failures, twice.error) == (2, 1, PROCESS_ENDED)
    assert twice.failing_since is not None
    assert await worker.run_due() == 1
    assert services.done == [1]
    assert await read_jobs(database) == []


async def test_job_that_repeatedly_ends_the_process_is_given_up_and_reported(
    database: Database, services: Services, worker: Worker
) -> None:
    await enqueue_job(database, "test.one", 1, key="a")
    for _time in range(MAX_PROCESS_ENDS):
        await kill_worker(database, services)

    assert await worker.run_due("test.one") == 0

    async with database.read() as session:
        attention = (await session.execute(select(Attention))).scalars().one()
        given_up = (await session.execute(select(Job).where(Job.kind == "test.one"))).scalar_one()
    assert (given_up.claim, given_up.failed_at is None, services.done) == (None, False, [])
    assert (attention.kind, attention.data) == ("job_failed", {"kind": "test.one", "key": "a"})
    assert (
        attention.message == "The job test.one was given up: the process ended 5 times in a row while it ran"
    )
    async with database.transaction() as session:
        assert await retry_job(session, cast("int", given_up.id))
    assert await worker.run_due("test.one") == 1
    assert services.done == [1]


@pytest.fixture
async def periodic_work(database: Database) -> HeldPeriodic:
    """Return periodic work that was given up, because the process was killed during each run."""
    services = HeldPeriodic()
    worker = Worker(database, [services])
    await worker.schedule()
    for _time in range(MAX_PROCESS_ENDS):
        await kill_worker(database, services, "test.periodic")
    assert await worker.run_due() == 0
    assert await job_attention(database) == [("test.periodic", True)]
    return services


async def pass_pause(database: Database, worker: Worker, pause: timedelta) -> None:
    """Act as if jobs had been given up `pause` ago, and let the worker schedule periodic work."""
    async with database.transaction() as session:
        await session.execute(update(Job).where(Job.failed_at.is_not(None)).values(failed_at=db_now(-pause)))
    await worker.schedule()


async def job_attention(database: Database) -> list[tuple[str, bool]]:
    """Return, for each attention row, the kind of its job, and True if the row is open."""
    async with database.read() as session:
        found = (await session.execute(select(Attention))).scalars()
        return [(str(row.data["kind"]), row.resolved_at is None) for row in found]


async def test_given_up_periodic_job_runs_again_after_its_pause(
    database: Database, periodic_work: HeldPeriodic
) -> None:
    worker = Worker(database, [periodic_work])
    await pass_pause(database, worker, timedelta(minutes=59))
    assert await worker.run_due() == 0

    await pass_pause(database, worker, timedelta(hours=1))
    assert await worker.run_due() == 1

    assert periodic_work.done == ["test.periodic"]
    (job,) = [job for job in await read_jobs(database) if job.kind == "test.periodic"]
    assert (job.failures, job.error, job.failed_at) == (0, None, None)
    assert await job_attention(database) == [("test.periodic", True)]


async def test_given_up_periodic_job_whose_next_run_ends_the_process_is_given_up_again(
    database: Database, periodic_work: HeldPeriodic
) -> None:
    worker = Worker(database, [periodic_work])
    for _time in range(2):
        await pass_pause(database, worker, timedelta(hours=1))
        await kill_worker(database, periodic_work, "test.periodic")
        assert await worker.run_due() == 0
        (job,) = [job for job in await read_jobs(database) if job.kind == "test.periodic"]
        assert (job.claim, job.failed_at is None) == (None, False)

    assert periodic_work.done == []
    assert await job_attention(database) == [("test.periodic", True)]


async def test_given_up_job_that_is_not_periodic_waits_for_staff(
    database: Database, services: Services, worker: Worker
) -> None:
    await enqueue_job(database, "test.one", 1, key="a")
    for _time in range(MAX_PROCESS_ENDS):
        await kill_worker(database, services)
    assert await worker.run_due("test.one") == 0

    await pass_pause(database, worker, timedelta(days=2))

    assert await worker.run_due("test.one") == 0


async def test_job_with_many_failures_is_not_given_up_after_one_process_end(
    database: Database, services: Services, worker: Worker
) -> None:
    await enqueue_job(database, "test.one", 1)
    async with database.transaction() as session:
        await session.execute(update(Job).values(failures=20, error="broken", failing_since=db_now()))
    await kill_worker(database, services)

    assert await worker.run_due() == 1
    assert services.done == [1]


async def test_usual_failure_resets_the_count_of_process_ends_of_a_job(
    database: Database, services: Services, worker: Worker
) -> None:
    await enqueue_job(database, "test.one", 1)
    for _time in range(MAX_PROCESS_ENDS - 1):
        await kill_worker(database, services)
    services.fail = RuntimeError("broken")
    assert await worker.run_due() == 1
    services.fail = None
    await make_due(database)
    await kill_worker(database, services)
    await kill_worker(database, services)

    (job,) = await read_jobs(database)
    assert (job.failures, job.error, job.failed_at) == (1, PROCESS_ENDED, None)


async def test_worker_started_twice_runs_one_loop(database: Database, worker: Worker) -> None:
    worker.start()
    worker.start()
    try:
        loops = [task for task in asyncio.all_tasks() if task.get_name() == "job worker"]
        assert len(loops) == 1
    finally:
        await worker.stop()


async def test_stopped_worker_does_not_change_the_claims_of_other_workers(
    database: Database, worker: Worker
) -> None:
    await enqueue_job(database, "test.one", 1)
    async with database.transaction() as session:
        await session.execute(update(Job).values(claim="of another", run_at=db_now(timedelta(seconds=45))))
    (before,) = await read_jobs(database)
    worker.start()
    await worker.stop()
    (after,) = await read_jobs(database)
    assert (after.claim, after.run_at) == ("of another", before.run_at)


@pytest.mark.parametrize(
    ("failure", "level", "message", "has_traceback"),
    [
        (
            Conflict("the bank is busy"),
            "WARNING",
            "job test.one failed and is tried again: the bank is busy",
            False,
        ),
        (RuntimeError("a bug"), "ERROR", "job test.one failed and is tried again", True),
    ],
)
async def test_only_unexpected_failures_are_logged_with_a_traceback(
    *,
    database: Database,
    worker: Worker,
    services: Services,
    caplog: pytest.LogCaptureFixture,
    failure: Exception,
    level: str,
    message: str,
    has_traceback: bool,
) -> None:
    services.fail = failure
    await enqueue_job(database, "test.one", 1)
    await worker.run_due()
    (record,) = (record for record in caplog.records if record.name == "backend.jobs.worker")
    assert (record.levelname, record.getMessage()) == (level, message)
    assert bool(record.exc_info) == has_traceback


async def test_worker_with_a_fast_local_clock_claims_no_job_early(
    database: Database, worker: Worker, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    await enqueue_job(database, "test.one", 1, after=60)
    ahead: datetime = clock.now() + timedelta(minutes=2)
    monkeypatch.setattr(clock, "now", lambda: ahead)

    assert await worker.run_due() == 0


async def test_jobs_of_unknown_kinds_are_not_claimed(database: Database, worker: Worker) -> None:
    await enqueue_job(database, "test.of_a_newer_release", 1)

    assert await worker.run_due() == 0
    assert len(await read_jobs(database)) == 1


def test_pauses_between_attempts_grow_to_five_minutes() -> None:
    assert [pause_after(n).total_seconds() for n in (1, 2, 3, 9, 10, 40)] == [1, 2, 4, 256, 300, 300]


def test_two_methods_for_one_kind_of_job_are_refused(services: Services) -> None:
    with pytest.raises(ValueError, match="two methods"):
        collect_handlers([services, Services()])


async def test_dismissing_the_attention_of_a_missing_job_raises_no_error(database: Database) -> None:
    async with database.transaction() as session:
        await dismiss_job(session, 404)
        assert (await session.execute(select(Job))).first() is None
