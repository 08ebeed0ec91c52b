"""Rate limits: a client with too many attempts has to wait."""

import asyncio
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select, update

from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import TooManyRequests
from backend.rate_limit import limiter
from backend.rate_limit.limiter import (
    DAY,
    WINDOW,
    Client,
    RateLimit,
    SubjectExhausted,
    network_of,
)
from backend.rate_limit.models import RateLimitCounter

CLIENT = Client("190.24.1.1")


async def test_simultaneous_attempts_do_not_exceed_the_limit(database: Database) -> None:
    limit = RateLimit("test", 3, 100, 100)
    answers = await asyncio.gather(
        *(limiter.hit(database, limit, "ana@example.com", CLIENT) for _ in range(8)),
        return_exceptions=True,
    )
    assert sum(answer is None for answer in answers) == 3
    assert sum(isinstance(answer, TooManyRequests) for answer in answers) == 5


async def test_limit_per_subject_counts_attempts_of_all_clients(database: Database) -> None:
    limit = RateLimit("test", 5, 5, 3)
    for n in range(3):
        await limiter.hit(database, limit, "ana@example.com", Client(f"10.0.0.{n}"))
    with pytest.raises(TooManyRequests):
        await limiter.hit(database, limit, "ana@example.com", Client("10.0.0.9"))


async def test_attempts_are_counted_for_15_minutes(database: Database) -> None:
    limit = RateLimit("test", 1, 9, 9)
    await limiter.hit(database, limit, "ana@example.com", CLIENT)
    with pytest.raises(TooManyRequests):
        await limiter.hit(database, limit, "ana@example.com", CLIENT)
    async with database.transaction() as session:
        await session.execute(update(RateLimitCounter).values(expires_at=now()))
    await limiter.hit(database, limit, "ana@example.com", CLIENT)


async def test_attempt_that_was_given_back_does_not_count(database: Database) -> None:
    limit = RateLimit("test", 2, 3, 9)
    for _ in range(5):
        await limiter.hit(database, limit, "ana@example.com", CLIENT)
        await limiter.refund(database, limit, "ana@example.com", CLIENT)
    await limiter.hit(database, limit, "otra@example.com", CLIENT)
    await limiter.hit(database, limit, "otra@example.com", CLIENT)
    with pytest.raises(TooManyRequests) as refused:
        await limiter.hit(database, limit, "otra@example.com", CLIENT)
    assert 0 < refused.value.retry_after <= 15 * 60


async def test_attempt_is_given_back_once_and_only_if_it_was_counted(database: Database) -> None:
    limit = RateLimit("test", 1, 2, 9)
    async with database.transaction() as session:
        await limiter.hit_in(session, limit, "one", CLIENT)
        await limiter.hit_in(session, limit, "other", CLIENT)
    async with database.transaction() as session:
        for subject in ("one", "one", "nobody's"):
            await limiter.refund_in(session, limit, subject, CLIENT)
    await limiter.hit(database, limit, "third", CLIENT)
    with pytest.raises(TooManyRequests):
        await limiter.hit(database, limit, "fourth", CLIENT)


async def test_counting_and_giving_back_attempts_at_the_same_time_does_not_deadlock(
    database: Database,
) -> None:
    """Count and refund attempts concurrently: both lock several counters, so they need the same order."""
    limit = RateLimit("test", 1000, 1000, 1000, per_day=1000)

    async def buy(subject: str) -> None:
        await limiter.hit(database, limit, subject, CLIENT)
        async with database.transaction() as session:
            await limiter.refund_in(session, limit, subject, CLIENT)
        await limiter.refund(database, limit, subject, CLIENT)

    await asyncio.gather(*(buy(f"{n % 8}@example.com") for n in range(80)))


