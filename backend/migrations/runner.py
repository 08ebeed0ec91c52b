"""Runs Alembic on the shop's own engine, one process at a time.

On PostgreSQL the shop may serve meanwhile. A step that changes a table waits for whoever uses it, and all who come
later wait behind the step: so it waits for a short time, and all steps are tried again later.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, MetaData, text
from sqlalchemy.exc import DBAPIError

from backend.core.db.database import Database
from backend.migrations.compatibility import is_compatible, record_compatible

log = logging.getLogger(__name__)

FOLDER = Path(__file__).parent
LOCK = 7_265_817
"""An arbitrary number that names the migration lock on PostgreSQL."""
LOCK_WITHIN_MS = 3_000
"""How long a step waits for a table, and with it everybody who comes to use the table."""
TRIES = 20
PAUSE = 5.0
"""Seconds between two tries."""
_IN_USE = frozenset({"55P03", "40P01"})
"""PostgreSQL's lock_not_available and deadlock_detected."""


class TablesInUse(Exception):
    """Others have used the tables for so long that the database could not be migrated. It is as it was."""


class UnknownRevision(Exception):
    """The database is of a release older than the baseline, or of a newer one that this code does not fit."""


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("file_template", "%%(slug)s")
    config.attributes["connection"] = connection
    return config


async def upgrade(
    database: Database, revision: str = "head", *, pause: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> None:
    """Bring the database to `revision`. Several processes may start at once: one migrates, the others wait for it.

    A database that a newer release has migrated stays as it is where this release's code works on it.

    Args:
        revision: what to bring it to.
        pause: waits that many seconds before the next try.

    Raises:
        UnknownRevision, TablesInUse: see there. Nothing is changed.
    """
    for tried in range(1, TRIES + 1):
        try:
            await _alone(database, lambda connection: _upgrade(connection, revision))
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) not in _IN_USE:
                raise
            if tried == TRIES:
                raise TablesInUse(
                    f"tables are in use: {error.orig}. Migrate again when no copy or long query runs"
                ) from error
            log.warning(
                "tables are in use: the database is migrated in %d s (try %d of %d)", PAUSE, tried, TRIES
            )
        else:
            return
        await pause(PAUSE)


def _upgrade(connection: Connection, revision: str) -> None:
    config = _config(connection)
    script = ScriptDirectory.from_config(config)
    current = MigrationContext.configure(connection).get_current_revision()
    if current is not None and not _has_revision(script, current):
        if not is_compatible(connection, script):
            raise UnknownRevision(f"it does not know the revision {current}")
        log.info("the database is of a newer release, which this one fits")
        return
    command.upgrade(config, revision)
    if revision == "head":
        record_compatible(connection, script)


def knows(revision: str) -> bool:
    """Return True if this version of the code has the revision."""
    return _has_revision(ScriptDirectory(str(FOLDER)), revision)


def _has_revision(script: ScriptDirectory, revision: str) -> bool:
    return any(one.revision == revision for one in script.walk_revisions())


async def make_revision(database: Database, message: str, tables: MetaData) -> None:
    """Write a migration from the database's shape to that of the code's tables.

    Developers call it by hand; no command does.

    Args:
        database: a migrated one.
        message: the migration's name.
        tables: `all_tables()`. Tables that are missing there would be dropped.

    Raises:
        ValueError: `tables` is empty.
    """
    if not tables.tables:
        raise ValueError("no tables: pass all_tables()")

    def run(connection: Connection) -> None:
        config = _config(connection)
        config.attributes["tables"] = tables
        command.revision(config, message, autogenerate=True)

    await _alone(database, run)


async def _alone(database: Database, run: Callable[[Connection], None]) -> None:
    async with database.engine.connect() as connection:
        if database.is_sqlite:
            # a table that is changed by copying it is dropped, and with its keys on that empties those that point to it
            await connection.execute(text("PRAGMA foreign_keys=OFF"))
            await connection.execute(text("BEGIN IMMEDIATE"))
        else:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
            await connection.execute(text(f"SET LOCAL lock_timeout = {LOCK_WITHIN_MS}"))
        try:
            await connection.run_sync(run)
            await connection.commit()
        finally:
            await connection.invalidate()  # the pool has no use for a connection like this
