from sqlalchemy import func, select, update

from backend.core.clock import now
from backend.core.db.database import Database
from backend.jobs import JobRun
from backend.jobs.kinds import collect_handlers, pause_of
from backend.rate_limit.expiry import ExpiredCounters
from backend.rate_limit.limiter import WINDOW, Client, RateLimit, hit
from backend.rate_limit.models import RateLimitCounter

CLIENT = Client("190.24.1.1")


async def test_expired_counters_are_deleted(database: Database) -> None:
    limit = RateLimit("test", 9, 9, 0)
    counters = select(func.count()).select_from(RateLimitCounter)
    await hit(database, limit, "old", CLIENT)
    async with database.transaction() as session:
        await session.execute(update(RateLimitCounter).values(expires_at=now() - WINDOW))
    await hit(database, limit, "new", Client("190.24.1.2"))
    run = JobRun(id=1, kind="rate_limit.delete_expired", key=None, payload={}, attempt=1)
    await ExpiredCounters(database).delete_expired(run)
    async with database.read() as session:
        assert (await session.execute(counters)).scalar_one() == 2
    await hit(database, limit, "old", CLIENT)


async def test_expired_counters_are_deleted_periodically(database: Database) -> None:
    assert collect_handlers([ExpiredCounters(database)]).keys() == {"rate_limit.delete_expired"}
    assert pause_of("rate_limit.delete_expired") == WINDOW
