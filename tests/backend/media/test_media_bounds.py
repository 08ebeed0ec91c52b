"""Pictures and videos that are made to cost time or memory are refused before they do.

| file | outcome |
|---|---|
| JPEG of thousands of scans | refused before it is decoded |
| 100 million pixels in a few KiB | refused by its head |
| EXIF whose values overlap to gigabytes | the picture is made, the values are not read |
| MP4 of millions of boxes | refused after 10,000 |
"""

import tracemalloc
from io import BytesIO
from pathlib import Path

import pytest

from backend.media import picture_processing
from backend.media.picture_processing import Fault, UnusablePicture, made_at, opened, shape_of
from backend.media.videos import MAX_BOXES, MP4, UnusableVideo, kind_of
from tests.attacks import bombs

MIB = 1 << 20


def make(content: bytes) -> bytes:
    with opened(BytesIO(content)) as image:
        return made_at(image, shape_of(image), 320)


def test_jpeg_of_too_many_scans_is_refused(tmp_path: Path) -> None:
    content = bombs.progressive_scans()
    with pytest.raises(UnusablePicture) as refused:
        make(content)
    assert refused.value.fault is Fault.DAMAGED
    file = tmp_path / "foto.jpg"
    file.write_bytes(content)
    with pytest.raises(UnusablePicture), opened(file):
        pass


def test_progressive_jpeg_is_made() -> None:
    content = bombs.picture("JPEG", (400, 300), progressive=True)
    assert 1 < content.count(picture_processing.SCAN) < picture_processing.MAX_SCANS
    assert make(content)


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_too_many_pixels_are_refused(kind: str) -> None:
    with pytest.raises(UnusablePicture) as refused:
        make(bombs.large_picture(kind))
    assert refused.value.fault is Fault.TOO_LARGE


@pytest.mark.filterwarnings("ignore:Tag data larger than file")
def test_overlapping_values_of_exif_are_not_read() -> None:
    content = bombs.overlapping_exif()
    tracemalloc.start()
    try:
        assert make(content)
        assert tracemalloc.get_traced_memory()[1] < 64 * MIB
    finally:
        tracemalloc.stop()


def test_video_of_too_many_boxes_is_refused() -> None:
    with pytest.raises(UnusableVideo) as refused:
        kind_of(BytesIO(bombs.many_boxes()))
    assert refused.value.reason == "damaged"


def test_fragmented_video_is_taken() -> None:
    moov = b"\0\0\0\x0cmoovavc1"
    assert kind_of(BytesIO(bombs.many_boxes(MAX_BOXES - 2) + moov)) == MP4
