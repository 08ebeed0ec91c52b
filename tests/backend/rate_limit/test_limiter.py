"""Who tries too often has to wait."""

import asyncio

import pytest
from sqlalchemy import update

from backend.core.clock import now
from backend.core.db.database import Database
from backend.core.errors import TooManyRequests
from backend.rate_limit import limiter
from backend.rate_limit.limiter import (
    DAY,
    Client,
    RateLimit,
    SubjectExhausted,
    network_of,
)
from backend.rate_limit.models import RateLimitCounter

HERE = Client("190.24.1.1")


async def test_guesses_at_once_do_not_slip_through(database: Database) -> None:
    limit = RateLimit("test", 3, 100, 100)
    answers = await asyncio.gather(
        *(limiter.hit(database, limit, "ana@example.com", HERE) for _ in range(8)),
        return_exceptions=True,
    )
    assert sum(answer is None for answer in answers) == 3
    assert sum(isinstance(answer, TooManyRequests) for answer in answers) == 5


async def test_many_clients_at_one_address(database: Database) -> None:
    limit = RateLimit("test", 5, 5, 3)
    for n in range(3):
        await limiter.hit(database, limit, "ana@example.com", Client(f"10.0.0.{n}"))
    with pytest.raises(TooManyRequests):
        await limiter.hit(database, limit, "ana@example.com", Client("10.0.0.9"))


async def test_it_is_forgotten_after_a_quarter_of_an_hour(database: Database) -> None:
    limit = RateLimit("test", 1, 9, 9)
    await limiter.hit(database, limit, "ana@example.com", HERE)
    with pytest.raises(TooManyRequests):
        await limiter.hit(database, limit, "ana@example.com", HERE)
    async with database.transaction() as session:
        await session.execute(update(RateLimitCounter).values(expires_at=now()))
    await limiter.hit(database, limit, "ana@example.com", HERE)


async def test_a_try_that_was_right_does_not_count(database: Database) -> None:
    limit = RateLimit("test", 2, 3, 9)
    for _ in range(5):
        await limiter.hit(database, limit, "ana@example.com", HERE)
        await limiter.refund(database, limit, "ana@example.com", HERE)
    await limiter.hit(database, limit, "otra@example.com", HERE)
    await limiter.hit(database, limit, "otra@example.com", HERE)
    with pytest.raises(TooManyRequests) as refused:
        await limiter.hit(database, limit, "otra@example.com", HERE)
    assert 0 < refused.value.retry_after <= 15 * 60


async def test_a_try_is_taken_back_once_and_only_if_it_was_counted(database: Database) -> None:
    limit = RateLimit("test", 1, 2, 9)
    async with database.transaction() as session:
        await limiter.hit_in(session, limit, "one", HERE)
        await limiter.hit_in(session, limit, "other", HERE)
    async with database.transaction() as session:
        for subject in ("one", "one", "nobody's"):
            await limiter.refund_in(session, limit, subject, HERE)
    await limiter.hit(database, limit, "third", HERE)
    with pytest.raises(TooManyRequests):
        await limiter.hit(database, limit, "fourth", HERE)


async def test_tries_and_refunds_at_once_do_not_wait_for_each_other(database: Database) -> None:
    """Both lock several counters, so they must lock them in the same order."""
    limit = RateLimit("test", 1000, 1000, 1000, per_day=1000)

    async def buy(subject: str) -> None:
        await limiter.hit(database, limit, subject, HERE)
        async with database.transaction() as session:
            await limiter.refund_in(session, limit, subject, HERE)
        await limiter.refund(database, limit, subject, HERE)

    await asyncio.gather(*(buy(f"{n % 8}@example.com") for n in range(80)))


async def test_tries_that_are_taken_back_at_once_are_all_taken_back(database: Database) -> None:
    limit = RateLimit("test", per_pair=1, per_client=8, per_subject=8)

    async def buy(subject: str) -> None:
        async with database.transaction() as session:
            await limiter.hit_in(session, limit, subject, HERE)
        async with database.transaction() as session:
            await limiter.refund_in(session, limit, subject, HERE)

    for _ in range(3):  # one more than fits, were any of them left
        await asyncio.gather(*(buy(f"{n}@example.com") for n in range(8)))
    for n in range(8):
        await limiter.hit(database, limit, f"{n}@example.com", HERE)
    with pytest.raises(TooManyRequests):
        await limiter.hit(database, limit, "one more", HERE)


