"""A clock that ran ahead was put right: the stored moments of jobs are moved as it wrote them.

fault                                            | outcome
-------------------------------------------------|--------------------------------------------------------------
periodic work is a month away                    | due at once; attention, and an error in the log
a job waits for longer than it was to wait       | it waits again for as long as it was to wait
a failed job is tried again in a month           | after its usual pause
a claim is open for a month                      | for its usual time; the run that holds it goes on
enqueued again while it runs, a month away       | after its usual wait
a job that waits for a month, as it was to wait  | as it is
given up                                         | as it is
two replicas find it at once                     | one of them pulls it back and reports it
a row of an earlier version, without its wait    | periodic work is pulled back; other jobs cannot be judged
"""

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.attention.models import Attention
from backend.core.db.database import Database, database_now, db_now
from backend.jobs import JobRun, RetryLater, RunAgain, Worker, enqueue, job, periodic
from backend.jobs.models import Job

MONTH = timedelta(days=30)
HOUR = timedelta(hours=1)


class Services:
    """Fails, asks for another run, or runs until it is let go."""

    def __init__(self) -> None:
        self.result: RunAgain | Exception | None = None
        self.hold: asyncio.Event | None = None
        self.began = asyncio.Event()
        self.done: list[str] = []
        self.all_ran = asyncio.Event()

    @job("clock.one", timeout=timedelta(minutes=2))
    async def one(self, run: JobRun) -> RunAgain | None:
        self.began.set()
        if self.hold is not None:
            await self.hold.wait()
        if isinstance(self.result, Exception):
            raise self.result
        self.done.append(run.kind)
        return self.result

    def note(self, run: JobRun) -> None:
        self.done.append(run.kind)
        if {"clock.often", "clock.daily"} <= set(self.done):
            self.all_ran.set()

    @periodic("clock.often", every=timedelta(minutes=1))
    async def often(self, run: JobRun) -> None:
        self.note(run)

    @periodic("clock.daily", every=timedelta(days=1))
    async def daily(self, run: JobRun) -> None:
        self.note(run)


@pytest.fixture
def services() -> Services:
    return Services()


@pytest.fixture
def worker(database: Database, services: Services) -> Worker:
    return Worker(database, [services])


async def jump(database: Database, ahead: timedelta = MONTH) -> None:
    """Move the moments of all jobs as a clock writes them that is this far ahead."""
    async with database.transaction() as session:
        for row in (await session.execute(select(Job))).scalars():
            row.run_at += ahead
            row.again_at = row.again_at + ahead if row.again_at else None
            row.failing_since = row.failing_since + ahead if row.failing_since else None


async def is_any_claimed(database: Database) -> bool:
    async with database.read() as session:
        return any((await session.execute(select(Job.claim))).scalars())


async def waits(database: Database) -> dict[str, float]:
    """Return the seconds until each job is due, by kind."""
    async with database.read() as session:
        moment = await database_now(session)
        jobs = (await session.execute(select(Job))).scalars()
        return {row.kind: (row.run_at - moment).total_seconds() for row in jobs}


async def reports(database: Database) -> list[Attention]:
    async with database.read() as session:
        found = select(Attention).where(Attention.kind == "clock_put_back", Attention.resolved_at.is_(None))
        return list((await session.execute(found)).scalars())


async def put(database: Database, after: timedelta | None = None) -> None:
    async with database.transaction() as session:
        await enqueue(session, "clock.one", key="1", after=after)


