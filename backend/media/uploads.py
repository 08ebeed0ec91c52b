"""Uploads of pictures: check their content, convert them to the widths that pages request, and store them.

A product's video is uploaded in the same way, and stored unchanged (`backend.media.videos`).

Each process converts one picture at a time, outside the event loop, so that large pictures leave memory and
processor time to the shoppers. A picture is named by its content, so sending the same picture twice gives the same
URL. Pictures that no product uses are deleted after some days (`backend.operations.tidy.orphan_pictures`); a
picture that is sent again counts as new.
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
from backend.media.brand_pictures import build_brand_picture
from backend.media.picture_store import URL, PictureStore, PicturesUnavailable
from backend.media.picture_widths import build_uploaded_picture, parse_uploaded_picture
from backend.media.videos import (
    HEAD_BYTES,
    UnusableVideo,
    detect_video_type,
    looks_like_video,
    parse_video_url,
)
from backend.staff.rights import Actor, Right

MAX_FILES = 10
MAX_FILE_BYTES = 15 << 20
MAX_UPLOAD_BYTES = MAX_FILES * MAX_FILE_BYTES + (64 << 10)
"""Maximum size of one request: the files and the multipart headers."""
RECEIVE_TIMEOUT_S = 300.0
"""Timeout in seconds for receiving a request: ten pictures over a slow line."""
MAX_STAFF_REQUESTS = 6
"""Maximum number of staff requests that are processed or wait at the same time.

Each may use `MAX_UPLOAD_BYTES` of disk.
"""
MAX_CUSTOMER_REQUESTS = 3
"""Maximum number of concurrent requests of customers. It is separate, so that slow customers do not block staff."""
MAX_CLIENT_REQUESTS = 2
"""Maximum number of concurrent requests of one client, so that other customers find a free slot."""
RETRY_AFTER_S = 3
BUSY = "Others are sending pictures: try again"
CONVERSION_TIMEOUT_S = 60.0
"""Timeout in seconds for converting a request's pictures, including the wait."""
FILE_ID_PREFIX = "file"
"""Prefix of an upload's id; the digest of its content follows."""
DIGEST_BYTES = 8
"""Number of bytes of the digest in an upload's id."""
MAX_SINGLE_WIDTH = 1280
"""Maximum width in pixels of a picture that is stored as a single file."""
MAX_NAME_CHARS = 100
"""Maximum number of characters of a file's name in a message."""
HEIC_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"})
"""Brands that follow `ftyp` in HEIC files of telephones."""

T = TypeVar("T")

log = logging.getLogger(__name__)


class PictureRefused(InvalidData):
    """The file is not a picture that the shop can use. `reason` is the machine-readable cause."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason

    def body(self) -> dict[str, Any]:
        """Return the error as JSON, with the reason as its code."""
        return {**super().body(), "code": self.reason}


@dataclass(frozen=True, slots=True)
class SentFile:
    """An uploaded file. The sender's claims about it are not trusted.

    Attributes:
        name: the sender's file name, for display only.
        size: in bytes.
        content: a temporary file.
    """

    name: str
    size: int
    content: BinaryIO


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A stored picture or video: its id, and the URL of the video or of the picture's widest file."""

    id: str
    url: str


