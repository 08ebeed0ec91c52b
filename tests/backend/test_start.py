import os
from collections.abc import Callable
from errno import EPERM
from pathlib import Path

import pytest
from sqlalchemy import URL, make_url, select, text

from backend.core.config.problems import SettingsError
from backend.core.config.settings import Settings, load_settings
from backend.core.db.database import Database
from backend.core.errors import CannotStart
from backend.migrations.runner import TablesInUse
from backend.office_settings import save_settings
from backend.outbox.models import OutboxEvent
from backend.staff.rights import COMMAND_LINE
from backend.start import prepare
from tests.production import PRODUCTION


async def test_demo_products_are_added_only_to_an_empty_database(
    database_url: str, settings: Settings
) -> None:
    settings = settings.model_copy(update={"database_url": database_url})
    assert (await prepare(settings)).products > 0
    assert (await prepare(settings)).products == 0


async def test_demo_products_leave_no_outbox_events(database_url: str, settings: Settings) -> None:
    """Check that the outbox is empty: there is no storefront yet that shows products."""
    settings = settings.model_copy(update={"database_url": database_url})
    await prepare(settings)
    database = Database(database_url)
    async with database.read() as session:
        assert (await session.execute(select(OutboxEvent))).first() is None
    await database.close()


async def test_production_database_gets_tables_without_products(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (PRODUCTION | {"DATABASE_URL": sqlite_url}).items():
        monkeypatch.setenv(name, value)
    assert (await prepare(load_settings())).products == 0
    database = Database(sqlite_url)
    async with database.read() as session:
        assert (await session.execute(text("SELECT count(*) FROM product"))).scalar_one() == 0
    await database.close()


async def test_production_does_not_open_with_the_demo_identity(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that each missing setting has its own line, and that values saved in the office are enough."""
    own = {
        name: value for name, value in PRODUCTION.items() if not name.startswith(("STORE_", "CARRIER_ORIGIN"))
    }
    for name, value in (own | {"DATABASE_URL": database_url}).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as stopped:
        await prepare(load_settings())
    names = [line.split()[0].rstrip(",") for line in str(stopped.value).splitlines()[1:]]
    assert names == [
        "STORE_LEGAL_NAME", "STORE_NIT", "STORE_PHONE", "STORE_EMAIL", "CARRIER_ORIGIN_ADDRESS",
    ]  # fmt: skip
    database = Database(database_url)
    async with database.transaction() as session:
        saved = {name.lower(): value for name, value in PRODUCTION.items() if name not in own}
        await save_settings(session, COMMAND_LINE, saved)
    await prepare(load_settings())
    await database.close()


async def test_unreachable_database_stops_the_start_with_one_line(settings: Settings) -> None:
    settings = settings.model_copy(update={"database_url": "postgresql+asyncpg://shop:hush@127.0.0.1:1/shop"})
    with pytest.raises(CannotStart) as stopped:
        await prepare(settings)
    assert str(stopped.value) == "Trompo cannot start: the database does not answer (ConnectionRefusedError)"


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (
            lambda url: url.set(username="nobody"),
            "the database refuses the user or the password that DATABASE_URL names",
        ),
        (
            lambda url: url.set(database="none"),
            "the server has no database of the name that is in DATABASE_URL",
        ),
    ],
)
async def test_wrong_database_url_stops_the_start_with_one_line(
    postgresql_url: str, settings: Settings, wrong: Callable[[URL], URL], why: str
) -> None:
    url = wrong(make_url(postgresql_url)).render_as_string(hide_password=False)
    settings = settings.model_copy(update={"database_url": url})
    with pytest.raises(CannotStart) as stopped:
        await prepare(settings)
    assert str(stopped.value) == f"Trompo cannot start: {why}"


async def test_database_of_another_version_stops_the_start(sqlite_url: str, settings: Settings) -> None:
    database = Database(sqlite_url)
    async with database.transaction() as session:
        await session.execute(text("UPDATE alembic_version SET version_num = 'unknown'"))
        await session.execute(text("DELETE FROM compatible_release"))  # no release is marked as compatible
    await database.close()
    with pytest.raises(CannotStart, match="does not fit this version"):
        await prepare(settings.model_copy(update={"database_url": sqlite_url}))


async def test_database_with_tables_in_use_stops_the_start(
    sqlite_url: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def upgrade(_database: Database) -> None:
        raise TablesInUse("tables are in use")

    monkeypatch.setattr("backend.start.upgrade", upgrade)
    with pytest.raises(CannotStart, match=r"could not be migrated \(tables are in use\)"):
        await prepare(settings.model_copy(update={"database_url": sqlite_url}))


async def test_data_folder_is_restricted_to_its_owner(settings: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir(mode=0o755)
    await prepare(settings.model_copy(update={"data_dir": folder, "database_url": ""}))
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "trompo.db").exists()


def refuse_to_change_the_mode(_path: Path, _mode: int) -> None:
    raise PermissionError(EPERM, os.strerror(EPERM))


async def test_restricted_data_folder_stays_unchanged(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "chmod", refuse_to_change_the_mode)
    await prepare(settings.model_copy(update={"data_dir": tmp_path / "made", "database_url": ""}))
    assert (tmp_path / "made" / "trompo.db").exists()


@pytest.mark.parametrize("why", ["Operation not permitted", "Not a directory"])
async def test_unusable_data_folder_stops_the_start_with_one_line(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    """Check a folder whose permissions the shop may not change, and a path below a file."""
    folder = tmp_path / "volume"
    if why == "Not a directory":
        tmp_path.joinpath("file").touch()
        folder = tmp_path / "file" / "volume"
    else:
        folder.mkdir(mode=0o755)
        monkeypatch.setattr(Path, "chmod", refuse_to_change_the_mode)
    settings = settings.model_copy(update={"data_dir": folder, "database_url": ""})
    with pytest.raises(CannotStart) as stopped:
        await prepare(settings)
    assert str(stopped.value) == (
        f"Trompo cannot start: {folder} cannot hold its data ({why}): set DATA_DIR to a folder that its user "
        "owns, or may create"
    )
