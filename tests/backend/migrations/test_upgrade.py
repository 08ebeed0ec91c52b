"""An empty database gets the baseline, a database of the baseline gets the later steps, and an older one is refused."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Column, Connection, MetaData, String, Table, text

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import CannotStart
from backend.migrations.runner import UnknownRevision, make_revision, upgrade
from backend.operations.table_registry import all_tables
from backend.start import prepare
from tests.backend.migrations.newest import newest_migration
from tests.backend.migrations.next_release import ADD_SHELF, NEXT_REVISION, add_migration

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
"""A product for sale."""
KEPT = """
SELECT product.title, variant.price, level.stocked
FROM product JOIN variant ON variant.product_id = product.id JOIN inventory_level level ON level.variant_id = variant.id
"""
BEFORE_THE_BASELINE = "d94f20c8b7e1"
"""A revision that was replaced by the baseline."""


@pytest.fixture
async def empty(empty_url: str) -> AsyncIterator[Database]:
    """Open a database without tables."""
    database = Database(empty_url)
    yield database
    await database.close()


async def write(database: Database, statements: str) -> None:
    async with database.transaction() as session:
        for statement in statements.split(";"):
            await session.execute(text(statement))


async def fetch_all(database: Database, query: str) -> list[tuple[Any, ...]]:
    async with database.read() as session:
        return [tuple(row) for row in await session.execute(text(query))]


async def find_differences(database: Database) -> list[Any]:
    """Return the changes that a new migration would contain."""

    def compare(connection: Connection) -> list[Any]:
        return list(compare_metadata(MigrationContext.configure(connection), all_tables()))

    async with database.engine.connect() as connection:
        return await connection.run_sync(compare)


async def test_empty_database_gets_every_table(empty: Database) -> None:
    await upgrade(empty)
    assert await find_differences(empty) == []


async def test_processes_that_start_together_migrate_once(empty: Database) -> None:
    await asyncio.gather(*(upgrade(empty) for _ in range(3)))
    assert await fetch_all(empty, "SELECT version_num FROM alembic_version") == [(newest_migration(),)]


async def test_database_from_before_the_baseline_is_refused_with_one_line(
    empty: Database, empty_url: str
) -> None:
    await upgrade(empty)
    await write(empty, f"UPDATE alembic_version SET version_num = '{BEFORE_THE_BASELINE}'")
    await write(empty, "DELETE FROM compatible_release")
    with pytest.raises(UnknownRevision):
        await upgrade(empty)
    with pytest.raises(CannotStart) as refused:
        await prepare(Settings(database_url=empty_url))
    assert str(refused.value) == (
        "Trompo cannot start: the database does not fit this version (it does not know the revision d94f20c8b7e1): "
        "start the version that made it or a newer one; from before the baseline no way leads here: see Upgrading in "
        "docs/operations.md"
    )
    assert await fetch_all(empty, "SELECT version_num FROM alembic_version") == [(BEFORE_THE_BASELINE,)]
    assert await fetch_all(empty, "SELECT count(*) FROM region") == [(0,)]


async def test_migration_that_copies_a_table_keeps_rows_and_triggers(
    empty: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite changes a column by copying its table; rows that refer to the old one must remain."""
    await upgrade(empty)
    await write(empty, SHOP)
    add_migration(
        monkeypatch,
        tmp_path,
        "with op.batch_alter_table('variant') as table:",
        "    table.alter_column('title', existing_type=sa.String(), nullable=True)",
        "watch('variant')",
        "if op.get_bind().dialect.name == 'sqlite':",
        "    watch_products('variant')",
    )
    await upgrade(empty)
    assert await fetch_all(empty, "SELECT version_num FROM alembic_version") == [(NEXT_REVISION,)]
    assert await fetch_all(empty, KEPT) == [("Árbol de Ñame", 45_000, 7)]
    numbers = "SELECT catalog, product_changes FROM catalog_version"
    ((catalog, changes),) = await fetch_all(empty, numbers)
    await write(empty, "UPDATE variant SET title = NULL, price = 5")
    ((later_catalog, later_changes),) = await fetch_all(empty, numbers)
    assert later_catalog != catalog
    assert later_changes == changes + 1


async def test_generated_migration_contains_the_difference_between_models_and_tables(
    empty_sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(empty_sqlite_url)
    folder = add_migration(monkeypatch, tmp_path, ADD_SHELF).parent
    await upgrade(database)
    with pytest.raises(ValueError, match="no tables"):
        await make_revision(database, "x", MetaData())
    tables = MetaData(naming_convention=all_tables().naming_convention)
    for table in all_tables().sorted_tables:
        table.to_metadata(tables)
    tables.tables["product"].append_column(Column("shelf", String()))
    Table("shelf", tables, Column("name", String(), primary_key=True))
    await make_revision(database, "shelves", tables)
    await upgrade(database)
    assert await fetch_all(database, "SELECT name FROM shelf") == []
    (head,) = ScriptDirectory(str(folder.parent)).get_heads()
    assert await fetch_all(database, "SELECT version_num FROM alembic_version") == [(head,)]
    assert "op.add_column" not in (folder / "shelves.py").read_text()
    await database.close()
