"""Concurrent writes: a function runs while another transaction has written the same rows without committing."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import Database

T = TypeVar("T")
SECONDS = 30
_WAITS = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


async def run_against_rival(
    database: Database,
    rival: Callable[[AsyncSession], Awaitable[None]],
    act: Callable[[], Awaitable[T]],
    *,
    while_waiting: Callable[[AsyncSession], Awaitable[None]] | None = None,
) -> T:
    """Run `act` while the rival's transaction is open, let the rival commit, and return the result of `act`.

    `while_waiting` is called with the rival's session before the rival commits.

    On PostgreSQL, `act` does not see the rival's changes until it writes the same rows and waits for the
    commit. SQLite has one writer at a time: there `act` begins when the rival has ended.

    Raises:
        AssertionError: on PostgreSQL, `act` ended without waiting for the rival.
    """
    async with database.transaction() as session:
        await rival(session)
        await session.flush()
        task = asyncio.ensure_future(act())
        if not database.is_sqlite:
            async with asyncio.timeout(SECONDS), database.read() as watching:
                while not (await watching.execute(_WAITS)).scalar_one():
                    assert not task.done(), "it did not wait for its rival"
                    await asyncio.sleep(0.01)
        if while_waiting is not None:
            await while_waiting(session)
    return await task
