"""Locks of a whole database: only one process prepares it at a time, and its file is not replaced while a shop runs."""

import asyncio
import fcntl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import IO

from sqlalchemy import text

from backend.core.db.database import Database
from backend.core.outage import DatabaseUnavailable

LOCK_NUMBER = 7_265_818
"""An arbitrary number that names the lock on PostgreSQL. Migrations take another lock while this lock is held."""


@asynccontextmanager
async def hold_opening_lock(database: Database) -> AsyncIterator[None]:
    """Hold the lock for migrations, store defaults and seeding. Other processes wait until it is released.

    On PostgreSQL the lock belongs to a transaction, so it ends with its process and works through a connection
    pooler. On SQLite it is a lock on a file next to the database, which the system releases when the process ends.

    Raises:
        DatabaseUnavailable: the folder of an SQLite file cannot be written, or does not support locks.
        SQLAlchemyError, OSError: PostgreSQL does not answer.
    """
    if database.is_sqlite:
        with _open_lock_file(database) as file:
            await asyncio.to_thread(_flock, file, fcntl.LOCK_EX)
            yield
        return
    async with database.engine.connect() as connection:
        await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK_NUMBER})
        yield


def _open_lock_file(database: Database) -> IO[str]:
    try:
        return open(f"{database.url.database}.lock", "a")  # noqa: PTH123 - an empty file of our own
    except OSError as error:
        raise DatabaseUnavailable("The folder of the database cannot be written") from error


def _flock(file: IO[str], operation: int) -> None:
    """Lock the file.

    Raises:
        BlockingIOError: another process has the lock, and `operation` includes `LOCK_NB`, so it does not wait.
        DatabaseUnavailable: the disk of the file's folder does not support locks.
    """
    try:
        fcntl.flock(file, operation)
    except BlockingIOError:
        raise
    except OSError as error:
        raise DatabaseUnavailable("The folder of the database cannot be locked") from error


class ShopIsOpen(Exception):
    """A process uses the database to serve a shop."""


class ServingLock:
    """A lock that each serving process holds, so that its database file is not replaced while the process runs.

    It is a shared lock on a file next to the SQLite file, which the system releases when the process ends. It works
    in all containers that share the folder. PostgreSQL needs no such lock, because it lists its connected clients.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._file: IO[str] | None = None

    async def acquire_shared(self) -> None:
        """Take the lock before the database is opened. Wait while a backup is being restored to the database file.

        Raises:
            DatabaseUnavailable: the folder of an SQLite file does not support locks.
        """
        if not self._database.is_sqlite:
            return
        self._file = _open_serving_file(self._database)
        try:
            _flock(self._file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            await asyncio.to_thread(_flock, self._file, fcntl.LOCK_SH)

    def release(self) -> None:
        """Release the lock if it was taken."""
        if self._file is not None:
            self._file.close()
            self._file = None


@contextmanager
def prevent_serving(database: Database) -> Iterator[None]:
    """Prevent every process from serving the SQLite file during the `with` block.

    Raises:
        ShopIsOpen: a process is serving the file, or restoring a backup to it.
        DatabaseUnavailable: the folder of an SQLite file does not support locks.
    """
    if not database.is_sqlite:
        yield
        return
    with _open_serving_file(database) as file:
        try:
            _flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ShopIsOpen from None
        yield


def _open_serving_file(database: Database) -> IO[str]:
    # opened to read and write: NFS needs a readable file for a shared lock, a writable one for an exclusive lock
    return open(f"{database.url.database}.serving", "a+")  # noqa: PTH123 - an empty file of our own
