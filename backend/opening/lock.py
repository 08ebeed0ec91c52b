"""One process at a time prepares a database, however many start at once."""

import asyncio
import fcntl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import text

from backend.database import Database

LOCK = 7_265_818
"""An arbitrary number that names the lock on PostgreSQL. The migrations' own is another and is taken inside it."""


@asynccontextmanager
async def alone(database: Database) -> AsyncIterator[None]:
    """Hold the lock of opening: to migrate, to make the floor, to seed. Others wait until it is free.

    On PostgreSQL it belongs to a transaction, so it ends with its process and passes through a pooler. On SQLite it is
    a lock on a file beside the database, which the system frees when the process ends.

    Raises:
        SQLAlchemyError, OSError: the database does not answer, or its folder cannot be written.
    """
    if database.is_sqlite:
        with open(f"{database.url.database}.lock", "a") as file:  # noqa: ASYNC230, PTH123 - an empty file of our own
            await asyncio.to_thread(fcntl.flock, file, fcntl.LOCK_EX)
            yield
        return
    async with database.engine.connect() as connection:
        await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        yield
