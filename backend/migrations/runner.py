"""Runs Alembic on the shop's own engine, one process at a time."""

import logging
from collections.abc import Callable
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from backend.database import Database
from backend.migrations.compatibility import is_newer_and_compatible, record_compatible

log = logging.getLogger(__name__)

FOLDER = Path(__file__).parent
LOCK = 7_265_817
"""An arbitrary number that names the migration lock on PostgreSQL."""


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("file_template", "%%(slug)s")
    config.attributes["connection"] = connection
    return config


async def upgrade(database: Database, revision: str = "head") -> None:
    """Bring the database to `revision`. Several processes may start at once: one migrates, the others wait for it.

    A database that a newer release has migrated stays as it is where this release's code works on it.

    Raises:
        CommandError: the database is of a release that this one does not fit.
    """
    await _alone(database, lambda connection: upgrade_on(connection, revision))


def upgrade_on(connection: Connection, revision: str) -> None:
    """The same in the caller's transaction, which is alone with the database."""
    config = _config(connection)
    script = ScriptDirectory.from_config(config)
    current = MigrationContext.configure(connection).get_current_revision()
    if is_newer_and_compatible(connection, script, current):
        log.info("the database is of a newer release, which this one fits")
        return
    command.upgrade(config, revision)
    if revision == "head":
        record_compatible(connection, script)


def knows(revision: str) -> bool:
    """Whether this version of the code has the revision."""
    return any(one.revision == revision for one in ScriptDirectory(str(FOLDER)).walk_revisions())


async def make_revision(database: Database, message: str) -> None:
    """Write a migration from the database's shape to that of the tables in the code. For developers."""

    def run(connection: Connection) -> None:
        command.revision(_config(connection), message, autogenerate=True)

    await _alone(database, run)


async def _alone(database: Database, run: Callable[[Connection], None]) -> None:
    async with database.engine.connect() as connection:
        if database.is_sqlite:
            # a table that is changed by copying it is dropped, and with its keys on that empties those that point to it
            await connection.execute(text("PRAGMA foreign_keys=OFF"))
            await connection.execute(text("BEGIN IMMEDIATE"))
        else:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        try:
            await connection.run_sync(run)
            await connection.commit()
        finally:
            await connection.invalidate()  # the pool has no use for a connection like this
