"""A copy takes the place of an SQLite file only while no shop serves from it, and then whole or not at all."""

import asyncio
from pathlib import Path
from typing import NoReturn

import pytest

from backend.app import Shop
from backend.core.config.settings import Settings
from backend.operations.backup.restore import CannotRestore
from backend.operations.opening.database_lock import ServingLock, closed
from tests.backend.operations.backup.test_backup import (
    copied,
    elsewhere,
    empty_place,
    opened,
    restored,
    state_of,
)
from tests.store_defaults import Defaults

__all__ = ["elsewhere", "empty_place"]

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
async def copy(shop: Shop, shop_defaults: Defaults, elsewhere: Settings, tmp_path: Path) -> Path:
    """A copy, of which `elsewhere` was made a shop."""
    made = await copied(shop, tmp_path / "copy.tar.gz")
    await restored(elsewhere, made.path)
    return made.path


async def test_a_shop_that_is_open_anywhere_is_not_replaced(copy: Path, elsewhere: Settings) -> None:
    """Nobody listens on the port that is set: the shop has another, or is in another container."""
    replicas = [Shop(elsewhere), Shop(elsewhere)]
    for replica in replicas:
        await replica.start()
    for replica in replicas:
        with pytest.raises(CannotRestore, match="a shop is open"):
            await restored(elsewhere, copy, replace=True)
        await replica.stop()
    await restored(elsewhere, copy, replace=True)


async def test_a_shop_that_opens_meanwhile_waits(copy: Path, elsewhere: Settings) -> None:
    async with opened(elsewhere) as database:
        serving = ServingLock(database)
        with closed(database):
            waits = asyncio.create_task(serving.take())
            done, _ = await asyncio.wait([waits], timeout=0.1)
            assert not done
        await waits
        serving.release()


async def test_what_fails_at_the_last_moment_leaves_the_database_as_it_was(
    copy: Path, elsewhere: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await state_of(elsewhere)

    def fails(_file: int) -> NoReturn:
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("backend.operations.backup.database_backup.os.fsync", fails)
        with pytest.raises(OSError, match="full"):
            await restored(elsewhere, copy, replace=True)
    assert await state_of(elsewhere) == before


DAMAGED = b"SQLite format 3\0" + b"damaged" * 4096


async def test_a_damaged_file_is_replaced_and_kept(copy: Path, elsewhere: Settings) -> None:
    """That it cannot be read may be why the copy is brought back."""
    whole = await state_of(elsewhere)
    async with opened(elsewhere) as database:
        place = str(database.url.database)
    await asyncio.to_thread(Path(place).write_bytes, DAMAGED)
    await restored(elsewhere, copy, replace=True)
    assert await state_of(elsewhere) == whole
    assert await asyncio.to_thread(Path(f"{place}.before-restore-1").read_bytes) == DAMAGED
