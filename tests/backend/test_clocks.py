"""Two replicas with clocks two minutes apart do nothing twice: each acts in the middle of an action of the other."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timedelta, tzinfo
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import func, select

from backend.app import Shop, create_api
from backend.core.clock import now
from backend.core.config.modules import CARRIER, GATEWAY_PSE
from backend.fulfillment.labels import OVERDUE
from backend.mail.models import SEND
from backend.mail.transports import FolderTransport
from backend.migrations.sandbox_tables import SandboxTransaction
from backend.orders.models import Order
from backend.payment.models import PaymentSession
from backend.payment.notifications import NOTIFICATION_JOB
from backend.payment.transitions import CHECK_JOB
from backend.sandbox.gateway import SandboxGateway, create_sandbox_gateway
from tests.backend.conftest import SHOPPER
from tests.backend.mail.conftest import Inbox
from tests.store_defaults import Defaults, add_product
from tests.store_steps import PAYER, PSE, create_cart_with_shipping, create_payment_collection, post

ahead: ContextVar[timedelta] = ContextVar("ahead", default=timedelta(0))


class Clock(datetime):
    """A clock with an offset that depends on the replica whose code reads it."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        return datetime.now(tz) + ahead.get()


@pytest.fixture(autouse=True)
def _patch_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backend.core.clock.datetime", Clock)


@pytest.fixture(params=[2, -2])
def minutes(request: pytest.FixtureRequest) -> int:
    """Return the minutes by which the other replica's clock is ahead; negative if it is behind."""
    return int(request.param)


@pytest.fixture
async def other(shop: Shop) -> AsyncIterator[Shop]:
    """Return a second replica of the shop, which shares only the database."""
    other = Shop(shop.settings)
    yield other
    await other.stop()


@contextmanager
def set_clock_ahead(minutes: int) -> Iterator[None]:
    token = ahead.set(timedelta(minutes=minutes))
    yield
    ahead.reset(token)


@pytest.fixture
def interrupt(monkeypatch: pytest.MonkeyPatch, minutes: int) -> Callable[..., list[Any]]:
    """Return `at(where, name, intrude)`: the other replica runs `intrude` before `where.name` is first called.

    `at` returns a list, whose only item is the result of `intrude` when it has run.
    """

    def at(where: object, name: str, intrude: Callable[[], Awaitable[Any]]) -> list[Any]:
        real = getattr(where, name)
        answers: list[Any] = []

        async def call(*arguments: Any, **named: Any) -> Any:
            if not answers:
                answers.append("in progress")
                with set_clock_ahead(minutes):
                    answers[0] = await intrude()
            return await real(*arguments, **named)

        monkeypatch.setattr(where, name, call)
        return answers

    return at


def create_client(api: FastAPI, like: httpx.AsyncClient) -> httpx.AsyncClient:
    """Return a client with the headers of `like`, connected to this API."""
    transport = httpx.ASGITransport(api, client=SHOPPER)
    return httpx.AsyncClient(transport=transport, base_url=like.base_url, headers=like.headers)


def create_gateway(shop: Shop, http: httpx.AsyncClient) -> SandboxGateway:
    """Create the replica's embedded gateway, which sends its notifications with this client."""
    return create_sandbox_gateway(shop.settings, shop.database, http)


async def count(shop: Shop, model: type) -> int:
    async with shop.database.read() as session:
        return int((await session.execute(select(func.count()).select_from(model))).scalar_one())


async def test_purchase_on_replicas_with_different_clocks_happens_once(
    *,
    shop: Shop,
    other: Shop,
    api: FastAPI,
    shop_defaults: Defaults,
    store: httpx.AsyncClient,
    admin: httpx.AsyncClient,
    interrupt: Callable[..., list[Any]],
    minutes: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with set_clock_ahead(minutes):
        assert abs(now() - datetime.now().astimezone()) > timedelta(minutes=1)
    other_api = create_api(other)
    other_store, other_admin = create_client(other_api, store), create_client(other_api, admin)
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo", stock=5)
    cart_id = await create_cart_with_shipping(store, variant, 1, "calculated")

    async def pay_too() -> int:
        owed = await post(other_store, "/store/payment-collections", {"cart_id": cart_id})
        sessions = f"/store/payment-collections/{owed['payment_collection']['id']}/payment-sessions"
        return (await other_store.post(sessions, json={"provider_id": PSE, "data": PAYER})).status_code

    pressed = interrupt(shop.payments.providers[GATEWAY_PSE], "initiate", pay_too)
    bank = (await create_payment_collection(store, cart_id, PSE))["payment_sessions"][0]["data"][
        "redirect_url"
    ]
    assert pressed == [409]
    order = (await post(store, f"/store/carts/{cart_id}/complete"))["order"]

    http = create_client(api, store)
    gateway, other_gateway = create_gateway(shop, http), create_gateway(other, other_store)
    async with httpx.AsyncClient(transport=gateway.transport(), base_url="http://bank") as browser:
        page = bank.removeprefix(gateway.public_base)
        assert (await browser.post(page, data={"decision": "approve"})).status_code == 303
    delivered = interrupt(http, "send", other_gateway.notifier.deliver_due)
    assert await gateway.notifier.deliver_due() == 1
    assert delivered == [0]

    provider = shop.payments.providers[GATEWAY_PSE]
    checked = interrupt(provider, "status", lambda: other.worker.run_due(NOTIFICATION_JOB, CHECK_JOB))
    assert await shop.worker.run_due(NOTIFICATION_JOB, CHECK_JOB) == 1
    assert checked == [0]

    inbox = Inbox()
    monkeypatch.setattr(FolderTransport, "send", lambda _transport, mail: inbox.send(mail))
    sent = interrupt(inbox, "send", lambda: other.worker.run_due(SEND))
    await shop.worker.run_due(SEND)
    assert sent == [1]  # the other mail
    assert len(inbox.mails) == len(set(inbox.subjects())) == 2

    sending = f"/admin/orders/{order['id']}/fulfillments"
    packed = {"items": [{"id": order["items"][0]["id"], "quantity": 1}]}

    async def send_too() -> tuple[int, int]:
        late = await other.worker.run_due(OVERDUE)
        return (await other_admin.post(sending, json=packed)).status_code, late

    made = interrupt(shop.fulfillment_providers[CARRIER], "create_fulfillment", send_too)
    await post(admin, sending, packed)
    assert made == [(409, 0)]

    assert shop.sandbox.carrier
    assert len(await shop.sandbox.carrier.ledger.list_labels()) == 1
    for model in (Order, PaymentSession, SandboxTransaction):
        assert await count(shop, model) == 1
    await other_store.aclose()
    await other_admin.aclose()
