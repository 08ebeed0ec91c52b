"""Later work: enqueued with a transaction, done once by one worker, tried again when it fails."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import cast

import pytest
from sqlalchemy import select, update

from backend.attention.models import Attention
from backend.core import clock
from backend.core.db.database import Database, database_now, db_now
from backend.core.errors import Conflict
from backend.jobs import (
    JobRun,
    RetryLater,
    RunAgain,
    Worker,
    cancel,
    enqueue,
    job,
    job_batch,
    periodic,
    run_again,
    stats,
)
from backend.jobs.kinds import handlers_of
from backend.jobs.models import Job
from backend.jobs.queue import dismiss
from backend.jobs.worker import ENDED, MOST_ENDS, pause_after


class Services:
    """Notes what it is asked to do; fails and waits on demand."""

    def __init__(self) -> None:
        self.done: list[object] = []
        self.fail: Exception | None = None
        self.again: RunAgain | None = None
        self.hold: asyncio.Event | None = None
        self.began = asyncio.Event()

    @job("test.one", timeout=timedelta(seconds=30), give_up_after=timedelta(hours=1))
    async def one(self, run: JobRun) -> RunAgain | None:
        self.began.set()
        if self.hold is not None:
            await self.hold.wait()
        if self.fail is not None:
            raise self.fail
        self.done.append(run.payload["n"])
        return self.again

    @job("test.other")
    async def other(self, run: JobRun) -> None:
        self.done.append(run.payload["n"])

    @job_batch("test.batch", batch=3)
    async def batch(self, runs: Sequence[JobRun]) -> None:
        self.done.append([run.payload["n"] for run in runs])

    @periodic("test.periodic", every=timedelta(hours=1))
    async def again_and_again(self, run: JobRun) -> None:
        self.done.append(run.kind)


class HeldPeriodic(Services):
    """Waits on demand in its periodic work too."""

    @periodic("test.periodic", every=timedelta(hours=1))
    async def again_and_again(self, run: JobRun) -> None:
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


async def put(database: Database, kind: str, n: int, key: str | None = None, after: float = 0) -> None:
    async with database.transaction() as session:
        await enqueue(session, kind, {"n": n}, key=key, after=timedelta(seconds=after))


async def rows(database: Database) -> list[Job]:
    async with database.read() as session:
        return list((await session.execute(select(Job).order_by(Job.id))).scalars())


async def make_due(database: Database) -> None:
    async with database.transaction() as session:
        await session.execute(update(Job).values(run_at=db_now()))


async def test_a_job_is_done_once_and_goes(database: Database, worker: Worker, services: Services) -> None:
    await put(database, "test.one", 1)

    assert await worker.run_due() == 1
    assert await worker.run_due() == 0
    assert services.done == [1]
    assert await rows(database) == []


async def test_a_job_of_a_transaction_that_fails_never_was(
    database: Database, worker: Worker, services: Services
) -> None:
    async def enqueue_and_fail() -> None:
        async with database.transaction() as session:
            await enqueue(session, "test.one", {"n": 1})
            raise Conflict("no")

    with pytest.raises(Conflict):
        await enqueue_and_fail()

    assert await worker.run_due() == 0


async def test_a_job_for_later_waits(database: Database, worker: Worker, services: Services) -> None:
    await put(database, "test.one", 1, after=60)

    assert await worker.run_due() == 0
    await make_due(database)
    assert await worker.run_due() == 1


async def test_a_key_is_one_job_and_the_earlier_moment_counts(
    database: Database, worker: Worker, services: Services
) -> None:
    await put(database, "test.one", 1, key="a", after=3600)
    await put(database, "test.one", 2, key="a")
    await put(database, "test.one", 3, key="a", after=3600)
    await put(database, "test.one", 4, key="b")

    assert await worker.run_due() == 2
    assert services.done == [3, 4]


async def test_what_is_enqueued_while_it_runs_runs_once_more(
    database: Database, worker: Worker, services: Services
) -> None:
    services.hold = asyncio.Event()
    await put(database, "test.one", 1, key="a")
    running = asyncio.create_task(worker.run_due())
    await services.began.wait()
    await put(database, "test.one", 2, key="a")
    services.hold.set()

    assert await running == 2
    assert services.done == [1, 2]
    assert await rows(database) == []


@pytest.mark.parametrize(
    "failure", [RuntimeError("broken"), RetryLater("refused", after=timedelta(hours=4), most=1)]
)
async def test_what_is_enqueued_while_it_runs_runs_once_more_though_this_run_fails(
    database: Database, worker: Worker, services: Services, failure: Exception
) -> None:
    services.hold, services.fail = asyncio.Event(), failure
    await put(database, "test.one", 1, key="a")
    async with database.transaction() as session:
        await session.execute(update(Job).values(failures=8, error="broken", failing_since=db_now()))
    running = asyncio.create_task(worker.run_due("test.one"))
    await services.began.wait()
    await put(database, "test.one", 2, key="a", after=60)
    (asked,) = await rows(database)
    services.hold.set()
    assert await running == 1

    (job,) = await rows(database)
    assert (job.run_at, job.again_at, job.claim) == (asked.again_at, None, None)
    assert (job.failures, job.failing_since, job.failed_at, job.error) == (0, None, None, str(failure))


async def test_a_job_that_is_to_run_once_more_later_is_tried_again_no_later_than_any_other(
    database: Database, worker: Worker, services: Services
) -> None:
    services.hold, services.fail = asyncio.Event(), RuntimeError("broken")
    await put(database, "test.one", 1, key="a")
    running = asyncio.create_task(worker.run_due())
    await services.began.wait()
    await put(database, "test.one", 2, key="a", after=3600)
    services.hold.set()
    await running

    (job,) = await rows(database)
    async with database.read() as session:
        assert job.run_at < await database_now(session) + timedelta(seconds=2)


async def test_two_workers_do_a_job_once(database: Database, services: Services) -> None:
    for n in range(20):
        await put(database, "test.other", n)
    one, two = Worker(database, [services]), Worker(database, [services])

    counts = await asyncio.gather(one.run_due(), two.run_due())

    assert sum(counts) == 20
    assert sorted(map(str, services.done)) == sorted(map(str, range(20)))


async def test_a_job_that_fails_never_stops_the_next(
    database: Database, worker: Worker, services: Services
) -> None:
    services.fail = RuntimeError("broken")
    await put(database, "test.one", 1)
    await put(database, "test.other", 2)

    assert await worker.run_due() == 2
    assert services.done == [2]
    (failed,) = await rows(database)
    assert (failed.failures, failed.error, failed.failed_at) == (1, "broken", None)
    async with database.read() as session:
        assert failed.run_at > await database_now(session) - timedelta(seconds=1)


async def test_a_job_that_failed_is_tried_again(
    database: Database, worker: Worker, services: Services
) -> None:
    services.fail = RuntimeError("broken")
    await put(database, "test.one", 1)
    await worker.run_due()
    services.fail = None
    await make_due(database)

    assert await worker.run_due() == 1
    assert services.done == [1]


async def test_a_job_that_keeps_failing_is_given_up_and_someone_is_told(
    database: Database, worker: Worker, services: Services
) -> None:
    services.fail = RuntimeError("broken")
    await put(database, "test.one", 1, key="a")
    await worker.run_due("test.one")
    async with database.transaction() as session:
        await session.execute(update(Job).values(run_at=db_now(), failing_since=db_now(-timedelta(hours=2))))

    await worker.run_due("test.one")
    await make_due(database)

    assert await worker.run_due("test.one") == 0
    async with database.read() as session:
        told = (await session.execute(select(Attention))).scalars().one()
        counted = {one.kind: one for one in await stats(session)}["test.one"]
    assert (told.kind, told.data) == ("job_failed", {"kind": "test.one", "key": "a"})
    assert (counted.waiting, counted.failed) == (0, 1)


async def test_a_failure_may_say_when_the_job_is_tried_again_and_how_often(
    database: Database, worker: Worker, services: Services
) -> None:
    services.fail = RetryLater("refused", after=timedelta(hours=4), most=2)
    await put(database, "test.one", 1)
    await worker.run_due("test.one")
    (failed,) = await rows(database)
    async with database.read() as session:
        pause = failed.run_at - await database_now(session)
    assert timedelta(hours=3) < pause <= timedelta(hours=4)
    assert (failed.failures, failed.error, failed.failed_at) == (1, "refused", None)
    await make_due(database)

    await worker.run_due("test.one")

    async with database.read() as session:
        told = (await session.execute(select(Attention.message))).scalar_one()
    assert told == "The job test.one was given up: refused"


async def test_only_failures_of_the_same_cause_count_towards_the_most_that_it_allows(
    database: Database, worker: Worker, services: Services
) -> None:
    outage = RuntimeError("no answer")
    refusals = [
        RetryLater(f"no such user, ticket {n}", after=timedelta(hours=4), most=2, cause="refused")
        for n in range(4)
    ]
    await put(database, "test.one", 1)
    counts = []
    for services.fail in (outage, outage, refusals[0], outage, refusals[1], refusals[2]):
        await worker.run_due("test.one")
        await make_due(database)
        (job, *_mail) = await rows(database)
        counts.append((job.failures, job.failed_at is not None))

    assert counts == [(1, False), (2, False), (1, False), (2, False), (1, False), (2, True)]
    async with database.read() as session:
        told = (await session.execute(select(Attention.message))).scalar_one()
    assert told == "The job test.one was given up: refused: no such user, ticket 2"


async def test_a_job_that_was_given_up_can_be_enqueued_again(
    database: Database, worker: Worker, services: Services
) -> None:
    await put(database, "test.one", 1, key="a", after=3600)
    async with database.transaction() as session:
        await session.execute(update(Job).values(failed_at=db_now(), failures=3, error="refused"))

    await put(database, "test.one", 2, key="a")

    (waiting,) = await rows(database)
    assert (waiting.failed_at, waiting.failures) == (None, 0)
    assert await worker.run_due() == 1
    assert services.done == [2]


async def test_a_job_may_ask_for_another_run(database: Database, worker: Worker, services: Services) -> None:
    services.again = RunAgain(timedelta(hours=1))
    await put(database, "test.one", 1)

    assert await worker.run_due() == 1
    (waiting,) = await rows(database)
    assert (waiting.claim, waiting.attempts, waiting.failures) == (None, 1, 0)
    services.again = None
    await make_due(database)
    assert await worker.run_due() == 1
    assert await rows(database) == []


async def test_jobs_of_a_batch_come_together(database: Database, worker: Worker, services: Services) -> None:
    for n in range(5):
        await put(database, "test.batch", n)

    assert await worker.run_due() == 5
    assert services.done == [[0, 1, 2], [3, 4]]
    assert await rows(database) == []


async def test_a_job_can_be_cancelled(database: Database, worker: Worker) -> None:
    await put(database, "test.one", 1, key="a")
    async with database.transaction() as session:
        await cancel(session, "test.one", "a")

    assert await worker.run_due() == 0


async def test_periodic_work_comes_back(database: Database, worker: Worker, services: Services) -> None:
    await worker.schedule()
    await worker.schedule()

    assert await worker.run_due() == 1
    assert await worker.run_due() == 0
    assert services.done == ["test.periodic"]
    (waiting,) = await rows(database)
    async with database.read() as session:
        pause = waiting.run_at - await database_now(session)
    assert timedelta(minutes=50) < pause <= timedelta(hours=1)


async def test_a_commit_wakes_the_worker(database: Database, services: Services) -> None:
    worker = Worker(database, [services], poll_every=3600)
    worker.start()
    try:
        await put(database, "test.one", 1)
        await services.began.wait()
    finally:
        await worker.stop()


async def test_a_job_whose_worker_died_is_done_by_another_when_its_claim_ends(
    database: Database, worker: Worker, services: Services
) -> None:
    await put(database, "test.one", 1)
    async with database.transaction() as session:
        await session.execute(
            update(Job).values(claim="of a dead process", run_at=db_now(timedelta(seconds=45)))
        )
    assert await worker.run_due() == 0

    await make_due(database)
    assert await worker.run_due() == 1
    assert services.done == [1]


async def test_a_stopped_worker_leaves_its_jobs_to_others_at_once(
    database: Database, services: Services
) -> None:
    services.hold = asyncio.Event()
    worker = Worker(database, [services])
    worker.start()
    await put(database, "test.one", 1)
    await services.began.wait()
    await worker.stop()
    services.hold = None
    (freed,) = [job for job in await rows(database) if job.kind == "test.one"]
    assert freed.claim is None

    assert await Worker(database, [services]).run_due("test.one") == 1
    assert services.done[-1] == 1


async def kill_it(database: Database, services: Services, kind: str = "test.one") -> None:
    """A worker takes the job and its process is killed: nothing is written, and the claim ends by itself."""
    services.hold = asyncio.Event()
    services.began.clear()
    running = asyncio.create_task(Worker(database, [services]).run_due(kind))
    await services.began.wait()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    services.hold = None
    await make_due(database)


async def test_a_process_that_ended_while_a_job_ran_is_a_failure_of_the_job(
    database: Database, services: Services, worker: Worker
) -> None:
    await put(database, "test.one", 1, key="a")
    await kill_it(database, services)
    (once,) = await rows(database)
    assert (once.failures, once.failing_since) == (0, None)

    await kill_it(database, services)

    (twice,) = await rows(database)
    assert (twice.attempts, twice.failures, twice.error) == (2, 1, ENDED)
    assert twice.failing_since is not None
    assert await worker.run_due() == 1
    assert services.done == [1]
    assert await rows(database) == []


async def test_a_job_that_ends_its_process_again_and_again_is_given_up_and_someone_is_told(
    database: Database, services: Services, worker: Worker
) -> None:
    await put(database, "test.one", 1, key="a")
    for _time in range(MOST_ENDS):
        await kill_it(database, services)

    assert await worker.run_due("test.one") == 0

    async with database.read() as session:
        told = (await session.execute(select(Attention))).scalars().one()
        given_up = (await session.execute(select(Job).where(Job.kind == "test.one"))).scalar_one()
    assert (given_up.claim, given_up.failed_at is None, services.done) == (None, False, [])
    assert (told.kind, told.data) == ("job_failed", {"kind": "test.one", "key": "a"})
    assert told.message == "The job test.one was given up: the process ended 5 times in a row while it ran"
    async with database.transaction() as session:
        assert await run_again(session, cast("int", given_up.id))
    assert await worker.run_due("test.one") == 1
    assert services.done == [1]


@pytest.fixture
async def periodic_work(database: Database) -> HeldPeriodic:
    """Periodic work that was given up, because the process was killed each time it ran."""
    services = HeldPeriodic()
    worker = Worker(database, [services])
    await worker.schedule()
    for _time in range(MOST_ENDS):
        await kill_it(database, services, "test.periodic")
    assert await worker.run_due() == 0
    assert await job_attention(database) == [("test.periodic", True)]
    return services


async def pass_pause(database: Database, worker: Worker, pause: timedelta) -> None:
    """Let so much time have passed since jobs were given up, and have the worker look at the schedule."""
    async with database.transaction() as session:
        await session.execute(update(Job).where(Job.failed_at.is_not(None)).values(failed_at=db_now(-pause)))
    await worker.schedule()


async def job_attention(database: Database) -> list[tuple[str, bool]]:
    """Return the kind of each job in attention, and whether its row is open."""
    async with database.read() as session:
        found = (await session.execute(select(Attention))).scalars()
        return [(str(row.data["kind"]), row.resolved_at is None) for row in found]


async def test_periodic_work_that_was_given_up_runs_again_after_its_pause(
    database: Database, periodic_work: HeldPeriodic
) -> None:
    worker = Worker(database, [periodic_work])
    await pass_pause(database, worker, timedelta(minutes=59))
    assert await worker.run_due() == 0

    await pass_pause(database, worker, timedelta(hours=1))
    assert await worker.run_due() == 1

    assert periodic_work.done == ["test.periodic"]
    (job,) = [job for job in await rows(database) if job.kind == "test.periodic"]
    assert (job.failures, job.error, job.failed_at) == (0, None, None)
    assert await job_attention(database) == [("test.periodic", True)]


async def test_periodic_work_that_ends_the_process_again_is_given_up_again(
    database: Database, periodic_work: HeldPeriodic
) -> None:
    worker = Worker(database, [periodic_work])
    for _time in range(2):
        await pass_pause(database, worker, timedelta(hours=1))
        await kill_it(database, periodic_work, "test.periodic")
        assert await worker.run_due() == 0
        (job,) = [job for job in await rows(database) if job.kind == "test.periodic"]
        assert (job.claim, job.failed_at is None) == (None, False)

    assert periodic_work.done == []
    assert await job_attention(database) == [("test.periodic", True)]


async def test_other_work_that_was_given_up_waits_for_a_person(
    database: Database, services: Services, worker: Worker
) -> None:
    await put(database, "test.one", 1, key="a")
    for _time in range(MOST_ENDS):
        await kill_it(database, services)
    assert await worker.run_due("test.one") == 0

    await pass_pause(database, worker, timedelta(days=2))

    assert await worker.run_due("test.one") == 0


async def test_one_end_of_a_process_after_many_failures_gives_nothing_up(
    database: Database, services: Services, worker: Worker
) -> None:
    await put(database, "test.one", 1)
    async with database.transaction() as session:
        await session.execute(update(Job).values(failures=20, error="broken", failing_since=db_now()))
    await kill_it(database, services)

    assert await worker.run_due() == 1
    assert services.done == [1]


async def test_a_failure_between_two_ends_of_processes_begins_their_count_again(
    database: Database, services: Services, worker: Worker
) -> None:
    await put(database, "test.one", 1)
    for _time in range(MOST_ENDS - 1):
        await kill_it(database, services)
    services.fail = RuntimeError("broken")
    assert await worker.run_due() == 1
    services.fail = None
    await make_due(database)
    await kill_it(database, services)
    await kill_it(database, services)

    (job,) = await rows(database)
    assert (job.failures, job.error, job.failed_at) == (1, ENDED, None)


async def test_a_worker_that_is_started_twice_works_once(database: Database, worker: Worker) -> None:
    worker.start()
    worker.start()
    try:
        loops = [task for task in asyncio.all_tasks() if task.get_name() == "job worker"]
        assert len(loops) == 1
    finally:
        await worker.stop()


async def test_a_stopped_worker_leaves_what_others_have_claimed(database: Database, worker: Worker) -> None:
    await put(database, "test.one", 1)
    async with database.transaction() as session:
        await session.execute(update(Job).values(claim="of another", run_at=db_now(timedelta(seconds=45))))
    (before,) = await rows(database)
    worker.start()
    await worker.stop()
    (after,) = await rows(database)
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
async def test_only_a_failure_that_nobody_foresaw_is_logged_with_its_traceback(
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
    await put(database, "test.one", 1)
    await worker.run_due()
    (record,) = (record for record in caplog.records if record.name == "backend.jobs.worker")
    assert (record.levelname, record.getMessage()) == (level, message)
    assert bool(record.exc_info) == has_traceback


async def test_a_clock_that_is_wrong_claims_nothing_early(
    database: Database, worker: Worker, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(database, "test.one", 1, after=60)
    ahead: datetime = clock.now() + timedelta(minutes=2)
    monkeypatch.setattr(clock, "now", lambda: ahead)

    assert await worker.run_due() == 0


async def test_kinds_that_nobody_here_does_are_left_alone(database: Database, worker: Worker) -> None:
    await put(database, "test.of_a_newer_release", 1)

    assert await worker.run_due() == 0
    assert len(await rows(database)) == 1


def test_pauses_grow_to_five_minutes() -> None:
    assert [pause_after(n).total_seconds() for n in (1, 2, 3, 9, 10, 40)] == [1, 2, 4, 256, 300, 300]


def test_two_methods_for_one_kind_are_refused(services: Services) -> None:
    with pytest.raises(ValueError, match="two methods"):
        handlers_of([services, Services()])


async def test_a_job_that_is_gone_is_dismissed_all_the_same(database: Database) -> None:
    async with database.transaction() as session:
        await dismiss(session, 404)
        assert (await session.execute(select(Job))).first() is None
