"""SQLite on the event loop's own thread, with the interface of aiosqlite's connection, which SQLAlchemy uses.

A statement of a shop takes some microseconds; handing it to another thread and its rows back takes hundreds, and under
load the two threads wait for each other. So statements run on the loop's thread. Two things do not block the loop: a
statement that finds the database locked is retried after a pause, and one that was slow before runs in a thread.
"""

import asyncio
import random
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from time import monotonic, perf_counter
from typing import Any, Self, TypeVar

T = TypeVar("T")

SLOW = 0.010
"""Seconds. A statement that took longer runs in a thread the next time, until it is quick again."""
FIRST_PAUSE, LONGEST_PAUSE = 0.0005, 0.010
"""Seconds between two retries while the database is locked."""
MOST_SLOW = 1000


class InlineConnection:
    """A connection in autocommit mode. `busy_timeout`: for how many seconds a locked database is retried."""

    def __init__(self, file: str, busy_timeout: float) -> None:
        # a slow statement runs in a thread, one at a time: SQLAlchemy sees to that
        self._conn = sqlite3.connect(file, timeout=0, isolation_level=None, check_same_thread=False)
        self._busy_timeout = busy_timeout
        self._slow: set[str] = set()

    @property
    def _connection(self) -> sqlite3.Connection:  # SQLAlchemy checks that it is still there
        return self._conn

    def cursor(self) -> "InlineCursor":
        """A cursor; it is awaited like aiosqlite's, and mostly does not wait."""
        return InlineCursor(self, self._conn.cursor())

    async def create_function(self, *args: Any, **options: Any) -> None:
        """Make a Python function known to SQL."""
        self._conn.create_function(*args, **options)

    async def commit(self) -> None:
        """Commit, if a transaction is open."""
        await self._retry_while_locked(lambda: _at_once(self._conn.commit))

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
        """Run the statement, which `action` does, here or in a thread."""
        return await self._retry_while_locked(lambda: self._timed(statement, action))

    async def _timed(self, statement: str, action: Callable[[], T]) -> T:
        began = perf_counter()
        result = await (self._in_thread(action) if statement in self._slow else _at_once(action))
        if perf_counter() - began < SLOW:
            self._slow.discard(statement)
        elif len(self._slow) < MOST_SLOW:
            self._slow.add(statement)
        return result

    async def _in_thread(self, action: Callable[[], T]) -> T:
        """Run it in a thread. When the caller is cancelled, the statement is interrupted and its end waited for.

        Otherwise it would run on during the next use of this connection, another transaction or `close`: SQLite crashes
        when it is closed under a running statement.
        """
        thread = asyncio.ensure_future(asyncio.to_thread(action))
        try:
            return await asyncio.shield(thread)
        except asyncio.CancelledError:
            while not thread.done():
                self._conn.interrupt()
                with suppress(asyncio.CancelledError):  # another cancellation changes nothing
                    await asyncio.wait({thread})
            thread.exception()  # retrieved: that it was interrupted is expected
            raise

    async def _retry_while_locked(self, action: Callable[[], Awaitable[T]]) -> T:
        """Run it; while another connection has the lock, sleep and retry.

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
            pause = min(2 * pause or FIRST_PAUSE, LONGEST_PAUSE)
            await asyncio.sleep(pause * random.uniform(0.5, 1))  # noqa: S311 - rivals must not retry in step


async def _at_once(action: Callable[[], T]) -> T:
    return action()


class InlineCursor:
    """A cursor that fetches all rows when the statement runs, so that no reading transaction stays open."""

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
        """The columns of the rows; None when there can be none."""
        return self._cursor.description

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""
        return self._cursor.rowcount

    @property
    def lastrowid(self) -> int | None:
        """The number of the row inserted last."""
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
        many = list(rows)
        await self._connection.run(statement, lambda: self._cursor.executemany(statement, many))
        return self

    async def fetchall(self) -> list[Any]:
        """The rows."""
        rows, self._rows = self._rows, []
        return rows

    async def close(self) -> None:
        """Close the cursor and forget its rows."""
        self._rows = []
        self._cursor.close()


async def connect(file: str, busy_timeout: float) -> InlineConnection:
    """Open the file. For SQLAlchemy's `async_creator_fn`."""
    return InlineConnection(file, busy_timeout)
