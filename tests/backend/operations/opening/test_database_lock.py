"""Several processes start at the same time on an empty database: one prepares it, the others find it ready."""

import asyncio
import errno
import fcntl
import os
import sys
from pathlib import Path
from typing import IO

import pytest
from sqlalchemy import func, select

from backend.catalog.models import Product
from backend.channels.models import Region
from backend.core.db.database import Database
from backend.core.outage import DatabaseUnavailable
from backend.operations.opening.database_lock import ServingLock, hold_opening_lock, prevent_serving
from backend.staff.models import Staff

PROGRAM = """
import asyncio
from backend.core.config.settings import load_settings
from backend.start import prepare
print(asyncio.run(prepare(load_settings())).products)
"""


async def test_three_processes_on_an_empty_database_create_one_shop(empty_url: str, tmp_path: Path) -> None:
    environment = os.environ | {
        "DATABASE_URL": empty_url,
        "DATA_DIR": str(tmp_path / "data"),
        "ADMIN_EMAIL": "ana@tienda.example",
        "ADMIN_PASSWORD": "una clave larga",
    }
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            PROGRAM,
            env=environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        for _ in range(3)
    ]
    outputs = await asyncio.gather(*(process.communicate() for process in processes))
    assert [process.returncode for process in processes] == [0, 0, 0], outputs
    database = Database(empty_url)
    async with database.read() as session:
        (toys,) = (await session.execute(select(func.count()).select_from(Product))).scalars()
        (regions,) = (await session.execute(select(func.count()).select_from(Region))).scalars()
        (staff,) = (await session.execute(select(func.count()).select_from(Staff))).scalars()
    await database.close()
    assert sorted(int(out) for out, _ in outputs) == [0, 0, toys]
    assert (regions, staff) == (1, 1)


async def test_second_process_waits_until_the_first_has_prepared_the_database(database_url: str) -> None:
    order: list[str] = []
    first, second = Database(database_url), Database(database_url)

    async def prepare_second() -> None:
        async with hold_opening_lock(second):
            order.append("second")

    async with hold_opening_lock(first):
        waiting = asyncio.create_task(prepare_second())
        async with first.transaction():  # the process with the lock may use the database
            order.append("first")
        await asyncio.wait({waiting}, timeout=0.05)
        assert not waiting.done()
    await waiting
    assert order == ["first", "second"]
    await first.close()
    await second.close()


async def test_database_lock_works_in_an_nfs_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(file: IO[str], operation: int) -> None:
        """Behave like NFS: a shared lock needs a readable file, an exclusive lock a writable one."""
        if operation & fcntl.LOCK_SH and not file.readable():
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        if operation & fcntl.LOCK_EX and not file.writable():
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    monkeypatch.setattr("backend.operations.opening.database_lock.fcntl.flock", flock)
    database = Database(f"sqlite+aiosqlite:///{tmp_path / 'shop.db'}")
    serving = ServingLock(database)
    await serving.acquire_shared()
    serving.release()
    with prevent_serving(database):
        pass
    await database.close()


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS])
async def test_folder_that_cannot_be_locked_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def flock(_file: IO[str], _operation: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("backend.operations.opening.database_lock.fcntl.flock", flock)
    database = Database(f"sqlite+aiosqlite:///{tmp_path / 'shop.db'}")
    for locks in (_prepare, _serve, _replace):
        with pytest.raises(DatabaseUnavailable, match="cannot be locked"):
            await locks(database)
    await database.close()


async def _prepare(database: Database) -> None:
    async with hold_opening_lock(database):
        raise AssertionError


async def _serve(database: Database) -> None:
    serving = ServingLock(database)
    try:
        await serving.acquire_shared()
    finally:
        serving.release()


async def _replace(database: Database) -> None:
    with prevent_serving(database):
        raise AssertionError
