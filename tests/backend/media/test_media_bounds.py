"""Pictures and videos that are made to cost time or memory are refused early.

| file | outcome |
|---|---|
| JPEG with thousands of scans | refused before it is decoded |
| 100 million pixels in a few KiB | refused by its header |
| EXIF whose values overlap to gigabytes | the picture is converted, the values are not read |
| MP4 with millions of boxes | refused after 10,000 |
"""

import tracemalloc
from io import BytesIO
from pathlib import Path

import pytest

from backend.media import picture_processing
from backend.media.picture_processing import (
    PictureFault,
    UnusablePicture,
    encode_one_width,
    measure_picture,
    open_picture,
)
from backend.media.videos import MAX_BOXES, MP4, UnusableVideo, detect_video_type
from tests.attacks import bombs

MIB = 1 << 20


def convert(content: bytes) -> bytes:
    with open_picture(BytesIO(content)) as image:
        return encode_one_width(image, measure_picture(image), 320)


def test_jpeg_with_too_many_scans_is_refused(tmp_path: Path) -> None:
    content = bombs.progressive_scans()
    with pytest.raises(UnusablePicture) as refused:
        convert(content)
    assert refused.value.fault is PictureFault.DAMAGED
    file = tmp_path / "foto.jpg"
    file.write_bytes(content)
    with pytest.raises(UnusablePicture), open_picture(file):
        pass


def test_progressive_jpeg_is_converted() -> None:
    content = bombs.picture("JPEG", (400, 300), progressive=True)
    assert 1 < content.count(picture_processing.SCAN_MARKER) < picture_processing.MAX_SCANS
    assert convert(content)


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_picture_with_too_many_pixels_is_refused(kind: str) -> None:
    with pytest.raises(UnusablePicture) as refused:
        convert(bombs.large_picture(kind))
    assert refused.value.fault is PictureFault.TOO_LARGE


@pytest.mark.filterwarnings("ignore:Tag data larger than file")
def test_overlapping_exif_values_of_a_picture_are_not_read() -> None:
    content = bombs.overlapping_exif()
    tracemalloc.start()
    try:
        assert convert(content)
        assert tracemalloc.get_traced_memory()[1] < 64 * MIB
    finally:
        tracemalloc.stop()


def test_video_with_too_many_boxes_is_refused() -> None:
    with pytest.raises(UnusableVideo) as refused:
        detect_video_type(BytesIO(bombs.many_boxes()))
    assert refused.value.reason == "damaged"


def test_fragmented_video_is_accepted() -> None:
    moov = b"\0\0\0\x0cmoovavc1"
    assert detect_video_type(BytesIO(bombs.many_boxes(MAX_BOXES - 2) + moov)) == MP4
