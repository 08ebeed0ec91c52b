"""Runs Alembic on the shop's own engine, one process at a time.

On PostgreSQL the shop may keep serving. A step that changes a table must wait for the current users of the table,
and all later users must wait for the step. So a step waits only for a short time; then all steps are rolled back
and retried later.
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
LOCK_TIMEOUT_MS = 3_000
"""Timeout of a step that waits for a table; later users of the table wait as long."""
MAX_ATTEMPTS = 20
RETRY_INTERVAL_S = 5.0
"""Seconds between two attempts."""
_IN_USE = frozenset({"55P03", "40P01"})
"""PostgreSQL's lock_not_available and deadlock_detected."""


class TablesInUse(Exception):
    """The tables were in use for too long, so the database could not be migrated. The database is unchanged."""


class UnknownRevision(Exception):
    """The database's revision is unknown: it is older than the baseline, or of an incompatible newer release."""


def _build_config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("file_template", "%%(slug)s")
    config.attributes["connection"] = connection
    return config


async def upgrade(
    database: Database, revision: str = "head", *, pause: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> None:
    """Migrate the database to `revision`. If several processes start, one migrates and the others wait for it.

    If a newer release has migrated the database, and this release's code works on it, nothing is changed.

    Args:
        database: the shop's database.
        revision: the target revision.
        pause: a function that waits for the given number of seconds before the next attempt.

    Raises:
        UnknownRevision, TablesInUse: see these classes. Nothing is changed.
    """
    for tried in range(1, MAX_ATTEMPTS + 1):
        try:
            await _run_locked(database, lambda connection: _upgrade(connection, revision))
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) not in _IN_USE:
                raise
            if tried == MAX_ATTEMPTS:
                raise TablesInUse(
                    f"tables are in use: {error.orig}. Migrate again when no copy or long query runs"
                ) from error
            log.warning(
                "tables are in use: the migration is retried in %d s (attempt %d of %d)",
                RETRY_INTERVAL_S,
                tried,
                MAX_ATTEMPTS,
            )
        else:
            return
        await pause(RETRY_INTERVAL_S)


def _upgrade(connection: Connection, revision: str) -> None:
    config = _build_config(connection)
    script = ScriptDirectory.from_config(config)
    current = MigrationContext.configure(connection).get_current_revision()
    if current is not None and not _has_revision(script, current):
        if not is_compatible(connection, script):
            raise UnknownRevision(f"it does not know the revision {current}")
        log.info("the database is from a newer release that is compatible with this one")
        return
    command.upgrade(config, revision)
    if revision == "head":
        record_compatible(connection, script)


def has_revision(revision: str) -> bool:
    """Return True if this version of the code has the revision."""
    return _has_revision(ScriptDirectory(str(FOLDER)), revision)


def _has_revision(script: ScriptDirectory, revision: str) -> bool:
    return any(one.revision == revision for one in script.walk_revisions())


async def make_revision(database: Database, message: str, tables: MetaData) -> None:
    """Write a migration from the database's schema to the schema of the code's tables.

    Developers call it from a Python shell; no command uses it.

    Args:
        database: a migrated database.
        message: the migration's name.
        tables: `all_tables()`. The migration would drop every table that is missing in it.

    Raises:
        ValueError: `tables` is empty.
    """
    if not tables.tables:
        raise ValueError("no tables: pass all_tables()")

    def run(connection: Connection) -> None:
        config = _build_config(connection)
        config.attributes["tables"] = tables
        command.revision(config, message, autogenerate=True)

    await _run_locked(database, run)


async def _run_locked(database: Database, run: Callable[[Connection], None]) -> None:
    async with database.engine.connect() as connection:
        if database.is_sqlite:
            # changing a table copies and drops it; with foreign keys on, the drop would delete rows that refer to it
            await connection.execute(text("PRAGMA foreign_keys=OFF"))
            await connection.execute(text("BEGIN IMMEDIATE"))
        else:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
            await connection.execute(text(f"SET LOCAL lock_timeout = {LOCK_TIMEOUT_MS}"))
        try:
            await connection.run_sync(run)
            await connection.commit()
        finally:
            await connection.invalidate()  # the changed settings must not return to the pool
