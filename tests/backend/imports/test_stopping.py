"""A running import is stopped and continued, also after a restart and by several staff members at once."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app import Shop
from backend.audit import AuditEntry
from backend.core.config.settings import Settings
from backend.core.errors import Forbidden, NotAllowed, NotFound
from backend.core.web.outside_fetch import FetchError
from backend.imports import import_job
from backend.imports.confirmation import JOB, start_import
from backend.imports.import_job import ProductImports
from backend.imports.lookup import find_import
from backend.imports.models import ImportStatus, ProductImport
from backend.imports.reports import UnfinishedImport, list_unfinished_imports
from backend.imports.stopping import continue_import, stop_import
from backend.jobs import JobRun
from backend.office.imports import UnfinishedView, import_view, unfinished_views
from backend.staff.rights import Actor, Role
from tests.backend.imports.sender import OWNER, Sender
from tests.backend.rivals import run_against_rival

SHEET = "Nombre;SKU;Precio;Unidades\n" + "".join(f"Juguete {n};J-{n};1000;1\n" for n in range(5))


@pytest.fixture
async def shop(database_url: str, tmp_path: Path) -> AsyncIterator[Shop]:
    shop = Shop(Settings(data_dir=tmp_path / "data", database_url=database_url))
    yield shop
    await shop.stop()


@pytest.fixture
async def running(sender: Sender, monkeypatch: pytest.MonkeyPatch) -> Sender:
    """Start an import of five rows, write two of them, and return its sender."""
    monkeypatch.setattr(import_job, "BATCH_SIZE", 2)
    await sender.send_spreadsheet(SHEET)
    await start_import(sender.shop.database, OWNER, sender.id)
    await sender.run_one_batch()
    return sender


async def run_once(sender: Sender) -> None:
    """Run the job of the import to its end, as another worker would."""
    imports = ProductImports(sender.shop.database, sender.shop.uploads)
    assert await imports.run(JobRun(1, JOB, sender.id, {"import_id": sender.id}, 1)) is None


async def list_actions(sender: Sender) -> list[str]:
    query = select(AuditEntry.action).where(AuditEntry.subject_id == sender.id)
    async with sender.shop.database.read() as session:
        return sorted((await session.execute(query)).scalars())


async def test_stopped_import_waits_until_it_is_continued(running: Sender) -> None:
    await stop_import(running.shop.database, OWNER, running.id)
    stopped = await running.run_job()
    assert (stopped.status, stopped.counts.settled, await running.count()) == (ImportStatus.STOPPED, 2, 2)
    restarted = Shop(running.shop.settings)
    await continue_import(restarted.database, OWNER, running.id)
    await restarted.worker.run_due(JOB)
    await restarted.stop()
    done = await running.report()
    assert (done.status, done.counts.settled, done.counts.refused) == (ImportStatus.DONE, 5, 0)
    assert await running.count() == 5
    assert await list_actions(running) == ["import continued", "import stopped", "imported"]


async def test_batch_does_not_begin_while_the_import_is_being_stopped(running: Sender) -> None:
    async def stop(session: AsyncSession) -> None:
        (await find_import(session, running.id, lock=True)).status = ImportStatus.STOPPED

    await run_against_rival(running.shop.database, stop, lambda: run_once(running))
    assert (await running.report()).status is ImportStatus.STOPPED
    assert await running.count() == 2


async def test_stop_waits_for_the_batch_that_is_being_written(running: Sender) -> None:
    async def hold_batch(session: AsyncSession) -> None:
        await find_import(session, running.id, lock=True)

    database = running.shop.database
    await run_against_rival(database, hold_batch, lambda: stop_import(database, OWNER, running.id))
    assert (await running.run_job()).status is ImportStatus.STOPPED


async def test_pictures_are_not_requested_after_a_stop(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested: list[str] = []
    loop = asyncio.get_running_loop()

    def fetch(address: str, **_how: object) -> bytes:
        requested.append(address)
        asyncio.run_coroutine_threadsafe(stop_import(sender.shop.database, OWNER, sender.id), loop).result()
        raise FetchError("does not answer")

    monkeypatch.setattr(import_job, "fetch", fetch)
    monkeypatch.setattr(import_job, "FETCH_CONCURRENCY", 1)
    await sender.send_spreadsheet(
        "Nombre;SKU;Precio;Fotos\n"
        + "".join(f"Juguete {n};J-{n};1000;http://a.example/{n}\n" for n in range(3))
    )
    await start_import(sender.shop.database, OWNER, sender.id)
    assert (await sender.run_job()).counts.settled == 0
    assert len(requested) == 1


async def test_import_stopped_or_continued_twice_is_recorded_once(running: Sender) -> None:
    database = running.shop.database
    await asyncio.gather(*(stop_import(database, OWNER, running.id) for _press in range(2)))
    await asyncio.gather(*(continue_import(database, OWNER, running.id) for _press in range(2)))
    assert (await running.run_job()).status is ImportStatus.DONE
    assert await running.count() == 5
    assert await list_actions(running) == ["import continued", "import stopped", "imported"]


async def test_import_continued_while_its_job_ends_is_finished(
    running: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Continue the import at the moment at which its job finds it stopped."""
    database = running.shop.database
    continued: list[asyncio.Task[None]] = []

    async def find_and_continue(
        session: AsyncSession, import_id: str, *, lock: bool = False
    ) -> ProductImport:
        found = await find_import(session, import_id, lock=lock)
        if found.status == ImportStatus.STOPPED and not continued:
            continued.append(asyncio.create_task(continue_import(database, OWNER, import_id)))
        return found

    monkeypatch.setattr(import_job, "find_import", find_and_continue)
    await stop_import(database, OWNER, running.id)
    await running.shop.worker.run_due(JOB)
    await asyncio.gather(*continued)
    assert len(continued) == 1
    assert (await running.run_job()).status is ImportStatus.DONE
    assert await running.count() == 5


