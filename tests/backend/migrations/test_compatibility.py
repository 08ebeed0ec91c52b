"""Replicas of two releases on one database: the older one's code works on the newer one's tables."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Inspector, inspect, text

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import CannotStart
from backend.migrations.compatibility import OLDEST_COMPATIBLE
from backend.migrations.runner import FOLDER, upgrade
from backend.start import prepare

NEWER = "ffffffffffff"
"""The newest migration of a release that this code does not know."""
HEAD = ScriptDirectory(str(FOLDER)).get_current_head()


@pytest.fixture
async def empty(empty_url: str) -> AsyncIterator[Database]:
    database = Database(empty_url)
    yield database
    await database.close()


class Unique(frozenset[str]):
    """Columns in which no two rows have the same."""


@dataclass
class Table:
    """What code that writes to a table has to know of it."""

    columns: dict[str, Any] = field(default_factory=dict)
    rules: set[str | Unique] = field(default_factory=set)


def tables(connection: Connection) -> dict[str, Table]:
    found: Inspector = inspect(connection)
    return {
        name: Table(
            {column["name"]: column for column in found.get_columns(name)},
            {Unique(unique["column_names"]) for unique in found.get_unique_constraints(name)}
            | {
                Unique(filter(None, index["column_names"]))
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


async def shape(database: Database) -> dict[str, Table]:
    async with database.engine.connect() as connection:
        return await connection.run_sync(tables)


async def test_a_later_release_takes_nothing_from_an_earlier_one(empty: Database) -> None:
    await upgrade(empty, OLDEST_COMPATIBLE)
    earlier = await shape(empty)
    await upgrade(empty)
    today = await shape(empty)
    assert len(earlier) > 40
    problems = []
    for name, before in earlier.items():
        after = today.get(name, Table())
        problems += [
            f"{name}: {rule} is new"
            for rule in after.rules - before.rules
            if not isinstance(rule, Unique) or rule <= before.columns.keys()  # it leaves new columns empty
        ]
        for column, was in before.columns.items():
            now = after.columns.get(column)
            if now is None:
                problems.append(f"{name}.{column} is gone")
            elif (str(now["type"]), now["nullable"]) != (str(was["type"]), was["nullable"]):
                problems.append(f"{name}.{column} is another")
        problems += [
            f"{name}.{column} has to be written"
            for column, new in after.columns.items()
            if column not in before.columns and not new["nullable"] and new["default"] is None
        ]
    assert problems == []


async def set_newer(database: Database, *compatible: str) -> None:
    """What a newer release leaves behind."""
    async with database.transaction() as session:
        await session.execute(text("UPDATE alembic_version SET version_num = :newer"), {"newer": NEWER})
        await session.execute(text("DELETE FROM compatible_release"))
        for revision in compatible:
            await session.execute(
                text("INSERT INTO compatible_release VALUES (:revision)"), {"revision": revision}
            )


async def test_it_is_written_down_who_may_run(empty: Database) -> None:
    await upgrade(empty)
    await upgrade(empty)
    async with empty.read() as session:
        written = set((await session.execute(text("SELECT revision FROM compatible_release"))).scalars())
    assert {OLDEST_COMPATIBLE, HEAD} <= written


async def test_a_replica_of_the_earlier_release_starts_again_beside_the_newer_one(empty: Database) -> None:
    await upgrade(empty)
    await set_newer(empty, str(HEAD), NEWER)
    await upgrade(empty)
    async with empty.read() as session:
        assert (await session.execute(text("SELECT version_num FROM alembic_version"))).scalars().all() == [
            NEWER
        ]


async def test_a_release_that_does_not_fit_any_more_does_not_start(empty: Database, empty_url: str) -> None:
    await upgrade(empty)
    await set_newer(empty, NEWER)
    with pytest.raises(CommandError):
        await upgrade(empty)
    with pytest.raises(CannotStart, match="does not fit this version"):
        await prepare(Settings(database_url=empty_url))
