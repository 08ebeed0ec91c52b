"""Consistent backup of the database while the shop runs, and restore of a database from a backup.

SQLite's online backup writes one file. PostgreSQL uses `pg_dump` and `pg_restore` (`postgresql_dump`). A restored
database is migrated to the current revision.
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
from backend.operations.backup.postgresql_dump import DUMP_FILE, dump_database, list_table_names, restore_dump

SQLITE, POSTGRESQL = "sqlite", "postgresql"
FOLDER = "database"
SQLITE_FILE = "trompo.db"
REVISIONS = "alembic_version"
DISCONNECT_TIMEOUT_S = 5.0
"""Seconds to wait for other clients to disconnect: the server notices the end of a process with a delay."""
_OTHER_CLIENTS = text(
    """SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND backend_type = 'client backend'"""
)


class NotMigrated(Exception):
    """The database has no tables of a shop."""


@dataclass(frozen=True, slots=True)
class DatabaseBackup:
    """A backup of the database: its description for the manifest, and its files by their names in the archive."""

    description: dict[str, Any]
    files: dict[str, Path]


def database_kind(database: Database) -> str:
    """Return `sqlite` or `postgresql`."""
    return SQLITE if database.is_sqlite else POSTGRESQL


async def back_up_database(database: Database, folder: Path) -> DatabaseBackup:
    """Write a consistent backup of the database into files of `folder`.

    Raises:
        NotMigrated: the database has no tables of a shop.
        ClientProgramError: see `postgresql_dump.dump_database`.
        DatabaseUnavailable: the database does not answer.
    """
    return (
        _back_up_sqlite(database, folder)
        if database.is_sqlite
        else await _back_up_postgresql(database, folder)
    )


def _back_up_sqlite(database: Database, folder: Path) -> DatabaseBackup:
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
    return DatabaseBackup({"kind": SQLITE, "revision": revision}, {f"{FOLDER}/{SQLITE_FILE}": file})


async def _back_up_postgresql(database: Database, folder: Path) -> DatabaseBackup:
    if REVISIONS not in await list_table_names(database):
        raise NotMigrated
    async with database.engine.connect() as connection:
        revision = (await connection.execute(text(f"SELECT version_num FROM {REVISIONS}"))).scalar_one()  # noqa: S608
    description, file = await dump_database(database, folder)
    return DatabaseBackup(
        {"kind": POSTGRESQL, "revision": revision, **description}, {f"{FOLDER}/{DUMP_FILE}": file}
    )


async def is_empty(database: Database) -> bool:
    """Return True if the database has no tables."""
    if database.is_sqlite:
        return _is_empty_file(Path(str(database.url.database)))
    return not await list_table_names(database)


def _is_empty_file(file: Path) -> bool:
    if not file.exists():
        return True
    try:
        with closing(sqlite3.connect(file)) as connection:
            return connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:  # a damaged database is not empty
        return False


async def is_in_use(database: Database) -> bool:
    """Return True if a PostgreSQL database still has other clients after `DISCONNECT_TIMEOUT_S`. False for SQLite."""
    if database.is_sqlite:
        return False
    until = time.monotonic() + DISCONNECT_TIMEOUT_S
    async with database.engine.connect() as connection:
        while (await connection.execute(_OTHER_CLIENTS)).scalar_one():
            if time.monotonic() >= until:
                return True
            await connection.rollback()  # within one transaction the count does not change
            await asyncio.sleep(0.05)
    return False


async def restore_database(database: Database, description: dict[str, Any], files: dict[str, Path]) -> None:
    """Replace the whole database with the backup, or change nothing.

    The files of the backup (`files`) are moved or changed. The replaced SQLite file is kept under another name.

    Raises:
        Exception: the restore failed, and the database is unchanged.
    """
    if database.is_sqlite:
        await _restore_sqlite(database, files[f"{FOLDER}/{SQLITE_FILE}"])
    else:
        await restore_dump(database, description, files[f"{FOLDER}/{DUMP_FILE}"])


async def _restore_sqlite(database: Database, file: Path) -> None:
    made = Database(f"sqlite+aiosqlite:///{file}")
    try:
        await upgrade(made)
    finally:
        await made.close()
    await database.close()  # its connections use the file that is replaced
    _replace_file(file, Path(str(database.url.database)))


def _replace_file(file: Path, place: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        broken = connection.execute("PRAGMA quick_check").fetchone()[0]
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if broken != "ok":
        raise sqlite3.DatabaseError(broken)
    file.chmod(0o600)
    with file.open("rb") as whole:
        os.fsync(whole.fileno())
    if place.exists():
        # a damaged file stays unchanged: it may be the reason for the restore
        with closing(sqlite3.connect(place)) as connection, suppress(sqlite3.DatabaseError):
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    previous = previous_file_path(place)
    for leftover in ("-wal", "-shm"):
        Path(f"{file}{leftover}").unlink(missing_ok=True)
        if (current := Path(f"{place}{leftover}")).exists():
            current.rename(f"{previous}{leftover}")
    if place.exists():
        place.rename(previous)
    file.rename(place)


def previous_file_path(place: Path) -> Path:
    """Return an unused path next to `place` for the database file that a restore replaces."""
    n = 1
    while (other := place.with_name(f"{place.name}.before-restore-{n}")).exists():
        n += 1
    return other
