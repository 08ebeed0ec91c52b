"""A copy of the database at one moment while the shop runs, and a database made of one.

SQLite: its own online backup, one file. PostgreSQL: `pg_dump` and `pg_restore` (`postgresql_dump`). Both are then
migrated to today's revision.
"""

import asyncio
import os
import sqlite3
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import text

from backend.core.db.database import Database
from backend.core.outage import DatabaseUnavailable
from backend.migrations.runner import upgrade
from backend.operations.backup.postgresql_dump import DUMP_FILE, dump, restore_dump, table_names

SQLITE, POSTGRESQL = "sqlite", "postgresql"
FOLDER = "database"
SQLITE_FILE = "trompo.db"
REVISIONS = "alembic_version"
LEAVES_WITHIN = 5.0
"""Seconds in which the server has noticed that a process has ended."""
_OTHERS = text(
    """SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND backend_type = 'client backend'"""
)


class NotMigrated(Exception):
    """The database has no tables of a shop."""


@dataclass(frozen=True, slots=True)
class DatabaseCopy:
    """A copy: what the manifest says of it, and its files by their names in the archive."""

    said: dict[str, Any]
    files: dict[str, Path]


def kind_of(database: Database) -> str:
    """`sqlite` or `postgresql`."""
    return SQLITE if database.is_sqlite else POSTGRESQL


async def copy_database(database: Database, folder: Path) -> DatabaseCopy:
    """Copy the database as it is at one moment into files in this folder.

    Raises:
        NotMigrated: there is nothing to copy.
        ClientProgramError: see `postgresql_dump.dump`.
        DatabaseUnavailable: it does not answer.
    """
    return _copy_sqlite(database, folder) if database.is_sqlite else await _copy_postgresql(database, folder)


def _copy_sqlite(database: Database, folder: Path) -> DatabaseCopy:
    file, source = folder / SQLITE_FILE, str(database.url.database)
    if not Path(source).is_file():
        raise NotMigrated
    try:
        with closing(sqlite3.connect(source)) as theirs, closing(sqlite3.connect(file)) as ours:
            theirs.backup(ours)
            has_revision = ours.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (REVISIONS,)).fetchone()
            if not has_revision:
                raise NotMigrated
            revision = ours.execute(f"SELECT version_num FROM {REVISIONS}").fetchone()[0]  # noqa: S608 - our own name
    except sqlite3.OperationalError as error:
        raise DatabaseUnavailable("The database cannot be read") from error
    return DatabaseCopy({"kind": SQLITE, "revision": revision}, {f"{FOLDER}/{SQLITE_FILE}": file})


async def _copy_postgresql(database: Database, folder: Path) -> DatabaseCopy:
    if REVISIONS not in await table_names(database):
        raise NotMigrated
    async with database.engine.connect() as connection:
        revision = (await connection.execute(text(f"SELECT version_num FROM {REVISIONS}"))).scalar_one()  # noqa: S608
    said, file = await dump(database, folder)
    return DatabaseCopy({"kind": POSTGRESQL, "revision": revision, **said}, {f"{FOLDER}/{DUMP_FILE}": file})


async def is_empty(database: Database) -> bool:
    """Whether no table is there."""
    if database.is_sqlite:
        return _is_empty_file(Path(str(database.url.database)))
    return not await table_names(database)


def _is_empty_file(file: Path) -> bool:
    if not file.exists():
        return True
    try:
        with closing(sqlite3.connect(file)) as connection:
            return connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:  # it is damaged: something was there
        return False


async def is_in_use(database: Database) -> bool:
    """Whether somebody else is connected to a PostgreSQL database, and stays. A file does not tell."""
    if database.is_sqlite:
        return False
    until = time.monotonic() + LEAVES_WITHIN
    async with database.engine.connect() as connection:
        while (await connection.execute(_OTHERS)).scalar_one():
            if time.monotonic() >= until:
                return True
            await connection.rollback()  # what it counts is that of the transaction
            await asyncio.sleep(0.05)
    return False


async def restore_database(database: Database, said: dict[str, Any], files: dict[str, Path]) -> None:
    """Make the database what the copy says, in place of anything that is there, whole or not at all.

    The files, by their names in the archive, are used up. What an SQLite file held before stays beside it.

    Raises:
        Exception: it could not be done, and the database is as it was.
    """
    if database.is_sqlite:
        await _restore_sqlite(database, files[f"{FOLDER}/{SQLITE_FILE}"])
    else:
        await restore_dump(database, said, files[f"{FOLDER}/{DUMP_FILE}"])


async def _restore_sqlite(database: Database, file: Path) -> None:
    made = Database(f"sqlite+aiosqlite:///{file}")
    try:
        await upgrade(made)
    finally:
        await made.close()
    await database.close()  # its connections are to the file that goes
    _put_in_place(file, Path(str(database.url.database)))


def _put_in_place(file: Path, place: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        broken = connection.execute("PRAGMA quick_check").fetchone()[0]
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if broken != "ok":
        raise sqlite3.DatabaseError(broken)
    file.chmod(0o600)
    with file.open("rb") as whole:
        os.fsync(whole.fileno())
    if place.exists():
        # one that is damaged is kept as it is: it may be why a copy is brought back
        with closing(sqlite3.connect(place)) as connection, suppress(sqlite3.DatabaseError):
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    kept = before(place)
    for leftover in ("-wal", "-shm"):
        Path(f"{file}{leftover}").unlink(missing_ok=True)
        if (of_place := Path(f"{place}{leftover}")).exists():
            of_place.rename(f"{kept}{leftover}")
    if place.exists():
        place.rename(kept)
    file.rename(place)


def before(place: Path) -> Path:
    """A name beside this one that is free, for what was there before."""
    n = 1
    while (other := place.with_name(f"{place.name}.before-restore-{n}")).exists():
        n += 1
    return other
