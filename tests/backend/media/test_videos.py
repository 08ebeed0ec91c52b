"""Videos of products: accepted formats, names, and range requests."""

from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path

import httpx
import pytest

from backend.app import Shop
from backend.catalog.storefront.page_content import product_detail
from backend.media import uploads as module
from backend.media.picture_server import PERMANENT_CACHING
from backend.media.uploads import PictureRefused, SentFile
from backend.media.videos import UnusableVideo, detect_video_type, parse_video_url
from backend.operations.table_registry import all_tables
from backend.operations.tidy import orphan_pictures as upkeep
from tests.backend.media.test_uploads import s3, send, shop, upload_refused, urls_of
from tests.store_steps import get, post

__all__ = ["s3", "shop"]

FOLDER = Path(__file__).parents[2] / "videos"
MP4, WEBM = (FOLDER / "trompo.mp4").read_bytes(), (FOLDER / "trompo.webm").read_bytes()


def pad(size: int) -> bytes:
    """Return the MP4, padded with an empty box to this size in bytes."""
    nothing = size - len(MP4)
    return MP4 + nothing.to_bytes(4, "big") + b"free" + b"\0" * (nothing - 8)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (MP4.replace(b"ftypisom", b"ftypqt  ", 1), "quicktime"),
        (MP4.replace(b"avc1", b"hvc1"), "codec"),
        (MP4[:-1], "damaged"),  # its final box is cut
        (MP4[:40], "damaged"),
        (MP4.replace(b"moov", b"mooo"), "damaged"),
        (MP4[:28] + b"\0\0\0\1free" + b"\0" * 8, "damaged"),  # a box shorter than its header
        (WEBM.replace(b"webm", b"mkv ", 1), "no_video"),
    ],
)
def test_video_that_not_every_browser_plays_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(UnusableVideo) as told:
        detect_video_type(BytesIO(content))
    assert told.value.reason == reason


@pytest.mark.parametrize("shop", ["folder", "s3"], indirect=True)
async def test_video_is_stored_unchanged_and_shown_on_the_product_page(
    admin: httpx.AsyncClient, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "now", lambda: datetime(2026, 11, 25, tzinfo=UTC))
    mp4, webm = await urls_of(admin, MP4, WEBM, name="foto.jpg")  # the file name is not used
    assert (Path(mp4).name, Path(webm).name) == ("video-20261125.mp4", "video-20261125.webm")
    monkeypatch.setattr(module, "now", lambda: datetime(2027, 1, 1, tzinfo=UTC))
    assert await urls_of(admin, MP4) == [mp4]
    file_id = "file_" + mp4.split("/")[2]
    assert (await get(admin, f"/admin/uploads/{file_id}"))["file"] == {"id": file_id, "url": mp4}
    for url, content in ((mp4, MP4), (webm, WEBM)):
        answer = await admin.get(url)
        assert (answer.status_code, answer.content) == (200, content)
        assert answer.headers["content-type"] == f"video/{url[-4:].lstrip('.')}"
        part = await admin.get(url, headers={"range": "bytes=5-9"})
        assert (part.status_code, part.content) == (206, content[5:10])

    toy = {"title": "Trompo", "price": 9000, "status": "published", "metadata": {"video": mp4}}
    product = (await post(admin, "/admin/products", toy))["product"]
    assert product["metadata"]["video"] == mp4
    async with shop.database.read() as session:
        detail = await product_detail(session, "trompo")
    assert detail.video == parse_video_url(mp4)
    assert detail.video is not None
    assert (detail.video.media_type, detail.video.day) == ("video/mp4", "2026-11-25")

    monkeypatch.setattr(upkeep, "MIN_AGE", timedelta(seconds=-5))
    tables = all_tables()
    gone = await upkeep.find_orphans(shop.database, shop.pictures, tables)
    assert [f"/pictures/{name}" for name in gone.names] == [webm]
    await admin.delete(f"/admin/products/{product['id']}")


@pytest.mark.parametrize(
    ("address", "is_one"),
    [
        ("/pictures/0123456789abcdef/video-20261125.mp4", True),
        ("/pictures/0123456789abcdef/video-20261325.mp4", False),  # no such day
        ("/pictures/0123456789abcdef/video-20261125.mov", False),
        ("https://elsewhere.example/pictures/0123456789abcdef/video-20261125.mp4", False),
        ("/pictures/0123456789abcdef/video-20261125.mp4?x", False),
        (None, False),
        (["/pictures/0123456789abcdef/video-20261125.mp4"], False),
    ],
)
def test_only_the_shops_own_videos_are_shown(address: object, is_one: bool) -> None:
    assert (parse_video_url(address) is not None) == is_one


