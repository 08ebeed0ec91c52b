"""`trompo restore`: create a shop from a backup. Without `--replace`, the database must be empty.

The whole backup is checked first. Then its pictures are added; existing pictures are not replaced. Then the
database is restored, completely or not at all, and migrated to the current revision. Then the secrets are written.
"""

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from backend.core.config.settings import Settings
from backend.core.config.values import create_private_folder
from backend.core.db.database import Database
from backend.mail.rendering import CUSTOM_TEMPLATES_FOLDER
from backend.media.picture_store import PictureStore
from backend.migrations.runner import has_revision
from backend.operations.backup.archive import (
    CHUNK_BYTES,
    MANIFEST,
    ArchiveMember,
    DamagedBackup,
    Manifest,
    read_members,
    verify_archive,
)
from backend.operations.backup.backup import (
    PICTURES,
    REVALIDATE_SECRET,
    SECRETS,
    SIGNING_KEY,
    TEMPLATES,
    WORK_FOLDER_PREFIX,
    work_folder,
)
from backend.operations.backup.database_backup import (
    FOLDER,
    SQLITE_FILE,
    database_kind,
    is_empty,
    is_in_use,
    previous_file_path,
    restore_database,
)
from backend.operations.backup.postgresql_dump import DUMP_FILE, check_restorable
from backend.operations.backup.storage import BackupStore, find_newest_backup
from backend.operations.opening.database_lock import ShopIsOpen, hold_opening_lock, prevent_serving

_NAMES = re.compile(
    rf"{FOLDER}/[\w.-]+|{PICTURES}/(?:[^/]+/)*[^/]+|{SECRETS}/(?:{SIGNING_KEY}|{REVALIDATE_SECRET})"
    rf"|{TEMPLATES}/(?!\.)[^/]+"
)


class RestoreRefused(Exception):
    """The backup cannot be restored here. Nothing was changed. The message is one line."""


@dataclass(frozen=True, slots=True)
class RestoreResult:
    """Result of a restore: the time of the backup, and the number of picture files that were missing and were added."""

    made_at: str
    pictures: int


async def restore(
    settings: Settings, database: Database, pictures: PictureStore, source: Path, *, replace: bool
) -> RestoreResult:
    """Restore the shop of a backup to these settings, database and picture store.

    Args:
        settings: the settings of the restored shop. Its data folder is created.
        database: the database to restore to.
        pictures: the picture store to restore to.
        source: the backup.
        replace: replace an existing shop. The replaced SQLite file and secrets stay next to the restored ones.

    Raises:
        DamagedBackup: the file is not a complete backup. Nothing was changed.
        RestoreRefused: the backup cannot be restored here. Nothing was changed.
        ClientProgramError, PicturesUnavailable, DatabaseUnavailable, OSError: data cannot be read or written; the
            database is unchanged.
    """
    manifest = verify_archive(source)
    _require_supported(manifest, database)
    key = _read_member(source, f"{SECRETS}/{SIGNING_KEY}")
    _require_same_key(settings, key, replace=replace)
    if not database.is_sqlite:
        await check_restorable(database, manifest.database)
    if replace:
        await _require_closed(settings, database)
    elif not await is_empty(database):
        raise RestoreRefused(
            "the database here is not empty: add --replace, or name another by DATABASE_URL or DATA_DIR"
        )
    create_private_folder(settings.data_dir)
    try:
        with prevent_serving(database):
            count = await _restore_content(settings, database, pictures, source, manifest)
    except ShopIsOpen:
        raise RestoreRefused("a shop is open on this database: stop every process of it first") from None
    return RestoreResult(manifest.made_at, count)


async def restore_from_store(
    settings: Settings, database: Database, pictures: PictureStore, source: BackupStore, *, replace: bool
) -> RestoreResult:
    """Download a backup of a store and restore it: the selected backup, or the newest one if none is selected.

    Raises:
        BackupNotFound, StoreUnavailable: there is no backup, or it cannot be downloaded. Nothing was changed.
        DamagedBackup, RestoreRefused, ClientProgramError, PicturesUnavailable, DatabaseUnavailable, OSError: see
            `restore`.
    """
    name = await find_newest_backup(source)
    with TemporaryDirectory(prefix=WORK_FOLDER_PREFIX) as folder:
        file = Path(folder) / name
        await source.fetch(name, file)
        return await restore(settings, database, pictures, file, replace=replace)


