"""Rivals: what is begun while somebody else has written the same and not committed it yet."""

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


async def overtaken(
    database: Database,
    rival: Callable[[AsyncSession], Awaitable[None]],
    act: Callable[[], Awaitable[T]],
    *,
    meanwhile: Callable[[AsyncSession], Awaitable[None]] | None = None,
) -> T:
    """What comes of `act` when the rival commits just before it. `meanwhile` the rival goes on, while `act` waits.

    On PostgreSQL it does not see what the rival wrote until it writes the same and waits for the rival's end. SQLite
    has one writer at a time: there it begins when the rival has ended.
    """
    async with database.transaction() as session:
        await rival(session)
        await session.flush()
        task = asyncio.ensure_future(act())
        if not database.is_sqlite:
            async with asyncio.timeout(SECONDS), database.read() as watching:
                while not (await watching.execute(_WAITS)).scalar_one():
                    assert not task.done(), "it did not meet its rival"
                    await asyncio.sleep(0.01)
        if meanwhile is not None:
            await meanwhile(session)
    return await task
