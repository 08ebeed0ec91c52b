"""Pictures of an import: sent one by one or packed into a zip, known by their files' names.

Each is checked and made into the shop's store at once, like any that staff send; what no product names after a week is
deleted. Nothing of a zip is written under a name of its own, and no member is unpacked beyond what a picture may have.
"""

import asyncio
import time
import zipfile
from contextlib import closing
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO

from sqlalchemy import func, select

from backend.core.archives import TooManyMembers, open_zip, require_safe
from backend.core.db.database import Database
from backend.core.errors import InvalidData
from backend.core.events import publish
from backend.imports.events import ImportMoved
from backend.imports.lookup import find_open_import
from backend.imports.models import ProductImportPicture
from backend.imports.picture_matching import key_of
from backend.imports.preview import look
from backend.media.uploads import MOST_FILE_BYTES, PictureRefused, PictureUploads, SentFile
from backend.staff.rights import Actor, Right

MOST_ZIP_BYTES = 100 << 20
MOST_MEMBERS = 2_000
MOST_PICTURES = 5_000
"""Of an import."""
WITHIN = 40.0
"""Seconds of a request; what is left of a zip is taken when it is sent again."""
ENDINGS = (".jpg", ".jpeg", ".png", ".webp", ".avif", ".heic")
HIDDEN = ("__MACOSX/", ".")
LONGEST_NAME = 200
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")


@dataclass(frozen=True, slots=True)
class TakenPictures:
    """What came of what was sent.

    Attributes:
        taken: how many pictures are there.
        refused: the names of those that cannot be used, and why (`backend.imports.messages.PICTURES`).
        left: how many of a zip are still to be made: it is sent again.
    """

    taken: int
    refused: list[tuple[str, str]]
    left: int = 0


async def add_pictures(
    database: Database, uploads: PictureUploads, actor: Actor, import_id: str, sent: SentFile
) -> TakenPictures:
    """Take a picture, or a zip of pictures, for an import that is not begun.

    Raises:
        NotFound: there is no such import.
        NotAllowed: it was begun already.
        InvalidData: it is a zip that cannot be read, or exceeds a bound; its message is one of
            `backend.imports.messages.ZIPS`.
        PicturesUnavailable: the store does not take them.
    """
    actor.require(Right.CHANGE_CATALOG)
    async with database.read() as session:
        await find_open_import(session, import_id)
    intake = Intake(database, uploads, import_id)
    sent.content.seek(0)
    if sent.content.read(4) not in _ZIP:
        problem = await intake.take(sent, "")
        return TakenPictures(int(not problem), [(sent.name[:LONGEST_NAME], problem)] if problem else [])
    if sent.size > MOST_ZIP_BYTES:
        raise InvalidData("zip too large")
    with closing(await asyncio.to_thread(_opened, sent.content)) as packed:
        taken = await intake.unpack(packed)
    await look(database, import_id)
    return taken


@dataclass(frozen=True, slots=True)
class Intake:
    """Takes pictures for one import."""

    database: Database
    uploads: PictureUploads
    import_id: str

    async def unpack(self, packed: zipfile.ZipFile) -> TakenPictures:
        """Take the pictures of a zip, for `WITHIN` seconds; those that are there already are not made again."""
        until = time.monotonic() + WITHIN
        known = await self._known()
        taken = left = 0
        refused: list[tuple[str, str]] = []
        seen: dict[str, str] = {}
        for member in packed.infolist():
            name = _name_in(member)
            if member.is_dir() or member.filename.startswith(HIDDEN[0]) or name.startswith(HIDDEN[1]):
                continue
            checksum = f"{member.CRC:08x}-{member.file_size}"
            before = known.get(key_of(name))
            if not name.lower().endswith(ENDINGS):
                problem = "no_picture"
            elif seen.setdefault(key_of(name), checksum) != checksum:
                problem = "twice"
            elif before is not None and before[0] == checksum:
                problem = before[1]
            elif time.monotonic() > until:
                left += 1
                continue
            else:
                problem = await self._take_member(packed, member, checksum)
            if problem:
                refused.append((name[:LONGEST_NAME], problem))
            else:
                taken += 1
        return TakenPictures(taken, refused, left)

    async def take(self, sent: SentFile, checksum: str) -> str:
        """Make a picture and keep which it is; why it is refused, or nothing."""
        url = problem = ""
        try:
            (stored,) = await self.uploads.keep([sent])
            url = stored.url
        except PictureRefused as error:
            problem = error.reason
        name = key_of(sent.name)
        async with self.database.transaction() as session:
            await find_open_import(session, self.import_id, lock=True)
            picture = await session.get(ProductImportPicture, (self.import_id, name))
            if picture is None:
                counted = select(func.count()).where(ProductImportPicture.import_id == self.import_id)
                if (await session.execute(counted)).scalar_one() >= MOST_PICTURES:
                    raise InvalidData("zip too many")
                picture = ProductImportPicture(import_id=self.import_id, name=name)
            picture.url, picture.problem, picture.checksum = url, problem, checksum
            session.add(picture)
            await publish(session, ImportMoved(self.import_id))
        return problem

    async def _take_member(self, packed: zipfile.ZipFile, member: zipfile.ZipInfo, checksum: str) -> str:
        if member.file_size > MOST_FILE_BYTES:
            return "too_many_bytes"
        try:
            unpacked = await asyncio.to_thread(_unpacked, packed, member)
        except Exception:  # noqa: BLE001 - whatever the library raises for what is damaged, encrypted or packed oddly
            return "damaged"
        return await self.take(SentFile(_name_in(member), len(unpacked), BytesIO(unpacked)), checksum)

    async def _known(self) -> dict[str, tuple[str, str]]:
        """By the names of the pictures that are there, their checksum and what is wrong with them."""
        columns = (ProductImportPicture.name, ProductImportPicture.checksum, ProductImportPicture.problem)
        query = select(*columns).where(ProductImportPicture.import_id == self.import_id)
        async with self.database.read() as session:
            return {name: (checksum, problem) for name, checksum, problem in await session.execute(query)}


def _opened(content: BinaryIO) -> zipfile.ZipFile:
    content.seek(0)
    try:
        return open_zip(content, MOST_MEMBERS)
    except TooManyMembers:
        raise InvalidData("zip too many") from None
    except zipfile.BadZipFile:
        raise InvalidData("zip damaged") from None


def _name_in(member: zipfile.ZipInfo) -> str:
    """The file's own name: folders, and what leads out of them, mean nothing here."""
    return member.filename.replace("\\", "/").rpartition("/")[2]


def _unpacked(packed: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    require_safe(member)
    with packed.open(member) as file:
        return file.read(MOST_FILE_BYTES + 1)
