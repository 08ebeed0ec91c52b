"""PostgreSQL's own programs: versions that fit, their arguments, and databases that they may replace."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url, text

from backend.app import Shop
from backend.core.config.settings import Settings
from backend.operations.backup.postgresql_dump import ClientProgramError, check_programs, check_restorable
from backend.operations.doctor import shop_checks
from backend.operations.doctor.findings import Finding, Status
from tests.backend.operations.backup.test_backup import (
    back_up,
    elsewhere,
    empty_place,
    list_names,
    open_database,
    read_state,
    restore_to,
)
from tests.backend.operations.conftest import POSTGRESQL_16, read_all_rows

__all__ = ["elsewhere", "empty_place"]

pytestmark = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
BACKUP = {"server": 18, "schema": "public", "tables": ["alembic_version"]}


async def doctor_findings(shop: Shop) -> list[Finding]:
    return [finding async for finding in shop_checks.check_backup(shop.database, shop.settings)]


@pytest.mark.parametrize(
    ("folder", "problem", "message"),
    [
        (
            POSTGRESQL_16,
            "pg_dump 16 is older than the server, PostgreSQL 18",
            "pg_dump es más viejo que el servidor: instala los programas de PostgreSQL 18",
        ),
        (
            Path("/none"),
            "pg_dump is missing: install PostgreSQL's client programs",
            "falta pg_dump: instala los programas de cliente de PostgreSQL",
        ),
    ],
)
async def test_missing_or_too_old_pg_dump_programs_are_reported(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, folder: Path, problem: str, message: str
) -> None:
    assert [finding.status for finding in await doctor_findings(shop)] == [Status.OK]
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(ClientProgramError, match=problem):
        await back_up(shop, tmp_path / "copy.tar.gz")
    assert not [name for name in list_names(tmp_path) if "copy" in name]
    finding = (await doctor_findings(shop))[0]
    assert (finding.name, finding.status, finding.message) == ("backup", Status.WARNING, message)


async def test_backup_through_a_pooler_is_refused(shop: Shop, elsewhere: Settings) -> None:
    pooled = elsewhere.model_copy(update={"database_pooler": "transaction"})
    async with open_database(pooled) as database:
        with pytest.raises(ClientProgramError, match="the database's own address"):
            await check_programs(database)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"server": 19}, "the backup is of PostgreSQL 19, and the server here is older: PostgreSQL 18"),
        ({"schema": "toys"}, "the backup is of the schema toys, and the database here uses public"),
        ({}, "the database here has a table that is not in the backup"),
    ],
)
async def test_restore_to_an_unsuitable_postgresql_server_is_refused(
    shop: Shop, change: dict[str, Any], problem: str
) -> None:
    with pytest.raises(ClientProgramError, match=problem):
        await check_restorable(shop.database, {**BACKUP, **change})


async def test_restore_is_refused_if_it_would_drop_a_table_of_a_newer_version(
    shop: Shop, order: dict[str, Any], elsewhere: Settings, tmp_path: Path
) -> None:
    made = await back_up(shop, tmp_path / "copy.tar.gz")
    await restore_to(elsewhere, made.path)
    async with open_database(elsewhere) as database, database.transaction() as session:
        await session.execute(text("CREATE TABLE shelf (name VARCHAR)"))
    before = await read_state(elsewhere)
    with pytest.raises(ClientProgramError, match="shelf: create an empty database"):
        await restore_to(elsewhere, made.path, replace=True)
    assert await read_state(elsewhere) == before


async def test_database_password_is_not_an_argument_of_pg_dump_or_pg_restore(
    shop: Shop,
    order: dict[str, Any],
    elsewhere: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Put a password into the database URLs, which the tests' server does not check."""
    commands: list[tuple[str, ...]] = []
    passwords: list[tuple[str, int]] = []
    start = asyncio.create_subprocess_exec

    def read_password(command: tuple[str, ...]) -> None:
        for word in " ".join(command).split():
            if word.startswith("passfile="):
                file = Path(word.partition("=")[2].strip("'"))
                passwords.append((file.read_text(), file.stat().st_mode & 0o777))

    async def record(*command: str, **options: Any) -> asyncio.subprocess.Process:
        commands.append(command)
        read_password(command)
        return await start(*command, **options)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", record)
    places = []
    for settings in (shop.settings, elsewhere):
        url = make_url(settings.database_url).set(password=r"a:b\c'd")
        places.append(settings.model_copy(update={"database_url": url.render_as_string(hide_password=False)}))
    source, target = Shop(places[0]), places[1]
    made = await back_up(source, tmp_path / "copy.tar.gz")
    await source.stop()
    await restore_to(target, made.path)
    assert (await read_state(target))["cart"] == (await read_all_rows(shop.database))["cart"]
    assert {Path(command[0]).name for command in commands} == {"pg_dump", "pg_restore"}
    assert not [word for command in commands for word in command if "a:b" in word or r"a\:b" in word]
    assert passwords == [("*:*:*:*:a\\:b\\\\c'd\n", 0o600)] * 2
