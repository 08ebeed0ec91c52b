"""SQLite on the event loop's thread, with the interface of aiosqlite's connection, which SQLAlchemy uses.

A statement takes some microseconds. To pass it to another thread and to pass its rows back takes hundreds of
microseconds, and under load the two threads wait for each other. So statements run on the loop's thread. In two
cases the loop is not blocked: a statement that finds the database locked is retried after a pause, and a statement
that was slow before runs in a thread.
"""

import asyncio
import random
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from time import monotonic, perf_counter
from typing import Any, Self, TypeVar

T = TypeVar("T")

SLOW_STATEMENT_S = 0.010
"""Seconds above which a statement is slow: it then runs in a thread, until it is quick again."""
MIN_PAUSE_S, MAX_PAUSE_S = 0.0005, 0.010
"""Seconds between two retries while the database is locked."""
MAX_SLOW_STATEMENTS = 1000


class InlineConnection:
    """A connection to an SQLite file, in autocommit mode. Statements run without a thread, except slow ones.

    `busy_timeout` is the time in seconds for which a statement is retried while the database is locked.
    """

    def __init__(self, file: str, busy_timeout: float) -> None:
        # a slow statement runs in a thread; SQLAlchemy runs one statement at a time
        self._conn = sqlite3.connect(file, timeout=0, isolation_level=None, check_same_thread=False)
        self._busy_timeout = busy_timeout
        self._slow: set[str] = set()

    @property
    def _connection(self) -> sqlite3.Connection:  # SQLAlchemy checks this attribute
        return self._conn

    def cursor(self) -> "InlineCursor":
        """Return a cursor, which is awaited like aiosqlite's but usually does not wait."""
        return InlineCursor(self, self._conn.cursor())

    async def create_function(self, *args: Any, **options: Any) -> None:
        """Register a Python function for SQL."""
        self._conn.create_function(*args, **options)

    async def commit(self) -> None:
        """Commit, if a transaction is open."""
        await self._retry_while_locked(lambda: _run_inline(self._conn.commit))

    async def rollback(self) -> None:
        """Roll back, if a transaction is open."""
        self._conn.rollback()

    async def close(self) -> None:
        """Close the connection."""
        self._conn.close()

    def stop(self) -> None:
        """Close the connection without waiting."""
        self._conn.close()

    async def run(self, statement: str, action: Callable[[], T]) -> T:
        """Return the result of `action`, which runs the statement. Retry while the database is locked."""
        return await self._retry_while_locked(lambda: self._run_timed(statement, action))

    async def _run_timed(self, statement: str, action: Callable[[], T]) -> T:
        began = perf_counter()
        result = await (self._run_in_thread(action) if statement in self._slow else _run_inline(action))
        if perf_counter() - began < SLOW_STATEMENT_S:
            self._slow.discard(statement)
        elif len(self._slow) < MAX_SLOW_STATEMENTS:
            self._slow.add(statement)
        return result

    async def _run_in_thread(self, action: Callable[[], T]) -> T:
        """Run the action in a thread. If the caller is cancelled, interrupt the statement and wait for its end.

        Otherwise the statement would still run when this connection is used for another transaction or is closed.
        SQLite crashes if it is closed during a statement.
        """
        thread = asyncio.ensure_future(asyncio.to_thread(action))
        try:
            return await asyncio.shield(thread)
        except asyncio.CancelledError:
            while not thread.done():
                self._conn.interrupt()
                with suppress(asyncio.CancelledError):  # a second cancellation changes nothing
                    await asyncio.wait({thread})
            thread.exception()  # mark as retrieved: the interruption is expected
            raise

    async def _retry_while_locked(self, action: Callable[[], Awaitable[T]]) -> T:
        """Run the action; while another connection has the lock, sleep and retry.

        Raises:
            sqlite3.OperationalError: the database stayed locked.
        """
        until = pause = 0.0
        while True:
            try:
                return await action()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                    raise
                moment = monotonic()
                until = until or moment + self._busy_timeout
                if moment > until:
                    raise
            pause = min(2 * pause or MIN_PAUSE_S, MAX_PAUSE_S)
            await asyncio.sleep(pause * random.uniform(0.5, 1))  # noqa: S311 - not for security: waiting connections must not retry at the same moments


async def _run_inline(action: Callable[[], T]) -> T:
    return action()


class InlineCursor:
    """A cursor that fetches all rows when the statement runs, so that no read transaction stays open."""

    def __init__(self, connection: InlineConnection, cursor: sqlite3.Cursor) -> None:
        self._connection = connection
        self._cursor = cursor
        self._rows: list[Any] = []
        self.arraysize = 1

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def description(self) -> Any:
        """Columns of the rows; None if the statement returns no rows."""
        return self._cursor.description

    @property
    def rowcount(self) -> int:
        """Number of changed rows."""
        return self._cursor.rowcount

    @property
    def lastrowid(self) -> int | None:
        """Row id of the most recently inserted row."""
        return self._cursor.lastrowid

    async def execute(self, statement: str, parameters: Sequence[Any] = ()) -> Self:
        """Run the statement and read its rows."""

        def act() -> list[Any]:
            self._cursor.execute(statement, parameters)
            return self._cursor.fetchall() if self._cursor.description else []

        self._rows = await self._connection.run(statement, act)
        return self

    async def executemany(self, statement: str, rows: Iterable[Sequence[Any]]) -> Self:
        """Run the statement for each of the rows."""
        row_list = list(rows)
        await self._connection.run(statement, lambda: self._cursor.executemany(statement, row_list))
        return self

    async def fetchall(self) -> list[Any]:
        """Return the rows, and clear them."""
        rows, self._rows = self._rows, []
        return rows

    async def close(self) -> None:
        """Close the cursor and clear its rows."""
        self._rows = []
        self._cursor.close()


async def connect(file: str, busy_timeout: float) -> InlineConnection:
    """Open the database file. SQLAlchemy calls this as its `async_creator_fn`."""
    return InlineConnection(file, busy_timeout)