async def test_too_large_video_is_refused_with_the_limit(admin: httpx.AsyncClient, shop: Shop) -> None:
    shop.uploads.max_video_bytes = 1 << 20
    assert await upload_refused(admin, pad((1 << 20) + 1)) == "too_many_bytes"
    assert "larger than 1 MiB" in (await send(admin, pad((1 << 20) + 1))).text
    (url,) = await urls_of(admin, pad(1 << 20))
    assert await upload_refused(admin, MP4.replace(b"avc1", b"hvc1")) == "codec"
    answer = await admin.get(url)
    assert (len(answer.content), answer.headers["content-length"]) == (1 << 20, str(1 << 20))


async def test_video_sent_by_a_customer_is_refused(shop: Shop) -> None:
    file = SentFile("v.mp4", len(MP4), BytesIO(MP4))
    for send_it in (shop.uploads.store_unchecked, shop.uploads.convert_to_webp):
        with pytest.raises(PictureRefused):
            await send_it([file])


@pytest.mark.parametrize("shop", ["folder"], indirect=True)
async def test_video_is_sent_in_requested_ranges(admin: httpx.AsyncClient) -> None:
    (url,) = await urls_of(admin, MP4)
    size = len(MP4)

    async def request_video(method: str = "GET", **headers: str) -> httpx.Response:
        return await admin.request(
            method, url, headers={name.replace("_", "-"): text for name, text in headers.items()}
        )

    whole = await request_video()
    tag, day = whole.headers["etag"], whole.headers["last-modified"]
    assert whole.headers["cache-control"] == PERMANENT_CACHING
    assert (whole.headers["accept-ranges"], whole.headers["content-length"]) == ("bytes", str(size))
    for header, start, end in (
        ("bytes=0-", 0, size),
        ("bytes=0-0", 0, 1),
        ("BYTES=10-19", 10, 20),
        (f"bytes={size - 1}-", size - 1, size),
        ("bytes=-7", size - 7, size),
        (f"bytes=-{size * 2}", 0, size),
        (f"bytes=100-{size * 2}", 100, size),
    ):
        for condition in ({}, {"if_range": tag}, {"if_range": day}):
            part = await request_video(range=header, **condition)
            assert (part.status_code, part.content) == (206, MP4[start:end]), header
            assert part.headers["content-range"] == f"bytes {start}-{end - 1}/{size}"
            assert (part.headers["content-length"], part.headers["etag"]) == (str(end - start), tag)
            assert (part.headers["content-type"], part.headers["cache-control"]) == (
                "video/mp4",
                PERMANENT_CACHING,
            )
    for header in (f"bytes={size}-", f"bytes={size}-{size + 5}", "bytes=-0"):
        none = await request_video(range=header)
        assert (none.status_code, none.headers["content-range"]) == (416, f"bytes */{size}")
        assert "immutable" not in none.headers["cache-control"]
    for header in ("bytes=-", "bytes=5-2", "bytes=0-1,4-5", "lines=0-1", "bytes=a-b", f"bytes={'9' * 30}-"):
        assert (await request_video(range=header)).status_code == 200, header
    assert (await request_video(range="bytes=0-1", if_range='"another"')).content == MP4
    for condition in ({"if_none_match": tag}, {"if_modified_since": day}):
        known = await request_video(range="bytes=0-1", **condition)
        assert (known.status_code, known.content) == (304, b"")
    head = await request_video("HEAD", range="bytes=0-1")
    assert (head.status_code, head.headers["content-length"], head.content) == (200, str(size), b"")
    assert (await request_video("POST")).status_code == 405
    assert (await admin.get(url.replace("video-", "video-1"))).status_code == 404
    assert (await admin.get("/pictures/0123456789abcdef/video-20261125.mp4")).status_code == 404


@pytest.mark.parametrize("shop", ["away"], indirect=True)
async def test_video_request_to_an_unavailable_store_returns_503(admin: httpx.AsyncClient) -> None:
    assert (await admin.get("/pictures/0123456789abcdef/video-20261125.mp4")).status_code == 503
    assert (await send(admin, MP4)).status_code == 503
