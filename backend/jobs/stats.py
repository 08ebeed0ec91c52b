"""How the jobs stand, for `/health` and whoever watches."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.database import database_now
from backend.jobs.models import Job


@dataclass(frozen=True, slots=True)
class JobStats:
    """The jobs of one kind.

    Attributes:
        waiting: how many are to be done, now or later.
        late_seconds: for how long the oldest one that is due has waited; 0 when none is due.
        failing: how many failed last time and are tried again.
        failed: how many were given up.
    """

    kind: str
    waiting: int
    late_seconds: float
    failing: int
    failed: int


async def stats(session: AsyncSession) -> list[JobStats]:
    """How the jobs stand, by kind, in alphabetical order. Kinds without any are left out."""
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
        JobStats(kind, waiting, _late(oldest, moment), failing, failed)
        for kind, waiting, oldest, failing, failed in rows
    ]


def _late(oldest: datetime | None, moment: datetime) -> float:
    return max(0.0, (moment - oldest).total_seconds()) if oldest is not None else 0.0