class PictureUploads:
    """Converts uploaded files and stores them."""

    def __init__(self, pictures: PictureStore, max_video_bytes: int) -> None:
        self._pictures = pictures
        self.max_video_bytes = max_video_bytes
        self._staff_slots = MAX_STAFF_REQUESTS
        self._customer_requests: Counter[str] = Counter()
        self._maker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="pictures")

    @contextmanager
    def reserve_catalog_slot(self, actor: Actor) -> Iterator[None]:
        """Reserve a slot for one catalogue upload, before the upload is read.

        Raises:
            TooManyRequests: all slots are in use.
        """
        actor.require(Right.CHANGE_CATALOG)
        with self.reserve_staff_slot():
            yield

    @contextmanager
    def reserve_staff_slot(self) -> Iterator[None]:
        """Reserve a slot for an upload by staff.

        The caller has checked the rights of the staff member.

        Raises:
            TooManyRequests: all slots are in use.
        """
        if not self._staff_slots:
            raise TooManyRequests(BUSY, retry_after=RETRY_AFTER_S)
        self._staff_slots -= 1
        try:
            yield
        finally:
            self._staff_slots += 1

    @contextmanager
    def reserve_customer_slot(self, client: str) -> Iterator[None]:
        """Reserve a slot for a form of the customer at the IP address `client`.

        The caller has checked that the customer may send the form.

        Raises:
            TooManyRequests: all slots, or those of this client, are in use.
        """
        if (
            self._customer_requests.total() >= MAX_CUSTOMER_REQUESTS
            or self._customer_requests[client] >= MAX_CLIENT_REQUESTS
        ):
            raise TooManyRequests(BUSY, retry_after=RETRY_AFTER_S)
        self._customer_requests[client] += 1
        try:
            yield
        finally:
            self._customer_requests[client] -= 1
            if not self._customer_requests[client]:
                del self._customer_requests[client]

    async def store(self, actor: Actor, files: Sequence[SentFile]) -> list[UploadedFile]:
        """Convert and store these pictures, in their order; videos are stored unchanged.

        Raises:
            PictureRefused: one of the files cannot be used. The files before it stay stored, and are deleted later
                as unused.
            PicturesUnavailable: the store refuses the files, or does not store them in time.
        """
        actor.require(Right.CHANGE_CATALOG)
        return await self._convert_each(self._store_picture_or_video, files, self.max_video_bytes)

    async def store_unchecked(self, files: Sequence[SentFile]) -> list[UploadedFile]:
        """Convert and store pictures for a job or a customer; the caller has checked the rights.

        Raises:
            PictureRefused, PicturesUnavailable: see `store`.
        """
        return await self._convert_each(self._store_picture, files)

    async def store_brand_picture(self, actor: Actor, file: SentFile) -> UploadedFile:
        """Convert a picture to a logo and icons, and store them. An SVG is rendered first.

        Raises:
            PictureRefused, PicturesUnavailable: see `store`.
        """
        actor.require(Right.CHANGE_BRAND)
        [stored] = await self._convert_each(self._store_brand_picture, [file])
        return stored

    async def find(self, file_id: str) -> UploadedFile | None:
        """Return the picture or video with this id, as `store` returned it; None if it does not exist.

        Raises:
            PicturesUnavailable: the store does not answer.
        """
        digest = file_id.removeprefix(f"{FILE_ID_PREFIX}_")
        if digest == file_id:
            return None
        for name in await self._pictures.list_names(digest):
            url = f"{URL}/{name}"
            if parse_uploaded_picture(url) or parse_video_url(url):  # the widest file of a picture
                return UploadedFile(file_id, url)
        return None

    async def convert_to_webp(self, files: Sequence[SentFile]) -> list[bytes]:
        """Convert each file to one WebP of at most `MAX_SINGLE_WIDTH` pixels width. Nothing is stored.

        Raises:
            PictureRefused: one of the files cannot be used.
            PicturesUnavailable: the files were not converted in time.
        """
        return await self._convert_each(_encode_single_webp, files)

    async def _convert_each(
        self,
        make: Callable[[SentFile], T],
        files: Sequence[SentFile],
        max_video_bytes: int = MAX_FILE_BYTES,
    ) -> list[T]:
        for file in files:
            most = max_video_bytes if looks_like_video(_read_head(file)) else MAX_FILE_BYTES
            if file.size > most:
                raise PictureRefused(
                    f"{_format_file_name(file.name)} is larger than {most >> 20} MiB", "too_many_bytes"
                )
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CONVERSION_TIMEOUT_S):
                return [await loop.run_in_executor(self._maker, make, file) for file in files]
        except TimeoutError:
            log.warning("pictures were not converted within %s seconds", CONVERSION_TIMEOUT_S)
            raise PicturesUnavailable("the pictures were not made in time") from None

    def stop(self) -> None:
        """Stop accepting files, and cancel the conversions that have not started."""
        self._maker.shutdown(wait=False, cancel_futures=True)

    def _store_picture(self, file: SentFile) -> UploadedFile:
        """Convert one picture and store its files. Existing files are stored again, so that they count as new."""
        from backend.media.picture_processing import (
            encode_all_widths,
            measure_picture,
            open_picture,
        )  # loads the library

        content = _read_content(file)
        digest = blake2b(content, digest_size=DIGEST_BYTES).hexdigest()
        with _translate_errors(file, content), open_picture(BytesIO(content)) as image:
            shape = measure_picture(image)
            prepared = build_uploaded_picture(digest, shape.width, shape.height)
            names = {width: url.removeprefix(f"{URL}/") for url, width in prepared.sources}
            for width, picture in encode_all_widths(image, shape):
                self._pictures.put(names[width], picture)
        return UploadedFile(f"{FILE_ID_PREFIX}_{digest}", prepared.url)

    def _store_brand_picture(self, file: SentFile) -> UploadedFile:
        from backend.media.brand_picture_processing import (
            encode_icons,
            encode_logo,
            read_brand_picture,
            scale_logo,
        )  # loads the library
        from backend.media.svg_rendering import looks_like_svg, render_svg

        content = _read_content(file)
        digest = blake2b(content, digest_size=DIGEST_BYTES).hexdigest()
        with _translate_errors(file, content):
            is_svg = looks_like_svg(content)
            image = read_brand_picture(render_svg(content) if is_svg else content)
            logo = scale_logo(image)
            prepared = build_brand_picture(digest, logo.width, logo.height)
            webp, png = encode_logo(logo)
            files = {prepared.url: webp, prepared.png: png}
            files |= {prepared.icon(kind): icon for kind, icon in encode_icons(image)}
        for url, picture in files.items():
            self._pictures.put(url.removeprefix(f"{URL}/"), picture)
        return UploadedFile(f"{FILE_ID_PREFIX}_{digest}", prepared.url)

    def _store_picture_or_video(self, file: SentFile) -> UploadedFile:
        return self._store_video(file) if looks_like_video(_read_head(file)) else self._store_picture(file)

    def _store_video(self, file: SentFile) -> UploadedFile:
        """Store a video. If the same video was stored before, write it again under its first name."""
        try:
            kind = detect_video_type(file.content)
        except UnusableVideo as error:
            raise PictureRefused(f"{_format_file_name(file.name)} {error}", error.reason) from error
        digest = _compute_digest(file.content)
        known = [
            name for name in self._pictures.list_names_blocking(digest) if parse_video_url(f"{URL}/{name}")
        ]
        name = known[0] if known else f"{digest}/video-{now():%Y%m%d}.{kind}"
        file.content.seek(0)
        self._pictures.put(name, file.content)
        return UploadedFile(f"{FILE_ID_PREFIX}_{digest}", f"{URL}/{name}")


