"""Changes of products are told at least once, in order per product, by one at a time."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import httpx
import pytest
from sqlalchemy import select, update

from backend.catalog.events import ProductChanged
from backend.core.db.database import Database, db_now
from backend.core.events import publish
from backend.jobs import Worker
from backend.jobs.models import Job
from backend.outbox import publisher
from backend.outbox.models import OutboxEvent
from backend.outbox.publisher import OutboxPublisher

SECRET = "a shared secret"


@dataclass
class Storefront:
    """Answers deliveries, and remembers them. `status` may be an exception to raise."""

    status: int | Exception = 200
    told: list[list[str]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    heard: asyncio.Event = field(default_factory=asyncio.Event)
    before_answering: Callable[[], None] = lambda: None

    async def answer(self, request: httpx.Request) -> httpx.Response:
        self.paths.append(f"{request.method} {request.url}")
        self.secrets.append(request.headers.get("x-revalidate-secret", ""))
        self.before_answering()
        await asyncio.sleep(0)
        if isinstance(self.status, Exception):
            raise self.status
        if self.status == 200:
            events = json.loads(request.content)["events"]
            self.told.append([event["product_id"] for event in events])
            self.numbers += [event["id"] for event in events]
        self.heard.set()
        return httpx.Response(self.status, json={"revalidated": 1})


@pytest.fixture
def storefront() -> Storefront:
    return Storefront()


def publisher_of(database: Database, storefront: Storefront) -> OutboxPublisher:
    http = httpx.AsyncClient(transport=httpx.MockTransport(storefront.answer))
    return OutboxPublisher(database, http, "https://shop.test", SECRET)


@pytest.fixture
async def worker(database: Database, storefront: Storefront) -> AsyncIterator[Worker]:
    """Runs what is due, when a test says so; as a shop's worker when it is started."""
    outbox = publisher_of(database, storefront)
    worker = Worker(database, [outbox], poll_every=3600)
    yield worker
    await worker.stop()
    await outbox.close()


async def change(database: Database, *products: str) -> None:
    async with database.transaction() as session:
        for product in products:
            await publish(session, ProductChanged(product))


async def waiting(database: Database) -> list[str]:
    async with database.read() as session:
        rows = await session.execute(select(OutboxEvent.product_id).order_by(OutboxEvent.id))
        return list(rows.scalars())


async def let_time_pass(database: Database) -> None:
    """Make everything due: claims end, pauses are over."""
    async with database.transaction() as session:
        await session.execute(update(Job).values(run_at=db_now()))


async def test_a_change_is_told_with_the_secret_and_leaves_the_outbox(
    database: Database, storefront: Storefront, worker: Worker
) -> None:
    await change(database, "prod_a", "prod_b", "prod_a")  # twice in one transaction is one change
    await change(database, "prod_a")
    assert await waiting(database) == ["prod_a", "prod_b", "prod_a"]
    assert await worker.run_due() == 1
    assert storefront.told == [["prod_a", "prod_b", "prod_a"]]
    assert storefront.paths == ["POST https://shop.test/api/revalidate"]
    assert storefront.secrets == [SECRET]
    assert await waiting(database) == []
    assert await worker.run_due() == 0
    assert len(storefront.paths) == 1


