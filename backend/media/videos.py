"""A product's video: a file of the shop's own, kept as it was sent. Nothing here decodes one.

The product's metadata names it by its address, which tells of what kind it is and on which day (UTC) it first came:
`/pictures/{digest}/video-{day}.mp4`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, BinaryIO

from backend.media.picture_store import URL

VIDEO = "video"
"""The key of a product's metadata."""
MP4, WEBM = "mp4", "webm"
_NAME = re.compile(rf"{URL}/[0-9a-f]{{16}}/video-([0-9]{{8}})\.({MP4}|{WEBM})")

EBML = b"\x1a\x45\xdf\xa3"
"""What WebM and Matroska begin with (RFC 8794)."""
PICTURES = frozenset(
    {b"avif", b"avis", b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"}
)
"""Brands of files that begin as an MP4 does and are pictures (ISO/IEC 23008-12)."""
QUICKTIME = b"qt  "
CODECS = (b"avc1", b"avc3", b"av01", b"vp08", b"vp09")
"""What every browser of today shows. A telephone that films in HEVC (`hvc1`, `hev1`) has a setting for that."""
MOST_MOOV_BYTES = 16 << 20
MAX_BOXES = 10_000
"""At the top level of an MP4; one that is made for streaming in fragments has a few thousand."""
HEAD = 64
"""Bytes that tell what a file is."""


class UnusableVideo(ValueError):
    """It cannot be used. `reason` is for programs; the message continues a sentence with the file's name."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class VideoView:
    """A video as pages show it. `day`: when it came, in ISO 8601."""

    url: str
    media_type: str
    day: str


def video_at(url: object) -> VideoView | None:
    """The video at this address; None for anything that is no address of a video of the shop's own."""
    found = _NAME.fullmatch(url) if isinstance(url, str) else None
    if found is None:
        return None
    try:
        day = date.fromisoformat(found[1])
    except ValueError:
        return None
    return VideoView(found[0], f"video/{found[2]}", day.isoformat())


def video_of(metadata: Mapping[str, Any]) -> VideoView | None:
    """The video that a product's metadata names."""
    return video_at(metadata.get(VIDEO))


def looks_like_video(head: bytes) -> bool:
    """Whether a file that begins so is meant as a video, usable or not."""
    return head.startswith(EBML) or (head[4:8] == b"ftyp" and head[8:12] not in PICTURES)


def kind_of(content: BinaryIO) -> str:
    """`MP4` or `WEBM`.

    Raises:
        UnusableVideo: it is neither, part of it is missing, or not every browser shows it.
    """
    content.seek(0)
    head = content.read(HEAD)
    if head.startswith(EBML):
        if b"webm" not in head:
            raise UnusableVideo("no_video", "is no WebM: send it as MP4")
        return WEBM
    if head[8:12] == QUICKTIME:
        raise UnusableVideo("quicktime", "is a QuickTime film: send it as MP4")
    moov = _moov(content)
    if not any(codec in moov for codec in CODECS):
        raise UnusableVideo("codec", "is not in H.264, VP9 or AV1, which every browser shows")
    return MP4


def _moov(content: BinaryIO) -> bytes:
    """The box of an MP4 that says what is in it (ISO/IEC 14496-12).

    Raises:
        UnusableVideo: there is none, or a box is longer than the file.
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
        if header[4:8] == b"moov" and length <= MOST_MOOV_BYTES:
            content.seek(at)
            moov = content.read(length)
        at += length
    if not moov or at < size:
        raise UnusableVideo("damaged", "is damaged or incomplete")
    return moov