def _read_head(file: SentFile) -> bytes:
    file.content.seek(0)
    return file.content.read(HEAD_BYTES)


def _compute_digest(content: BinaryIO) -> str:
    """Return the digest that names a file, read chunk by chunk."""
    digest = blake2b(digest_size=DIGEST_BYTES)
    content.seek(0)
    while piece := content.read(1 << 20):
        digest.update(piece)
    return digest.hexdigest()


def _encode_single_webp(file: SentFile) -> bytes:
    from backend.media.picture_processing import (
        encode_one_width,
        measure_picture,
        open_picture,
    )  # loads the library

    content = _read_content(file)
    with _translate_errors(file, content), open_picture(BytesIO(content)) as image:
        return encode_one_width(image, measure_picture(image), MAX_SINGLE_WIDTH)


def _read_content(file: SentFile) -> bytes:
    file.content.seek(0)
    return file.content.read()


@contextmanager
def _translate_errors(file: SentFile, content: bytes) -> Iterator[None]:
    """Convert an unusable picture into a `PictureRefused` that names the file."""
    from backend.media.picture_processing import PictureFault, UnusablePicture  # loads the library

    try:
        yield
    except UnusablePicture as error:
        fault, message = error.fault, str(error)
        if fault is PictureFault.NO_PICTURE and content[4:8] == b"ftyp" and content[8:12] in HEIC_BRANDS:
            fault, message = PictureFault.HEIC, "is in HEIC, which cannot be read here: send it as JPEG"
        raise PictureRefused(f"{_format_file_name(file.name)} {message}", fault) from error


def _format_file_name(name: str) -> str:
    """Return a file's name for a message."""
    return "".join(letter if letter.isprintable() else "�" for letter in name[:MAX_NAME_CHARS]) or "The file"
