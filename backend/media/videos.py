"""Videos of products: files of the shop, stored unchanged. This module does not decode them.

The product's metadata has the video's URL, which contains the format and the day (UTC) of the first upload:
`/pictures/{digest}/video-{day}.mp4`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, BinaryIO

from backend.media.picture_store import URL

VIDEO_KEY = "video"
"""The key in a product's metadata."""
MP4, WEBM = "mp4", "webm"
_NAME = re.compile(rf"{URL}/[0-9a-f]{{16}}/video-([0-9]{{8}})\.({MP4}|{WEBM})")

EBML = b"\x1a\x45\xdf\xa3"
"""First bytes of WebM and Matroska files (RFC 8794)."""
PICTURE_BRANDS = frozenset(
    {b"avif", b"avis", b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"}
)
"""Brands of pictures whose files begin like an MP4 (ISO/IEC 23008-12)."""
QUICKTIME = b"qt  "
CODECS = (b"avc1", b"avc3", b"av01", b"vp08", b"vp09")
"""Codecs that all current browsers play. Telephones that record HEVC (`hvc1`, `hev1`) have a setting for H.264."""
MAX_MOOV_BYTES = 16 << 20
MAX_BOXES = 10_000
"""Maximum number of top-level boxes of an MP4. A file that is fragmented for streaming has a few thousand."""
HEAD_BYTES = 64
"""Number of first bytes that are enough to recognise a file's format."""


class UnusableVideo(ValueError):
    """The video cannot be used.

    `reason` is the machine-readable cause; the message continues a sentence that begins with the file's name.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class VideoView:
    """A video for display. `day` is the ISO 8601 date of its first upload."""

    url: str
    media_type: str
    day: str


def parse_video_url(url: object) -> VideoView | None:
    """Return the video at this URL; None if it is not the URL of one of the shop's videos."""
    found = _NAME.fullmatch(url) if isinstance(url, str) else None
    if found is None:
        return None
    try:
        day = date.fromisoformat(found[1])
    except ValueError:
        return None
    return VideoView(found[0], f"video/{found[2]}", day.isoformat())


def find_product_video(metadata: Mapping[str, Any]) -> VideoView | None:
    """Return the video that a product's metadata names."""
    return parse_video_url(metadata.get(VIDEO_KEY))


def looks_like_video(head: bytes) -> bool:
    """Return True if a file with these first bytes is a video, even if the shop cannot use it."""
    return head.startswith(EBML) or (head[4:8] == b"ftyp" and head[8:12] not in PICTURE_BRANDS)


def detect_video_type(content: BinaryIO) -> str:
    """Return `MP4` or `WEBM`.

    Raises:
        UnusableVideo: the file is neither, is incomplete, or has a codec that not every browser plays.
    """
    content.seek(0)
    head = content.read(HEAD_BYTES)
    if head.startswith(EBML):
        if b"webm" not in head:
            raise UnusableVideo("no_video", "is no WebM: send it as MP4")
        return WEBM
    if head[8:12] == QUICKTIME:
        raise UnusableVideo("quicktime", "is a QuickTime film: send it as MP4")
    moov = _read_moov(content)
    if not any(codec in moov for codec in CODECS):
        raise UnusableVideo("codec", "is not in H.264, VP9 or AV1, which every browser shows")
    return MP4


def _read_moov(content: BinaryIO) -> bytes:
    """Return the `moov` box of an MP4, which describes its content (ISO/IEC 14496-12).

    Raises:
        UnusableVideo: there is no `moov` box, or a box is longer than the file.
    """
    size, at, moov = content.seek(0, 2), 0, b""
    for _box in range(MAX_BOXES):
        if at >= size:
            break
        content.seek(at)
        header = content.read(16)
        length, head = int.from_bytes(header[:4], "big"), 8
        if length == 1:
            length, head = int.from_bytes(header[8:16], "big"), 16
        elif length == 0:
            length = size - at
        if length < head or at + length > size:
            raise UnusableVideo("damaged", "is damaged or incomplete")
        if header[4:8] == b"moov" and length <= MAX_MOOV_BYTES:
            content.seek(at)
            moov = content.read(length)
        at += length
    if not moov or at < size:
        raise UnusableVideo("damaged", "is damaged or incomplete")
    return moov
