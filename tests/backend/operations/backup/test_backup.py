"""A backup of a running shop restores every row and picture elsewhere, and links in sent mails still work."""

import asyncio
import gzip
import json
import socket
import stat
import tarfile
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any, NoReturn

import httpx
import pytest
from pydantic import SecretStr
from sqlalchemy import select, text
from typer.testing import CliRunner

from backend.app import Shop, create_api
from backend.channels.models import PublishableKey
from backend.cli.main import app
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.jobs import Worker
from backend.mail.mailer import Mailer
from backend.media.picture_store import PictureStore, PicturesUnavailable, open_picture_store
from backend.migrations.runner import upgrade
from backend.operations.backup import archive
from backend.operations.backup.archive import DamagedBackup
from backend.operations.backup.backup import CompletedBackup, make_backup
from backend.operations.backup.database_backup import NotMigrated
from backend.operations.backup.models import Backup
from backend.operations.backup.postgresql_dump import ClientProgramError
from backend.operations.backup.restore import RestoreRefused, RestoreResult, restore
from backend.orders.models import Order
from tests.backend.mail.conftest import Inbox, text_of
from tests.backend.migrations.newest import newest_migration
from tests.backend.migrations.next_release import ADD_SHELF, NEXT_REVISION, add_migration
from tests.backend.migrations.test_upgrade import SHOP, fetch_all, write
from tests.backend.operations.conftest import count_rows, read_all_rows
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase


async def back_up(shop: Shop, target: Path) -> CompletedBackup:
    return await make_backup(shop.settings, shop.database, shop.pictures, target)


@pytest.fixture
def elsewhere(empty_place: str, tmp_path: Path) -> Settings:
    """Return the settings of an empty place for a shop, with the same kind of database as `shop`."""
    return Settings(data_dir=tmp_path / "elsewhere", database_url=empty_place, port=1)


@pytest.fixture
def empty_place(request: pytest.FixtureRequest, database_url: str) -> str:
    kind = "sqlite" if database_url.startswith("sqlite") else "postgresql"
    url: str = request.getfixturevalue(f"empty_{kind}_url")
    return url


@asynccontextmanager
async def open_database(settings: Settings) -> AsyncIterator[Database]:
    database = Database.from_settings(settings)
    try:
        yield database
    finally:
        await database.close()


async def restore_to(settings: Settings, source: Path, *, replace: bool = False) -> RestoreResult:
    async with open_database(settings) as database:
        return await restore(settings, database, open_picture_store(settings), source, replace=replace)


