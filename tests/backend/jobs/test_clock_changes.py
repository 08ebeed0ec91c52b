"""Correction of job times after a clock ran ahead and was corrected.

fault                                            | outcome
-------------------------------------------------|--------------------------------------------------------------
periodic work is a month away                    | due immediately; attention, and an error in the log
a job waits longer than its delay                | it waits for its delay again
a failed job is tried again in a month           | after its usual pause
a claim is valid for a month                     | for its usual time; the run that holds it continues
enqueued again while it runs, a month away       | after its usual delay
a job that waits for a month, as requested       | unchanged
given up                                         | unchanged
two replicas find it at once                     | one of them pulls it back and reports it
a row of an earlier version, without its delay   | periodic work is pulled back; other jobs stay unchanged
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
    """A service whose job fails, requests another run, or waits for an event."""

    def __init__(self) -> None:
        self.result: RunAgain | Exception | None = None
        self.hold: asyncio.Event | None = None
        self.began = asyncio.Event()
        self.done: list[str] = []
        self.all_ran = asyncio.Event()

    @job("clock.one", timeout=timedelta(minutes=2))
    async def run_once(self, run: JobRun) -> RunAgain | None:
        self.began.set()
        if self.hold is not None:
            await self.hold.wait()
        if isinstance(self.result, Exception):
            raise self.result
        self.done.append(run.kind)
        return self.result

    def record_run(self, run: JobRun) -> None:
        self.done.append(run.kind)
        if {"clock.often", "clock.daily"} <= set(self.done):
            self.all_ran.set()

    @periodic("clock.often", every=timedelta(minutes=1))
    async def often(self, run: JobRun) -> None:
        self.record_run(run)

    @periodic("clock.daily", every=timedelta(days=1))
    async def daily(self, run: JobRun) -> None:
        self.record_run(run)


@pytest.fixture
def services() -> Services:
    return Services()


@pytest.fixture
def worker(database: Database, services: Services) -> Worker:
    return Worker(database, [services])


async def move_moments_ahead(database: Database, ahead: timedelta = MONTH) -> None:
    """Move the moments of all jobs forward, as if written by a clock that far ahead."""
    async with database.transaction() as session:
        for row in (await session.execute(select(Job))).scalars():
            row.run_at += ahead
            row.again_at = row.again_at + ahead if row.again_at else None
            row.failing_since = row.failing_since + ahead if row.failing_since else None


async def is_any_claimed(database: Database) -> bool:
    async with database.read() as session:
        return any((await session.execute(select(Job.claim))).scalars())


async def read_waits(database: Database) -> dict[str, float]:
    """Return the seconds until each job is due, by kind."""
    async with database.read() as session:
        moment = await database_now(session)
        jobs = (await session.execute(select(Job))).scalars()
        return {row.kind: (row.run_at - moment).total_seconds() for row in jobs}


async def read_reports(database: Database) -> list[Attention]:
    async with database.read() as session:
        found = select(Attention).where(Attention.kind == "clock_put_back", Attention.resolved_at.is_(None))
        return list((await session.execute(found)).scalars())


async def enqueue_job(database: Database, after: timedelta | None = None) -> None:
    async with database.transaction() as session:
        await enqueue(session, "clock.one", key="1", after=after)


@pytest.mark.parametrize("is_first_run", [True, False])
async def test_periodic_job_is_due_immediately_after_a_clock_correction(
    database: Database,
    worker: Worker,
    services: Services,
    is_first_run: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    await worker.schedule()
    if not is_first_run:
        assert await worker.run_due() == 2
    await move_moments_ahead(database)
    assert await worker.run_due() == 0
    await worker.schedule()
    assert all(wait <= 0 for wait in (await read_waits(database)).values())
    assert await worker.run_due() == 2
    assert set(services.done) == {"clock.often", "clock.daily"}
    assert "a clock was corrected" in caplog.text
    (report,) = await read_reports(database)
    assert report.data["counts"] == {"job clock.daily": 1, "job clock.often": 1}
    await worker.schedule()
    assert len(await read_reports(database)) == 1


@pytest.mark.parametrize(
    "case",
    [
        (HOUR, None, HOUR),
        (None, RetryLater("not yet", after=timedelta(minutes=7)), timedelta(minutes=7)),
        (None, ValueError("no"), timedelta(seconds=1)),
        (None, RunAgain(timedelta(minutes=9)), timedelta(minutes=9)),
    ],
)
async def test_job_postponed_by_a_wrong_clock_waits_for_its_original_delay(
    database: Database,
    worker: Worker,
    services: Services,
    case: tuple[timedelta | None, RunAgain | Exception | None, timedelta],
) -> None:
    after, services.result, wait = case
    await enqueue_job(database, after)
    await worker.run_due()
    await move_moments_ahead(database)
    await worker.schedule()
    assert 0 <= wait.total_seconds() - (await read_waits(database))["clock.one"] < 60
    assert len(await read_reports(database)) == 1


async def test_job_enqueued_again_with_a_shorter_delay_keeps_the_shorter_delay(
    database: Database, worker: Worker
) -> None:
    await enqueue_job(database, MONTH)
    await enqueue_job(database, HOUR)
    await enqueue_job(database, 2 * HOUR)
    await move_moments_ahead(database)
    await worker.schedule()
    assert 0 <= HOUR.total_seconds() - (await read_waits(database))["clock.one"] < 60


async def test_claim_with_a_future_time_is_shortened_while_its_job_continues(
    database: Database, worker: Worker, services: Services
) -> None:
    services.hold = asyncio.Event()
    await enqueue_job(database)
    run = asyncio.create_task(worker.run_due("clock.one"))
    await services.began.wait()
    await enqueue_job(database, HOUR)  # again, while it runs
    await move_moments_ahead(database)
    await worker.schedule()
    assert (await read_waits(database))["clock.one"] <= 135
    services.hold.set()
    assert await run == 1
    assert 0 <= HOUR.total_seconds() - (await read_waits(database))["clock.one"] < 60


async def test_correct_delay_of_a_job_stays_unchanged(
    database: Database, worker: Worker, caplog: pytest.LogCaptureFixture
) -> None:
    await enqueue_job(database, MONTH)
    await worker.schedule()
    assert (await read_waits(database))["clock.one"] > MONTH.total_seconds() - 60
    assert await read_reports(database) == []
    assert "a clock was corrected" not in caplog.text


async def test_given_up_job_is_not_made_due_by_a_clock_correction(database: Database, worker: Worker) -> None:
    await enqueue_job(database)
    async with database.transaction() as session:
        await session.execute(update(Job).values(failed_at=db_now()))
    await move_moments_ahead(database)
    await worker.schedule()
    assert (await read_waits(database))["clock.one"] > HOUR.total_seconds()


async def test_concurrent_replicas_correct_and_report_job_times_once(
    database: Database, worker: Worker, services: Services
) -> None:
    await worker.schedule()
    await move_moments_ahead(database)
    await asyncio.gather(*(Worker(database, [services]).schedule() for _ in range(4)))
    assert all(wait <= 0 for wait in (await read_waits(database)).values())
    assert len(await read_reports(database)) == 1


async def test_due_time_of_a_periodic_job_without_a_delay_is_computed_from_its_period(
    database: Database, worker: Worker
) -> None:
    await worker.schedule()
    await enqueue_job(database, HOUR)
    await move_moments_ahead(database)
    async with database.transaction() as session:
        await session.execute(update(Job).values(delay_s=None))
    await worker.schedule()
    found = await read_waits(database)
    assert found["clock.often"] <= 0
    assert found["clock.one"] > HOUR.total_seconds()


async def test_times_of_every_periodic_job_of_the_shop_are_corrected(shop: Shop) -> None:
    await shop.worker.schedule()
    before = await read_waits(shop.database)
    assert {"inventory.release_expired", "alert.watch", "tidy", "clock.correct"} <= before.keys()
    await move_moments_ahead(shop.database, timedelta(days=400))
    await shop.worker.schedule()
    assert {kind for kind, wait in (await read_waits(shop.database)).items() if wait > 0} == set()


async def test_running_worker_corrects_job_times_repeatedly(
    database: Database, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that a worker corrects job times while it runs, not only when it starts."""
    monkeypatch.setattr("backend.jobs.worker.SCHEDULE_INTERVAL_S", 0.0)
    running = Worker(database, [services], poll_interval_s=0.01)
    running.start()
    try:
        for _ in ("before the clock jumps", "after it is put right"):
            async with asyncio.timeout(60):
                await services.all_ran.wait()
                while await is_any_claimed(database):
                    continue  # the end of a run writes the job's next run time
            services.done.clear()
            services.all_ran.clear()
            await move_moments_ahead(database)
    finally:
        await running.stop()
