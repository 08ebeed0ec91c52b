"""PostgreSQL's engine, and a separate connection next to it. Imported only by shops with PostgreSQL."""

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

CONNECT_TIMEOUT_S = 5.0
"""Seconds for opening a connection to a server."""
PING_TIMEOUT_S = 5.0
"""Seconds in which an idle connection must answer a check."""
STATEMENT_TIMEOUT_S = 15.0
"""Seconds for a statement, including waiting for locks. Without a limit, a frozen server would never answer."""
_UNAVAILABLE_ERRORS = (
    asyncpg.CannotConnectNowError, asyncpg.TooManyConnectionsError, asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError, asyncpg.CrashShutdownError, asyncpg.InternalClientError,
)  # fmt: skip
"""Errors of a server that starts, stops or has too many connections."""
_UNPREPARED = {
    "statement_cache_size": 0,
    "prepared_statement_cache_size": 0,
    "prepared_statement_name_func": str,
}
"""Driver options that make each prepared statement unnamed, for a single use.

A pooler may use another connection after a transaction, where a named statement would not exist.
"""
_SHORT_STATEMENTS = {"jit": "off", "max_parallel_workers_per_gather": "0"}
"""Server settings of each connection. The shop's statements are short.

Compiling a statement, or starting processes for it, would take longer than it saves, and the processors are needed
for other requests.
"""
TRUSTED_IDLE_S = 1.0
"""Seconds for which a connection may be idle and still be used without a check."""

ANSWER_TIMEOUT_S = 5.0
"""Seconds for an answer on a `ServerConnection`, including opening it. A frozen server would never answer."""
STATEMENT_CACHE_SIZE = 4
"""Number of statements that a `ServerConnection` caches as prepared."""
_CONNECTION_LOST = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)


def postgresql_engine(
    url: str,
    *,
    pool: int,
    pool_timeout_s: float,
    through_pooler: bool,
    is_patient: bool,
    to_json: Callable[[Any], str],
) -> AsyncEngine:
    """Create the engine for a server.

    Args:
        url: the server's URL.
        pool: maximum number of connections.
        pool_timeout_s: seconds that a session waits for one of them.
        through_pooler: True if a pooler may use another connection for each transaction.
        is_patient: True if statements may take any time.
        to_json: formats the values of JSON columns.
    """

    async def open_connection(*args: Any, **options: Any) -> asyncpg.Connection:
        limits = {
            "timeout": CONNECT_TIMEOUT_S,
            "command_timeout": None if is_patient else STATEMENT_TIMEOUT_S,
        }
        try:
            return await asyncpg.connect(*args, **options, **limits)
        except (OSError, *_UNAVAILABLE_ERRORS) as error:  # TimeoutError is an OSError
            raise DatabaseUnavailable("The database does not answer: try again") from error

    engine = create_async_engine(
        url,
        hide_parameters=True,  # errors are logged, and parameters contain personal data
        json_serializer=to_json,
        json_deserializer=orjson.loads,  # parses very long integers of PostgreSQL as floats
        pool_size=pool,
        max_overflow=0,
        pool_timeout=pool_timeout_s,
        connect_args={
            "async_creator_fn": open_connection,
            # a pooler refuses unknown settings, so the role has them there (docs/operations.md)
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
        """Check a connection that was idle for a while. If it was closed, the pool opens another."""
        if time.monotonic() - record.info.get("idle_since", math.inf) > TRUSTED_IDLE_S:
            try:
                connection.run_async(lambda driver: driver.execute("SELECT 1", timeout=PING_TIMEOUT_S))
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, *_UNAVAILABLE_ERRORS) as error:
                connection.driver_connection.terminate()  # a normal close would wait for a frozen server
                raise DisconnectionError from error

    @event.listens_for(engine.sync_engine, "handle_error")
    def _report_slow_statement(context: ExceptionContext) -> None:
        """Treat a statement that took too long as an outage, and do not use its connection again.

        Raises:
            DatabaseUnavailable: the statement timed out.
        """
        if isinstance(context.original_exception, TimeoutError):
            context.is_disconnect = True
            if context.connection is not None:
                driver = context.connection.connection.driver_connection
                driver.terminate()  # type: ignore[union-attr]  # asyncpg's method; a frozen server does not answer a normal close
            raise DatabaseUnavailable("The database does not answer in time: try again")

    return engine


class ServerConnection:
    """A separate connection for single queries. A query takes a hundredth of the time that it takes in a session.

    Run one query at a time.
    """

    def __init__(self, url: URL, *, through_pooler: bool) -> None:
        """Store the URL; no connection is opened yet."""
        self._url = url.set(drivername="postgresql").render_as_string(hide_password=False)
        self._through_pooler = through_pooler
        self._connection: asyncpg.Connection | None = None

    async def fetch(self, query: str, *values: object) -> list[asyncpg.Record]:
        """Return the query's rows.

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
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                return await self._fetch(query, values)
        except TimeoutError:
            self.disconnect()
            raise

    async def _fetch(self, query: str, values: Sequence[object]) -> list[asyncpg.Record]:
        if self._connection is None:
            self._connection = await asyncpg.connect(
                self._url,
                statement_cache_size=0 if self._through_pooler else STATEMENT_CACHE_SIZE,
            )
        # through a pooler, a transaction stays on one connection
        transaction = self._connection.transaction(readonly=True) if self._through_pooler else nullcontext()
        async with transaction:
            rows: list[asyncpg.Record] = await self._connection.fetch(query, *values)
        return rows

    def disconnect(self) -> None:
        """Close the connection without notifying the server: a frozen server would not answer."""
        if self._connection is not None:
            connection, self._connection = self._connection, None
            connection.terminate()
