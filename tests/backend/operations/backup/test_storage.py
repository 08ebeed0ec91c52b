"""Backups in an S3 store: uploaded completely or not at all, restored, and limited in number.

| fault | outcome |
|---|---|
| the store becomes unavailable during an upload | nothing is stored, no backup is recorded, no file remains here |
| the store becomes unavailable during a download | nothing is changed |
| a backup in the store is truncated | refused, nothing is changed |
| the key or the bucket is wrong | one line without the key |
| there is no backup | one line |
| two simultaneous backups | two complete backups, or one and a refusal |
| older backups are deleted | only those that `trompo backup` named, the oldest |
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from urllib.parse import urlsplit

import pytest
from typer.testing import CliRunner

from backend.app import Shop
from backend.cli.main import app
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.media.object_stores import StoreUnavailable
from backend.media.picture_store import open_picture_store
from backend.operations.backup import archive, storage
from backend.operations.backup.archive import DamagedBackup
from backend.operations.backup.backup import make_backup
from backend.operations.backup.models import Backup
from backend.operations.backup.restore import restore_from_store
from backend.operations.backup.storage import (
    BackupNotFound,
    BackupStore,
    delete_older_backups,
    parse_backup_target,
)
from tests.backend.operations.conftest import count_rows, read_all_rows
from tests.s3_server import create_bucket, s3_server
from tests.store_defaults import Defaults

BIG_PICTURE_BYTES = 12_000_000
"""Bytes of a picture that makes a backup of three parts."""


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite only: other tests check the content of a backup on both databases."""
    return sqlite_url


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with s3_server() as address:
        yield address


@pytest.fixture
def folder(server: str) -> str:
    """Return the address of an empty folder."""
    return create_bucket(server)


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "PART_BYTES", 5 << 20)  # the minimum that a store accepts


def open_store(address: str) -> BackupStore:
    place = parse_backup_target(address)
    assert isinstance(place, BackupStore)
    return place


@pytest.fixture
def elsewhere(empty_sqlite_url: str, tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "elsewhere", database_url=empty_sqlite_url, port=1)


async def restore_from(settings: Settings, source: BackupStore) -> dict[str, object]:
    database = Database.from_settings(settings)
    try:
        await restore_from_store(settings, database, open_picture_store(settings), source, replace=False)
        return {**await read_all_rows(database)}
    finally:
        await database.close()


class Relay:
    """A connection to the server that breaks after a number of bytes in one direction."""

    def __init__(self, server: str) -> None:
        self._to = urlsplit(server)
        self.most_sent = self.most_got = 1 << 40

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.most_sent <= 0 or self.most_got <= 0:
            writer.close()
            return
        there, back = await asyncio.open_connection(self._to.hostname, self._to.port)

        async def pump(source: asyncio.StreamReader, target: asyncio.StreamWriter, side: str) -> None:
            while (piece := await source.read(1 << 16)) and getattr(self, side) > 0:
                setattr(self, side, getattr(self, side) - len(piece))
                target.write(piece)
                await target.drain()
            writer.close()
            back.close()

        await asyncio.gather(
            pump(reader, back, "most_sent"), pump(there, writer, "most_got"), return_exceptions=True
        )


