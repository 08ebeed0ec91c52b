"""`trompo backup`: database, pictures, secrets and the shop's own mail templates in one file, while the shop runs.

The file holds the signing key, people's data and their orders. Only its owner can read it.
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
from backend.core.config.values import private_folder
from backend.core.db.database import Database, database_now
from backend.mail.rendering import OWN_TEMPLATES
from backend.media.picture_store import PictureStore
from backend.operations.backup.archive import Manifest, Writer
from backend.operations.backup.database_backup import NotMigrated, copy_database, is_empty
from backend.operations.backup.models import Backup
from backend.operations.backup.storage import SUFFIX, CopyStore

PICTURES, SECRETS, TEMPLATES = "pictures", "secrets", "mail-templates"
"""What names in the archive begin with, beside those of the database."""
SIGNING_KEY, REVALIDATE_SECRET = "secret_key", "revalidate_secret"
"""Names of secrets: those of their files in the data folder, too."""
WORK = ".trompo-copy-"
STALE = 24 * 60 * 60
"""Seconds after which a folder to work in was left behind."""


@dataclass(frozen=True, slots=True)
class Made:
    """A copy: its bytes, and how many files of pictures it holds."""

    path: Path
    """The file; of one in a store, its name there."""
    size: int
    pictures: int


async def make_backup(
    settings: Settings, database: Database, pictures: PictureStore, target: Path | CopyStore
) -> Made:
    """Copy the shop into a file.

    Args:
        pictures: the shop's.
        target: the file, which must not be there; or a folder, where its name tells the moment. The same in a store:
            then the file is made in the data folder first.

    Raises:
        FileExistsError: there is such a file.
        NotMigrated: the database is not that of a shop.
        ClientProgramError, PicturesUnavailable, StoreUnavailable, DatabaseUnavailable, OSError: something cannot be
            read or written. Nothing is left.
    """
    if await is_empty(database):
        raise NotMigrated
    async with database.read() as session:
        moment = await database_now(session)
    name = f"trompo-{moment.astimezone(UTC):%Y%m%d-%H%M%S}{SUFFIX}"
    shop = _Shop(settings, database, pictures, moment)
    if isinstance(target, CopyStore):
        made = await _send(shop, target, name)
    else:
        path = _free_place(target, name)
        with work_folder(path.parent) as work:
            made = await _write(shop, path, work)
    async with database.transaction() as session:
        session.add(Backup(made_at=moment, size=made.size))
    return made


class _Shop(NamedTuple):
    """What is copied, and the moment that its copy tells."""

    settings: Settings
    database: Database
    pictures: PictureStore
    moment: datetime


async def _write(shop: _Shop, file: Path, work: Path) -> Made:
    """Write the archive."""
    with closing(Writer(file, work / "archive.part")) as writer:
        copy = await copy_database(shop.database, work)
        for name, part in copy.files.items():
            writer.add_file(name, part)
            part.unlink()
        count = await _add_pictures(writer, shop.pictures)
        for name, content in _own_files(shop.settings):
            writer.add(name, content)
        size = writer.finish(Manifest(shop.moment.isoformat(), copy.said, writer.files))
    return Made(file, size, count)


async def _send(shop: _Shop, store: CopyStore, usual_name: str) -> Made:
    """Write the archive into the data folder, and send it from there.

    Raises:
        FileExistsError: the store has a file with this name.
    """
    name = store.name or usual_name
    if await store.has(name):
        raise FileExistsError(f"{name} is there already")
    private_folder(shop.settings.data_dir)
    with work_folder(shop.settings.data_dir) as work:
        made = await _write(shop, work / name, work)
        await store.put(name, made.path, made.size)
    return replace(made, path=Path(name))


def _free_place(target: Path, name: str) -> Path:
    file = target / name if target.is_dir() else target
    if file.exists():
        raise FileExistsError(f"{file} is there already")
    return file


@contextmanager
def work_folder(beside: Path) -> Iterator[Path]:
    """A folder that only we can enter, removed in the end; and so are those that were left behind."""
    for left in beside.glob(f"{WORK}*"):
        if time.time() - left.stat().st_mtime > STALE:
            shutil.rmtree(left, ignore_errors=True)
    work = Path(mkdtemp(prefix=WORK, dir=beside))
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


async def _add_pictures(writer: Writer, pictures: PictureStore) -> int:
    count = 0
    async for some in pictures.listed():
        for picture in some:
            found = await pictures.get(picture.name)
            if found is not None:  # deleted meanwhile: nothing names it
                writer.add(f"{PICTURES}/{picture.name}", found.content)
                count += 1
    return count


def _own_files(settings: Settings) -> Iterator[tuple[str, bytes]]:
    """The signing key, wherever it comes from; the other secret where the data folder has one; the mail templates."""
    yield f"{SECRETS}/{SIGNING_KEY}", settings.signing_key.encode()
    other = settings.data_dir / REVALIDATE_SECRET
    if other.is_file():
        yield f"{SECRETS}/{REVALIDATE_SECRET}", other.read_bytes()
    for file in sorted((settings.data_dir / OWN_TEMPLATES).glob("*")):
        if file.is_file():
            yield f"{TEMPLATES}/{file.name}", file.read_bytes()
