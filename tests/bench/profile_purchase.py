"""Cost of a purchase inside one process: `python -m tests.bench.profile_purchase [--database NAME …]`.

The API is called as a server calls it, without a server, a network or other clients: processor time, statements and
transactions per purchase. `--statements` prints each request's statements, `--functions` the most expensive
functions.
"""

import argparse
import cProfile
import gc
import json
import pstats
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import uvloop
from fastapi import FastAPI
from sqlalchemy import event, select
from starlette.types import Message

from backend.app import Shop, create_api
from backend.channels.models import PublishableKey
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.migrations.runner import upgrade
from tests.bench import generated_products, servers
from tests.bench.load import HEAD_END
from tests.bench.purchase import buy, get_customer_ip

PRODUCTS = 1000
WARM_UP_PURCHASES = 20
"""Purchases before the measurement: statements are compiled and prepared."""
ROUNDS = 5


@dataclass
class RequestStatements:
    """The statements and commits of a request."""

    statements: list[str] = field(default_factory=list)
    commits: int = 0


async def main() -> None:
    """Measure purchases on each database that the command line names, and print the results."""
    arguments = _arguments()
    for kind in arguments.database:
        async with (
            servers.create_shop_database(kind) as (folder, url),
            _open_client(Settings(data_dir=folder, database_url=url)) as client,
        ):
            await _measure(kind, client, arguments)


class PurchaseClient:
    """A client that buys one product after the other."""

    def __init__(self, api: FastAPI, headers: dict[str, str], variants: list[str]) -> None:
        self._api = api
        self._headers = headers
        self._variants = variants
        self._bought = 0
        self.requests: list[str] = []

    async def buy(self) -> None:
        """Make one purchase."""
        self._bought += 1
        await buy(self._send, self._headers, self._variants[self._bought % len(self._variants)])

    async def _send(self, request: bytes) -> Any:
        head, _, body = request.partition(HEAD_END)
        first, *lines = head.split(b"\r\n")
        method, address, _ = first.decode().split(" ")
        path, _, query = address.partition("?")
        self.requests.append(f"{method} {path}")
        parts = (line.partition(b": ") for line in lines)
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "scheme": "http",
            "headers": [(name.lower(), value) for name, _, value in parts],
            "client": (get_customer_ip(self._bought), 40_000),
            "server": ("127.0.0.1", 3000),
        }
        messages: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Message) -> None:
            messages.append(message)

        await self._api(scope, receive, send)
        answer = b"".join(message.get("body", b"") for message in messages[1:])
        if messages[0]["status"] != 200:
            raise RuntimeError(f"{method} {path}: {answer.decode()}")
        return json.loads(answer)

    def database(self) -> Database:
        """Return the shop's database."""
        database: Database = self._api.state.database
        return database


@asynccontextmanager
async def _open_client(settings: Settings) -> AsyncIterator[PurchaseClient]:
    shop = Shop(settings)
    await upgrade(shop.database)
    await generated_products.fill_shop(shop.database, settings, PRODUCTS)
    variants = await generated_products.sample_variants(shop.database, 100)
    async with shop.database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
    yield PurchaseClient(create_api(shop), {"x-publishable-api-key": key}, variants)
    await shop.stop()


async def _measure(kind: str, client: PurchaseClient, arguments: Any) -> None:
    for _ in range(WARM_UP_PURCHASES):
        await client.buy()
    gc.collect()
    client.requests.clear()
    with _record_requests(client) as recorded:
        await client.buy()
    requests = client.requests[:]
    statements = sum(len(request_statements.statements) for request_statements in recorded)
    print(f"{kind}: {statements} statements, {sum(request.commits for request in recorded)} transactions")
    for request, request_statements in zip(requests, recorded, strict=True):
        print(
            f"  {len(request_statements.statements):3} statements, {request_statements.commits} transactions  {request}"
        )
        if arguments.statements:
            for statement in request_statements.statements:
                print("       ", " ".join(statement.split())[:160])
    times = []
    for _ in range(ROUNDS):
        started = time.process_time()
        for _ in range(arguments.purchases):
            await client.buy()
        times.append((time.process_time() - started) / arguments.purchases * 1000)
    print(f"  processor time: {median(times):.1f} ms ({min(times):.1f}-{max(times):.1f})", flush=True)
    if arguments.functions:
        profile = cProfile.Profile()
        profile.enable()
        for _ in range(arguments.purchases):
            await client.buy()
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(40)


@contextmanager
def _record_requests(client: PurchaseClient) -> Iterator[list[RequestStatements]]:
    """Record the statements of each request, in the order of the requests."""
    recorded: list[RequestStatements] = []
    engine = client.database().engine.sync_engine

    def current_request() -> RequestStatements:
        while len(recorded) < len(client.requests):
            recorded.append(RequestStatements())
        return recorded[-1]

    def add_statement(_c: Any, _cursor: Any, statement: str, _p: Any, _context: Any, _many: bool) -> None:
        current_request().statements.append(statement)

    def add_commit(_connection: Any) -> None:
        current_request().commits += 1

    event.listen(engine, "before_cursor_execute", add_statement)
    event.listen(engine, "commit", add_commit)
    yield recorded
    event.remove(engine, "before_cursor_execute", add_statement)
    event.remove(engine, "commit", add_commit)


def _arguments() -> Any:
    parser = argparse.ArgumentParser(description="Measure a purchase inside one process.")
    parser.add_argument("--database", nargs="+", default=["sqlite", "postgresql"])
    parser.add_argument("--purchases", type=int, default=20)
    parser.add_argument("--statements", action="store_true")
    parser.add_argument("--functions", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    uvloop.run(main())