def _require_supported(manifest: Manifest, database: Database) -> None:
    """Check that this version can use everything in the backup.

    Raises:
        DamagedBackup: a file does not belong in a backup, or is missing.
        RestoreRefused: the backup is of another kind of database, or of an unknown revision.
    """
    for name in manifest.files:
        if not _NAMES.fullmatch(name) or ".." in name.split("/"):
            raise DamagedBackup(f"{name[:100]!r} does not belong in a backup")
    description = manifest.database
    if description.get("kind") != database_kind(database):
        raise RestoreRefused(
            f"the backup is of {description.get('kind')}, and the database here is {database_kind(database)}"
        )
    if not has_revision(str(description.get("revision"))):
        raise RestoreRefused(
            "the backup was made by a later version of Trompo, or by one from before the baseline "
            f"(revision {description.get('revision')})"
        )
    file = SQLITE_FILE if database.is_sqlite else DUMP_FILE
    needed = {f"{FOLDER}/{file}", f"{SECRETS}/{SIGNING_KEY}"}
    if missing := needed - manifest.files.keys():
        raise DamagedBackup(f"{min(missing)} is missing")


def _require_same_key(settings: Settings, key: bytes, *, replace: bool) -> None:
    """Check that the links in e-mails that the backed-up shop sent will work in the restored shop.

    Raises:
        RestoreRefused: SECRET_KEY is not the backup's key; or it is not set, the data folder contains another
            key, and `replace` is False.
    """
    given = settings.secret_key.get_secret_value()
    if given:
        if given.encode() != key:
            raise RestoreRefused(
                "SECRET_KEY here is not the backup's, so no link in a sent mail would open: set it to what "
                f"`tar -xOf FILE {SECRETS}/{SIGNING_KEY}` prints, or leave it unset"
            )
        return
    file = settings.data_dir / SIGNING_KEY
    if file.is_file() and file.read_bytes().strip() != key and not replace:
        raise RestoreRefused(
            f"{file} is the key of another shop: add --replace, or name another place by DATA_DIR"
        )


async def _require_closed(settings: Settings, database: Database) -> None:
    """Check that no shop is running with this database or on this port.

    Raises:
        RestoreRefused: a shop is running, or seems to be running.
    """
    if await is_in_use(database):
        raise RestoreRefused("another client is connected to the database: stop every replica first")
    try:
        _reader, writer = await asyncio.open_connection("127.0.0.1", settings.port)
    except OSError:
        return
    writer.close()
    raise RestoreRefused(f"a shop is open on port {settings.port}: stop it first, or set PORT to another one")


async def _restore_content(
    settings: Settings, database: Database, pictures: PictureStore, source: Path, manifest: Manifest
) -> int:
    """Restore everything in the backup. Return the number of picture files that were missing and were added."""
    parent = Path(str(database.url.database)).parent if database.is_sqlite else settings.data_dir
    with work_folder(parent) as work:
        files: dict[str, Path] = {}
        private_files: dict[str, bytes] = {}
        count = 0
        for name, content in read_members(source):
            folder, _, rest = name.partition("/")
            if folder == FOLDER:
                files[name] = work / rest
                _extract_file(content, files[name])
            elif folder == PICTURES:
                count += _add_picture(pictures, rest, content)
            elif name != MANIFEST:
                private_files[name] = content.read()
        async with hold_opening_lock(database):
            await restore_database(database, manifest.database, files)
    _write_private_files(settings.data_dir, private_files)
    return count


def _read_member(source: Path, member_name: str) -> bytes:
    return next(content.read() for name, content in read_members(source) if name == member_name)


def _extract_file(content: ArchiveMember, file: Path) -> None:
    with file.open("wb") as out:
        while piece := content.read(CHUNK_BYTES):
            out.write(piece)


def _add_picture(pictures: PictureStore, name: str, content: ArchiveMember) -> bool:
    """Store the picture if it does not exist. Return True if it was stored."""
    if pictures.has_picture(name):
        return False
    pictures.put(name, content.read())
    return True


def _write_private_files(data_dir: Path, private_files: dict[str, bytes]) -> None:
    for name, content in private_files.items():
        folder, _, rest = name.partition("/")
        file = data_dir / (rest if folder == SECRETS else f"{CUSTOM_TEMPLATES_FOLDER}/{rest}")
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.is_file():
            if file.read_bytes() == content:
                continue
            file.rename(previous_file_path(file))
        file.touch(mode=0o600)
        file.write_bytes(content)