def list_names(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


async def read_state(settings: Settings) -> dict[str, Any]:
    async with open_database(settings) as database:
        return await read_all_rows(database)


async def test_restored_shop_has_all_data_and_mailed_links_still_work(
    shop: Shop, order: dict[str, Any], elsewhere: Settings, tmp_path: Path
) -> None:
    place = elsewhere
    inbox = Inbox()
    await Worker(shop.database, [Mailer(shop.database, shop.settings, inbox)]).run_due()
    link = next(part for part in text_of(inbox.mails[0]).split() if "/order/" in part)
    shop.pictures.put("0123abc/toy-320.webp", b"RIFF")
    templates = shop.settings.data_dir / "mail-templates"
    templates.mkdir()
    (templates / "order_paid.jinja").write_text("own")
    made = await back_up(shop, tmp_path / "copy.tar.gz")
    assert (made.size, made.pictures) == (made.path.stat().st_size, 1)
    assert stat.S_IMODE(made.path.stat().st_mode) == 0o600
    before = {**await read_all_rows(shop.database), "backup": []}

    done = await restore_to(place, made.path)
    assert done.pictures == 1
    after = await read_state(place)
    assert after == before
    found = await open_picture_store(place).get("0123abc/toy-320.webp")
    assert found is not None
    assert found.content == b"RIFF"
    assert (place.data_dir / "mail-templates" / "order_paid.jinja").read_text() == "own"
    assert stat.S_IMODE((place.data_dir / "secret_key").stat().st_mode) == 0o600

    again = Shop(place)
    async with again.database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
    transport, headers = httpx.ASGITransport(create_api(again)), {"x-publishable-api-key": key}
    async with httpx.AsyncClient(transport=transport, base_url="http://shop.test", headers=headers) as store:
        order_id, token = link.rpartition("/")[2].split("?token=")
        opened_order = (await store.get(f"/store/orders/{order_id}", params={"token": token})).json()["order"]
        assert opened_order["email"] == "ana@example.com"
        defaults = Defaults(*await read_ids(again.database))
        async with again.database.transaction() as session:
            variant = await add_product(session, defaults, "yoyo")
        newer = await complete_purchase(store, variant)
        assert newer["display_id"] != order["display_id"]
    await again.stop()


async def read_ids(database: Database) -> tuple[str, str]:
    async with database.read() as session:
        location = (await session.execute(text("SELECT id FROM stock_location"))).scalar_one()
        return location, (await session.execute(text("SELECT id FROM sales_channel"))).scalar_one()


async def test_backup_of_a_running_shop_is_consistent(
    shop: Shop, order: dict[str, Any], elsewhere: Settings, tmp_path: Path
) -> None:
    """Check that two rows that always change together are equal in the backup."""
    async with shop.database.transaction() as session:
        await session.execute(text("UPDATE mail SET kind = '0'"))
        await session.execute(text("UPDATE cart SET email = '0'"))

    async def sell() -> None:
        for n in range(60):
            async with shop.database.transaction() as session:
                await session.execute(text(f"UPDATE cart SET email = '{n}'"))
                await session.execute(text(f"UPDATE mail SET kind = '{n}'"))

    selling = asyncio.create_task(sell())
    made = await back_up(shop, tmp_path)
    await selling
    await restore_to(elsewhere, made.path)
    async with open_database(elsewhere) as database, database.read() as session:
        mail = (await session.execute(text("SELECT kind FROM mail"))).scalar_one()
        assert (await session.execute(text("SELECT email FROM cart"))).scalar_one() == mail


async def test_older_backup_is_migrated_after_it_is_restored(
    empty_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(data_dir=tmp_path / "data", database_url=empty_url, port=1)
    target = tmp_path / "old.tar.gz"
    async with open_database(settings) as database:
        await upgrade(database)
        await write(database, SHOP)
        await make_backup(settings, database, open_picture_store(settings), target)
    add_migration(monkeypatch, tmp_path, ADD_SHELF)
    await restore_to(settings, target, replace=True)
    async with open_database(settings) as database:
        assert await fetch_all(database, "SELECT id, shelf FROM product") == [("prod_1", None)]
        assert await fetch_all(database, "SELECT version_num FROM alembic_version") == [(NEXT_REVISION,)]


async def test_restore_over_an_existing_shop_requires_the_option_replace(
    shop: Shop, order: dict[str, Any], elsewhere: Settings, tmp_path: Path
) -> None:
    made = await back_up(shop, tmp_path)
    await restore_to(elsewhere, made.path)
    async with open_database(elsewhere) as database, database.transaction() as session:
        await session.execute(text("UPDATE cart SET email = 'other@example.com'"))
    (elsewhere.data_dir / "secret_key").write_text("another shop's")
    with pytest.raises(RestoreRefused, match="--replace"):
        await restore_to(elsewhere, made.path)
    (elsewhere.data_dir / "secret_key").unlink()
    before = await read_state(elsewhere)
    with pytest.raises(RestoreRefused, match="not empty"):
        await restore_to(elsewhere, made.path)
    assert await read_state(elsewhere) == before
    (elsewhere.data_dir / "secret_key").write_text("another shop's")
    await restore_to(elsewhere, made.path, replace=True)
    assert (await read_state(elsewhere))["cart"] == (await read_all_rows(shop.database))["cart"]
    assert (elsewhere.data_dir / "secret_key").read_text() == shop.settings.signing_key
    kept = [
        name for folder in (elsewhere.data_dir, tmp_path) for name in list_names(folder) if "before" in name
    ]
    assert "secret_key.before-restore-1" in kept
    assert len(kept) == (2 if shop.database.is_sqlite else 1)


async def test_shop_with_open_connections_is_not_replaced_by_a_restore(
    shop: Shop, order: dict[str, Any], elsewhere: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.operations.backup.database_backup.DISCONNECT_TIMEOUT_S", 0)
    made = await back_up(shop, tmp_path)
    await restore_to(elsewhere, made.path)
    if shop.database.is_sqlite:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            with pytest.raises(RestoreRefused, match=f"open on port {port}"):
                await restore_to(elsewhere.model_copy(update={"port": port}), made.path, replace=True)
    else:
        async with open_database(elsewhere) as other, other.read() as session:
            await session.execute(text("SELECT 1"))
            with pytest.raises(RestoreRefused, match="connected"):
                await restore_to(elsewhere, made.path, replace=True)


async def test_different_signing_key_is_reported_before_any_change(
    shop: Shop, order: dict[str, Any], elsewhere: Settings, tmp_path: Path
) -> None:
    made = await back_up(shop, tmp_path)
    other = elsewhere.model_copy(update={"secret_key": SecretStr("x" * 48)})
    with pytest.raises(RestoreRefused, match="SECRET_KEY") as refused:
        await restore_to(other, made.path)
    assert "x" * 48 not in str(refused.value)
    assert not elsewhere.data_dir.exists()
    same = elsewhere.model_copy(update={"secret_key": SecretStr(shop.settings.signing_key)})
    await restore_to(same, made.path)


def rewrite(source: Path, target: Path, change: Callable[[str, bytes], bytes | None]) -> None:
    """Copy the archive with the contents that `change` returns for each member. None omits the member."""
    with tarfile.open(source) as old, tarfile.open(target, "w:gz") as new:
        for member in old:
            file = old.extractfile(member)
            assert file is not None
            content = change(member.name, file.read())
            if content is not None:
                member.size = len(content)
                new.addfile(member, BytesIO(content))


def manifest_with(**changes: Any) -> Callable[[str, bytes], bytes]:
    def change(name: str, content: bytes) -> bytes:
        return json.dumps({**json.loads(content), **changes}).encode() if name == "manifest.json" else content

    return change


def rename_member(name: str, content: bytes) -> bytes:
    return (
        content.replace(b"secrets/secret_key", b"secrets/../../etc_") if name == "manifest.json" else content
    )


def rewrite_dump(source: Path, target: Path, change: Callable[[bytes], bytes]) -> None:
    """Write an archive with another dump of PostgreSQL, and a manifest that fits it."""
    with (
        tarfile.open(source) as old,
        closing(archive.ArchiveWriter(target, target.with_name("part"))) as writer,
    ):
        for member in old:
            file = old.extractfile(member)
            assert file is not None
            content = file.read()
            if member.name == "manifest.json":
                manifest = archive.Manifest.from_json(content)
                writer.finish(archive.Manifest(manifest.made_at, manifest.database, writer.files))
            else:
                is_dump = member.name.endswith(".dump")
                writer.add(member.name, change(content) if is_dump else content)


BAD: dict[str, Callable[[str, bytes], bytes | None]] = {
    "its end is missing": lambda name, content: None if name == "manifest.json" else content,
    "secrets/secret_key differs from its checksum": lambda name, content: (
        b"x" * len(content) if name == "secrets/secret_key" else content
    ),
    "differs from its checksum": lambda name, content: None if name.startswith("database/") else content,
    "its manifest cannot be read": lambda name, content: b"[1]" if name == "manifest.json" else content,
    "reads backups of format 1, not 2": manifest_with(format=2),
    "made by a later version": manifest_with(database={"kind": "sqlite", "revision": "ffffffffffff"}),
    "the backup is of oracle": manifest_with(database={"kind": "oracle"}),
}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("problem", BAD)
async def test_altered_archive_is_refused_and_the_shop_stays_unchanged(
    shop: Shop, shop_defaults: Defaults, elsewhere: Settings, tmp_path: Path, problem: str
) -> None:
    made = await back_up(shop, tmp_path / "good.tar.gz")
    bad = tmp_path / "bad.tar.gz"
    rewrite(made.path, bad, BAD[problem])
    with pytest.raises((DamagedBackup, RestoreRefused), match=problem):
        await restore_to(elsewhere, bad)
    assert not elsewhere.data_dir.exists()


def decompress(content: bytes) -> bytes | None:
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        return None


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_truncated_or_damaged_archive_is_refused(
    shop: Shop, shop_defaults: Defaults, elsewhere: Settings, tmp_path: Path
) -> None:
    shop.pictures.put("0123abc/toy-320.webp", Random(1).randbytes(50_000))
    good = (await back_up(shop, tmp_path / "good.tar.gz")).path.read_bytes()
    bad = tmp_path / "bad.tar.gz"
    step = len(good) // 25
    for place in (0, 1, 5, *range(step, len(good) - 1, step), len(good) - 1):
        bad.write_bytes(good[:place])
        with pytest.raises(DamagedBackup):
            await restore_to(elsewhere, bad)
    whole = decompress(good)
    for place in range(step, len(good), step):
        changed = good[:place] + bytes([good[place] ^ 0x55]) + good[place + 1 :]
        if decompress(changed) != whole:  # a sequence of zeros can be compressed in several ways
            bad.write_bytes(changed)
            with pytest.raises(DamagedBackup):
                await restore_to(elsewhere, bad)
    bad.write_bytes(b"PK\x03\x04" + good)
    with pytest.raises(DamagedBackup):
        await restore_to(elsewhere, bad)
    assert not elsewhere.data_dir.exists()


def test_manifest_above_64_mib_is_read(tmp_path: Path) -> None:
    """Use a manifest above 64 MiB, as it has a line for each of half a million files."""
    target, length = tmp_path / "many.tar.gz", 65 << 20
    with closing(archive.ArchiveWriter(target, tmp_path / "part")) as writer:
        writer.finish(archive.Manifest("2026", {"kind": "x" * length}, {}))
    assert len(archive.verify_archive(target).database["kind"]) == length


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_archive_with_file_names_outside_its_folders_is_refused(
    shop: Shop, shop_defaults: Defaults, elsewhere: Settings, tmp_path: Path
) -> None:
    for name in ("pictures/../../x", "../x", "/etc/x", "secrets/other", "mail-templates/.x", "database/../x"):
        target = tmp_path / f"{abs(hash(name))}.tar.gz"
        writer = archive.ArchiveWriter(target, tmp_path / "part")
        writer.add(name, b"x")
        writer.finish(
            archive.Manifest("2026", {"kind": "sqlite", "revision": newest_migration()}, writer.files)
        )
        with pytest.raises(DamagedBackup, match="does not belong in a backup"):
            await restore_to(elsewhere, target)
    assert not elsewhere.data_dir.exists()


async def test_failed_restore_leaves_the_database_unchanged(
    shop: Shop, order: dict[str, Any], elsewhere: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await back_up(shop, tmp_path / "good.tar.gz")
    await restore_to(elsewhere, made.path)
    before = await read_state(elsewhere)

    def fails(*_: object) -> NoReturn:
        raise ZeroDivisionError

    if shop.database.is_sqlite:
        monkeypatch.setattr("backend.operations.backup.database_backup.upgrade", fails)
        with pytest.raises(ZeroDivisionError):
            await restore_to(elsewhere, made.path, replace=True)
    else:  # a dump that ends in the middle of its rows, in an archive whose manifest matches it
        cut = tmp_path / "cut.tar.gz"
        rewrite_dump(made.path, cut, lambda dump: dump[: len(dump) - 1000])
        with pytest.raises(ClientProgramError, match="pg_restore"):
            await restore_to(elsewhere, cut, replace=True)
    assert await read_state(elsewhere) == before
    assert not [name for name in list_names(tmp_path) if name.startswith(".trompo")]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_failed_backup_leaves_no_file(
    shop: Shop, shop_defaults: Defaults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(store: PictureStore) -> NoReturn:
        raise PicturesUnavailable("away")

    target = tmp_path / "copies"
    target.mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(PictureStore, "iter_pictures", away)
        with pytest.raises(PicturesUnavailable):
            await back_up(shop, target)
    assert list(target.iterdir()) == []
    assert await count_rows(shop.database, Backup) == 0
    made = await back_up(shop, target)
    assert await count_rows(shop.database, Backup) == 1
    with pytest.raises(FileExistsError):
        await back_up(shop, made.path)


async def test_backup_of_an_empty_database_is_refused(empty_url: str, tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data", database_url=empty_url)
    async with open_database(settings) as database:
        with pytest.raises(NotMigrated):
            await make_backup(settings, database, open_picture_store(settings), tmp_path / "copy.tar.gz")


async def test_simultaneous_backups_are_complete(shop: Shop, order: dict[str, Any], tmp_path: Path) -> None:
    """Write four backups at the same time, and check that each is complete."""
    names = [tmp_path / f"{n}.tar.gz" for n in range(4)]
    for made in await asyncio.gather(*(back_up(shop, name) for name in names)):
        archive.verify_archive(made.path)
    assert await count_rows(shop.database, Order) == 1


def test_backup_and_restore_commands_print_their_results_and_problems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*arguments: str) -> tuple[int, str, str]:
        result = CliRunner().invoke(app, arguments)
        return result.exit_code, result.stdout, result.stderr.partition("\n")[2]

    monkeypatch.setenv("PORT", "1")
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "here"))
    copy = tmp_path / "copy.tar.gz"
    assert run("backup", str(copy)) == (1, "No backup was made: there is no shop here.\n", "")
    assert list((tmp_path / "here").iterdir()) == []
    run("init")
    code, output, _ = run("backup", str(copy))
    assert (code, output) == (0, f"{copy}: {copy.stat().st_size / 1e6:.2f} MB, 0 files of pictures.\n")
    assert run("backup", str(copy))[1] == f"No backup was made: {copy} is there already.\n"
    assert (
        run("backup", str(tmp_path / "none" / "copy"))[1]
        == "No backup was made: No such file or directory.\n"
    )
    code, output, _ = run("restore", str(copy))
    assert code == 1
    assert "Nothing was restored: the database here is not empty: add --replace" in output
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "there"))
    assert "No such file" in run("restore", str(tmp_path / "none"))[1]
    code, output, _ = run("restore", str(copy))
    assert code == 0
    assert output.startswith("Restored as it was at ")
    assert run("init")[1] == "Ya está todo.\n"
    copy.write_bytes(copy.read_bytes()[:2000])
    code, output, _ = run("restore", str(copy), "--replace")
    assert code == 1
    assert "is not a complete backup: it is damaged or truncated" in output
