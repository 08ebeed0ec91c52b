"""A copy of the database at one moment while the shop runs, and a database made of one.

SQLite: its own online backup, one file. PostgreSQL: `COPY` of every table in one snapshot, so it needs no program on
the host; the tables themselves are made by the migrations, at the copy's revision. Both are then migrated to today's.
"""

import asyncio
import os
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, MetaData, text
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.ddl import sort_tables

from backend.core.db.database import Database
from backend.core.outage import DatabaseUnavailable
from backend.migrations.runner import upgrade, upgrade_on

SQLITE, POSTGRESQL = "sqlite", "postgresql"
FOLDER = "database"
SQLITE_FILE = "trompo.db"
REVISIONS = "alembic_version"
LEAVES_WITHIN = 5.0
"""Seconds in which the server has noticed that a process has ended."""
_TABLES = text(
    """SELECT table_name FROM information_schema.tables
       WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY table_name"""
)
_COLUMNS = text(
    """SELECT column_name FROM information_schema.columns
       WHERE table_schema = current_schema() AND table_name = :table AND is_generated = 'NEVER'
       ORDER BY ordinal_position"""
)
_SEQUENCES = text(
    "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = current_schema() ORDER BY sequencename"
)
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
    engine = database.engine.execution_options(isolation_level="REPEATABLE READ")
    async with engine.connect() as connection:
        names = [row[0] for row in await connection.execute(_TABLES)]
        if REVISIONS not in names:
            raise NotMigrated
        revision = (await connection.execute(text(f"SELECT version_num FROM {REVISIONS}"))).scalar_one()  # noqa: S608
        tables: dict[str, list[str]] = {}
        files: dict[str, Path] = {}
        driver = (await connection.get_raw_connection()).driver_connection
        for name in names:
            if name == REVISIONS:
                continue
            tables[name] = [row[0] for row in await connection.execute(_COLUMNS, {"table": name})]
            files[f"{FOLDER}/{name}.copy"] = file = folder / f"{name}.copy"
            await driver.copy_from_table(name, columns=tables[name], output=str(file))  # type: ignore[union-attr]
        sequences = {row[0]: row[1] for row in await connection.execute(_SEQUENCES)}
    said = {"kind": POSTGRESQL, "revision": revision, "tables": tables, "sequences": sequences}
    return DatabaseCopy(said, files)


async def is_empty(database: Database) -> bool:
    """Whether no table is there."""
    if database.is_sqlite:
        return _is_empty_file(Path(str(database.url.database)))
    async with database.engine.connect() as connection:
        return (await connection.execute(_TABLES)).first() is None


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
        await _restore_postgresql(database, said, files)


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


async def _restore_postgresql(database: Database, said: dict[str, Any], files: dict[str, Path]) -> None:
    async with database.engine.connect() as connection:
        try:
            for name in [row[0] for row in await connection.execute(_TABLES)]:
                await connection.execute(text(f"DROP TABLE {_quoted(connection, name)} CASCADE"))
            await connection.run_sync(upgrade_on, said["revision"])
            await _fill(connection, said, files)
            await connection.run_sync(upgrade_on, "head")
            await connection.commit()
        finally:
            await connection.invalidate()  # the migrations leave a connection that the pool has no use for


async def _fill(connection: AsyncConnection, said: dict[str, Any], files: dict[str, Path]) -> None:
    tables: dict[str, Sequence[str]] = said["tables"]
    order = [name for name in await connection.run_sync(_in_order) if name in tables]
    if missing := tables.keys() - set(order):
        raise ValueError(f"the migrations make no table {min(missing)}")
    for name in reversed(order):  # what the migrations put there
        quoted = _quoted(connection, name)
        if (await connection.execute(text(f"SELECT 1 FROM {quoted} LIMIT 1"))).first() is not None:  # noqa: S608
            await connection.execute(text(f"DELETE FROM {quoted}"))  # noqa: S608
    driver = (await connection.get_raw_connection()).driver_connection
    for name in order:
        source = str(files[f"{FOLDER}/{name}.copy"])
        await driver.copy_to_table(name, columns=tables[name], source=source)  # type: ignore[union-attr]
    for name, last in said["sequences"].items():
        if last is not None:
            await connection.execute(
                text("SELECT setval(CAST(:name AS regclass), :last)"),
                {"name": _quoted(connection, name), "last": last},
            )
    # what waits for the commit is done now: later migrations cannot change a table that has such work
    await connection.execute(text("SET CONSTRAINTS ALL IMMEDIATE"))


def _in_order(connection: Connection) -> list[str]:
    """The tables, each after those that it points to."""
    found = MetaData()
    found.reflect(connection)
    return [table.name for table in sort_tables(found.tables.values())]


def _quoted(connection: AsyncConnection, name: str) -> str:
    return connection.dialect.identifier_preparer.quote_identifier(name)
