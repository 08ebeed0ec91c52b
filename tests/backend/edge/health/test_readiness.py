import asyncio
from datetime import timedelta

import pytest

from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.edge.health import readiness
from backend.edge.health.readiness import OK, Readiness


async def test_hanging_or_failing_readiness_check_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    async def hang() -> str:
        await asyncio.Event().wait()
        return OK

    async def fail() -> str:
        raise ConnectionRefusedError("postgresql://shop:secret@10.0.0.1/")

    monkeypatch.setattr(readiness, "CHECK_TIMEOUT_S", 0.01)
    checks = await Readiness({"hangs": hang, "fails": fail}).run_checks()
    assert checks == {"hangs": "no answer in time", "fails": "ConnectionRefusedError"}


async def test_unwritable_data_folder_is_reported(settings: Settings, database: Database) -> None:
    settings.data_dir.mkdir()
    assert (await Readiness.for_shop(settings, database).run_checks())["disk"] == OK
    gone = settings.model_copy(update={"data_dir": settings.data_dir / "gone"})
    assert (await Readiness.for_shop(gone, database).run_checks())["disk"] == "FileNotFoundError"


async def test_difference_between_local_and_database_clock_is_reported(
    settings: Settings, postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(postgresql_url)
    checks = Readiness.for_shop(settings, database)
    assert (await checks.run_checks())["clock"] == OK
    monkeypatch.setattr(readiness, "now", lambda: now() + timedelta(minutes=2))
    assert (await checks.run_checks())["clock"] == "120 s apart from the database's"
    await database.close()


async def test_sqlite_shop_has_no_clock_check(settings: Settings, sqlite_url: str) -> None:
    database = Database(sqlite_url)
    assert "clock" not in await Readiness.for_shop(settings, database).run_checks()
    await database.close()