@asynccontextmanager
async def open_relay(server: str, address: str) -> AsyncIterator[tuple[Relay, BackupStore]]:
    """Yield a relay, and the store's folder reached through it."""
    relay = Relay(server)
    listening = await asyncio.start_server(relay.serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    yield relay, open_store(address.replace(f":{urlsplit(server).port}/", f":{port}/"))
    listening.close()


def add_big_picture(shop: Shop) -> None:
    shop.pictures.put("0123abc/toy-320.webp", Random(1).randbytes(BIG_PICTURE_BYTES))


async def test_backup_is_uploaded_and_restored(
    shop: Shop, shop_defaults: Defaults, folder: str, elsewhere: Settings, tmp_path: Path
) -> None:
    add_big_picture(shop)
    store = open_store(folder)
    made = await make_backup(shop.settings, shop.database, shop.pictures, store)
    assert await store.list_names() == [made.path.name]
    assert await count_rows(shop.database, Backup) == 1
    fetched = tmp_path / "fetched"
    await store.fetch(made.path.name, fetched)
    assert fetched.stat().st_size == made.size > BIG_PICTURE_BYTES
    archive.verify_archive(fetched)
    before = {**await read_all_rows(shop.database), "backup": []}
    after = await restore_from(elsewhere, store)
    assert after == before
    assert not [file for file in shop.settings.data_dir.iterdir() if file.name.startswith(".trompo")]
    named = open_store(f"{folder}/{made.path.name}")
    with pytest.raises(FileExistsError):
        await make_backup(shop.settings, shop.database, shop.pictures, named)


async def test_no_partial_backup_remains_if_the_store_becomes_unavailable(
    shop: Shop, shop_defaults: Defaults, server: str, folder: str, elsewhere: Settings
) -> None:
    add_big_picture(shop)
    store = open_store(folder)
    async with open_relay(server, folder) as (relay, through):
        relay.most_sent = 7_000_000
        with pytest.raises(StoreUnavailable):
            await make_backup(shop.settings, shop.database, shop.pictures, through)
        assert await store.list_names() == []
        assert await count_rows(shop.database, Backup) == 0
        assert not [file for file in shop.settings.data_dir.iterdir() if file.name.startswith(".trompo")]
        relay.most_sent = 1 << 40
        await make_backup(shop.settings, shop.database, shop.pictures, through)
        relay.most_got = 7_000_000
        with pytest.raises(StoreUnavailable):
            await restore_from(elsewhere, through)
        assert not elsewhere.data_dir.exists()


async def test_truncated_backup_in_the_store_is_refused(
    shop: Shop, shop_defaults: Defaults, folder: str, elsewhere: Settings, tmp_path: Path
) -> None:
    store = open_store(folder)
    made = await make_backup(shop.settings, shop.database, shop.pictures, store)
    cut = tmp_path / "cut"
    await store.fetch(made.path.name, cut)
    cut.write_bytes(cut.read_bytes()[:-100])
    await store.put("cut.tar.gz", cut, cut.stat().st_size)
    with pytest.raises(DamagedBackup):
        await restore_from(elsewhere, open_store(f"{folder}/cut.tar.gz"))
    assert not elsewhere.data_dir.exists()


async def test_two_simultaneous_backups_are_complete(
    shop: Shop, shop_defaults: Defaults, folder: str, tmp_path: Path
) -> None:
    names = [f"{folder}/{n}.tar.gz" for n in range(2)]
    made = await asyncio.gather(
        *(make_backup(shop.settings, shop.database, shop.pictures, open_store(name)) for name in names)
    )
    for one in made:
        await open_store(folder).fetch(one.path.name, tmp_path / one.path.name)
        archive.verify_archive(tmp_path / one.path.name)


async def test_only_the_newest_backups_are_kept(folder: str, tmp_path: Path) -> None:
    store, here = open_store(folder), tmp_path / "copies"
    here.mkdir()
    names = [f"trompo-2026010{day}-030405.tar.gz" for day in (3, 1, 2)]
    others = ["trompo.tar.gz", "before-trompo-20260101-030405.tar.gz", "trompo-20260101-030405.tar.gz.part"]
    for name in [*names, *others]:
        (here / name).write_bytes(b"x")
        await store.put(name, here / name, 1)
    for again in range(2):
        gone = ["trompo-20260101-030405.tar.gz"] if not again else []
        assert delete_older_backups(here, 2) == await store.delete_older(2) == gone
    assert await store.list_names() == sorted(names)[1:]
    assert {file.name for file in here.iterdir()} == {*others, *sorted(names)[1:]}
    for name in others:
        assert await store.has(name)


async def test_errors_of_the_backup_store_are_reported_without_its_key(
    shop: Shop, shop_defaults: Defaults, server: str, folder: str, elsewhere: Settings
) -> None:
    with pytest.raises(BackupNotFound):
        await restore_from(elsewhere, open_store(folder))
    with pytest.raises(BackupNotFound):
        await restore_from(elsewhere, open_store(f"{folder}/trompo-20260101-030405.tar.gz"))
    nowhere = open_store(folder.replace("/products-", "/no-products-"))

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    refusing = await asyncio.start_server(refuse, "127.0.0.1", 0)
    port = refusing.sockets[0].getsockname()[1]
    wrong_key = open_store(f"http://KEY:hush@127.0.0.1:{port}/toys/shop")
    for store in (nowhere, wrong_key):
        with pytest.raises(StoreUnavailable) as refused:
            await make_backup(shop.settings, shop.database, shop.pictures, store)
        assert "hush" not in str(refused.value)
        with pytest.raises((StoreUnavailable, BackupNotFound)):
            await restore_from(elsewhere, store)
    refusing.close()
    assert await count_rows(shop.database, Backup) == 0


def test_backup_commands_work_with_a_backup_store(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(app, arguments)
        return result.exit_code, result.stdout

    monkeypatch.setenv("PORT", "1")
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "here"))
    assert run("backup") == (1, "No backup was made: name a file or a folder, or set BACKUP_URL.\n")
    assert "must be like https://KEY:SECRET@host" in run("backup", "https://a:hush@s3.example")[1]
    assert "hush" not in run("backup", "https://a:hush@s3.example")[1]
    run("init")
    monkeypatch.setenv("BACKUP_URL", folder)
    code, output = run("backup", "--keep", "1")
    assert (code, "0 older backups" in output) == (0, True), output
    assert "--keep needs a folder" in run("backup", str(tmp_path / "one.tar.gz"), "--keep", "1")[1]
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "there"))
    code, output = run("restore")
    assert (code, output.startswith("Restored as it was at ")) == (0, True), output
