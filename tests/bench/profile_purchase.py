"""What a purchase costs inside one process: `python -m tests.bench.profile_purchase [--database NAME …]`.

The API is called as a server calls it, with no server, no network and nobody else: processor time, statements and
transactions per purchase. `--statements` prints what each request asks the database, `--functions` where the time goes.
"""

import argparse
import cProfile
import gc
import json
import pstats
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
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
from tests.bench import scene, toys
from tests.bench.load import HEAD_ENDS
from tests.bench.purchase import buy, buyers_address

PRODUCTS = 1000
FIRST = 20
"""Purchases before anything is measured: statements are compiled, and prepared."""
ROUNDS = 5


@dataclass
class Heard:
    """What the database was asked."""

    statements: list[str] = field(default_factory=list)
    commits: int = 0


async def main() -> None:
    """Measure and print."""
    asked = _arguments()
    async with AsyncExitStack() as stack:
        for kind in asked.database:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="trompo-profile-")))
            url = f"sqlite+aiosqlite:///{folder / 'trompo.db'}"
            if kind == "postgresql":
                server = stack.enter_context(scene.postgresql_server())
                url = await scene.create_database(server, "profile")
            async with _buyer(Settings(data_dir=folder, database_url=url)) as buyer:
                await _measure(kind, buyer, asked)


class Buyer:
    """Buys one toy after the other."""

    def __init__(self, api: FastAPI, headers: dict[str, str], variants: list[str]) -> None:
        self._api = api
        self._headers = headers
        self._variants = variants
        self._bought = 0
        self.requests: list[str] = []

    async def buy(self) -> None:
        """One purchase."""
        self._bought += 1
        await buy(self._send, self._headers, self._variants[self._bought % len(self._variants)])

    async def _send(self, request: bytes) -> Any:
        head, _, body = request.partition(HEAD_ENDS)
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
            "client": (buyers_address(self._bought), 40_000),
            "server": ("127.0.0.1", 3000),
        }
        answered: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Message) -> None:
            answered.append(message)

        await self._api(scope, receive, send)
        answer = b"".join(message.get("body", b"") for message in answered[1:])
        if answered[0]["status"] != 200:
            raise RuntimeError(f"{method} {path}: {answer.decode()}")
        return json.loads(answer)

    def database(self) -> Database:
        """What it buys from."""
        database: Database = self._api.state.database
        return database


@asynccontextmanager
async def _buyer(settings: Settings) -> AsyncIterator[Buyer]:
    shop = Shop(settings)
    await upgrade(shop.database)
    await toys.fill(shop.database, settings, PRODUCTS)
    variants = await toys.some_variants(shop.database, 100)
    async with shop.database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
    yield Buyer(create_api(shop), {"x-publishable-api-key": key}, variants)
    await shop.stop()


async def _measure(kind: str, buyer: Buyer, asked: Any) -> None:
    for _ in range(FIRST):
        await buyer.buy()
    gc.collect()
    buyer.requests.clear()
    with _heard(buyer) as heard:
        await buyer.buy()
    requests = buyer.requests[:]
    statements = sum(len(one.statements) for one in heard)
    print(f"{kind}: {statements} statements, {sum(one.commits for one in heard)} transactions")
    for request, one in zip(requests, heard, strict=True):
        print(f"  {len(one.statements):3} statements, {one.commits} transactions  {request}")
        if asked.statements:
            for statement in one.statements:
                print("       ", " ".join(statement.split())[:160])
    times = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        for _ in range(asked.purchases):
            await buyer.buy()
        times.append((time.process_time() - begun) / asked.purchases * 1000)
    print(f"  processor time: {median(times):.1f} ms ({min(times):.1f}-{max(times):.1f})", flush=True)
    if asked.functions:
        profile = cProfile.Profile()
        profile.enable()
        for _ in range(asked.purchases):
            await buyer.buy()
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(40)


@contextmanager
def _heard(buyer: Buyer) -> Iterator[list[Heard]]:
    """What each request asks the database, in the order of the requests."""
    heard: list[Heard] = []
    engine = buyer.database().engine.sync_engine

    def of_request() -> Heard:
        while len(heard) < len(buyer.requests):
            heard.append(Heard())
        return heard[-1]

    def said(_c: Any, _cursor: Any, statement: str, _p: Any, _context: Any, _many: bool) -> None:
        of_request().statements.append(statement)

    def committed(_connection: Any) -> None:
        of_request().commits += 1

    event.listen(engine, "before_cursor_execute", said)
    event.listen(engine, "commit", committed)
    yield heard
    event.remove(engine, "before_cursor_execute", said)
    event.remove(engine, "commit", committed)


def _arguments() -> Any:
    parser = argparse.ArgumentParser(description="Measure a purchase inside one process.")
    parser.add_argument("--database", nargs="+", default=["sqlite", "postgresql"])
    parser.add_argument("--purchases", type=int, default=20)
    parser.add_argument("--statements", action="store_true")
    parser.add_argument("--functions", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    uvloop.run(main())
