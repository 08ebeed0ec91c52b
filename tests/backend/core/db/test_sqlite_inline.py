"""SQLite on the event loop's thread: waiting for a lock does not block the loop; slow statements run in threads."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backend.core.db.sqlite_inline import SLOW_STATEMENT_S, InlineConnection, connect

NOTE_THREAD = "UPDATE counter SET n = here()"
WHERE_SLOWLY = "SELECT here(), doze()"
HOLD = "SELECT hold(), doze()"


class Clock:
    """The clock that times the connection's statements; it advances on demand."""

    def __init__(self) -> None:
        self.moment = 0.0

    def __call__(self) -> float:
        """Return the current time in seconds."""
        return self.moment

    def go_on(self) -> int:
        """Advance the clock until the running statement counts as slow."""
        self.moment += 2 * SLOW_STATEMENT_S
        return 1


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("backend.core.db.sqlite_inline.perf_counter", clock)
    return clock


@pytest.fixture
async def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.db"
    connection = await connect(str(path), busy_timeout=1)
    await connection.cursor().execute("PRAGMA journal_mode=WAL")
    await connection.cursor().execute("CREATE TABLE counter (n INTEGER)")
    await connection.cursor().execute("INSERT INTO counter VALUES (0)")
    await connection.close()
    return path


@pytest.fixture
async def connection(file: Path, clock: Clock) -> AsyncIterator[InlineConnection]:
    """Return a connection with SQL functions: `here()` returns the thread's id, `doze()` makes a statement slow."""
    connection = await connect(str(file), busy_timeout=5)
    await connection.create_function("here", 0, threading.get_ident)
    await connection.create_function("doze", 0, clock.go_on)
    yield connection
    await connection.close()


async def test_waiting_for_a_sqlite_lock_does_not_block_the_event_loop(
    file: Path, connection: InlineConnection
) -> None:
    rival = await connect(str(file), busy_timeout=5)
    await connection.cursor().execute("BEGIN IMMEDIATE")
    waiting = asyncio.create_task(rival.cursor().execute("BEGIN IMMEDIATE"))
    await connection.cursor().execute("UPDATE counter SET n = n + 1")
    await connection.commit()
    await waiting
    cursor = await rival.cursor().execute("SELECT n FROM counter")
    assert await cursor.fetchall() == [(1,)]
    await rival.rollback()
    await rival.close()


async def test_busy_timeout_ends_the_wait_for_a_sqlite_lock(file: Path, connection: InlineConnection) -> None:
    rival = await connect(str(file), busy_timeout=0)
    await connection.cursor().execute("BEGIN IMMEDIATE")
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        await rival.cursor().execute("BEGIN IMMEDIATE")
    await connection.rollback()
    await rival.close()


async def test_statement_that_was_slow_runs_in_a_thread_the_next_time(connection: InlineConnection) -> None:
    found = [await (await connection.cursor().execute(WHERE_SLOWLY)).fetchall() for _ in range(2)]
    (where_first, _), (where_again, _) = (rows[0] for rows in found)
    assert where_first == threading.get_ident() != where_again


async def test_cancelled_statement_waits_until_its_thread_has_ended(connection: InlineConnection) -> None:
    """Check that a cancelled call waits for its thread.

    The connection is rolled back and closed next, and SQLite crashes if a thread still uses it.
    """
    began, may_end = threading.Event(), threading.Event()

    def hold() -> int:
        began.set()
        may_end.wait()
        return 1

    may_end.set()
    await connection.create_function("hold", 0, hold)
    await connection.cursor().execute(HOLD)  # slow because of `doze()`, so the next time it runs in a thread
    began.clear()
    may_end.clear()
    asking = asyncio.create_task(connection.cursor().execute(HOLD))
    await asyncio.to_thread(began.wait)
    try:
        for _ in range(2):  # cancelling twice changes nothing
            asking.cancel()
            await asyncio.wait({asking}, timeout=SLOW_STATEMENT_S)
            assert not asking.done()
    finally:
        may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await asking
    cursor = await connection.cursor().execute("SELECT n FROM counter")
    assert await cursor.fetchall() == [(0,)]


async def test_statement_that_only_waited_for_a_lock_does_not_count_as_slow(
    file: Path, connection: InlineConnection, clock: Clock
) -> None:
    rival = await connect(str(file), busy_timeout=5)
    await rival.cursor().execute("BEGIN IMMEDIATE")
    waiting = asyncio.create_task(connection.cursor().execute(NOTE_THREAD))
    await asyncio.sleep(0)  # it tried, and found the database locked
    clock.go_on()
    await rival.close()
    await waiting
    await connection.cursor().execute(NOTE_THREAD)
    cursor = await connection.cursor().execute("SELECT n FROM counter")
    assert await cursor.fetchall() == [(threading.get_ident(),)]


async def test_statement_error_is_raised_immediately(connection: InlineConnection) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        await connection.cursor().execute("SELECT * FROM absent")