async def test_a_change_that_is_rolled_back_is_never_told(database: Database, worker: Worker) -> None:
    async def change_and_fail() -> None:
        async with database.transaction() as session:
            await publish(session, ProductChanged("prod_a"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await change_and_fail()
    assert await waiting(database) == []
    assert await worker.run_due() == 0


@pytest.mark.parametrize(
    "failure", [500, 401, 404, 301, 204, httpx.ConnectError("refused"), httpx.ReadTimeout("slow")]
)
async def test_what_is_not_answered_with_200_stays_and_is_tried_later(
    database: Database, storefront: Storefront, worker: Worker, failure: int | Exception
) -> None:
    storefront.status = failure
    await change(database, "prod_a")
    assert await worker.run_due() == 1
    assert await worker.run_due() == 0  # not before the pause is over
    assert await waiting(database) == ["prod_a"]
    storefront.status = 200
    await let_time_pass(database)
    assert await worker.run_due() == 1
    assert storefront.told == [["prod_a"]]
    assert await waiting(database) == []


async def test_a_new_change_does_not_wait_for_the_pause_of_an_old_one(
    database: Database, storefront: Storefront, worker: Worker
) -> None:
    storefront.status = 503
    await change(database, "prod_a")
    await worker.run_due()
    storefront.status = 200
    await change(database, "prod_a", "prod_b")
    assert await worker.run_due() == 1
    assert storefront.told == [["prod_a", "prod_a", "prod_b"]]


async def test_a_later_change_never_overtakes_one_that_is_being_told(
    database: Database, storefront: Storefront, worker: Worker
) -> None:
    rival = Worker(database, [publisher_of(database, storefront)])
    seen: list[int] = []

    async def slow(request: httpx.Request) -> httpx.Response:
        if not seen:
            await change(database, "prod_a")  # while the first delivery is on its way
            seen.append(await rival.run_due())
        return await storefront.answer(request)

    http = httpx.AsyncClient(transport=httpx.MockTransport(slow))
    first = Worker(database, [OutboxPublisher(database, http, "https://shop.test", SECRET)])
    await change(database, "prod_a")
    assert await first.run_due() >= 1
    assert seen == [0]
    assert storefront.told == [["prod_a"], ["prod_a"]]
    assert await waiting(database) == []


async def test_replicas_share_the_work_and_tell_nothing_twice(
    database: Database, storefront: Storefront, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher, "MOST_EVENTS", 3)
    for number in range(40):
        await change(database, f"prod_{number % 10}")
    workers = [Worker(database, [publisher_of(database, storefront)]) for _ in range(4)]
    await asyncio.gather(*(worker.run_due() for worker in workers))
    assert storefront.numbers == list(range(min(storefront.numbers), min(storefront.numbers) + 40))
    assert await waiting(database) == []


async def test_what_a_dead_process_had_claimed_is_told_by_another(
    database: Database, storefront: Storefront, worker: Worker
) -> None:
    await change(database, "prod_a")
    dying = Worker(database, [publisher_of(database, storefront)])
    storefront.before_answering = lambda: (_ for _ in ()).throw(asyncio.CancelledError())
    with pytest.raises(asyncio.CancelledError):
        await dying.run_due()  # it is gone before it knows the answer
    storefront.before_answering = lambda: None
    assert await worker.run_due() == 0  # it might only be slow
    await let_time_pass(database)
    assert await worker.run_due() == 1
    assert storefront.told == [["prod_a"]]


async def test_a_running_shop_is_woken_by_the_commit(
    database: Database, storefront: Storefront, worker: Worker
) -> None:
    await change(database, "prod_before_the_start")
    worker.start()
    await storefront.heard.wait()
    storefront.heard.clear()
    await change(database, "prod_a")
    await storefront.heard.wait()
    assert storefront.told == [["prod_before_the_start"], ["prod_a"]]


async def test_a_change_of_another_process_is_found_without_being_woken(
    database: Database, storefront: Storefront
) -> None:
    outbox = publisher_of(database, storefront)
    worker = Worker(database, [outbox], poll_every=0.01)
    worker.start()
    elsewhere = Database(database.url.render_as_string(hide_password=False))
    await change(elsewhere, "prod_a")
    await storefront.heard.wait()
    assert storefront.told == [["prod_a"]]
    await worker.stop()
    await outbox.close()
    await elsewhere.close()


async def test_a_wrong_secret_is_an_error_in_the_log_that_shows_no_secret(
    database: Database, storefront: Storefront, worker: Worker, caplog: pytest.LogCaptureFixture
) -> None:
    storefront.status = 401
    await change(database, "prod_a")
    with caplog.at_level(logging.INFO, "backend.outbox"):
        await worker.run_due()
    assert [record.levelname for record in caplog.records if "outbox" in record.name] == ["ERROR"]
    assert "REVALIDATE_SECRET" in caplog.text
    assert SECRET not in caplog.text


async def test_numbers_are_never_given_twice(
    database: Database, storefront: Storefront, worker: Worker
) -> None:
    for _ in range(3):
        await change(database, "prod_a")
        await worker.run_due()
    assert len(set(storefront.numbers)) == 3
    assert storefront.numbers == sorted(storefront.numbers)
