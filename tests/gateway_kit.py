"""A practice payment gateway for tests: the sandbox, its client, a merchant's webhook, and a browser."""

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
from backend.payment.providers.pse.client import GatewayClient, create_gateway_client, get_gateway_credentials
from backend.payment.providers.pse.requests import BankPayment
from backend.sandbox.gateway import SandboxGateway
from tests.ports import open_listening_socket

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
"""A payer's form input."""

FAST_RETRIES = RetryPolicy(connect=20, read=20, write=20, pause=0)


@dataclass
class Merchant:
    """The shop's webhook.

    It stores each notification and answers with the next status of `answers`, or 200 if it is empty.
    """

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

    async def wait_for_notifications(self, times: int = 1) -> list[dict[str, str]]:
        """Wait until at least `times` notifications have arrived. Return the fields of each."""
        async with asyncio.timeout(30), self._news:
            await self._news.wait_for(lambda: len(self.received) >= times)
        return [fields for _, fields in self.received]


class RecordingTransport(httpx.AsyncBaseTransport):
    """A transport that records the path of each request, and sends it to `inner`."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self.paths: list[str] = []
        self.inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.paths.append(request.url.path)
        return await self.inner.handle_async_request(request)

    def answer(self, ending: str, status: int, content: bytes) -> None:
        """Answer each request whose path has this ending, instead of sending it."""
        inner = self.inner

        async def handle(request: httpx.Request) -> httpx.Response:
            if request.url.path.endswith(ending):
                return httpx.Response(status, content=content)
            return await inner.handle_async_request(request)

        self.inner = httpx.MockTransport(handle)

    def count(self, ending: str) -> int:
        return sum(path.endswith(ending) for path in self.paths)


@dataclass
class GatewayPractice:
    """A sandbox gateway with its client, merchant and browser, connected in memory.

    The notifier does not run until a test starts it.
    """

    sandbox: SandboxGateway
    client: GatewayClient
    calls: RecordingTransport
    merchant: Merchant
    browser: httpx.AsyncClient

    async def choose(self, redirect_url: str, decision: str) -> httpx.Response:
        """Submit the shopper's decision on the bank's page."""
        return await self.browser.post(redirect_url, data={"decision": decision})


@asynccontextmanager
async def open_practice(
    database: Database,
    settings: Settings,
    *,
    policy: RetryPolicy = FAST_RETRIES,
    pause: Callable[[int], timedelta] = lambda _: timedelta(0),
) -> AsyncIterator[GatewayPractice]:
    """Open the sandbox with its client, merchant and browser, connected in memory."""
    async with AsyncExitStack() as stack:
        merchant = Merchant()
        merchant_client = await stack.enter_async_context(
            httpx.AsyncClient(transport=httpx.ASGITransport(merchant))
        )
        sandbox = SandboxGateway(
            database,
            merchant_client,
            get_gateway_credentials(settings),
            PUBLIC_BASE,
            control=True,
            pause=pause,
        )
        stack.push_async_callback(sandbox.stop)
        calls = RecordingTransport(sandbox.transport())
        client = await stack.enter_async_context(
            set_retry_policy(create_gateway_client(settings, calls), policy)
        )
        bank_transport = httpx.ASGITransport(sandbox.app, root_path="/sandbox/gateway")
        browser = await stack.enter_async_context(httpx.AsyncClient(transport=bank_transport))
        yield GatewayPractice(sandbox, client, calls, merchant, browser)


async def age_transactions(database: Database, span: timedelta) -> None:
    """Move the gateway's stored timestamps back by `span`, as if that time had passed. The clock does not change."""
    async with database.transaction() as session:
        for transaction in (await session.execute(select(SandboxTransaction))).scalars():
            transaction.created_at -= span
        for notification in (await session.execute(select(SandboxNotification))).scalars():
            if notification.due_at is not None:
                notification.due_at -= span


def set_retry_policy(client: GatewayClient, policy: RetryPolicy = FAST_RETRIES) -> GatewayClient:
    """Replace the client's retry policy, by default with a fast one. Return the client."""
    client.http.policy = policy
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


def bank_payment(**changes: Any) -> BankPayment:
    """Return a payment that the sandbox accepts, with these fields changed."""
    return replace(PAYMENT, **changes)


@asynccontextmanager
async def serve_app(app: ASGIApp) -> AsyncIterator[str]:
    """Serve the application on a real socket. Yield its URL."""
    listener = open_listening_socket()
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
