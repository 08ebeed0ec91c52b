"""`trompo backup`: write the data of a running shop into one file.

The file contains the database with orders and personal data, the pictures, the signing key and other secrets, and
the shop's own mail templates. Only its owner can read it.
"""

import shutil
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

from backend.core.config.settings import Settings
from backend.core.config.values import create_private_folder
from backend.core.db.database import Database, database_now
from backend.mail.rendering import CUSTOM_TEMPLATES_FOLDER
from backend.media.picture_store import PictureStore
from backend.operations.backup.archive import ArchiveWriter, Manifest
from backend.operations.backup.database_backup import NotMigrated, back_up_database, is_empty
from backend.operations.backup.models import Backup
from backend.operations.backup.storage import SUFFIX, BackupStore

PICTURES, SECRETS, TEMPLATES = "pictures", "secrets", "mail-templates"
"""Folders of the archive, in addition to that of the database."""
SIGNING_KEY, REVALIDATE_SECRET = "secret_key", "revalidate_secret"
"""Names of the secrets, also used for their files in the data folder."""
WORK_FOLDER_PREFIX = ".trompo-copy-"
STALE_FOLDER_AGE_S = 24 * 60 * 60
"""Age in seconds after which a working folder is considered abandoned."""


@dataclass(frozen=True, slots=True)
class CompletedBackup:
    """A completed backup: its file, its size in bytes, and its number of picture files."""

    path: Path
    """The file, or its name in the store."""
    size: int
    pictures: int


async def make_backup(
    settings: Settings, database: Database, pictures: PictureStore, target: Path | BackupStore
) -> CompletedBackup:
    """Write a backup of the shop into one file.

    Args:
        settings: the shop's settings.
        database: the shop's database.
        pictures: the shop's picture store.
        target: a file that does not exist yet, or a folder; in a folder the file's name is the time of the backup.
            For a file or folder of an S3 store, the file is first written into the data folder.

    Raises:
        FileExistsError: the file exists already.
        NotMigrated: the database has no tables of a shop.
        ClientProgramError, PicturesUnavailable, StoreUnavailable, DatabaseUnavailable, OSError: data cannot be read
            or written. No file remains.
    """
    if await is_empty(database):
        raise NotMigrated
    async with database.read() as session:
        moment = await database_now(session)
    name = f"trompo-{moment.astimezone(UTC):%Y%m%d-%H%M%S}{SUFFIX}"
    shop = _BackupSource(settings, database, pictures, moment)
    if isinstance(target, BackupStore):
        made = await _upload_archive(shop, target, name)
    else:
        path = _free_path(target, name)
        with work_folder(path.parent) as work:
            made = await _write_archive(shop, path, work)
    async with database.transaction() as session:
        session.add(Backup(made_at=moment, size=made.size))
    return made


class _BackupSource(NamedTuple):
    """The settings, database and pictures to back up, and the time of the backup."""

    settings: Settings
    database: Database
    pictures: PictureStore
    moment: datetime


async def _write_archive(shop: _BackupSource, file: Path, work: Path) -> CompletedBackup:
    """Write all data of the shop into the archive `file`, and return the completed backup."""
    with closing(ArchiveWriter(file, work / "archive.part")) as writer:
        backup = await back_up_database(shop.database, work)
        for name, part in backup.files.items():
            writer.add_file(name, part)
            part.unlink()
        count = await _add_pictures(writer, shop.pictures)
        for name, content in _read_private_files(shop.settings):
            writer.add(name, content)
        size = writer.finish(Manifest(shop.moment.isoformat(), backup.description, writer.files))
    return CompletedBackup(file, size, count)


async def _upload_archive(shop: _BackupSource, store: BackupStore, usual_name: str) -> CompletedBackup:
    """Write the archive into the data folder, then upload it to the store.

    Raises:
        FileExistsError: the store has a file with this name.
    """
    name = store.name or usual_name
    if await store.has(name):
        raise FileExistsError(f"{name} is there already")
    create_private_folder(shop.settings.data_dir)
    with work_folder(shop.settings.data_dir) as work:
        made = await _write_archive(shop, work / name, work)
        await store.put(name, made.path, made.size)
    return replace(made, path=Path(name))


def _free_path(target: Path, name: str) -> Path:
    file = target / name if target.is_dir() else target
    if file.exists():
        raise FileExistsError(f"{file} is there already")
    return file


@contextmanager
def work_folder(parent: Path) -> Iterator[Path]:
    """Create a private working folder and delete it at the end. Also delete abandoned working folders."""
    for abandoned in parent.glob(f"{WORK_FOLDER_PREFIX}*"):
        if time.time() - abandoned.stat().st_mtime > STALE_FOLDER_AGE_S:
            shutil.rmtree(abandoned, ignore_errors=True)
    work = Path(mkdtemp(prefix=WORK_FOLDER_PREFIX, dir=parent))
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


async def _add_pictures(writer: ArchiveWriter, pictures: PictureStore) -> int:
    count = 0
    async for some in pictures.iter_pictures():
        for picture in some:
            found = await pictures.get(picture.name)
            if found is not None:  # a picture that was deleted in the meantime is not used any more
                writer.add(f"{PICTURES}/{picture.name}", found.content)
                count += 1
    return count


def _read_private_files(settings: Settings) -> Iterator[tuple[str, bytes]]:
    """Yield the signing key, the mail templates and, if the data folder has one, the revalidation secret."""
    yield f"{SECRETS}/{SIGNING_KEY}", settings.signing_key.encode()
    other = settings.data_dir / REVALIDATE_SECRET
    if other.is_file():
        yield f"{SECRETS}/{REVALIDATE_SECRET}", other.read_bytes()
    for file in sorted((settings.data_dir / CUSTOM_TEMPLATES_FOLDER).glob("*")):
        if file.is_file():
            yield f"{TEMPLATES}/{file.name}", file.read_bytes()
