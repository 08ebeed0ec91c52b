"""Copies in an S3 store: whole or not there, brought back, and only so many of them.

| what can go wrong | what happens |
|---|---|
| the store goes away while a copy is sent | nothing is there, no copy is noted, nothing is left here |
| the store goes away while a copy is fetched | nothing is touched |
| a copy in the store is cut off | refused, nothing is touched |
| the key or the bucket is wrong | one line without the key |
| there is no copy | one line |
| two copies at once | two whole copies, or one and a refusal |
| older copies are deleted | only those that `trompo backup` named, the oldest |
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
from backend.media.picture_store import picture_store
from backend.operations.backup import archive, storage
from backend.operations.backup.archive import Damaged
from backend.operations.backup.backup import make_backup
from backend.operations.backup.models import Backup
from backend.operations.backup.restore import restore_from_store
from backend.operations.backup.storage import (
    CopyStore,
    NoCopy,
    copy_place,
    delete_older_files,
)
from tests.backend.operations.conftest import count, rows_of
from tests.s3_server import new_bucket, s3_server
from tests.store_defaults import Defaults

BIG = 12_000_000
"""Bytes of a picture that makes a copy of three pieces."""


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """What a copy holds is tested on both databases elsewhere."""
    return sqlite_url


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with s3_server() as address:
        yield address


@pytest.fixture
def folder(server: str) -> str:
    """The address of an empty folder."""
    return new_bucket(server)


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "PIECE", 5 << 20)  # the least that a store takes


def store_at(address: str) -> CopyStore:
    place = copy_place(address)
    assert isinstance(place, CopyStore)
    return place


@pytest.fixture
def elsewhere(empty_sqlite_url: str, tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "elsewhere", database_url=empty_sqlite_url, port=1)


async def brought_back(settings: Settings, source: CopyStore) -> dict[str, object]:
    database = Database.from_settings(settings)
    try:
        await restore_from_store(settings, database, picture_store(settings), source, replace=False)
        return {**await rows_of(database)}
    finally:
        await database.close()


class Relay:
    """A way to the server that is cut once so many bytes went through it in one direction."""

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
async def relayed(server: str, address: str) -> AsyncIterator[tuple[Relay, CopyStore]]:
    """A relay, and the folder by way of it."""
    relay = Relay(server)
    listening = await asyncio.start_server(relay.serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    yield relay, store_at(address.replace(f":{urlsplit(server).port}/", f":{port}/"))
    listening.close()


def with_big_picture(shop: Shop) -> None:
    shop.pictures.put("0123abc/toy-320.webp", Random(1).randbytes(BIG))


async def test_a_copy_is_sent_and_brought_back(
    shop: Shop, shop_defaults: Defaults, folder: str, elsewhere: Settings, tmp_path: Path
) -> None:
    with_big_picture(shop)
    store = store_at(folder)
    made = await make_backup(shop.settings, shop.database, shop.pictures, store)
    assert await store.names() == [made.path.name]
    assert await count(shop.database, Backup) == 1
    fetched = tmp_path / "fetched"
    await store.fetch(made.path.name, fetched)
    assert fetched.stat().st_size == made.size > BIG
    archive.verify(fetched)
    before = {**await rows_of(shop.database), "backup": []}
    after = await brought_back(elsewhere, store)
    assert after == before
    assert not [file for file in shop.settings.data_dir.iterdir() if file.name.startswith(".trompo")]
    named = store_at(f"{folder}/{made.path.name}")
    with pytest.raises(FileExistsError):
        await make_backup(shop.settings, shop.database, shop.pictures, named)


async def test_a_store_that_goes_away_meanwhile_has_no_half_copy(
    shop: Shop, shop_defaults: Defaults, server: str, folder: str, elsewhere: Settings
) -> None:
    with_big_picture(shop)
    store = store_at(folder)
    async with relayed(server, folder) as (relay, through):
        relay.most_sent = 7_000_000
        with pytest.raises(StoreUnavailable):
            await make_backup(shop.settings, shop.database, shop.pictures, through)
        assert await store.names() == []
        assert await count(shop.database, Backup) == 0
        assert not [file for file in shop.settings.data_dir.iterdir() if file.name.startswith(".trompo")]
        relay.most_sent = 1 << 40
        await make_backup(shop.settings, shop.database, shop.pictures, through)
        relay.most_got = 7_000_000
        with pytest.raises(StoreUnavailable):
            await brought_back(elsewhere, through)
        assert not elsewhere.data_dir.exists()


async def test_a_copy_that_is_cut_off_is_refused(
    shop: Shop, shop_defaults: Defaults, folder: str, elsewhere: Settings, tmp_path: Path
) -> None:
    store = store_at(folder)
    made = await make_backup(shop.settings, shop.database, shop.pictures, store)
    cut = tmp_path / "cut"
    await store.fetch(made.path.name, cut)
    cut.write_bytes(cut.read_bytes()[:-100])
    await store.put("cut.tar.gz", cut, cut.stat().st_size)
    with pytest.raises(Damaged):
        await brought_back(elsewhere, store_at(f"{folder}/cut.tar.gz"))
    assert not elsewhere.data_dir.exists()


async def test_two_copies_at_once_are_whole(
    shop: Shop, shop_defaults: Defaults, folder: str, tmp_path: Path
) -> None:
    names = [f"{folder}/{n}.tar.gz" for n in range(2)]
    made = await asyncio.gather(
        *(make_backup(shop.settings, shop.database, shop.pictures, store_at(name)) for name in names)
    )
    for one in made:
        await store_at(folder).fetch(one.path.name, tmp_path / one.path.name)
        archive.verify(tmp_path / one.path.name)


async def test_only_the_newest_copies_stay(folder: str, tmp_path: Path) -> None:
    store, here = store_at(folder), tmp_path / "copies"
    here.mkdir()
    names = [f"trompo-2026010{day}-030405.tar.gz" for day in (3, 1, 2)]
    others = ["trompo.tar.gz", "before-trompo-20260101-030405.tar.gz", "trompo-20260101-030405.tar.gz.part"]
    for name in [*names, *others]:
        (here / name).write_bytes(b"x")
        await store.put(name, here / name, 1)
    for again in range(2):
        gone = ["trompo-20260101-030405.tar.gz"] if not again else []
        assert delete_older_files(here, 2) == await store.delete_older(2) == gone
    assert await store.names() == sorted(names)[1:]
    assert {file.name for file in here.iterdir()} == {*others, *sorted(names)[1:]}
    for name in others:
        assert await store.has(name)


async def test_what_is_not_there_or_refused_is_told_without_the_key(
    shop: Shop, shop_defaults: Defaults, server: str, folder: str, elsewhere: Settings
) -> None:
    with pytest.raises(NoCopy):
        await brought_back(elsewhere, store_at(folder))
    with pytest.raises(NoCopy):
        await brought_back(elsewhere, store_at(f"{folder}/trompo-20260101-030405.tar.gz"))
    nowhere = store_at(folder.replace("/toys-", "/no-toys-"))

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    refusing = await asyncio.start_server(refuse, "127.0.0.1", 0)
    port = refusing.sockets[0].getsockname()[1]
    wrong_key = store_at(f"http://KEY:hush@127.0.0.1:{port}/toys/shop")
    for store in (nowhere, wrong_key):
        with pytest.raises(StoreUnavailable) as refused:
            await make_backup(shop.settings, shop.database, shop.pictures, store)
        assert "hush" not in str(refused.value)
        with pytest.raises((StoreUnavailable, NoCopy)):
            await brought_back(elsewhere, store)
    refusing.close()
    assert await count(shop.database, Backup) == 0


def test_a_store_from_the_command_line(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(app, arguments)
        return result.exit_code, result.stdout

    monkeypatch.setenv("PORT", "1")
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "here"))
    assert run("backup") == (1, "No copy was made: name a file or a folder, or set BACKUP_URL.\n")
    assert "must be like https://KEY:SECRET@host" in run("backup", "https://a:hush@s3.example")[1]
    assert "hush" not in run("backup", "https://a:hush@s3.example")[1]
    run("init")
    monkeypatch.setenv("BACKUP_URL", folder)
    code, told = run("backup", "--keep", "1")
    assert (code, "0 older copies" in told) == (0, True), told
    assert "--keep needs a folder" in run("backup", str(tmp_path / "one.tar.gz"), "--keep", "1")[1]
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "there"))
    code, told = run("restore")
    assert (code, told.startswith("Restored as it was at ")) == (0, True), told
