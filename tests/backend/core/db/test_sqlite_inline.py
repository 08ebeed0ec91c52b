"""SQLite on the event loop's thread: rivals wait without holding the loop up, and what is slow leaves it."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backend.core.db.sqlite_inline import SLOW, InlineConnection, connect

NOTE_THREAD = "UPDATE counter SET n = here()"
WHERE_SLOWLY = "SELECT here(), doze()"
HOLD = "SELECT hold(), doze()"


class Clock:
    """What the connection times its statements with: it goes on when told to."""

    def __init__(self) -> None:
        self.moment = 0.0

    def __call__(self) -> float:
        """Now, in seconds."""
        return self.moment

    def go_on(self) -> int:
        """Let as much time pass as only a slow statement takes."""
        self.moment += 2 * SLOW
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
    """It knows `here()`, the thread that a statement runs in, and `doze()`, which makes a statement a slow one."""
    connection = await connect(str(file), busy_timeout=5)
    await connection.create_function("here", 0, threading.get_ident)
    await connection.create_function("doze", 0, clock.go_on)
    yield connection
    await connection.close()


async def test_a_rival_waits_while_the_loop_goes_on(file: Path, connection: InlineConnection) -> None:
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


async def test_a_busy_timeout_has_an_end(file: Path, connection: InlineConnection) -> None:
    rival = await connect(str(file), busy_timeout=0)
    await connection.cursor().execute("BEGIN IMMEDIATE")
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        await rival.cursor().execute("BEGIN IMMEDIATE")
    await connection.rollback()
    await rival.close()


async def test_what_was_slow_once_runs_in_a_thread(connection: InlineConnection) -> None:
    found = [await (await connection.cursor().execute(WHERE_SLOWLY)).fetchall() for _ in range(2)]
    (where_first, _), (where_again, _) = (rows[0] for rows in found)
    assert where_first == threading.get_ident() != where_again


async def test_whoever_gives_up_waits_until_the_thread_is_done(connection: InlineConnection) -> None:
    """The connection is rolled back and closed next. SQLite crashes when a thread is still at work with it."""
    began, may_end = threading.Event(), threading.Event()

    def hold() -> int:
        began.set()
        may_end.wait()
        return 1

    may_end.set()
    await connection.create_function("hold", 0, hold)
    await connection.cursor().execute(HOLD)  # slow by its second function: the next time it runs in a thread
    began.clear()
    may_end.clear()
    asking = asyncio.create_task(connection.cursor().execute(HOLD))
    await asyncio.to_thread(began.wait)
    try:
        for _ in range(2):  # as impatient as one likes
            asking.cancel()
            await asyncio.wait({asking}, timeout=SLOW)
            assert not asking.done()
    finally:
        may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await asking
    cursor = await connection.cursor().execute("SELECT n FROM counter")
    assert await cursor.fetchall() == [(0,)]


async def test_who_had_to_wait_for_a_rival_was_not_slow(
    file: Path, connection: InlineConnection, clock: Clock
) -> None:
    rival = await connect(str(file), busy_timeout=5)
    await rival.cursor().execute("BEGIN IMMEDIATE")
    waiting = asyncio.create_task(connection.cursor().execute(NOTE_THREAD))
    await asyncio.sleep(0)  # it has tried, and was refused
    clock.go_on()
    await rival.close()
    await waiting
    await connection.cursor().execute(NOTE_THREAD)
    cursor = await connection.cursor().execute("SELECT n FROM counter")
    assert await cursor.fetchall() == [(threading.get_ident(),)]


async def test_a_fault_of_the_statement_is_told_at_once(connection: InlineConnection) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        await connection.cursor().execute("SELECT * FROM absent")
