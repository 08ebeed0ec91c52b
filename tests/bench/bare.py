"""A bare ASGI handler that runs the shop's own SQL with the bare driver, and answers with the rows as JSON.

`python -m tests.bench.bare PORT WORKERS` with the recording's file in BARE_RECORDING. What the shop's figures are
measured against: the same server, as many processes, no framework, no validation, no ORM.
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

from backend.orders.numbers import LEAST
from tests.bench.recording import Recording, Stretch

ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
CONNECTIONS = 8
ENDS = 12
"""So many letters of an id are replaced by the running number: as many different purchases."""


class Bare:
    """`GET /{name}/{number}` runs a recorded reading; `POST /purchase/{step}/{run}` a step of a purchase."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._url = make_url(recording.database_url)
        self._is_sqlite = self._url.get_backend_name() == "sqlite"
        self._free: asyncio.LifoQueue[Any] | None = None
        self._writing = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        if scope["type"] != "http":
            return
        _, what, number, *run = scope["path"].split("/")
        if what == "purchase":
            while (await receive()).get("more_body"):
                pass
            answer = await self._run(self._recording.purchase[int(number)], run[0])
        elif what == "health":
            answer = []
        else:
            stretches = self._recording.reads[what]
            answer = await self._run(stretches[int(number) % len(stretches)], "")
        body = orjson.dumps(answer, default=str)
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _run(self, stretches: list[Stretch], run: str) -> list[Any]:
        rows: list[Any] = []
        for stretch in stretches:
            if self._is_sqlite and stretch.writes:
                async with self._writing, self._connection() as connection:
                    rows += await self._sqlite(connection, stretch, run)
            else:
                async with self._connection() as connection:
                    if self._is_sqlite:
                        rows += await self._sqlite(connection, stretch, run)
                    else:
                        rows += await self._postgresql(connection, stretch, run)
        return rows

    async def _sqlite(self, connection: Any, stretch: Stretch, run: str) -> list[Any]:
        rows: list[Any] = []
        for statement, parameters in stretch.statements:
            async with connection.execute(statement, self._renewed(parameters, run)) as cursor:
                rows += await cursor.fetchall()
        if stretch.writes:
            await connection.execute("COMMIT")
        return rows

    async def _postgresql(self, connection: Any, stretch: Stretch, run: str) -> list[Any]:
        rows: list[Any] = []
        transaction = connection.transaction() if stretch.writes else None
        if transaction is not None:
            await transaction.start()
        for statement, parameters in stretch.statements:
            rows += map(tuple, await connection.fetch(statement, *self._renewed(parameters, run)))
        if transaction is not None:
            await transaction.commit()
        return rows

    def _renewed(self, parameters: Any, run: str) -> tuple[Any, ...]:
        """The parameters, with ids and the order number of this run for the recorded ones."""
        if not run:
            return tuple(parameters)

        def renewed_id(match: re.Match[str]) -> str:
            ulid = match.group()
            return f"{ulid[:-ENDS]}{run:0>{ENDS}}" if ulid > self._recording.born else ulid

        def renewed(value: Any) -> Any:
            if isinstance(value, str):
                return ULID.sub(renewed_id, value)
            is_order_number = isinstance(value, int) and value >= LEAST  # one toy costs less
            return LEAST + int(run) if is_order_number else value

        return tuple(map(renewed, parameters))

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Any]:
        if self._free is None:
            self._free = asyncio.LifoQueue()
            for _ in range(CONNECTIONS):
                self._free.put_nowait(await self._connect())
        connection = await self._free.get()
        try:
            yield connection
        finally:
            self._free.put_nowait(connection)

    async def _connect(self) -> Any:
        if self._is_sqlite:
            connection = await aiosqlite.connect(str(self._url.database), isolation_level=None, timeout=15)
            for pragma in ("synchronous=NORMAL", "foreign_keys=ON", "temp_store=MEMORY", "cache_size=-16000"):
                await connection.execute(f"PRAGMA {pragma}")
            return connection
        url = self._url.set(drivername="postgresql").render_as_string(hide_password=False)
        return await asyncpg.connect(url)


def open_bare() -> Bare:
    """The handler for the recording that the environment names."""
    return Bare(pickle.loads(Path(os.environ["BARE_RECORDING"]).read_bytes()))


def main() -> None:
    """Serve until told to stop."""
    port, workers = map(int, sys.argv[1:3])
    Server(
        "tests.bench.bare:open_bare",
        factory=True,
        port=port,
        interface=Interfaces.ASGI,
        workers=workers,
        workers_kill_timeout=2,
        log_level=LogLevels.warning,
    ).serve()


if __name__ == "__main__":
    main()
