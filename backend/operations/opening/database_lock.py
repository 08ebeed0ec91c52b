"""Locks of a whole database: one process at a time prepares it, and its file is not replaced while a shop serves."""

import asyncio
import fcntl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import IO

from sqlalchemy import text

from backend.core.db.database import Database
from backend.core.outage import DatabaseUnavailable

LOCK = 7_265_818
"""An arbitrary number that names the lock on PostgreSQL. The migrations' own is another and is taken inside it."""


@asynccontextmanager
async def alone(database: Database) -> AsyncIterator[None]:
    """Hold the lock of opening: to migrate, to make the defaults, to seed. Others wait until it is free.

    On PostgreSQL it belongs to a transaction, so it ends with its process and passes through a pooler. On SQLite it is
    a lock on a file beside the database, which the system frees when the process ends.

    Raises:
        DatabaseUnavailable: the folder of an SQLite file cannot be written, or nothing in it can be locked.
        SQLAlchemyError, OSError: PostgreSQL does not answer.
    """
    if database.is_sqlite:
        with _lock_file(database) as file:
            await asyncio.to_thread(_flock, file, fcntl.LOCK_EX)
            yield
        return
    async with database.engine.connect() as connection:
        await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        yield


def _lock_file(database: Database) -> IO[str]:
    try:
        return open(f"{database.url.database}.lock", "a")  # noqa: PTH123 - an empty file of our own
    except OSError as error:
        raise DatabaseUnavailable("The folder of the database cannot be written") from error


def _flock(file: IO[str], operation: int) -> None:
    """Lock the file.

    Raises:
        BlockingIOError: somebody else has it, and with this operation one does not wait.
        DatabaseUnavailable: its folder is on a disk that knows no locks.
    """
    try:
        fcntl.flock(file, operation)
    except BlockingIOError:
        raise
    except OSError as error:
        raise DatabaseUnavailable("The folder of the database cannot be locked") from error


class ShopIsOpen(Exception):
    """Some process serves from the database."""


class ServingLock:
    """Held by each process that serves from a database, so that its file is not replaced meanwhile.

    It is a shared lock on a file beside SQLite's, which the system frees when the process ends; it holds in all
    containers that have the folder. PostgreSQL itself knows who is connected.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._file: IO[str] | None = None

    async def take(self) -> None:
        """Take it, before the database is opened: this waits while a copy is put in its place.

        Raises:
            DatabaseUnavailable: nothing in the folder of an SQLite file can be locked.
        """
        if not self._database.is_sqlite:
            return
        self._file = _serving_file(self._database)
        try:
            _flock(self._file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            await asyncio.to_thread(_flock, self._file, fcntl.LOCK_SH)

    def release(self) -> None:
        """Give it back, if it was taken."""
        if self._file is not None:
            self._file.close()
            self._file = None


@contextmanager
def closed(database: Database) -> Iterator[None]:
    """Let no process serve from the SQLite file meanwhile.

    Raises:
        ShopIsOpen: one does, or puts a copy in its place.
        DatabaseUnavailable: nothing in the folder of an SQLite file can be locked.
    """
    if not database.is_sqlite:
        yield
        return
    with _serving_file(database) as file:
        try:
            _flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ShopIsOpen from None
        yield


def _serving_file(database: Database) -> IO[str]:
    # to read and to write: NFS gives a shared lock only of a file that can be read, an exclusive one of one written
    return open(f"{database.url.database}.serving", "a+")  # noqa: PTH123 - an empty file of our own
