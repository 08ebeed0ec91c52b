"""A gateway to practise with for tests: the sandbox, a client of it, a merchant that is notified, a browser."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl

import httpx
import uvicorn
from sqlalchemy import select
from starlette.types import ASGIApp, Receive, Scope, Send

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.web.http_client import RetryPolicy
from backend.migrations.sandbox_tables import SandboxNotification, SandboxTransaction
from backend.payment.providers.pse.client import GatewayClient, gateway_client, gateway_credentials
from backend.payment.providers.pse.requests import BankPayment
from backend.sandbox.gateway import SandboxGateway
from tests.ports import listening_socket

HOOK = "http://merchant.test/hooks/payment/gateway_pse"
RETURN = "http://merchant.test/order/order_1?token=abc"
PUBLIC_BASE = "http://bank.test/sandbox/gateway"

MARIA = {
    "bank": "1022",
    "person_type": "0",
    "doc_type": "CC",
    "doc_number": "1020304050",
    "first_name": "María José",
    "last_name": "Peña-O’Connor",
    "email": "maria@correo.example",
    "phone": "300 123 4567",
    "address": "Calle 80 # 68-20",
    "city": "Bogotá",
    "department": "Bogotá, D.C.",
    "ip": "190.1.2.3",
}
"""A payer, as typed."""

HASTE = RetryPolicy(connect=20, read=20, write=20, pause=0)


@dataclass
class Merchant:
    """Is notified. Answers 200 unless `answers` says otherwise, one status a call."""

    received: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = b""
        while (message := await receive())["type"] == "http.request":
            body += message["body"]
            if not message.get("more_body"):
                break
        query = scope["query_string"].decode()
        fields = dict(
            parse_qsl(body.decode() if scope["method"] == "POST" else query, keep_blank_values=True)
        )
        async with self._news:
            self.received.append((scope["method"], fields))
            self._news.notify_all()
        status = self.answers.pop(0) if self.answers else 200
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b"ok"})

    async def told(self, times: int = 1) -> list[dict[str, str]]:
        """The fields of each notification, once there are that many."""
        async with asyncio.timeout(30), self._news:
            await self._news.wait_for(lambda: len(self.received) >= times)
        return [fields for _, fields in self.received]


class Counting(httpx.AsyncBaseTransport):
    """Notes the path of every call it carries."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self.paths: list[str] = []
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.paths.append(request.url.path)
        return await self._inner.handle_async_request(request)

    def count(self, ending: str) -> int:
        return sum(path.endswith(ending) for path in self.paths)


@dataclass
class Practice:
    """All the parts, wired up in memory. The notifier stands still until it is started."""

    sandbox: SandboxGateway
    client: GatewayClient
    calls: Counting
    merchant: Merchant
    browser: httpx.AsyncClient

    async def choose(self, redirect_url: str, decision: str) -> httpx.Response:
        """What the shopper presses on the bank's page."""
        return await self.browser.post(redirect_url, data={"decision": decision})


@asynccontextmanager
async def open_practice(
    database: Database,
    settings: Settings,
    *,
    policy: RetryPolicy = HASTE,
    pause: Callable[[int], timedelta] = lambda _: timedelta(0),
) -> AsyncIterator[Practice]:
    async with AsyncExitStack() as stack:
        merchant = Merchant()
        to_merchant = await stack.enter_async_context(
            httpx.AsyncClient(transport=httpx.ASGITransport(merchant))
        )
        sandbox = SandboxGateway(
            database, to_merchant, gateway_credentials(settings), PUBLIC_BASE, control=True, pause=pause
        )
        stack.push_async_callback(sandbox.stop)
        calls = Counting(sandbox.transport())
        client = await stack.enter_async_context(hasty(gateway_client(settings, calls), policy))
        mounted = httpx.ASGITransport(sandbox.app, root_path="/sandbox/gateway")
        browser = await stack.enter_async_context(httpx.AsyncClient(transport=mounted))
        yield Practice(sandbox, client, calls, merchant, browser)


async def let_pass(database: Database, span: timedelta) -> None:
    """Let so much time have passed at the gateway: its moments move back, the clock stays as it is."""
    async with database.transaction() as session:
        for transaction in (await session.execute(select(SandboxTransaction))).scalars():
            transaction.created_at -= span
        for notification in (await session.execute(select(SandboxNotification))).scalars():
            if notification.due_at is not None:
                notification.due_at -= span


def hasty(client: GatewayClient, policy: RetryPolicy = HASTE) -> GatewayClient:
    """The client, not as patient as with the real gateway."""
    client._channel.http.policy = policy
    return client


PAYMENT = BankPayment(
    bank="1022",
    invoice="TR-1",
    description="Trompo de madera x 2",
    value=119_000,
    tax=19_000,
    tax_base=100_000,
    type_person="0",
    doc_type="CC",
    doc_number="1020304050",
    name="María José",
    last_name="Peña Núñez",
    email="maria@correo.example",
    department="Bogotá, D.C.",
    city="Bogotá",
    phone="3001234567",
    cell_phone="3001234567",
    address="Calle 80 # 68-20",
    ip="190.1.2.3",
    url_response=RETURN,
    url_confirmation=HOOK,
    extra1="payses_1",
)


def payment(**changes: Any) -> BankPayment:
    """A payment the sandbox takes, with these fields changed."""
    return replace(PAYMENT, **changes)


@asynccontextmanager
async def served(app: ASGIApp) -> AsyncIterator[str]:
    """The application on a real socket; gives its address."""
    listener = listening_socket()
    server = uvicorn.Server(
        uvicorn.Config(
            app, log_config=None, access_log=False, lifespan="off", ws="none", timeout_graceful_shutdown=1
        )
    )
    running = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await running
