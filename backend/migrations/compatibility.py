"""Compatible releases of a database: replicas of two releases run at the same time during an upgrade.

A release may add tables, and columns that the previous release can ignore: nullable, or with a server default.
Removing or renaming a column takes two releases: the first no longer uses it; the second removes it and sets
`OLDEST_COMPATIBLE` to the first.
"""

from alembic.script import ScriptDirectory
from sqlalchemy import Connection, delete, insert, inspect, select
from sqlmodel import Field, SQLModel

from backend.core.db.tables import table_of

OLDEST_COMPATIBLE = "28e8b8a67095"
"""The newest migration of the oldest release whose code works on the current tables."""


class CompatibleRelease(SQLModel, table=True):
    """A release whose code works on the database's current tables."""

    __tablename__ = "compatible_release"

    revision: str = Field(primary_key=True)
    """Id of the newest migration of the release."""


def is_compatible(connection: Connection, script: ScriptDirectory) -> bool:
    """Return True if the newer release that migrated the database lists this release as compatible."""
    if not inspect(connection).has_table(CompatibleRelease.__tablename__):
        return False
    revision = table_of(CompatibleRelease).c.revision
    return connection.scalar(select(revision).where(revision == script.get_current_head())) is not None


def record_compatible(connection: Connection, script: ScriptDirectory) -> None:
    """Store the releases whose code works on the newest tables."""
    table = table_of(CompatibleRelease)
    since = script.iterate_revisions("head", OLDEST_COMPATIBLE)
    compatible = {OLDEST_COMPATIBLE, *(release.revision for release in since)}
    if compatible != set(connection.scalars(select(table.c.revision))):
        connection.execute(delete(table))
        connection.execute(insert(table), [{"revision": revision} for revision in sorted(compatible)])
