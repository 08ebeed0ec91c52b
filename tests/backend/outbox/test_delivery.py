"""Changes of products are told at least once, in order per product, by one at a time."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import timedelta

import httpx
import pytest
from sqlalchemy import select, update

from backend.catalog.events import ProductChanged
from backend.clock import now
from backend.database import Database
from backend.events import publish
from backend.outbox import delivery
from backend.outbox.delivery import Delivery, Outcome
from backend.outbox.models import OutboxEvent

SECRET = "a shared secret"
LONG_AGO = timedelta(hours=1)


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


@pytest.fixture
async def courier(database: Database, storefront: Storefront) -> AsyncIterator[Delivery]:
    courier = courier_of(database, storefront)
    yield courier
    await courier.stop()


def courier_of(database: Database, storefront: Storefront) -> Delivery:
    http = httpx.AsyncClient(transport=httpx.MockTransport(storefront.answer))
    return Delivery(database, http, "https://shop.test", SECRET)


async def change(database: Database, *products: str) -> None:
    async with database.transaction() as session:
        for product in products:
            await publish(session, ProductChanged(product))


async def waiting(database: Database) -> list[str]:
    async with database.read() as session:
        rows = await session.execute(select(OutboxEvent.product_id).order_by(OutboxEvent.id))
        return list(rows.scalars())


async def attempts(database: Database) -> list[int]:
    async with database.read() as session:
        rows = await session.execute(select(OutboxEvent.attempts).order_by(OutboxEvent.id))
        return list(rows.scalars())


async def let_time_pass(database: Database) -> None:
    """Make everything due: claims end, pauses are over."""
    async with database.transaction() as session:
        await session.execute(update(OutboxEvent).values(due_at=now() - LONG_AGO))


async def test_a_change_is_told_with_the_secret_and_leaves_the_outbox(
    database: Database, storefront: Storefront, courier: Delivery
) -> None:
    await change(database, "prod_a", "prod_b", "prod_a")  # twice in one transaction is one change
    await change(database, "prod_a")
    assert await waiting(database) == ["prod_a", "prod_b", "prod_a"]
    assert await courier.deliver() is Outcome.TOLD
    assert storefront.told == [["prod_a", "prod_b", "prod_a"]]
    assert storefront.paths == ["POST https://shop.test/api/revalidate"]
    assert storefront.secrets == [SECRET]
    assert await waiting(database) == []
    assert await courier.deliver() is Outcome.NOTHING_DUE
    assert len(storefront.paths) == 1


async def test_a_change_that_is_rolled_back_is_never_told(database: Database, courier: Delivery) -> None:
    async def change_and_fail() -> None:
        async with database.transaction() as session:
            await publish(session, ProductChanged("prod_a"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await change_and_fail()
    assert await waiting(database) == []
    assert await courier.deliver() is Outcome.NOTHING_DUE


@pytest.mark.parametrize(
    "failure", [500, 401, 404, 301, 204, httpx.ConnectError("refused"), httpx.ReadTimeout("slow")]
)
async def test_what_is_not_answered_with_200_stays_and_is_tried_later(
    sqlite_url: str, failure: int | Exception
) -> None:
    database, storefront = Database(sqlite_url), Storefront(status=failure)
    courier = courier_of(database, storefront)
    await change(database, "prod_a")
    assert await courier.deliver() is Outcome.FAILED
    assert await courier.deliver() is Outcome.NOTHING_DUE  # not before the pause is over
    assert await waiting(database) == ["prod_a"]
    storefront.status = 200
    await let_time_pass(database)
    assert await courier.deliver() is Outcome.TOLD
    assert storefront.told == [["prod_a"]]
    assert await waiting(database) == []
    await courier.stop()
    await database.close()


async def test_pauses_grow_up_to_a_minute_and_survive_a_restart(
    database: Database, storefront: Storefront
) -> None:
    storefront.status = 503
    await change(database, "prod_a")
    for attempt in range(1, 4):
        courier = courier_of(database, storefront)  # a new process each time
        began = now()
        assert await courier.deliver() is Outcome.FAILED
        await courier.stop()
        async with database.read() as session:
            event = (await session.execute(select(OutboxEvent))).scalar_one()
        assert event.attempts == attempt
        pause = timedelta(seconds=2.0 ** (attempt - 2))
        assert began + pause <= event.due_at <= now() + pause
        await let_time_pass(database)
    assert delivery.pause_after(8) == delivery.pause_after(4000) == timedelta(minutes=1)


async def test_a_later_change_never_overtakes_one_that_is_put_off(
    database: Database, storefront: Storefront, courier: Delivery
) -> None:
    storefront.status = 503
    await change(database, "prod_a")
    await courier.deliver()
    storefront.status = 200
    await change(database, "prod_a", "prod_b")
    assert await courier.deliver() is Outcome.TOLD
    assert storefront.told == [["prod_b"]]  # another product does not wait for it
    assert await courier.deliver() is Outcome.NOTHING_DUE
    await let_time_pass(database)
    await courier.deliver()
    assert storefront.told == [["prod_b"], ["prod_a", "prod_a"]]
    assert await waiting(database) == []


async def test_a_later_change_never_overtakes_one_that_is_being_told(
    database: Database, storefront: Storefront, courier: Delivery
) -> None:
    rival = courier_of(database, storefront)
    seen: list[Outcome] = []

    async def slow(request: httpx.Request) -> httpx.Response:
        await change(database, "prod_a")  # while the first delivery is on its way
        seen.append(await rival.deliver())
        return httpx.Response(200)

    first = Delivery(
        database, httpx.AsyncClient(transport=httpx.MockTransport(slow)), "https://shop.test", SECRET
    )
    await change(database, "prod_a")
    assert await first.deliver() is Outcome.TOLD
    assert seen == [Outcome.NOTHING_DUE]
    assert await waiting(database) == ["prod_a"]
    assert await rival.deliver() is Outcome.TOLD
    await first.stop()
    await rival.stop()


async def test_replicas_share_the_work_and_tell_nothing_twice(
    database: Database, storefront: Storefront, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "MOST_PRODUCTS", 3)
    products = [f"prod_{number % 10}" for number in range(40)]
    for product in products:
        await change(database, product)
    couriers = [courier_of(database, storefront) for _ in range(4)]

    async def work(courier: Delivery) -> None:
        while await waiting(database):
            await courier.deliver()

    await asyncio.gather(*(work(courier) for courier in couriers))
    assert sorted(storefront.numbers) == list(range(min(storefront.numbers), min(storefront.numbers) + 40))
    by_product: dict[str, list[int]] = {}
    told = [product for batch in storefront.told for product in batch]
    for product, number in zip(told, storefront.numbers, strict=True):
        by_product.setdefault(product, []).append(number)
    assert all(numbers == sorted(numbers) for numbers in by_product.values())
    for courier in couriers:
        await courier.stop()


async def test_what_a_dead_process_had_claimed_is_told_by_another(
    database: Database, storefront: Storefront, courier: Delivery
) -> None:
    await change(database, "prod_a")
    dying = courier_of(database, storefront)
    storefront.before_answering = lambda: (_ for _ in ()).throw(asyncio.CancelledError())
    with pytest.raises(asyncio.CancelledError):
        await dying.deliver()  # it is gone before it knows the answer
    storefront.before_answering = lambda: None
    assert await courier.deliver() is Outcome.NOTHING_DUE  # it might only be slow
    async with database.read() as session:
        due_at = (await session.execute(select(OutboxEvent.due_at))).scalar_one()
    assert now() < due_at <= now() + delivery.CLAIM_ENDS_AFTER
    await let_time_pass(database)
    assert await courier.deliver() is Outcome.TOLD
    assert storefront.told == [["prod_a"]]
    await dying.stop()


async def test_a_running_delivery_is_woken_by_the_commit(
    database: Database, storefront: Storefront, courier: Delivery, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "LOOK_AGAIN", 3600.0)
    await change(database, "prod_before_the_start")
    courier.start()
    async with asyncio.timeout(10):
        await storefront.heard.wait()
        storefront.heard.clear()
        await change(database, "prod_a")
        await storefront.heard.wait()
    assert storefront.told == [["prod_before_the_start"], ["prod_a"]]


async def test_a_change_of_another_process_is_found_without_being_woken(
    database: Database, storefront: Storefront, courier: Delivery
) -> None:
    courier.start()
    elsewhere = Database(database.url.render_as_string(hide_password=False))
    await change(elsewhere, "prod_a")
    async with asyncio.timeout(10):
        await storefront.heard.wait()
    assert storefront.told == [["prod_a"]]
    await elsewhere.close()


async def test_a_storefront_that_is_away_for_a_while_is_told_when_it_is_back(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "LOOK_AGAIN", 0.01)
    database, storefront = Database(sqlite_url), Storefront(status=httpx.ConnectError("refused"))
    http = httpx.AsyncClient(transport=httpx.MockTransport(storefront.answer))
    courier = Delivery(
        database, http, "https://shop.test", SECRET, pause=lambda _attempts: timedelta(seconds=0.01)
    )

    def comes_back_at_the_third_try() -> None:
        if len(storefront.paths) == 3:
            storefront.status = 200

    storefront.before_answering = comes_back_at_the_third_try
    courier.start()
    await change(database, "prod_a")
    async with asyncio.timeout(10):
        await storefront.heard.wait()
    await courier.stop()
    assert len(storefront.paths) == 3
    assert storefront.told == [["prod_a"]]
    await database.close()


async def test_a_wrong_secret_is_an_error_in_the_log_that_shows_no_secret(
    sqlite_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    database, storefront = Database(sqlite_url), Storefront(status=401)
    courier = courier_of(database, storefront)
    await change(database, "prod_a")
    with caplog.at_level(logging.INFO, "backend.outbox"):
        await courier.deliver()
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert "REVALIDATE_SECRET" in caplog.text
    assert SECRET not in caplog.text
    await courier.stop()
    await database.close()


async def test_numbers_are_never_given_twice(
    database: Database, storefront: Storefront, courier: Delivery
) -> None:
    for _ in range(3):
        await change(database, "prod_a")
        await courier.deliver()
    assert len(set(storefront.numbers)) == 3
    assert storefront.numbers == sorted(storefront.numbers)