async def test_attempts_given_back_concurrently_are_all_subtracted(database: Database) -> None:
    limit = RateLimit("test", per_pair=1, per_client=8, per_subject=8)

    async def buy(subject: str) -> None:
        async with database.transaction() as session:
            await limiter.hit_in(session, limit, subject, CLIENT)
        async with database.transaction() as session:
            await limiter.refund_in(session, limit, subject, CLIENT)

    for _ in range(3):  # more than fit if any of them stayed counted
        await asyncio.gather(*(buy(f"{n}@example.com") for n in range(8)))
    for n in range(8):
        await limiter.hit(database, limit, f"{n}@example.com", CLIENT)
    with pytest.raises(TooManyRequests):
        await limiter.hit(database, limit, "one more", CLIENT)


async def test_refused_attempt_is_not_counted_towards_other_limits(database: Database) -> None:
    limit = RateLimit("test", per_pair=2, per_client=4, per_subject=5)
    for _ in range(2):
        await limiter.hit(database, limit, "ana@example.com", CLIENT)
    for _ in range(10):
        with pytest.raises(TooManyRequests) as refused:
            await limiter.hit(database, limit, "ana@example.com", CLIENT)
        assert not isinstance(refused.value, SubjectExhausted)
    for n in range(3):  # the remaining tries, for other clients and for other subjects
        await limiter.hit(database, limit, "ana@example.com", Client(f"10.0.0.{n}"))
    for _ in range(2):
        await limiter.hit(database, limit, "otra@example.com", CLIENT)
    with pytest.raises(SubjectExhausted):
        await limiter.hit(database, limit, "ana@example.com", Client("10.0.0.9"))


async def test_attempts_on_a_known_device_have_separate_limits(database: Database) -> None:
    limit = RateLimit("test", per_pair=2, per_client=2, per_subject=2, per_day=3)
    for _ in range(2):
        await limiter.hit(database, limit, "ana@example.com", CLIENT)
    known_device = Client(CLIENT.address, device="a")
    for device in (known_device, Client(CLIENT.address, device="b")):
        for _ in range(2):
            await limiter.hit(database, limit, "ana@example.com", device)
        with pytest.raises(TooManyRequests):
            await limiter.hit(database, limit, "ana@example.com", device)
    await limiter.refund(database, limit, "ana@example.com", known_device)
    for _ in range(2):
        await limiter.hit(database, limit, "ana@example.com", known_device)
    async with database.transaction() as session:  # the next 15 minutes, the same day
        soon = RateLimitCounter.expires_at < now() + DAY / 2
        await session.execute(update(RateLimitCounter).where(soon).values(expires_at=now()))
    with pytest.raises(TooManyRequests) as refused:
        await limiter.hit(database, limit, "ana@example.com", known_device)
    assert refused.value.retry_after > 23 * 60 * 60


async def test_attempts_for_one_subject_have_a_daily_limit(database: Database) -> None:
    limit = RateLimit("test", per_pair=1, per_client=9, per_subject=2, per_day=3)
    for n in range(3):
        await limiter.hit(database, limit, "ana@example.com", Client(f"10.0.0.{n}"))
        async with database.transaction() as session:
            soon = RateLimitCounter.expires_at < now() + DAY / 2
            await session.execute(update(RateLimitCounter).where(soon).values(expires_at=now()))
    with pytest.raises(SubjectExhausted) as refused:
        await limiter.hit(database, limit, "ana@example.com", Client("10.0.0.9"))
    assert refused.value.retry_after > 23 * 60 * 60


async def test_limit_per_client_grows_with_the_people_at_its_ip_address(database: Database) -> None:
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
def test_clients_are_told_apart_by_ipv4_address_or_ipv6_network(ip: str, network: str) -> None:
    assert network_of(ip) == network


@pytest.fixture
def moment(monkeypatch: pytest.MonkeyPatch) -> datetime:
    """Stop the limiter's clock. Return its time."""
    moment = now()
    monkeypatch.setattr(limiter, "now", lambda: moment)
    return moment