async def test_a_try_that_is_refused_counts_nowhere(database: Database) -> None:
    limit = RateLimit("test", per_pair=2, per_client=4, per_subject=5)
    for _ in range(2):
        await limiter.hit(database, limit, "ana@example.com", HERE)
    for _ in range(10):
        with pytest.raises(TooManyRequests) as refused:
            await limiter.hit(database, limit, "ana@example.com", HERE)
        assert not isinstance(refused.value, SubjectExhausted)
    for n in range(3):  # what is left for the others, and for the client elsewhere
        await limiter.hit(database, limit, "ana@example.com", Client(f"10.0.0.{n}"))
    for _ in range(2):
        await limiter.hit(database, limit, "otra@example.com", HERE)
    with pytest.raises(SubjectExhausted):
        await limiter.hit(database, limit, "ana@example.com", Client("10.0.0.9"))


async def test_a_known_device_has_tries_of_its_own_and_no_more_than_them(database: Database) -> None:
    limit = RateLimit("test", per_pair=2, per_client=2, per_subject=2, per_day=3)
    for _ in range(2):
        await limiter.hit(database, limit, "ana@example.com", HERE)
    known = Client(HERE.address, device="a")
    for device in (known, Client(HERE.address, device="b")):
        for _ in range(2):
            await limiter.hit(database, limit, "ana@example.com", device)
        with pytest.raises(TooManyRequests):
            await limiter.hit(database, limit, "ana@example.com", device)
    await limiter.refund(database, limit, "ana@example.com", known)
    for _ in range(2):
        await limiter.hit(database, limit, "ana@example.com", known)
    async with database.transaction() as session:  # the next quarter of an hour, the same day
        soon = RateLimitCounter.expires_at < now() + DAY / 2
        await session.execute(update(RateLimitCounter).where(soon).values(expires_at=now()))
    with pytest.raises(TooManyRequests) as refused:
        await limiter.hit(database, limit, "ana@example.com", known)
    assert refused.value.retry_after > 23 * 60 * 60


async def test_a_subject_has_a_bound_for_the_day_too(database: Database) -> None:
    limit = RateLimit("test", per_pair=1, per_client=9, per_subject=2, per_day=3)
    for n in range(3):
        await limiter.hit(database, limit, "ana@example.com", Client(f"10.0.0.{n}"))
        async with database.transaction() as session:
            soon = RateLimitCounter.expires_at < now() + DAY / 2
            await session.execute(update(RateLimitCounter).where(soon).values(expires_at=now()))
    with pytest.raises(SubjectExhausted) as refused:
        await limiter.hit(database, limit, "ana@example.com", Client("10.0.0.9"))
    assert refused.value.retry_after > 23 * 60 * 60


async def test_more_people_behind_an_address_have_more_tries(database: Database) -> None:
    limit = RateLimit("test", per_pair=1, per_client=4, per_subject=9)
    for people, most in ((500, 2), (1, 1), (1500, 6)):
        client = Client(f"network of {people}", people)
        for n in range(most):
            await limiter.hit(database, limit, f"a{n}@example.com", client)
        with pytest.raises(TooManyRequests):
            await limiter.hit(database, limit, "one more", client)


@pytest.mark.parametrize(
    ("ip", "network"),
    [
        ("190.24.1.1", "190.24.1.1"),
        ("::ffff:190.24.1.1", "190.24.1.1"),
        ("2800:e2:1:2::1", "2800:e2:1:2::/64"),
        ("2800:e2:1:2:ffff:ffff:ffff:ffff", "2800:e2:1:2::/64"),
        ("2800:e2:1:3::1", "2800:e2:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("cart_1", "cart_1"),
    ],
)
def test_a_client_is_an_address_or_what_one_subscriber_has_of_ipv6(ip: str, network: str) -> None:
    assert network_of(ip) == network
