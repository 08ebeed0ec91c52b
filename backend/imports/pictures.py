"""Upload of an import's pictures, single or in a zip. Picture cells refer to them by their file names.

Each picture is checked and stored immediately, like all uploads of staff. A picture that no product uses after a
week is deleted. No file of a zip is written under its own name, and no member is unpacked beyond the maximum size
of a picture.
"""

import asyncio
import time
import unicodedata
import zipfile
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO

from sqlalchemy import func, select

from backend.core.archives import TooManyMembers, open_zip, require_safe
from backend.core.db.database import Database
from backend.core.errors import InvalidData
from backend.core.events import publish
from backend.imports.events import ImportProgressed
from backend.imports.lookup import find_open_import
from backend.imports.models import ProductImportPicture
from backend.imports.picture_matching import ENDINGS, folder_key, get_base_name, picture_key
from backend.imports.preview import preview_import
from backend.media.uploads import MAX_FILE_BYTES, PictureRefused, PictureUploads, SentFile
from backend.staff.rights import Actor, Right

MAX_ZIP_BYTES = 100 << 20
MAX_ZIP_MEMBERS = 2_000
MAX_PICTURES = 5_000
"""Maximum number of pictures of one import."""
REQUEST_TIME_S = 40.0
"""Maximum seconds of one request. The remaining pictures of a zip are processed when it is sent again."""
OTHER_ENDINGS = (".gif", ".bmp", ".tif", ".tiff", ".svg", ".heif", ".psd", ".pdf")
"""Endings of files in a zip that a row may name although the shop cannot use them."""
HIDDEN = ("__MACOSX/", ".")
SYSTEM_FILES = frozenset({"thumbs.db", "ehthumbs.db", "desktop.ini"})
"""Files that Windows adds to folders with pictures."""
MAX_NAME_LENGTH = 200
UTF8_FLAG = 0x800
"""Flag of a member whose name is UTF-8 (APPNOTE, 4.4.4)."""
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")


@dataclass(frozen=True, slots=True)
class PictureUploadResult:
    """Result of an upload of pictures.

    Attributes:
        taken: number of accepted pictures.
        refused: names of refused pictures, with the reason (`backend.imports.messages.PICTURE_TEXTS`).
        remaining_count: number of pictures of a zip that are not processed yet: the zip must be uploaded again.
    """

    taken: int
    refused: list[tuple[str, str]]
    remaining_count: int = 0


async def add_pictures(
    database: Database, uploads: PictureUploads, actor: Actor, import_id: str, sent: SentFile
) -> PictureUploadResult:
    """Add a picture, or a zip of pictures, to an import that was not started.

    Raises:
        NotFound: the import does not exist.
        NotAllowed: the import was started already.
        InvalidData: the zip cannot be read, or exceeds a limit; the message is one of
            `backend.imports.messages.ZIP_TEXTS`.
        PicturesUnavailable: the picture store is unavailable.
    """
    actor.require(Right.CHANGE_CATALOG)
    async with database.read() as session:
        await find_open_import(session, import_id)
    intake = PictureIntake(database, uploads, import_id)
    sent.content.seek(0)
    if sent.content.read(4) not in _ZIP:
        problem = await intake.add_picture(sent, "")
        return PictureUploadResult(
            int(not problem), [(sent.name[:MAX_NAME_LENGTH], problem)] if problem else []
        )
    if sent.size > MAX_ZIP_BYTES:
        raise InvalidData("zip too large")
    with closing(await asyncio.to_thread(_open_zip, sent.content)) as packed:
        taken = await intake.add_zip(packed)
    await preview_import(database, import_id)
    return taken


