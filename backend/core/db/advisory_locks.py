"""Locks for data without a row to lock, such as a row that the transaction may create."""

from enum import IntEnum

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession


class AdvisoryLock(IntEnum):
    """A named lock of the database. The values are arbitrary, unique keys of PostgreSQL's advisory locks."""

    SETTINGS = 0x5E771465
    DAY_CLOSING = 0x5E771466


async def take_lock(session: AsyncSession, lock: AdvisoryLock) -> None:
    """Take the lock until the transaction ends; other transactions that take it wait until then.

    On SQLite, `transaction()` has already locked the whole database.
    """
    if session.get_bind().dialect.name == "postgresql":
        await session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": int(lock)})
