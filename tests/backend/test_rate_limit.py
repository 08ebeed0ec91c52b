"""Who tries too often has to wait."""

import asyncio

import pytest
from sqlalchemy import func, select, update

from backend import rate_limit
from backend.clock import now
from backend.database import Database
from backend.errors import TooManyRequests
from backend.jobs import JobRun
from backend.rate_limit import WINDOW, ExpiredCounters, RateLimit, RateLimitCounter


async def test_guesses_at_once_do_not_slip_through(database: Database) -> None:
    limit = RateLimit("test", 3, 100, 100)
    answers = await asyncio.gather(
        *(rate_limit.hit(database, limit, "ana@example.com", "::1") for _ in range(8)),
        return_exceptions=True,
    )
    assert sum(answer is None for answer in answers) == 3
    assert sum(isinstance(answer, TooManyRequests) for answer in answers) == 5


async def test_many_clients_at_one_address(database: Database) -> None:
    limit = RateLimit("test", 5, 5, 3)
    for n in range(3):
        await rate_limit.hit(database, limit, "ana@example.com", f"10.0.0.{n}")
    with pytest.raises(TooManyRequests):
        await rate_limit.hit(database, limit, "ana@example.com", "10.0.0.9")


async def test_it_is_forgotten_after_a_quarter_of_an_hour(database: Database) -> None:
    limit = RateLimit("test", 1, 9, 9)
    await rate_limit.hit(database, limit, "ana@example.com", "::1")
    with pytest.raises(TooManyRequests):
        await rate_limit.hit(database, limit, "ana@example.com", "::1")
    async with database.transaction() as session:
        await session.execute(update(RateLimitCounter).values(expires_at=now()))
    await rate_limit.hit(database, limit, "ana@example.com", "::1")


async def test_a_try_that_was_right_does_not_count(database: Database) -> None:
    limit = RateLimit("test", 2, 3, 9)
    for _ in range(5):
        await rate_limit.hit(database, limit, "ana@example.com", "::1")
        await rate_limit.refund(database, limit, "ana@example.com", "::1")
    await rate_limit.hit(database, limit, "otra@example.com", "::1")
    await rate_limit.hit(database, limit, "otra@example.com", "::1")
    with pytest.raises(TooManyRequests) as refused:
        await rate_limit.hit(database, limit, "otra@example.com", "::1")
    assert 0 < refused.value.retry_after <= 15 * 60


async def test_a_try_is_taken_back_once_and_only_if_it_was_counted(database: Database) -> None:
    limit = RateLimit("test", 1, 2, 9)
    async with database.transaction() as session:
        await rate_limit.hit_in(session, limit, "one", "::1")
        await rate_limit.hit_in(session, limit, "other", "::1")
    async with database.transaction() as session:
        for subject in ("one", "one", "nobody's"):
            await rate_limit.refund_in(session, limit, subject, "::1")
    await rate_limit.hit(database, limit, "third", "::1")
    with pytest.raises(TooManyRequests):
        await rate_limit.hit(database, limit, "fourth", "::1")


async def test_what_is_long_over_is_deleted(database: Database) -> None:
    limit = RateLimit("test", 9, 9, 0)
    counters = select(func.count()).select_from(RateLimitCounter)
    await rate_limit.hit(database, limit, "old", "::1")
    async with database.transaction() as session:
        await session.execute(update(RateLimitCounter).values(expires_at=now() - WINDOW))
    await rate_limit.hit(database, limit, "new", "::2")
    run = JobRun(id=1, kind="rate_limit.delete_expired", key=None, payload={}, attempt=1)
    await ExpiredCounters(database).delete_expired(run)
    async with database.read() as session:
        assert (await session.execute(counters)).scalar_one() == 2
    await rate_limit.hit(database, limit, "old", "::1")
