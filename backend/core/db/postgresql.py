"""PostgreSQL's engine, and a connection beside it. Only what has such a database imports this module."""

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import asyncpg
import orjson
from sqlalchemy import event
from sqlalchemy.engine import URL, ExceptionContext
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from backend.core.outage import DatabaseUnavailable

CONNECT_WITHIN = 5.0
"""Seconds for opening a connection to a server."""
PING_WITHIN = 5.0
"""Seconds in which a connection that has rested must say that it is open."""
STATEMENT_WITHIN = 15.0
"""Seconds that a server may take for a statement, waiting for locks included. One that is frozen takes for ever."""
_NOT_NOW = (
    asyncpg.CannotConnectNowError, asyncpg.TooManyConnectionsError, asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError, asyncpg.CrashShutdownError, asyncpg.InternalClientError,
)  # fmt: skip
"""What a server says that starts, ends or has too many connections."""
_UNPREPARED = {
    "statement_cache_size": 0,
    "prepared_statement_cache_size": 0,
    "prepared_statement_name_func": str,
}
"""No statement outlives its transaction: each is prepared without a name (`str()` is empty), for one use."""
_SHORT_STATEMENTS = {"jit": "off", "max_parallel_workers_per_gather": "0"}
"""What a server is told when a connection opens. The shop's statements are short: compiling one, or starting processes
for it, takes longer than what they gain, and the processors are there for other requests."""
TRUSTED_FOR = 1.0
"""Seconds. A connection to a server that was used within them is used again without asking whether it is open."""

ANSWER_WITHIN = 5.0
"""Seconds in which a `ServerConnection` answers, being opened included. A frozen server takes for ever."""
FEW_STATEMENTS = 4
"""Statements that a `ServerConnection` keeps prepared."""
_CONNECTION_LOST = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)


def postgresql_engine(
    url: str,
    *,
    pool: int,
    pool_wait: float,
    through_pooler: bool,
    is_patient: bool,
    as_json: Callable[[Any], str],
) -> AsyncEngine:
    """An engine for the server.

    Args:
        url: its address.
        pool: connections at most.
        pool_wait: seconds that a session waits for one of them.
        through_pooler: whether every transaction may be served by another connection of a pooler.
        is_patient: whether statements may take any time.
        as_json: writes the values of JSON columns.
    """

    async def open_connection(*args: Any, **options: Any) -> asyncpg.Connection:
        limits = {"timeout": CONNECT_WITHIN, "command_timeout": None if is_patient else STATEMENT_WITHIN}
        try:
            return await asyncpg.connect(*args, **options, **limits)
        except (OSError, *_NOT_NOW) as error:  # TimeoutError is an OSError
            raise DatabaseUnavailable("The database does not answer: try again") from error

    engine = create_async_engine(
        url,
        hide_parameters=True,  # errors are logged, and parameters tell of people
        json_serializer=as_json,
        json_deserializer=orjson.loads,  # what PostgreSQL writes out as an endless integer is a float again
        pool_size=pool,
        max_overflow=0,
        pool_timeout=pool_wait,
        connect_args={
            "async_creator_fn": open_connection,
            # a pooler refuses what it does not know: there the role has these settings (docs/operations.md)
            **(
                _UNPREPARED
                if through_pooler
                else {
                    "prepared_statement_cache_size": 1000,
                    "server_settings": _SHORT_STATEMENTS,
                }
            ),
        },
    )

    @event.listens_for(engine.sync_engine, "checkin")
    def _note_idle_since(_connection: Any, record: ConnectionPoolEntry) -> None:
        record.info["idle_since"] = time.monotonic()

    @event.listens_for(engine.sync_engine, "checkout")
    def _ping_idle_connection(connection: Any, record: ConnectionPoolEntry, _proxy: Any) -> None:
        """A connection that has not been used for a while may have been closed: the pool then opens another."""
        if time.monotonic() - record.info.get("idle_since", math.inf) > TRUSTED_FOR:
            try:
                connection.run_async(lambda driver: driver.execute("SELECT 1", timeout=PING_WITHIN))
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, *_NOT_NOW) as error:
                connection.driver_connection.terminate()  # a graceful close would wait for a frozen server
                raise DisconnectionError from error

    @event.listens_for(engine.sync_engine, "handle_error")
    def _tell_slow_statements(context: ExceptionContext) -> None:
        """A statement took too long: the server is taken for one that is away, and its connections are not used again.

        Raises:
            DatabaseUnavailable: it did.
        """
        if isinstance(context.original_exception, TimeoutError):
            context.is_disconnect = True
            if context.connection is not None:
                driver = context.connection.connection.driver_connection
                driver.terminate()  # type: ignore[union-attr]  # asyncpg's; a frozen server answers to no farewell
            raise DatabaseUnavailable("The database does not answer in time: try again")

    return engine


class ServerConnection:
    """A connection of its own, on which a query costs a hundredth of a session. Ask once at a time."""

    def __init__(self, url: URL, *, through_pooler: bool) -> None:
        """Nothing is opened yet."""
        self._url = url.set(drivername="postgresql").render_as_string(hide_password=False)
        self._through_pooler = through_pooler
        self._connection: asyncpg.Connection | None = None

    async def fetch(self, query: str, *values: object) -> list[asyncpg.Record]:
        """The query's rows.

        Raises:
            DatabaseUnavailable: the database does not answer.
        """
        try:
            return await self._read(query, values)
        except TimeoutError as error:
            raise DatabaseUnavailable("The database does not answer: try again") from error
        except _CONNECTION_LOST:  # the server was restarted, or closed an idle connection: try a new one once
            self.disconnect()
        try:
            return await self._read(query, values)
        except _CONNECTION_LOST as error:
            raise DatabaseUnavailable("The database does not answer: try again") from error

    async def _read(self, query: str, values: Sequence[object]) -> list[asyncpg.Record]:
        try:
            async with asyncio.timeout(ANSWER_WITHIN):
                return await self._fetch(query, values)
        except TimeoutError:
            self.disconnect()
            raise

    async def _fetch(self, query: str, values: Sequence[object]) -> list[asyncpg.Record]:
        if self._connection is None:
            self._connection = await asyncpg.connect(
                self._url,
                statement_cache_size=0 if self._through_pooler else FEW_STATEMENTS,
            )
        # a pooler keeps a transaction on one connection
        whole = self._connection.transaction(readonly=True) if self._through_pooler else nullcontext()
        async with whole:
            rows: list[asyncpg.Record] = await self._connection.fetch(query, *values)
        return rows

    def disconnect(self) -> None:
        """Close the connection without a farewell: a frozen server answers to none."""
        if self._connection is not None:
            connection, self._connection = self._connection, None
            connection.terminate()