@pytest.mark.parametrize("is_first_run", [True, False])
async def test_periodic_work_is_due_at_once(
    database: Database,
    worker: Worker,
    services: Services,
    is_first_run: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    await worker.schedule()
    if not is_first_run:
        assert await worker.run_due() == 2
    await jump(database)
    assert await worker.run_due() == 0
    await worker.schedule()
    assert all(wait <= 0 for wait in (await waits(database)).values())
    assert await worker.run_due() == 2
    assert set(services.done) == {"clock.often", "clock.daily"}
    assert "a clock was put back" in caplog.text
    (report,) = await reports(database)
    assert report.data == {"counts": {"job clock.daily": 1, "job clock.often": 1}}
    await worker.schedule()
    assert len(await reports(database)) == 1


@pytest.mark.parametrize(
    "case",
    [
        (HOUR, None, HOUR),
        (None, RetryLater("not yet", after=timedelta(minutes=7)), timedelta(minutes=7)),
        (None, ValueError("no"), timedelta(seconds=1)),
        (None, RunAgain(timedelta(minutes=9)), timedelta(minutes=9)),
    ],
)
async def test_job_waits_for_as_long_as_it_was_to_wait(
    database: Database,
    worker: Worker,
    services: Services,
    case: tuple[timedelta | None, RunAgain | Exception | None, timedelta],
) -> None:
    after, services.result, wait = case
    await put(database, after)
    await worker.run_due()
    await jump(database)
    await worker.schedule()
    assert 0 <= wait.total_seconds() - (await waits(database))["clock.one"] < 60
    assert len(await reports(database)) == 1


async def test_job_enqueued_sooner_has_the_sooner_wait(database: Database, worker: Worker) -> None:
    await put(database, MONTH)
    await put(database, HOUR)
    await put(database, 2 * HOUR)
    await jump(database)
    await worker.schedule()
    assert 0 <= HOUR.total_seconds() - (await waits(database))["clock.one"] < 60


async def test_claim_is_open_for_its_usual_time_and_its_run_goes_on(
    database: Database, worker: Worker, services: Services
) -> None:
    services.hold = asyncio.Event()
    await put(database)
    run = asyncio.create_task(worker.run_due("clock.one"))
    await services.began.wait()
    await put(database, HOUR)  # again, while it runs
    await jump(database)
    await worker.schedule()
    assert (await waits(database))["clock.one"] <= 135
    services.hold.set()
    assert await run == 1
    assert 0 <= HOUR.total_seconds() - (await waits(database))["clock.one"] < 60


async def test_honest_wait_is_left_alone(
    database: Database, worker: Worker, caplog: pytest.LogCaptureFixture
) -> None:
    await put(database, MONTH)
    await worker.schedule()
    assert (await waits(database))["clock.one"] > MONTH.total_seconds() - 60
    assert await reports(database) == []
    assert "put back" not in caplog.text


async def test_job_that_is_given_up_stays_so(database: Database, worker: Worker) -> None:
    await put(database)
    async with database.transaction() as session:
        await session.execute(update(Job).values(failed_at=db_now()))
    await jump(database)
    await worker.schedule()
    assert (await waits(database))["clock.one"] > HOUR.total_seconds()


async def test_two_replicas_pull_it_back_and_report_it_once(
    database: Database, worker: Worker, services: Services
) -> None:
    await worker.schedule()
    await jump(database)
    await asyncio.gather(*(Worker(database, [services]).schedule() for _ in range(4)))
    assert all(wait <= 0 for wait in (await waits(database)).values())
    assert len(await reports(database)) == 1


async def test_row_of_an_earlier_version_is_judged_by_its_period(database: Database, worker: Worker) -> None:
    await worker.schedule()
    await put(database, HOUR)
    await jump(database)
    async with database.transaction() as session:
        await session.execute(update(Job).values(delay_s=None))
    await worker.schedule()
    found = await waits(database)
    assert found["clock.often"] <= 0
    assert found["clock.one"] > HOUR.total_seconds()


async def test_every_periodic_kind_of_the_shop_is_pulled_back(shop: Shop) -> None:
    await shop.worker.schedule()
    before = await waits(shop.database)
    assert {"inventory.release_expired", "alert.watch", "tidy", "clock.correct"} <= before.keys()
    await jump(shop.database, timedelta(days=400))
    await shop.worker.schedule()
    assert {kind for kind, wait in (await waits(shop.database)).items() if wait > 0} == set()


async def test_running_worker_pulls_back_by_a_clock_that_nobody_puts_back(
    database: Database, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker looks again while it runs, not only when it starts."""
    monkeypatch.setattr("backend.jobs.worker.SCHEDULE_INTERVAL_S", 0.0)
    running = Worker(database, [services], poll_every=0.01)
    running.start()
    try:
        for _ in ("before the clock jumps", "after it is put right"):
            async with asyncio.timeout(60):
                await services.all_ran.wait()
                while await is_any_claimed(database):
                    continue  # the end of a run writes the job's next moment
            services.done.clear()
            services.all_ran.clear()
            await jump(database)
    finally:
        await running.stop()
