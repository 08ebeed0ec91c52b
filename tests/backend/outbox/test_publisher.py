"""Changes of products are sent at least once, in order per product, by one worker at a time."""

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
    """A storefront that records deliveries. `status` is its answer, or an exception to raise."""

    status: int | Exception = 200
    deliveries: list[list[str]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    delivered: asyncio.Event = field(default_factory=asyncio.Event)
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
            self.deliveries.append([event["product_id"] for event in events])
            self.numbers += [event["id"] for event in events]
        self.delivered.set()
        return httpx.Response(self.status, json={"revalidated": 1})


@pytest.fixture
def storefront() -> Storefront:
    return Storefront()


def create_publisher(database: Database, storefront: Storefront) -> OutboxPublisher:
    http = httpx.AsyncClient(transport=httpx.MockTransport(storefront.answer))
    return OutboxPublisher(database, http, "https://shop.test", SECRET)


@pytest.fixture
async def worker(database: Database, storefront: Storefront) -> AsyncIterator[Worker]:
    """Yield a worker of the publisher. It runs due jobs on request, or in the background after `start`."""
    outbox = create_publisher(database, storefront)
    worker = Worker(database, [outbox], poll_interval_s=3600)
    yield worker
    await worker.stop()
    await outbox.close()


async def publish_changes(database: Database, *products: str) -> None:
    async with database.transaction() as session:
        for product in products:
            await publish(session, ProductChanged(product))


async def read_outbox(database: Database) -> list[str]:
    async with database.read() as session:
        rows = await session.execute(select(OutboxEvent.product_id).order_by(OutboxEvent.id))
        return list(rows.scalars())


async def let_time_pass(database: Database) -> None:
    """Make everything due: claims and pauses end."""
    async with database.transaction() as session:
        await session.execute(update(Job).values(run_at=db_now()))


async def test_product_change_is_sent_with_the_secret_and_then_deleted(
    database: Database, storefront: Storefront, worker: Worker
) -> None:
    await publish_changes(database, "prod_a", "prod_b", "prod_a")  # twice in one transaction is one change
    await publish_changes(database, "prod_a")
    assert await read_outbox(database) == ["prod_a", "prod_b", "prod_a"]
    assert await worker.run_due() == 1
    assert storefront.deliveries == [["prod_a", "prod_b", "prod_a"]]
    assert storefront.paths == ["POST https://shop.test/api/revalidate"]
    assert storefront.secrets == [SECRET]
    assert await read_outbox(database) == []
    assert await worker.run_due() == 0
    assert len(storefront.paths) == 1


async def test_rolled_back_product_change_is_never_sent(database: Database, worker: Worker) -> None:
    async def change_and_fail() -> None:
        async with database.transaction() as session:
            await publish(session, ProductChanged("prod_a"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await change_and_fail()
    assert await read_outbox(database) == []
    assert await worker.run_due() == 0


@pytest.mark.parametrize(
    "failure", [500, 401, 404, 301, 204, httpx.ConnectError("refused"), httpx.ReadTimeout("slow")]
)
async def test_event_that_is_not_answered_with_200_is_sent_again_later(
    database: Database, storefront: Storefront, worker: Worker, failure: int | Exception
) -> None:
    storefront.status = failure
    await publish_changes(database, "prod_a")
    assert await worker.run_due() == 1
    assert await worker.run_due() == 0  # not before the pause is over
    assert await read_outbox(database) == ["prod_a"]
    storefront.status = 200
    await let_time_pass(database)
    assert await worker.run_due() == 1
    assert storefront.deliveries == [["prod_a"]]
    assert await read_outbox(database) == []


async def test_new_change_is_sent_without_waiting_for_the_retry_of_an_earlier_one(
    database: Database, storefront: Storefront, worker: Worker
) -> None:
    storefront.status = 503
    await publish_changes(database, "prod_a")
    await worker.run_due()
    storefront.status = 200
    await publish_changes(database, "prod_a", "prod_b")
    assert await worker.run_due() == 1
    assert storefront.deliveries == [["prod_a", "prod_a", "prod_b"]]


async def test_later_change_of_a_product_waits_for_the_running_delivery_of_an_earlier_one(
    database: Database, storefront: Storefront, worker: Worker
) -> None:
    rival = Worker(database, [create_publisher(database, storefront)])
    seen: list[int] = []

    async def slow(request: httpx.Request) -> httpx.Response:
        if not seen:
            await publish_changes(database, "prod_a")  # while the first delivery is in progress
            seen.append(await rival.run_due())
        return await storefront.answer(request)

    http = httpx.AsyncClient(transport=httpx.MockTransport(slow))
    first = Worker(database, [OutboxPublisher(database, http, "https://shop.test", SECRET)])
    await publish_changes(database, "prod_a")
    assert await first.run_due() >= 1
    assert seen == [0]
    assert storefront.deliveries == [["prod_a"], ["prod_a"]]
    assert await read_outbox(database) == []


async def test_replicas_share_the_events_and_send_no_event_twice(
    database: Database, storefront: Storefront, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher, "MAX_EVENTS", 3)
    for number in range(40):
        await publish_changes(database, f"prod_{number % 10}")
    workers = [Worker(database, [create_publisher(database, storefront)]) for _ in range(4)]
    await asyncio.gather(*(worker.run_due() for worker in workers))
    assert storefront.numbers == list(range(min(storefront.numbers), min(storefront.numbers) + 40))
    assert await read_outbox(database) == []


async def test_change_claimed_by_a_dead_process_is_sent_by_another(
    database: Database, storefront: Storefront, worker: Worker
) -> None:
    await publish_changes(database, "prod_a")
    dying = Worker(database, [create_publisher(database, storefront)])
    storefront.before_answering = lambda: (_ for _ in ()).throw(asyncio.CancelledError())
    with pytest.raises(asyncio.CancelledError):
        await dying.run_due()  # it dies before it gets the answer
    storefront.before_answering = lambda: None
    assert await worker.run_due() == 0  # the other worker might only be slow
    await let_time_pass(database)
    assert await worker.run_due() == 1
    assert storefront.deliveries == [["prod_a"]]


async def test_commit_wakes_the_running_publisher(
    database: Database, storefront: Storefront, worker: Worker
) -> None:
    await publish_changes(database, "prod_before_the_start")
    worker.start()
    await storefront.delivered.wait()
    storefront.delivered.clear()
    await publish_changes(database, "prod_a")
    await storefront.delivered.wait()
    assert storefront.deliveries == [["prod_before_the_start"], ["prod_a"]]


async def test_product_change_stored_by_another_process_is_found_by_polling(
    database: Database, storefront: Storefront
) -> None:
    outbox = create_publisher(database, storefront)
    worker = Worker(database, [outbox], poll_interval_s=0.01)
    worker.start()
    elsewhere = Database(database.url.render_as_string(hide_password=False))
    await publish_changes(elsewhere, "prod_a")
    await storefront.delivered.wait()
    assert storefront.deliveries == [["prod_a"]]
    await worker.stop()
    await outbox.close()
    await elsewhere.close()


async def test_refused_secret_is_logged_as_an_error_without_its_value(
    database: Database, storefront: Storefront, worker: Worker, caplog: pytest.LogCaptureFixture
) -> None:
    storefront.status = 401
    await publish_changes(database, "prod_a")
    with caplog.at_level(logging.INFO, "backend.outbox"):
        await worker.run_due()
    assert [record.levelname for record in caplog.records if "outbox" in record.name] == ["ERROR"]
    assert "REVALIDATE_SECRET" in caplog.text
    assert SECRET not in caplog.text


async def test_event_numbers_are_never_reused(
    database: Database, storefront: Storefront, worker: Worker
) -> None:
    for _ in range(3):
        await publish_changes(database, "prod_a")
        await worker.run_due()
    assert len(set(storefront.numbers)) == 3
    assert storefront.numbers == sorted(storefront.numbers)
