"""Correction of job times that were written while the clock was wrong.

If a clock runs ahead and is then corrected, `run_at` is too far in the future and no job runs until then. Each job
stores its delay, so a correct `run_at` is never later than now plus that delay. A `run_at` that is later is moved
to an earlier time.
"""

import logging
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

from sqlalchemy import ColumnElement, Float, and_, case, exists, func, null, or_, select
from sqlalchemy import cast as sql_cast
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import Database, database_now, db_now, db_now_in
from backend.core.events import publish
from backend.jobs.kinds import pause_of, periodic_kinds
from backend.jobs.models import Job

log = logging.getLogger(__name__)

CLOCK_SLACK = timedelta(minutes=1)
"""Clock corrections smaller than this are ignored."""
BATCH_SIZE = 500


@dataclass(frozen=True, slots=True)
class MomentsPulledBack:
    """Event: stored times were too far in the future, because a clock was wrong and has been corrected.

    Published in the transaction that moves them to earlier times.

    Attributes:
        counts: number of changed times, by the kind of job or the name of the column.
        ahead: the largest difference between a stored time and the latest time that was possible.
    """

    counts: Mapping[str, int]
    ahead: timedelta


async def pull_back_jobs(database: Database) -> int:
    """Correct at most `BATCH_SIZE` jobs with a time that is further in the future than their delay allows.

    Return the number of corrected jobs.

    Periodic work becomes due immediately. Any other job becomes due after its delay, counted from now, and a
    running job's claim ends after its usual duration. If no time is wrong, this costs one read and no lock.
    """
    late = _is_too_late()
    async with database.read() as session:
        if not (await session.execute(select(exists().where(late)))).scalar_one():
            return 0
    async with database.transaction() as session:
        found = await session.execute(
            select(Job).where(late).order_by(Job.id).limit(BATCH_SIZE).with_for_update(skip_locked=True)
        )
        jobs = list(found.scalars())
        await _pull_back(session, jobs)
    return len(jobs)


async def _pull_back(session: AsyncSession, jobs: list[Job]) -> None:
    moment = await database_now(session)
    counts: dict[str, int] = defaultdict(int)
    ahead = timedelta()
    for job in jobs:
        pause = pause_of(job.kind)
        wait = timedelta(seconds=job.delay_s) if job.delay_s is not None else (pause or timedelta())
        latest = moment + wait
        ahead = max(ahead, job.run_at - latest)
        if job.run_at > latest + CLOCK_SLACK:
            job.run_at = moment if pause is not None and job.claim is None else latest
        if job.again_at is not None:
            job.again_at = min(job.again_at, moment + timedelta(seconds=job.again_delay_s or 0.0))
        if job.failing_since is not None:
            job.failing_since = min(job.failing_since, moment)
        counts[f"job {job.kind}"] += 1
    await session.flush()
    await report_pulled_back(session, counts, ahead)


async def report_pulled_back(session: AsyncSession, counts: Mapping[str, int], ahead: timedelta) -> None:
    """Log that a clock was corrected, and publish an event. Do nothing if `counts` is empty."""
    if counts:
        listing = ", ".join(f"{count} of {name}" for name, count in sorted(counts.items()))
        log.error("a clock was corrected: moments up to %s too late are pulled back: %s", ahead, listing)
        await publish(session, MomentsPulledBack(dict(counts), ahead))


def _is_too_late() -> ColumnElement[bool]:
    """Return the SQL condition for jobs with a stored time that is further in the future than their delay allows.

    Jobs that were given up do not match.
    """
    slack = CLOCK_SLACK.total_seconds()
    pauses = {kind: pause.total_seconds() for kind, pause in periodic_kinds().items()}
    every = sql_cast(case(pauses, value=Job.kind, else_=None) if pauses else null(), Float)
    wait = cast("ColumnElement[float]", func.coalesce(Job.delay_s, every))
    return and_(
        Job.failed_at.is_(None),
        or_(
            Job.run_at > db_now_in(wait + slack),
            Job.again_at > db_now_in(func.coalesce(Job.again_delay_s, 0.0) + slack),
            Job.failing_since > db_now(CLOCK_SLACK),
        ),
    )
