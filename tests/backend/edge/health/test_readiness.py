import asyncio
from datetime import timedelta

import pytest

from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.edge.health import readiness
from backend.edge.health.readiness import OK, Readiness


async def test_what_hangs_is_as_good_as_away(monkeypatch: pytest.MonkeyPatch) -> None:
    async def hang() -> str:
        await asyncio.Event().wait()
        return OK

    async def fail() -> str:
        raise ConnectionRefusedError("postgresql://shop:secret@10.0.0.1/")

    monkeypatch.setattr(readiness, "CHECK_SECONDS", 0.01)
    checks = await Readiness({"hangs": hang, "fails": fail}).look()
    assert checks == {"hangs": "no answer in time", "fails": "ConnectionRefusedError"}


async def test_a_folder_that_cannot_be_written(settings: Settings, database: Database) -> None:
    settings.data_dir.mkdir()
    assert (await Readiness.of(settings, database).look())["disk"] == OK
    gone = settings.model_copy(update={"data_dir": settings.data_dir / "gone"})
    assert (await Readiness.of(gone, database).look())["disk"] == "FileNotFoundError"


async def test_a_clock_that_differs_from_the_databases(
    settings: Settings, postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(postgresql_url)
    asked = Readiness.of(settings, database)
    assert (await asked.look())["clock"] == OK
    monkeypatch.setattr(readiness, "now", lambda: now() + timedelta(minutes=2))
    assert (await asked.look())["clock"] == "120 s apart from the database's"
    await database.close()


async def test_on_one_machine_there_is_one_clock(settings: Settings, sqlite_url: str) -> None:
    database = Database(sqlite_url)
    assert "clock" not in await Readiness.of(settings, database).look()
    await database.close()
