"""A bare ASGI handler that runs the shop's own SQL with the bare driver, and answers with the rows as JSON.

`python -m tests.bench.bare_handler PORT WORKERS` with the recording's file in BARE_RECORDING. The shop's figures are
compared with this handler: it has the same server and as many processes, but no framework, validation or ORM.
"""

import asyncio
import os
import pickle
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiosqlite
import asyncpg
import orjson
from granian.constants import Interfaces
from granian.log import LogLevels
from granian.server import Server
from sqlalchemy import make_url
from starlette.types import Receive, Scope, Send

from backend.orders.numbers import MIN_NUMBER
from tests.bench.recording import Recording, StatementGroup

ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
POOL_SIZE = 8
REPLACED_LETTERS = 12
"""Number of letters of an id that the run's number replaces, so that each run is a different purchase."""


class BareHandler:
    """`GET /{name}/{number}` replays a recorded request; `POST /purchase/{step}/{run}` replays a step of a purchase."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._url = make_url(recording.database_url)
        self._is_sqlite = self._url.get_backend_name() == "sqlite"
        self._idle: asyncio.LifoQueue[Any] | None = None
        self._write_lock = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        _, name, number, *run = scope["path"].split("/")
        if name == "purchase":
            while (await receive()).get("more_body"):
                pass
            answer = await self._run(self._recording.purchase[int(number)], run[0])
        elif name == "health":
            answer = []
        else:
            groups = self._recording.reads[name]
            answer = await self._run(groups[int(number) % len(groups)], "")
        body = orjson.dumps(answer, default=str)
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _run(self, groups: list[StatementGroup], run: str) -> list[Any]:
        rows: list[Any] = []
        for group in groups:
            if self._is_sqlite and group.writes:
                async with self._write_lock, self._connection() as connection:
                    rows += await self._sqlite(connection, group, run)
            else:
                async with self._connection() as connection:
                    if self._is_sqlite:
                        rows += await self._sqlite(connection, group, run)
                    else:
                        rows += await self._postgresql(connection, group, run)
        return rows

    async def _sqlite(self, connection: Any, group: StatementGroup, run: str) -> list[Any]:
        rows: list[Any] = []
        for statement, parameters in group.statements:
            async with connection.execute(statement, self._replace_ids(parameters, run)) as cursor:
                rows += await cursor.fetchall()
        if group.writes:
            await connection.execute("COMMIT")
        return rows

    async def _postgresql(self, connection: Any, group: StatementGroup, run: str) -> list[Any]:
        rows: list[Any] = []
        transaction = connection.transaction() if group.writes else None
        if transaction is not None:
            await transaction.start()
        for statement, parameters in group.statements:
            rows += map(tuple, await connection.fetch(statement, *self._replace_ids(parameters, run)))
        if transaction is not None:
            await transaction.commit()
        return rows

    def _replace_ids(self, parameters: Any, run: str) -> tuple[Any, ...]:
        """Return the parameters with ids and an order number of this run instead of the recorded ones."""
        if not run:
            return tuple(parameters)

        def replace_id(match: re.Match[str]) -> str:
            ulid = match.group()
            return (
                f"{ulid[:-REPLACED_LETTERS]}{run:0>{REPLACED_LETTERS}}"
                if ulid > self._recording.born
                else ulid
            )

        def replace_value(value: Any) -> Any:
            if isinstance(value, str):
                return ULID.sub(replace_id, value)
            is_order_number = (
                isinstance(value, int) and value >= MIN_NUMBER
            )  # a price is lower than any order number
            return MIN_NUMBER + int(run) if is_order_number else value

        return tuple(map(replace_value, parameters))

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Any]:
        if self._idle is None:
            self._idle = asyncio.LifoQueue()
            for _ in range(POOL_SIZE):
                self._idle.put_nowait(await self._connect())
        connection = await self._idle.get()
        try:
            yield connection
        finally:
            self._idle.put_nowait(connection)

    async def _connect(self) -> Any:
        if self._is_sqlite:
            connection = await aiosqlite.connect(str(self._url.database), isolation_level=None, timeout=15)
            for pragma in ("synchronous=NORMAL", "foreign_keys=ON", "temp_store=MEMORY", "cache_size=-16000"):
                await connection.execute(f"PRAGMA {pragma}")
            return connection
        url = self._url.set(drivername="postgresql").render_as_string(hide_password=False)
        return await asyncpg.connect(url)


def create_handler() -> BareHandler:
    """Create the handler for the recording in the file that BARE_RECORDING names."""
    return BareHandler(pickle.loads(Path(os.environ["BARE_RECORDING"]).read_bytes()))


def main() -> None:
    """Serve until the process is stopped."""
    port, workers = map(int, sys.argv[1:3])
    Server(
        "tests.bench.bare_handler:create_handler",
        factory=True,
        port=port,
        interface=Interfaces.ASGI,
        workers=workers,
        workers_kill_timeout=2,
        log_level=LogLevels.warning,
    ).serve()


if __name__ == "__main__":
    main()