async def test_retry_after_is_the_remaining_time_of_the_window(database: Database, moment: datetime) -> None:
    limit = RateLimit("test", per_pair=1, per_client=9, per_subject=9)
    await limiter.hit(database, limit, "ana@example.com", CLIENT)
    for rest, wait in ((WINDOW, 900), (timedelta(seconds=1.5), 2), (timedelta(seconds=0.4), 1)):
        async with database.transaction() as session:
            await session.execute(update(RateLimitCounter).values(expires_at=moment + rest))
        with pytest.raises(TooManyRequests) as refused:
            await limiter.hit(database, limit, "ana@example.com", CLIENT)
        assert refused.value.retry_after == wait


async def test_retry_after_of_the_daily_limit_is_one_day(database: Database, moment: datetime) -> None:
    limit = RateLimit("test", per_pair=9, per_client=9, per_subject=0, per_day=1)
    await limiter.hit(database, limit, "ana@example.com", CLIENT)
    with pytest.raises(SubjectExhausted) as refused:
        await limiter.hit(database, limit, "ana@example.com", CLIENT)
    assert refused.value.retry_after == 24 * 60 * 60


async def test_attempt_given_back_twice_at_the_same_moment_is_subtracted_once(
    database: Database, moment: datetime
) -> None:
    limit = RateLimit("test", per_pair=1, per_client=2, per_subject=9)
    for subject in ("one", "other"):
        await limiter.hit(database, limit, subject, CLIENT)
    for _ in range(2):
        async with database.transaction() as session:
            await limiter.refund_in(session, limit, "one", CLIENT)
    await limiter.hit(database, limit, "third", CLIENT)
    with pytest.raises(TooManyRequests):
        await limiter.hit(database, limit, "fourth", CLIENT)


async def test_attempt_given_back_does_not_count_on_a_replica_whose_clock_is_behind(
    database: Database, moment: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = RateLimit("test", per_pair=1, per_client=9, per_subject=9)
    await limiter.hit(database, limit, "ana@example.com", CLIENT)
    await limiter.refund(database, limit, "ana@example.com", CLIENT)
    monkeypatch.setattr(limiter, "now", lambda: moment - timedelta(seconds=1))
    await limiter.hit(database, limit, "ana@example.com", CLIENT)
    with pytest.raises(TooManyRequests):
        await limiter.hit(database, limit, "ana@example.com", CLIENT)


async def test_giving_back_more_attempts_than_were_made_allows_no_extra_attempts(database: Database) -> None:
    limit = RateLimit("test", per_pair=9, per_client=9, per_subject=2)
    await limiter.hit(database, limit, "ana@example.com", CLIENT)
    for _ in range(3):
        await limiter.refund(database, limit, "ana@example.com", CLIENT)
    for _ in range(2):
        await limiter.hit(database, limit, "ana@example.com", CLIENT)
    with pytest.raises(SubjectExhausted):
        await limiter.hit(database, limit, "ana@example.com", CLIENT)


async def test_limit_of_a_known_device_without_a_daily_limit_uses_one_counter(database: Database) -> None:
    limit = RateLimit("test", per_pair=1, per_client=1, per_subject=1)
    device = Client(CLIENT.address, device="a")
    await limiter.hit(database, limit, "ana@example.com", device)
    with pytest.raises(TooManyRequests):
        await limiter.hit(database, limit, "ana@example.com", device)
    async with database.read() as session:
        assert len((await session.execute(select(RateLimitCounter.key))).all()) == 1


async def test_repeated_locks_of_a_key_store_one_row(database: Database) -> None:
    for key in ("cart_1", "cart_1", "cart_2"):
        async with database.transaction() as session:
            await limiter.take_turns(session, key)
    async with database.read() as session:
        assert len((await session.execute(select(RateLimitCounter.key))).all()) == 2


def test_setting_determines_the_number_of_people_per_ip_address() -> None:
    client = Client.from_ip("2800:e2:1:2::1", Settings(people_per_address=7))
    assert client == Client("2800:e2:1:2::/64", 7)