async def test_only_a_started_import_is_stopped_or_continued(sender: Sender) -> None:
    database = sender.shop.database
    for change in (stop_import, continue_import):
        with pytest.raises(NotFound):
            await change(database, OWNER, "imp_x")
        await sender.send_spreadsheet(SHEET)
        with pytest.raises(NotAllowed):
            await change(database, OWNER, sender.id)
        with pytest.raises(Forbidden):
            await change(database, Actor("x", Role.STOCKROOM), sender.id)
    await sender.run_import()
    for change in (stop_import, continue_import):
        with pytest.raises(NotAllowed, match="not running"):
            await change(database, OWNER, sender.id)


async def test_stopped_import_is_found_after_a_new_upload(running: Sender) -> None:
    """Check that the screen can open and continue the stopped import, also for another staff member."""
    stopped_id, database = running.id, running.shop.database
    await stop_import(database, OWNER, stopped_id)
    await running.send_spreadsheet("Nombre;SKU;Precio\nYoyo;Y-1;1000\n")
    other = Actor("user_2", Role.SHOP)
    async with database.read() as session:
        assert await list_unfinished_imports(session, OWNER) == [
            UnfinishedImport(running.id, "toys.csv", ImportStatus.CHECKED, 1, 0),
            UnfinishedImport(stopped_id, "toys.csv", ImportStatus.STOPPED, 5, 2),
        ]
        newest = await import_view(session, OWNER, {})
        opened = await import_view(session, OWNER, {}, stopped_id)
        gone = await import_view(session, OWNER, {}, "imp_gone")
        assert [one.id for one in (newest, opened, gone) if one] == [running.id, stopped_id, running.id]
        (listed,) = await unfinished_views(session, OWNER, running.id)
        assert listed == UnfinishedView(stopped_id, "toys.csv", True, "Detenida · 2 de 5 filas")
        assert [one.id for one in await unfinished_views(session, OWNER, stopped_id)] == [running.id]
        assert [one.id for one in await unfinished_views(session, other, "")] == [stopped_id]
        assert await unfinished_views(session, Actor("user_3", Role.ACCOUNTANT), "") == []
    await continue_import(database, other, stopped_id)
    await running.run_job()
    async with database.read() as session:
        assert await unfinished_views(session, OWNER, running.id) == []
