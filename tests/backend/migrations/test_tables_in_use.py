"""Migration of PostgreSQL while the shop serves: steps wait briefly for their tables and are retried."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import text

from backend.core.db.database import Database
from backend.migrations import runner
from backend.migrations.runner import MAX_ATTEMPTS, TablesInUse, upgrade
from tests.backend.migrations.newest import newest_migration
from tests.backend.migrations.next_release import NEXT_REVISION, add_migration

CHANGES_ORDERS = """op.add_column('order', sa.Column('shelf', sa.String(), nullable=True))"""
READS_ORDERS = text('LOCK TABLE "order" IN ACCESS SHARE MODE')
"""A lock as a database dump holds it for its whole duration."""


@pytest.fixture
async def database(
    empty_postgresql_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Database]:
    """Open a database that the next release has to migrate."""
    monkeypatch.setattr(runner, "LOCK_TIMEOUT_MS", 20)
    database = Database(empty_postgresql_url)
    await upgrade(database)
    add_migration(monkeypatch, tmp_path, CHANGES_ORDERS)
    yield database
    await database.close()


async def test_migration_is_retried_when_a_table_is_in_use(database: Database) -> None:
    pauses: list[float] = []
    async with database.engine.connect() as rival:
        await rival.execute(READS_ORDERS)

        async def pause(seconds: float) -> None:
            pauses.append(seconds)
            assert await _revision(database) == newest_migration()
            if len(pauses) == 2:
                await rival.rollback()

        await upgrade(database, pause=pause)
    assert pauses == [runner.RETRY_INTERVAL_S] * 2
    assert await _revision(database) == NEXT_REVISION


async def test_migration_fails_when_a_table_stays_in_use(database: Database) -> None:
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    async with database.engine.connect() as rival:
        await rival.execute(READS_ORDERS)
        with pytest.raises(TablesInUse, match=r"tables are in use: .*lock timeout"):
            await upgrade(database, pause=pause)
    assert len(pauses) == MAX_ATTEMPTS - 1
    assert await _revision(database) == newest_migration()


async def _revision(database: Database) -> str:
    async with database.read() as session:
        return str((await session.execute(text("SELECT version_num FROM alembic_version"))).scalar_one())
