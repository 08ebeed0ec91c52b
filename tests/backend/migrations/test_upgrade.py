"""A database of any age comes to today's shape with what is in it, on both databases."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, text

from backend.database import Database
from backend.migrations import upgrade
from backend.migrations.runner import FOLDER
from backend.migrations.tables import all_tables

SHOP = """
INSERT INTO collection (id, title, handle, meta, created_at, updated_at)
VALUES ('pcol_1', 'Clásicos', 'clasicos', '{}', '2026-01-02', '2026-01-02');
INSERT INTO product (id, handle, title, subtitle, description, status, collection_id, featured, brand, age_range,
                     extra_metadata, created_at, updated_at)
VALUES ('prod_1', 'arbol', 'Árbol de Ñame', '', '', 'published', 'pcol_1', true, '', '', '{}',
        '2026-01-02', '2026-01-02');
INSERT INTO variant (id, product_id, title, sku, price, rank, created_at, updated_at)
VALUES ('variant_1', 'prod_1', 'Única', 'ARB-1', 45000, 0, '2026-01-02', '2026-01-02');
INSERT INTO inventory_level (id, variant_id, location_id, stocked, reserved, created_at, updated_at)
VALUES ('iitem_1', 'variant_1', 'sloc_1', 7, 2, '2026-01-02', '2026-01-02')
"""
"""A toy for sale, as the first revision has it."""
BEFORE_NAMES = "d8f6e06d3297"
"""The last revision before tables and columns got the names of the field."""
RENAMED: list[tuple[str, str, tuple[Any, ...]]] = [
    (
        "INSERT INTO attempts (key, count, until) VALUES ('k1', 3, '2026-01-02')",
        "SELECT key, hits, CAST(expires_at AS TEXT) LIKE '2026-01-02%' FROM rate_limit_counter",
        ("k1", 3, True),
    ),
]
"""What is written at that revision, how today's shop reads it, and what it finds."""
REVISIONS = [revision.revision for revision in ScriptDirectory(str(FOLDER)).walk_revisions()][::-1]


@pytest.fixture(params=["sqlite", "postgresql"])
def server(request: pytest.FixtureRequest) -> URL | None:
    """The PostgreSQL server; None for SQLite."""
    return request.getfixturevalue("postgresql") if request.param == "postgresql" else None


@pytest.fixture
async def empty(server: URL | None, tmp_path: Path) -> AsyncIterator[Database]:
    """A database with nothing in it, not even tables."""
    if server is None:
        database = Database(f"sqlite+aiosqlite:///{tmp_path / 'empty.db'}")
        yield database
        await database.close()
        return
    name = f"empty_{uuid4().hex}"
    connection = await asyncpg.connect(
        host=str(server.query["host"]), user=server.username, database=server.database
    )
    await connection.execute(f'CREATE DATABASE "{name}"')
    database = Database(server.set(database=name).render_as_string(hide_password=False))
    yield database
    await database.close()
    await connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
    await connection.close()


async def all_of(database: Database, query: str) -> list[tuple[Any, ...]]:
    async with database.read() as session:
        return [tuple(row) for row in await session.execute(text(query))]


async def differences(database: Database) -> list[Any]:
    """What a new revision would have to change."""

    def compare(connection: Connection) -> list[Any]:
        return list(compare_metadata(MigrationContext.configure(connection), all_tables()))

    async with database.engine.connect() as connection:
        return await connection.run_sync(compare)


@pytest.mark.parametrize("since", [None, *REVISIONS[:-1]])
async def test_a_shop_of_any_age_comes_to_todays_shape_and_loses_nothing(
    empty: Database, since: str | None
) -> None:
    if since is not None:
        await upgrade(empty, since)
        async with empty.transaction() as session:
            for statement in SHOP.split(";"):
                await session.execute(text(statement))
    await upgrade(empty)
    assert await differences(empty) == []
    if since is not None:
        key = (
            "arbol de name" if since == REVISIONS[0] else ""
        )  # later ones had the column: it keeps what it held
        assert await all_of(empty, "SELECT title, title_key FROM product") == [("Árbol de Ñame", key)]
        assert await all_of(empty, "SELECT price FROM variant") == [(45_000,)]
        assert await all_of(empty, "SELECT tax_rate FROM product") == [(19,)]
        assert await all_of(empty, "SELECT stocked, reserved FROM inventory_level") == [(7, 2)]


async def test_processes_that_start_at_once_migrate_once(empty: Database) -> None:
    await asyncio.gather(*(upgrade(empty) for _ in range(3)))
    assert await all_of(empty, "SELECT version_num FROM alembic_version") == [(REVISIONS[-1],)]


async def test_a_product_is_still_watched_when_its_table_has_grown(empty: Database) -> None:
    await upgrade(empty, REVISIONS[0])
    async with empty.transaction() as session:
        for statement in SHOP.split(";"):
            await session.execute(text(statement))
    await upgrade(empty)
    (before,) = await all_of(empty, "SELECT catalog FROM catalog_version")
    async with empty.transaction() as session:
        await session.execute(text("UPDATE product SET tax_rate = 5"))
    (after,) = await all_of(empty, "SELECT catalog FROM catalog_version")
    assert after != before


async def test_what_was_renamed_comes_over_whole(empty: Database) -> None:
    await upgrade(empty, BEFORE_NAMES)
    async with empty.transaction() as session:
        for statement in (*SHOP.split(";"), *(written for written, _query, _row in RENAMED)):
            await session.execute(text(statement))
    await upgrade(empty)
    for _written, query, row in RENAMED:
        assert await all_of(empty, query) == [row]
