"""Asking the database whether the catalogue has changed, before every answer, at next to no cost.

The version is two numbers in the row of `catalog_version`, which triggers raise in the transaction of a change. A
session costs a hundred times what reading this row does, so the probe has a connection of its own. On PostgreSQL all
who ask while a query is under way share the next one: however many requests a second, the row is asked for as fast as
the database answers. What is read was committed before or during the question, never earlier than a previous answer.
"""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeVar, cast

import asyncpg

from backend.database import Database
from backend.outage import DatabaseUnavailable
from backend.single_flight import SingleFlight

T = TypeVar("T")

ANSWER_WITHIN = 5.0
"""Seconds for opening the connection, where that is needed, and for the answer. A frozen server takes for ever."""
_QUERY = "SELECT catalog, stock FROM catalog_version WHERE id = 1"
_CONNECTION_LOST = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)


class Version(NamedTuple):
    """The version of the catalogue and of the stock. Equal numbers: nothing was committed in between."""

    catalog: int
    stock: int


class VersionProbe:
    """Reads the catalogue's version. It is never cached, so it is exact on every replica."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._file: sqlite3.Connection | None = None
        self._server: asyncpg.Connection | None = None
        self._queries = SingleFlight[None, Version](finishes=True)  # one connection serves all who ask
        self._kept = 0 if database.through_pooler else 1
        """How many prepared statements the connection keeps."""
        self._values: dict[str, tuple[int, Any]] = {}

    async def now(self) -> Version:
        """The version that is committed now.

        Raises:
            DatabaseUnavailable: the database does not answer.
        """
        if self._database.is_sqlite:
            return self._read_file()
        return await self._queries.share_next(None, self._ask_server)

    async def cached(self, name: str, read: Callable[[], Awaitable[T]]) -> T:
        """The value that `read` returned under this name, read again only after the catalogue has changed.

        For small values that are read all the time. None is not cached, so made-up names fill no memory.
        """
        try:
            catalog = (await self.now()).catalog
        except OSError:
            return await read()
        known, value = self._values.get(name, (None, None))
        if known != catalog:
            value = await read()
            if value is not None:
                self._values[name] = (catalog, value)
        return cast("T", value)

    async def close(self) -> None:
        """Close the connection."""
        if self._file is not None:
            self._file.close()
            self._file = None
        await self._queries.idle()
        self._disconnect()

    def _read_file(self) -> Version:
        """On this very thread: it takes microseconds, and in WAL mode no writer blocks a reader."""
        try:
            if self._file is None:
                self._file = sqlite3.connect(
                    str(self._database.url.database), timeout=0, isolation_level=None
                )
            return Version(*self._file.execute(_QUERY).fetchone())
        except sqlite3.Error as error:
            raise DatabaseUnavailable("The database does not answer: try again") from error

    async def _ask_server(self) -> Version:
        try:
            return await self._read_server()
        except TimeoutError as error:
            raise DatabaseUnavailable("The database does not answer: try again") from error
        except _CONNECTION_LOST:  # the server was restarted, or closed an idle connection: try a new one once
            self._disconnect()
        try:
            return await self._read_server()
        except _CONNECTION_LOST as error:
            raise DatabaseUnavailable("The database does not answer: try again") from error

    async def _read_server(self) -> Version:
        try:
            async with asyncio.timeout(ANSWER_WITHIN):
                return await self._read()
        except TimeoutError:
            self._disconnect()
            raise

    async def _read(self) -> Version:
        if self._server is None:
            url = self._database.url.set(drivername="postgresql")
            self._server = await asyncpg.connect(
                url.render_as_string(hide_password=False),
                statement_cache_size=self._kept,
            )
        if not self._database.through_pooler:
            return Version(*await self._server.fetchrow(_QUERY))
        async with self._server.transaction(readonly=True):  # a pooler keeps it on one connection
            return Version(*await self._server.fetchrow(_QUERY))

    def _disconnect(self) -> None:
        if self._server is not None:
            server, self._server = self._server, None
            server.terminate()
