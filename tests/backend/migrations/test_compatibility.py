"""Replicas of two releases on one database: the older code works on the newer tables."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Inspector, inspect, text

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import CannotStart
from backend.migrations.compatibility import OLDEST_COMPATIBLE
from backend.migrations.runner import FOLDER, UnknownRevision, upgrade
from backend.start import prepare
from tests.backend.migrations.next_release import ADD_SHELF, NEXT_REVISION, add_migration

NEWER = "ffffffffffff"
"""The newest migration of a release that this code does not know."""
HEAD = ScriptDirectory(str(FOLDER)).get_current_head()


@pytest.fixture
async def empty(empty_url: str) -> AsyncIterator[Database]:
    database = Database(empty_url)
    yield database
    await database.close()


class UniqueColumns(frozenset[str]):
    """Columns whose combined values are unique."""


@dataclass
class TableFacts:
    """The columns and rules of a table, on which the code that writes to it depends."""

    columns: dict[str, Any] = field(default_factory=dict)
    rules: set[str | UniqueColumns] = field(default_factory=set)


def read_tables(connection: Connection) -> dict[str, TableFacts]:
    found: Inspector = inspect(connection)
    return {
        name: TableFacts(
            {column["name"]: column for column in found.get_columns(name)},
            {UniqueColumns(unique["column_names"]) for unique in found.get_unique_constraints(name)}
            | {
                UniqueColumns(filter(None, index["column_names"]))
                for index in found.get_indexes(name)
                if index["unique"]
            }
            | {str(check["sqltext"]) for check in found.get_check_constraints(name)}
            | {
                repr((key["constrained_columns"], key["referred_table"]))
                for key in found.get_foreign_keys(name)
            },
        )
        for name in found.get_table_names()
    }


async def read_schema(database: Database) -> dict[str, TableFacts]:
    async with database.engine.connect() as connection:
        return await connection.run_sync(read_tables)


def breaking_changes(earlier: dict[str, TableFacts], later: dict[str, TableFacts]) -> list[str]:
    """Return the changes that code written for the earlier tables would fail on."""
    problems = []
    for name, before in earlier.items():
        after = later.get(name, TableFacts())
        problems += [
            f"{name}: {rule} is new"
            for rule in after.rules - before.rules
            if not isinstance(rule, UniqueColumns)
            or rule <= before.columns.keys()  # older code does not fill new columns
        ]
        for column, was in before.columns.items():
            now = after.columns.get(column)
            if now is None:
                problems.append(f"{name}.{column} is gone")
            elif (str(now["type"]), now["nullable"]) != (str(was["type"]), was["nullable"]):
                problems.append(f"{name}.{column} has changed")
        problems += [
            f"{name}.{column} has to be written"
            for column, new in after.columns.items()
            if column not in before.columns and not new["nullable"] and new["default"] is None
        ]
    return problems


async def test_migrations_since_the_oldest_compatible_release_have_no_breaking_change(
    empty: Database,
) -> None:
    await upgrade(empty, OLDEST_COMPATIBLE)
    earlier = await read_schema(empty)
    await upgrade(empty)
    assert len(earlier) > 40
    assert breaking_changes(earlier, await read_schema(empty)) == []


@pytest.mark.parametrize(
    ("statement", "problems"),
    [
        (ADD_SHELF, []),
        ("op.create_table('shelf', sa.Column('name', sa.String(), nullable=False))", []),
        ("op.drop_column('product', 'thumbnail')", ["product.thumbnail is gone"]),
        (
            "op.drop_table('press')",
            [f"press.{column} is gone" for column in ("created_at", "id", "sending", "subject")],
        ),
        (
            "op.create_index('uq_variant_title', 'variant', ['title'], unique=True)",
            ["variant: UniqueColumns({'title'}) is new"],
        ),
        (
            (
                "with op.batch_alter_table('press', recreate='always') as table: "
                "table.add_column(sa.Column('shelf', sa.String(), nullable=False))"
            ),
            ["press.shelf has to be written"],
        ),
    ],
)
async def test_breaking_change_of_a_migration_is_found(
    empty_sqlite_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    statement: str,
    problems: list[str],
) -> None:
    database = Database(empty_sqlite_url)
    await upgrade(database)
    earlier = await read_schema(database)
    add_migration(monkeypatch, tmp_path, statement)
    await upgrade(database, NEXT_REVISION)
    assert sorted(breaking_changes(earlier, await read_schema(database))) == problems
    await database.close()


async def set_newer(database: Database, *compatible: str) -> None:
    """Mark the database as migrated by a newer release that lists the revisions in `compatible`."""
    async with database.transaction() as session:
        await session.execute(text("UPDATE alembic_version SET version_num = :newer"), {"newer": NEWER})
        await session.execute(text("DELETE FROM compatible_release"))
        for revision in compatible:
            await session.execute(
                text("INSERT INTO compatible_release VALUES (:revision)"), {"revision": revision}
            )


async def test_compatible_releases_are_recorded_in_the_database(empty: Database) -> None:
    await upgrade(empty)
    await upgrade(empty)
    async with empty.read() as session:
        written = set((await session.execute(text("SELECT revision FROM compatible_release"))).scalars())
    assert {OLDEST_COMPATIBLE, HEAD} <= written


async def test_compatible_earlier_release_starts_next_to_the_newer_one(empty: Database) -> None:
    await upgrade(empty)
    await set_newer(empty, str(HEAD), NEWER)
    await upgrade(empty)
    async with empty.read() as session:
        assert (await session.execute(text("SELECT version_num FROM alembic_version"))).scalars().all() == [
            NEWER
        ]


async def test_incompatible_release_does_not_start(empty: Database, empty_url: str) -> None:
    await upgrade(empty)
    await set_newer(empty, NEWER)
    with pytest.raises(UnknownRevision):
        await upgrade(empty)
    with pytest.raises(CannotStart, match="does not fit this version"):
        await prepare(Settings(database_url=empty_url))
