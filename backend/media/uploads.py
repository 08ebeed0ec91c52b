"""Pictures that staff send: checked by their content, made into the widths that pages ask for, and stored.

A product's video comes the same way, and is stored as it is (`backend.media.videos`).

One is made at a time in each process, beside the event loop, so that a few large ones take neither its memory nor its
processors from those who buy. A picture is named by its content: sent twice it has one address. What no product names
is deleted after some days (`backend.operations.tidy.orphan_pictures`); what is sent again counts as new.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from io import BytesIO
from typing import Any, BinaryIO, TypeVar

from backend.core.clock import now
from backend.core.errors import InvalidData, TooManyRequests
from backend.media.picture_store import URL, PictureStore, PicturesUnavailable
from backend.media.picture_widths import prepared_upload, uploaded_at
from backend.media.videos import HEAD, UnusableVideo, kind_of, looks_like_video, video_at
from backend.staff.rights import Actor, Right

MOST_FILES = 10
MOST_FILE_BYTES = 15 << 20
MOST_BYTES = MOST_FILES * MOST_FILE_BYTES + (64 << 10)
"""Of one request: the files, and what is written around them."""
READ_WITHIN = 300.0
"""Seconds until the whole request is there: ten pictures over a slow line."""
AT_ONCE = 6
"""Requests of the staff that are read or wait at the same time; each may have `MOST_BYTES` on the disk."""
BUYERS_AT_ONCE = 3
"""The same of buyers: however slowly they send, the staff's places stay free."""
OF_ONE_CLIENT = 2
"""Of those, so many of one client, so that another buyer's form finds a place."""
RETRY_AFTER = 3
BUSY = "Others are sending pictures: try again"
MADE_WITHIN = 60.0
"""Seconds for a request's pictures once they are there, waiting included."""
FILE = "file"
"""What the id of an upload begins with; the digest of its content follows."""
DIGEST = 8
"""Bytes of that digest."""
WIDEST_ALONE = 1280
"""Pixels of a picture that is kept as one file."""
LONGEST_NAME = 100
"""Letters of a file's name that are shown."""
HEIC = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"})
"""What a file that a telephone made in HEIC says after `ftyp`."""

T = TypeVar("T")

log = logging.getLogger(__name__)


class PictureRefused(InvalidData):
    """A file is no picture that the shop can use. `reason` tells programs why."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason

    def body(self) -> dict[str, Any]:
        """The error as JSON, with the reason as its code."""
        return {**super().body(), "code": self.reason}


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file as it was sent. Nothing that the sender says of it is believed.

    Attributes:
        name: as the sender calls it; only shown.
        size: its bytes.
        content: a temporary file.
    """

    name: str
    size: int
    content: BinaryIO


@dataclass(frozen=True, slots=True)
class Uploaded:
    """A stored picture: its id, and the address of its widest file."""

    id: str
    url: str


