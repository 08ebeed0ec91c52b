"""A program that receives webhooks on this machine, and a worker that calls it."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.core.db.database import db_now
from backend.jobs import Worker
from backend.jobs.models import Job
from backend.staff.rights import COMMAND_LINE
from backend.webhooks.models import WebhookDelivery, WebhookEndpoint, WebhookEvent
from backend.webhooks.recording import SEND_JOB, note_event
from backend.webhooks.sending import WebhookSender
from backend.webhooks.service import create_endpoint

SIGNING_KEY = "a signing key"


@dataclass
class Call:
    """A received call."""

    headers: Mapping[str, str]
    content: bytes

    @property
    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self.content)
        return body

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]


@dataclass
class Program:
    """A program that receives webhooks. It answers with `status` and `answer` once `may_answer` is set."""

    url: str = ""
    status: int = 204
    answer: bytes = b""
    more_headers: str = ""
    calls: list[Call] = field(default_factory=list)
    called: asyncio.Event = field(default_factory=asyncio.Event)
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.may_answer.set()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            lines = head.split("\r\n")[1:-2]
            headers = {
                name.lower(): value for name, _colon, value in (line.partition(": ") for line in lines)
            }
            content = await reader.readexactly(int(headers["content-length"]))
            self.calls.append(Call(headers, content))
            self.called.set()
            await self.may_answer.wait()
            length = "" if self.status == 204 else f"content-length: {len(self.answer)}\r\n"
            writer.write(f"HTTP/1.1 {self.status} X\r\n{length}{self.more_headers}\r\n".encode())
            writer.write(self.answer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    @property
    def events(self) -> list[str]:
        return [call.body["event"] for call in self.calls]


@asynccontextmanager
async def serve() -> AsyncIterator[Program]:
    """Run a program on a free port of this machine."""
    program = Program()
    server = await asyncio.start_server(program.handle, "127.0.0.1", 0)
    program.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/trompo"
    yield program
    program.may_answer.set()
    server.close()
    await server.wait_closed()


@pytest.fixture
async def program() -> AsyncIterator[Program]:
    async with serve() as program:
        yield program


@pytest.fixture
async def other_program() -> AsyncIterator[Program]:
    async with serve() as program:
        yield program


def create_worker(shop: Shop, signing_key: str = SIGNING_KEY) -> Worker:
    """Return a worker that also calls programs on this machine."""
    sender = WebhookSender(shop.database, signing_key, allow_private=True)
    return Worker(shop.database, [sender], poll_interval_s=0.02)


@pytest.fixture
async def worker(shop: Shop) -> AsyncIterator[Worker]:
    worker = create_worker(shop)
    yield worker
    await worker.stop()


async def add_endpoint(shop: Shop, url: str, *events: WebhookEvent) -> tuple[str, str]:
    """Add an endpoint, for all events by default. Return its id and its secret."""
    async with shop.database.transaction() as session:
        endpoint, secret = await create_endpoint(
            session, COMMAND_LINE, SIGNING_KEY, url=url, events=events or tuple(WebhookEvent)
        )
    return endpoint.id, secret


async def place_order(shop: Shop, order_id: str = "order_1") -> None:
    """Commit a transaction with the event of a placed order."""
    async with shop.database.transaction() as session:
        note_event(session, WebhookEvent.ORDER_PLACED, order_id)


async def read_deliveries(shop: Shop) -> list[WebhookDelivery]:
    """Return all deliveries, the oldest first."""
    async with shop.database.read() as session:
        query = select(WebhookDelivery).order_by(WebhookDelivery.created_at, WebhookDelivery.id)
        return list((await session.execute(query)).scalars())


async def read_endpoint(shop: Shop, endpoint_id: str) -> WebhookEndpoint:
    async with shop.database.read() as session:
        return await session.get_one(WebhookEndpoint, endpoint_id)


async def make_due(shop: Shop) -> None:
    """End the pauses of all endpoints, and make the waiting deliveries due."""
    async with shop.database.transaction() as session:
        await session.execute(
            update(WebhookDelivery)
            .where(WebhookDelivery.next_try_at.is_not(None))
            .values(next_try_at=db_now())
        )
        await session.execute(update(WebhookEndpoint).values(paused_until=None))
        await session.execute(update(Job).where(Job.kind == SEND_JOB).values(run_at=db_now()))
