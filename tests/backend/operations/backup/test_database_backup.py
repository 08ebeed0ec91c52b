"""A backup replaces an SQLite file only while no shop is open on it, and then completely or not at all."""

import asyncio
from pathlib import Path
from typing import NoReturn

import pytest

from backend.app import Shop
from backend.core.config.settings import Settings
from backend.operations.backup.restore import RestoreRefused
from backend.operations.opening.database_lock import ServingLock, prevent_serving
from tests.backend.operations.backup.test_backup import (
    back_up,
    elsewhere,
    empty_place,
    open_database,
    read_state,
    restore_to,
)
from tests.store_defaults import Defaults

__all__ = ["elsewhere", "empty_place"]

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
async def backup(shop: Shop, shop_defaults: Defaults, elsewhere: Settings, tmp_path: Path) -> Path:
    """Return a backup that was already restored to `elsewhere`."""
    made = await back_up(shop, tmp_path / "copy.tar.gz")
    await restore_to(elsewhere, made.path)
    return made.path


async def test_shop_open_in_another_process_is_not_replaced(backup: Path, elsewhere: Settings) -> None:
    """Open shops that do not occupy the port of the settings, as if they were in other containers."""
    replicas = [Shop(elsewhere), Shop(elsewhere)]
    for replica in replicas:
        await replica.start()
    for replica in replicas:
        with pytest.raises(RestoreRefused, match="a shop is open"):
            await restore_to(elsewhere, backup, replace=True)
        await replica.stop()
    await restore_to(elsewhere, backup, replace=True)


async def test_shop_that_starts_during_a_restore_waits_for_its_end(backup: Path, elsewhere: Settings) -> None:
    async with open_database(elsewhere) as database:
        serving = ServingLock(database)
        with prevent_serving(database):
            waits = asyncio.create_task(serving.acquire_shared())
            done, _ = await asyncio.wait([waits], timeout=0.1)
            assert not done
        await waits
        serving.release()


async def test_restore_that_fails_before_the_rename_leaves_the_database_unchanged(
    backup: Path, elsewhere: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await read_state(elsewhere)

    def fails(_file: int) -> NoReturn:
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("backend.operations.backup.database_backup.os.fsync", fails)
        with pytest.raises(OSError, match="full"):
            await restore_to(elsewhere, backup, replace=True)
    assert await read_state(elsewhere) == before


DAMAGED = b"SQLite format 3\0" + b"damaged" * 4096


async def test_damaged_database_file_is_replaced_and_kept_under_another_name(
    backup: Path, elsewhere: Settings
) -> None:
    """Keep the damaged file, because it may be the reason for the restore."""
    whole = await read_state(elsewhere)
    async with open_database(elsewhere) as database:
        place = str(database.url.database)
    await asyncio.to_thread(Path(place).write_bytes, DAMAGED)
    await restore_to(elsewhere, backup, replace=True)
    assert await read_state(elsewhere) == whole
    assert await asyncio.to_thread(Path(f"{place}.before-restore-1").read_bytes) == DAMAGED