class PictureUploads:
    """Takes pictures into the store."""

    def __init__(self, pictures: PictureStore, most_video_bytes: int) -> None:
        self._pictures = pictures
        self.most_video_bytes = most_video_bytes
        self._places = AT_ONCE
        self._buyers: Counter[str] = Counter()
        self._maker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="pictures")

    @contextmanager
    def place(self, actor: Actor) -> Iterator[None]:
        """A place for one request, before anything of it is read.

        Raises:
            TooManyRequests: others take all places.
        """
        actor.require(Right.CHANGE_CATALOG)
        with self.room():
            yield

    @contextmanager
    def room(self) -> Iterator[None]:
        """The same for pictures that are no product's; the caller knows who of the staff asks.

        Raises:
            TooManyRequests: others take all places.
        """
        if not self._places:
            raise TooManyRequests(BUSY, retry_after=RETRY_AFTER)
        self._places -= 1
        try:
            yield
        finally:
            self._places += 1

    @contextmanager
    def buyers_room(self, client: str) -> Iterator[None]:
        """A place for a form of a buyer, whose client is at this address; that they may send it is known to the caller.

        Raises:
            TooManyRequests: others take all places, or this client has its own.
        """
        if self._buyers.total() >= BUYERS_AT_ONCE or self._buyers[client] >= OF_ONE_CLIENT:
            raise TooManyRequests(BUSY, retry_after=RETRY_AFTER)
        self._buyers[client] += 1
        try:
            yield
        finally:
            self._buyers[client] -= 1
            if not self._buyers[client]:
                del self._buyers[client]

    async def store(self, actor: Actor, files: Sequence[SentFile]) -> list[Uploaded]:
        """Make these files into pictures, and store them, in their order; videos as they are.

        Raises:
            PictureRefused: one of them cannot be used. Those before it are stored, and deleted later like any that
                nothing names.
            PicturesUnavailable: the store does not take them, or not in time.
        """
        actor.require(Right.CHANGE_CATALOG)
        return await self._each(self._picture_or_video, files, self.most_video_bytes)

    async def keep(self, files: Sequence[SentFile]) -> list[Uploaded]:
        """The same for a job, or for whoever is no staff; who has it done was checked by the caller.

        Raises:
            PictureRefused, PicturesUnavailable: see `store`.
        """
        return await self._each(self._make, files)

    async def find(self, file_id: str) -> Uploaded | None:
        """The picture or the video with this id, as `store` returned it; None where there is none, or no more.

        Raises:
            PicturesUnavailable: the store does not answer.
        """
        digest = file_id.removeprefix(f"{FILE}_")
        if digest == file_id:
            return None
        for name in await self._pictures.names_below(digest):
            url = f"{URL}/{name}"
            if uploaded_at(url) or video_at(url):  # the widest of a picture's files
                return Uploaded(file_id, url)
        return None

    async def as_webp(self, files: Sequence[SentFile]) -> list[bytes]:
        """These files as one WebP each, at most `WIDEST_ALONE` wide, for who keeps them out of the store.

        Raises:
            PictureRefused: one of them cannot be used.
            PicturesUnavailable: they were not made in time.
        """
        return await self._each(_make_alone, files)

    async def _each(
        self,
        make: Callable[[SentFile], T],
        files: Sequence[SentFile],
        most_video_bytes: int = MOST_FILE_BYTES,
    ) -> list[T]:
        for file in files:
            most = most_video_bytes if looks_like_video(_head(file)) else MOST_FILE_BYTES
            if file.size > most:
                raise PictureRefused(f"{_shown(file.name)} is larger than {most >> 20} MiB", "too_many_bytes")
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(MADE_WITHIN):
                return [await loop.run_in_executor(self._maker, make, file) for file in files]
        except TimeoutError:
            log.warning("pictures were not made within %s seconds", MADE_WITHIN)
            raise PicturesUnavailable("the pictures were not made in time") from None

    def stop(self) -> None:
        """Begin nothing more."""
        self._maker.shutdown(wait=False, cancel_futures=True)

    def _make(self, file: SentFile) -> Uploaded:
        """Make one picture's files and store them, those that are there already too: they count as new then."""
        from backend.media.picture_processing import made, opened, shape_of  # loads the library

        content = _content(file)
        digest = blake2b(content, digest_size=DIGEST).hexdigest()
        with _refusing(file, content), opened(BytesIO(content)) as image:
            shape = shape_of(image)
            prepared = prepared_upload(digest, shape.width, shape.height)
            names = {width: url.removeprefix(f"{URL}/") for url, width in prepared.sources}
            for width, picture in made(image, shape):
                self._pictures.put(names[width], picture)
        return Uploaded(f"{FILE}_{digest}", prepared.url)

    def _picture_or_video(self, file: SentFile) -> Uploaded:
        return self._keep_video(file) if looks_like_video(_head(file)) else self._make(file)

    def _keep_video(self, file: SentFile) -> Uploaded:
        """Store a video. Sent twice it keeps its first name, and counts as new."""
        try:
            kind = kind_of(file.content)
        except UnusableVideo as error:
            raise PictureRefused(f"{_shown(file.name)} {error}", error.reason) from error
        digest = _digest_of(file.content)
        known = [name for name in self._pictures.known_below(digest) if video_at(f"{URL}/{name}")]
        name = known[0] if known else f"{digest}/video-{now():%Y%m%d}.{kind}"
        file.content.seek(0)
        self._pictures.put(name, file.content)
        return Uploaded(f"{FILE}_{digest}", f"{URL}/{name}")


def _head(file: SentFile) -> bytes:
    file.content.seek(0)
    return file.content.read(HEAD)


def _digest_of(content: BinaryIO) -> str:
    """What names a file by its content, read piece by piece."""
    digest = blake2b(digest_size=DIGEST)
    content.seek(0)
    while piece := content.read(1 << 20):
        digest.update(piece)
    return digest.hexdigest()


def _make_alone(file: SentFile) -> bytes:
    from backend.media.picture_processing import made_at, opened, shape_of  # loads the library

    content = _content(file)
    with _refusing(file, content), opened(BytesIO(content)) as image:
        return made_at(image, shape_of(image), WIDEST_ALONE)


def _content(file: SentFile) -> bytes:
    file.content.seek(0)
    return file.content.read()


@contextmanager
def _refusing(file: SentFile, content: bytes) -> Iterator[None]:
    """Say of a file that cannot be used what is wrong with it."""
    from backend.media.picture_processing import Fault, UnusablePicture  # loads the library

    try:
        yield
    except UnusablePicture as error:
        fault, message = error.fault, str(error)
        if fault is Fault.NO_PICTURE and content[4:8] == b"ftyp" and content[8:12] in HEIC:
            fault, message = Fault.HEIC, "is in HEIC, which cannot be read here: send it as JPEG"
        raise PictureRefused(f"{_shown(file.name)} {message}", fault) from error


def _shown(name: str) -> str:
    """A file's name within a message."""
    return "".join(letter if letter.isprintable() else "�" for letter in name[:LONGEST_NAME]) or "The file"
