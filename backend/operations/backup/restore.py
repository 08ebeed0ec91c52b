"""`trompo restore`: a shop made of a copy, in an empty place unless told otherwise.

The whole copy is looked through first. Then its pictures come, which replace nothing; then the database, whole or not
at all, brought to today's revision; then the secrets.
"""

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from backend.core.config.settings import Settings
from backend.core.config.values import private_folder
from backend.core.db.database import Database
from backend.mail.rendering import OWN_TEMPLATES
from backend.media.picture_store import PictureStore
from backend.migrations.runner import knows
from backend.operations.backup.archive import MANIFEST, PIECE, Damaged, Manifest, Member, members, verify
from backend.operations.backup.backup import (
    PICTURES,
    REVALIDATE_SECRET,
    SECRETS,
    SIGNING_KEY,
    TEMPLATES,
    WORK,
    work_folder,
)
from backend.operations.backup.database_backup import (
    FOLDER,
    SQLITE_FILE,
    before,
    is_empty,
    is_in_use,
    kind_of,
    restore_database,
)
from backend.operations.backup.postgresql_dump import DUMP_FILE, check_restorable
from backend.operations.backup.storage import CopyStore, newest_copy
from backend.operations.opening.database_lock import ShopIsOpen, alone, closed

_NAMES = re.compile(
    rf"{FOLDER}/[\w.-]+|{PICTURES}/(?:[^/]+/)*[^/]+|{SECRETS}/(?:{SIGNING_KEY}|{REVALIDATE_SECRET})"
    rf"|{TEMPLATES}/(?!\.)[^/]+"
)


class CannotRestore(Exception):
    """The copy does not fit here. Nothing was touched. The message is one line."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored: the moment it shows, and how many files of pictures came that were not there."""

    made_at: str
    pictures: int


async def restore(
    settings: Settings, database: Database, pictures: PictureStore, source: Path, *, replace: bool
) -> Restored:
    """Make this place the shop that the copy shows.

    Args:
        settings: this place's. The folder of its data is made.
        database: this place's.
        pictures: this place's.
        source: the copy.
        replace: put it in the place of what is here. An SQLite file and secrets that were here stay beside it.

    Raises:
        Damaged: the file is not a whole copy. Nothing was touched.
        CannotRestore: see there.
        ClientProgramError, PicturesUnavailable, DatabaseUnavailable, OSError: something cannot be read or written; the
            database is as it was.
    """
    manifest = verify(source)
    _require_known(manifest, database)
    key = _content_of(source, f"{SECRETS}/{SIGNING_KEY}")
    _require_same_key(settings, key, replace=replace)
    if not database.is_sqlite:
        await check_restorable(database, manifest.database)
    if replace:
        await _require_closed(settings, database)
    elif not await is_empty(database):
        raise CannotRestore(
            "the database here is not empty: say --replace, or name another by DATABASE_URL or DATA_DIR"
        )
    private_folder(settings.data_dir)
    try:
        with closed(database):
            count = await _bring(settings, database, pictures, source, manifest)
    except ShopIsOpen:
        raise CannotRestore("a shop is open on this database: stop every process of it first") from None
    return Restored(manifest.made_at, count)


async def restore_from_store(
    settings: Settings, database: Database, pictures: PictureStore, source: CopyStore, *, replace: bool
) -> Restored:
    """The same with a copy in a store: the one it names, or the newest. It is downloaded first.

    Raises:
        NoCopy, StoreUnavailable: there is none, or it cannot be had. Nothing was touched.
        Damaged, CannotRestore, ClientProgramError, PicturesUnavailable, DatabaseUnavailable, OSError: see `restore`.
    """
    name = await newest_copy(source)
    with TemporaryDirectory(prefix=WORK) as folder:
        file = Path(folder) / name
        await source.fetch(name, file)
        return await restore(settings, database, pictures, file, replace=replace)