@dataclass(frozen=True, slots=True)
class PictureIntake:
    """Adds pictures to one import."""

    database: Database
    uploads: PictureUploads
    import_id: str

    async def add_zip(self, packed: zipfile.ZipFile) -> PictureUploadResult:
        """Add the pictures of a zip, for at most `REQUEST_TIME_S` seconds. Skip those that are stored already."""
        until = time.monotonic() + REQUEST_TIME_S
        stored_pictures = await self._read_stored()
        taken = left = 0
        refused: list[tuple[str, str]] = []
        seen: dict[str, str] = {}
        members = _list_members(packed)
        repeated = _find_repeated_names(members)
        for key in repeated:  # without its folder, the name may mean the picture of another product
            await self._store(key, "", "twice", "")
        for member, path in members:
            name = get_base_name(path)
            key = folder_key(path) if picture_key(name) in repeated else picture_key(name)
            checksum = _checksum(member)
            before = stored_pictures.get(key)
            if not name.lower().endswith((*ENDINGS, *OTHER_ENDINGS)):
                problem = "no_picture"
            elif key in repeated or seen.setdefault(key, checksum) != checksum:
                problem = "twice"
            elif before is not None and before[0] == checksum:
                problem = before[1]
            elif time.monotonic() > until:
                left += 1
                continue
            else:
                problem = await self._add_member(packed, member, key)
            if problem:
                refused.append((name[:MAX_NAME_LENGTH], problem))
            else:
                taken += 1
        return PictureUploadResult(taken, refused, left)

    async def add_picture(self, sent: SentFile, checksum: str, key: str = "") -> str:
        """Store a picture, and its row with this key; by default, the key is made from the file name.

        Return the code of the reason if the picture is refused, otherwise an empty text.
        """
        url = problem = ""
        try:
            (stored,) = await self.uploads.store_unchecked([sent])
            url = stored.url
        except PictureRefused as error:
            problem = error.reason
        await self._store(key or picture_key(sent.name), url, problem, checksum)
        return problem

    async def _store(self, name: str, url: str, problem: str, checksum: str) -> None:
        """Store the row of a picture. A refused picture gets a row, too, so that it is not reported as missing."""
        async with self.database.transaction() as session:
            await find_open_import(session, self.import_id, lock=True)
            picture = await session.get(ProductImportPicture, (self.import_id, name))
            if picture is None:
                counted = select(func.count()).where(ProductImportPicture.import_id == self.import_id)
                if (await session.execute(counted)).scalar_one() >= MAX_PICTURES:
                    raise InvalidData("zip too many")
                picture = ProductImportPicture(import_id=self.import_id, name=name)
            picture.url, picture.problem, picture.checksum = url, problem, checksum
            session.add(picture)
            await publish(session, ImportProgressed(self.import_id))

    async def _add_member(self, packed: zipfile.ZipFile, member: zipfile.ZipInfo, key: str) -> str:
        problem = "too_many_bytes"
        if member.file_size <= MAX_FILE_BYTES:
            try:
                unpacked = await asyncio.to_thread(_unpack_member, packed, member)
            except Exception:  # noqa: BLE001 - whatever the library raises for what is damaged, encrypted or packed oddly
                problem = "damaged"
            else:
                sent = SentFile(get_base_name(_member_path(member)), len(unpacked), BytesIO(unpacked))
                return await self.add_picture(sent, _checksum(member), key)
        await self._store(key, "", problem, _checksum(member))
        return problem

    async def _read_stored(self) -> dict[str, tuple[str, str]]:
        """Return checksum and problem of the stored pictures, by name."""
        columns = (ProductImportPicture.name, ProductImportPicture.checksum, ProductImportPicture.problem)
        query = select(*columns).where(ProductImportPicture.import_id == self.import_id)
        async with self.database.read() as session:
            return {name: (checksum, problem) for name, checksum, problem in await session.execute(query)}


def _open_zip(content: BinaryIO) -> zipfile.ZipFile:
    content.seek(0)
    try:
        return open_zip(content, MAX_ZIP_MEMBERS)
    except TooManyMembers:
        raise InvalidData("zip too many") from None
    except zipfile.BadZipFile:
        raise InvalidData("zip damaged") from None


def _list_members(packed: zipfile.ZipFile) -> list[tuple[zipfile.ZipInfo, str]]:
    """Return the zip's files with their paths, without folders and hidden files."""
    members = [(member, _member_path(member)) for member in packed.infolist()]
    return [
        (member, path)
        for member, path in members
        if not (
            member.is_dir()
            or member.filename.startswith(HIDDEN[0])
            or get_base_name(path).startswith(HIDDEN[1])
            or get_base_name(path).lower() in SYSTEM_FILES
        )
    ]


def _find_repeated_names(members: Sequence[tuple[zipfile.ZipInfo, str]]) -> set[str]:
    """Return the keys of the file names that two or more different pictures share, in different folders."""
    checksums: dict[str, set[str]] = {}
    for member, path in members:
        if path.lower().endswith(ENDINGS):
            checksums.setdefault(picture_key(path), set()).add(_checksum(member))
    return {key for key, some in checksums.items() if len(some) > 1}


def _checksum(member: zipfile.ZipInfo) -> str:
    return f"{member.CRC:08x}-{member.file_size}"


def _member_path(member: zipfile.ZipInfo) -> str:
    """Return the path of a file in a zip, with `/` between folders.

    `zipfile` decodes a name without the UTF-8 flag as cp437. Finder (macOS) writes UTF-8 without this flag, and
    Windows cp850, so such a name is decoded again.
    """
    name = member.filename
    if not member.flag_bits & UTF8_FLAG:
        raw = name.encode("cp437", "replace")
        for encoding in ("utf-8", "cp850", "cp437"):
            with suppress(UnicodeDecodeError):
                name = raw.decode(encoding)
                break
    return unicodedata.normalize("NFC", name.replace("\\", "/"))


def _unpack_member(packed: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    require_safe(member)
    with packed.open(member) as file:
        return file.read(MAX_FILE_BYTES + 1)