def _require_known(manifest: Manifest, database: Database) -> None:
    """Check that the copy holds what this version can use.

    Raises:
        Damaged, CannotRestore: see there.
    """
    for name in manifest.files:
        if not _NAMES.fullmatch(name) or ".." in name.split("/"):
            raise Damaged(f"{name[:100]!r} is nothing that a copy holds")
    said = manifest.database
    if said.get("kind") != kind_of(database):
        raise CannotRestore(
            f"the copy is of {said.get('kind')}, and the database here is {kind_of(database)}"
        )
    if not knows(str(said.get("revision"))):
        raise CannotRestore(
            "the copy was made by a later version of Trompo, or by one from before the baseline "
            f"(revision {said.get('revision')})"
        )
    file = SQLITE_FILE if database.is_sqlite else DUMP_FILE
    needed = {f"{FOLDER}/{file}", f"{SECRETS}/{SIGNING_KEY}"}
    if missing := needed - manifest.files.keys():
        raise Damaged(f"{min(missing)} is missing")


def _require_same_key(settings: Settings, key: bytes, *, replace: bool) -> None:
    """Check that links in mails that were sent will open here.

    Raises:
        CannotRestore: another signing key is set here, or lies in the data folder and may not be replaced.
    """
    given = settings.secret_key.get_secret_value()
    if given:
        if given.encode() != key:
            raise CannotRestore(
                "SECRET_KEY here is not the copy's, so no link in a mail that was sent would open: set it to what "
                f"`tar -xOf FILE {SECRETS}/{SIGNING_KEY}` prints, or leave it unset"
            )
        return
    file = settings.data_dir / SIGNING_KEY
    if file.is_file() and file.read_bytes().strip() != key and not replace:
        raise CannotRestore(
            f"{file} is the key of another shop: say --replace, or name another place by DATA_DIR"
        )


async def _require_closed(settings: Settings, database: Database) -> None:
    """Check that no shop is open in this place.

    Raises:
        CannotRestore: one is, or seems to be.
    """
    if await is_in_use(database):
        raise CannotRestore("somebody is connected to the database: stop every replica first")
    try:
        _reader, writer = await asyncio.open_connection("127.0.0.1", settings.port)
    except OSError:
        return
    writer.close()
    raise CannotRestore(f"a shop is open on port {settings.port}: stop it first, or set PORT to another one")


async def _bring(
    settings: Settings, database: Database, pictures: PictureStore, source: Path, manifest: Manifest
) -> int:
    """Bring all that the copy holds. Returns how many files of pictures were not there."""
    beside = Path(str(database.url.database)).parent if database.is_sqlite else settings.data_dir
    with work_folder(beside) as work:
        files: dict[str, Path] = {}
        small: dict[str, bytes] = {}
        count = 0
        for name, content in members(source):
            folder, _, rest = name.partition("/")
            if folder == FOLDER:
                files[name] = work / rest
                _extract(content, files[name])
            elif folder == PICTURES:
                count += _put(pictures, rest, content)
            elif name != MANIFEST:
                small[name] = content.read()
        async with alone(database):
            await restore_database(database, manifest.database, files)
    _write_own(settings.data_dir, small)
    return count


def _content_of(source: Path, wanted: str) -> bytes:
    return next(content.read() for name, content in members(source) if name == wanted)


def _extract(content: Member, file: Path) -> None:
    with file.open("wb") as out:
        while piece := content.read(PIECE):
            out.write(piece)


def _put(pictures: PictureStore, name: str, content: Member) -> bool:
    """Whether the picture was not there."""
    if pictures.has(name):
        return False
    pictures.put(name, content.read())
    return True


def _write_own(data_dir: Path, small: dict[str, bytes]) -> None:
    for name, content in small.items():
        folder, _, rest = name.partition("/")
        file = data_dir / (rest if folder == SECRETS else f"{OWN_TEMPLATES}/{rest}")
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.is_file():
            if file.read_bytes() == content:
                continue
            file.rename(before(file))
        file.touch(mode=0o600)
        file.write_bytes(content)
