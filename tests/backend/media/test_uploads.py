"""`POST /admin/uploads`: conversion of pictures, and refusal of invalid files."""

import asyncio
import struct
import threading
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from PIL import Image, ImageCms, ImageOps
from pydantic import SecretStr
from sqlalchemy import select

from backend.app import Shop
from backend.catalog.models import Picture
from backend.core.config.settings import Settings
from backend.core.errors import Forbidden
from backend.media import uploads as module
from backend.media.picture_processing import ORIENTATION_TAG
from backend.media.picture_store import PictureStore
from backend.media.picture_widths import parse_uploaded_picture
from backend.media.uploads import MAX_FILES, MAX_STAFF_REQUESTS
from backend.staff.rights import Actor, Role
from tests.s3_server import KEY_ID, create_bucket, s3_server
from tests.store_steps import get, post, read_ok

PATH = "/admin/uploads"
OWNER = Actor("user_1", Role.OWNER)
GPS = 0x8825
HEIC = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + b"\0" * 200
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    with s3_server() as server:
        yield server


@pytest.fixture
async def shop(request: pytest.FixtureRequest, sqlite_url: str, tmp_path: Path) -> AsyncIterator[Shop]:
    """Return a shop whose pictures are in a folder or, by the test's parameter, in `s3` or `away` (unavailable)."""
    match getattr(request, "param", "folder"):
        case "s3":
            url = create_bucket(request.getfixturevalue("s3"))
        case "away":
            url = f"http://{KEY_ID}:hush@127.0.0.1:9/toys"  # no server listens there
        case _:
            url = ""
    settings = Settings(data_dir=tmp_path / "data", database_url=sqlite_url, pictures_url=SecretStr(url))
    shop = Shop(settings)
    yield shop
    await shop.stop()


def picture(kind: str = "JPEG", size: tuple[int, int] = (1200, 900), mode: str = "RGB", **save: Any) -> bytes:
    content = BytesIO()
    Image.new(mode, size, "red").save(content, kind, **save)
    return content.getvalue()


def png(width: int, height: int, *chunks: tuple[bytes, bytes]) -> bytes:
    """Return a PNG that claims this size, with these chunks."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    inside = b"".join(chunk(kind, data) for kind, data in chunks)
    end = chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + inside + end


async def send(client: httpx.AsyncClient, *contents: bytes, name: str = "foto.jpg") -> httpx.Response:
    return await client.post(PATH, files=[("files", (name, content, "image/jpeg")) for content in contents])


async def urls_of(client: httpx.AsyncClient, *contents: bytes, **how: str) -> list[str]:
    answer = await read_ok(await send(client, *contents, **how))
    return [file["url"] for file in answer["files"]]


async def open_image(client: httpx.AsyncClient, url: str) -> Image.Image:
    answer = await client.get(url)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/webp")
    return Image.open(BytesIO(answer.content))


async def upload_refused(client: httpx.AsyncClient, content: bytes, **how: str) -> str:
    """Upload a picture that must be refused. Return the error code."""
    answer = await send(client, content, **how)
    assert (answer.status_code, answer.json()["type"]) == (400, "invalid_data"), answer.text
    code: str = answer.json()["code"]
    return code


@pytest.mark.parametrize("shop", ["folder", "s3"], indirect=True)
async def test_picture_is_stored_in_all_widths_and_used_by_a_product(
    admin: httpx.AsyncClient, shop: Shop
) -> None:
    first, second = await urls_of(admin, picture(), picture("PNG", (400, 700)))
    assert Path(first).name == "foto-960x720-960.webp"
    assert Path(second).name == "foto-320x560-320.webp"
    assert await urls_of(admin, picture(), name="otra.png") == [first]
    toy = {"title": "Trompo", "price": 9000, "images": [{"url": first}, {"url": second}]}
    await post(admin, "/admin/products", toy)
    async with shop.database.read() as session:
        rows = (await session.execute(select(Picture).order_by(Picture.rank))).scalars().all()
    assert [(row.width, row.height) for row in rows] == [(960, 720), (320, 560)]
    assert [source["width"] for source in rows[0].sources] == [160, 320, 640, 960]
    for source in [*rows[0].sources, *rows[1].sources]:
        assert (await open_image(admin, source["url"])).width == source["width"]


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "AVIF"])
async def test_picture_format_is_detected_from_the_content(admin: httpx.AsyncClient, kind: str) -> None:
    (url,) = await urls_of(admin, picture(kind), name="dibujo.svg")
    assert (await open_image(admin, url)).size == (960, 720)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA"])
async def test_all_colour_modes_are_converted(admin: httpx.AsyncClient, mode: str) -> None:
    content = BytesIO()
    Image.new("RGBA", (640, 640), (0, 0, 0, 0)).convert(mode).save(content, "PNG")
    (url,) = await urls_of(admin, content.getvalue())
    shown = (await open_image(admin, url)).convert("RGB").getpixel((320, 320))
    assert shown == ((255, 255, 255) if mode in {"LA", "P", "RGBA"} else (0, 0, 0))


async def test_16_bit_grey_picture_is_converted(admin: httpx.AsyncClient) -> None:
    scan = BytesIO()
    Image.linear_gradient("L").resize((640, 640)).convert("I").point(lambda grey: grey * 257).convert(
        "I;16"
    ).save(scan, "PNG")
    (url,) = await urls_of(admin, scan.getvalue())
    shown = (await open_image(admin, url)).convert("L")
    greys = [shown.getpixel((320, y)) for y in (40, 320, 600)]
    assert [abs(grey - wanted) < 6 for grey, wanted in zip(greys, (16, 128, 239), strict=True)] == [True] * 3  # type: ignore[operator]


async def test_camera_metadata_is_removed(admin: httpx.AsyncClient) -> None:
    exif = Image.Exif()
    exif[0x010F] = "Telephone"
    exif.get_ifd(GPS)[2] = (4.0, 35.0, 56.0)
    sent = picture(exif=exif, comment=b"Calle 26")
    assert Image.open(BytesIO(sent)).getexif().get_ifd(GPS)
    (url,) = await urls_of(admin, sent)
    shown = await open_image(admin, url)
    assert not shown.getexif()
    assert not {"exif", "xmp", "icc_profile", "comment"} & shown.info.keys()


@pytest.mark.parametrize("orientation", range(1, 9))
async def test_rotated_picture_is_turned_upright(admin: httpx.AsyncClient, orientation: int) -> None:
    corners = Image.new("RGB", (1300, 700), "white")
    corners.paste("red", (0, 0, 650, 350))
    corners.paste("blue", (650, 0, 1300, 350))
    content = BytesIO()
    exif = Image.Exif()
    exif[ORIENTATION_TAG] = orientation
    corners.save(content, "JPEG", exif=exif)
    (url,) = await urls_of(admin, content.getvalue())
    shown = (await open_image(admin, url)).convert("RGB")
    right = ImageOps.exif_transpose(Image.open(content)).resize(shown.size)
    for x, y in ((0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)):
        place = int(x * shown.width), int(y * shown.height)
        was, wanted = shown.getpixel(place), right.getpixel(place)
        assert all(abs(a - b) < 20 for a, b in zip(was, wanted, strict=True)), (place, was, wanted)  # type: ignore[arg-type]


@pytest.mark.parametrize("profile", [b"no profile", ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes(),
                                     ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()])  # fmt: skip
async def test_colour_profile_keeps_the_colours_right(admin: httpx.AsyncClient, profile: bytes) -> None:
    (url,) = await urls_of(admin, picture("PNG", icc_profile=profile))
    red, green, blue = (await open_image(admin, url)).convert("RGB").getpixel((300, 300))  # type: ignore[misc]
    assert (red > 245, green < 10, blue < 10) == (True, True, True)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "no_picture"),
        (b"not a picture", "no_picture"),
        (SVG, "no_picture"),
        (b"%PDF-1.7", "no_picture"),
        (b"PK\3\4" + b"\0" * 100, "no_picture"),
        (picture("GIF"), "no_picture"),
        (picture("TIFF"), "no_picture"),
        (HEIC, "heic"),
        (picture()[:3000], "damaged"),
        (picture("PNG")[:-100], "damaged"),
        (picture("WEBP")[:-100], "no_picture"),
        (png(100, 100), "damaged"),
        (png(60_000, 60_000), "too_large"),
        (png(10_000, 10_000), "too_large"),
        (png(8000, 6251), "too_large"),
        (picture("PNG", (2000, 100)), "odd_shape"),
        (picture("PNG", (1, 40)), "odd_shape"),
    ],
)
async def test_unusable_picture_is_refused(admin: httpx.AsyncClient, content: bytes, code: str) -> None:
    assert await upload_refused(admin, content) == code


async def test_png_text_bomb_is_refused(admin: httpx.AsyncClient) -> None:
    bomb = b"Comment\0\0" + zlib.compress(b"x" * 50_000_000)
    assert await upload_refused(admin, png(10, 10, (b"zTXt", bomb))) == "no_picture"


async def test_fifty_megapixels_are_accepted(admin: httpx.AsyncClient) -> None:
    for content in (picture("JPEG", (8000, 6250)), picture("PNG", (8000, 6250), "1")):
        (url,) = await urls_of(admin, content)
        assert (await open_image(admin, url)).size == (960, 750)


async def test_upload_with_one_invalid_file_is_refused_and_the_file_is_named(
    admin: httpx.AsyncClient,
) -> None:
    files = [("files", ("buena.jpg", picture())), ("files", ("mala.jpg", b"x"))]
    answer = await admin.post(PATH, files=files)
    assert answer.status_code == 400
    assert answer.json()["message"] == "mala.jpg is no picture in JPEG, PNG, WEBP, AVIF"


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "a\r\nb: c.jpg", "x" * 500, "<script>.jpg", "ñ💥.jpg", "\x00"]
)
async def test_file_name_of_an_upload_does_not_affect_the_stored_name(
    admin: httpx.AsyncClient, name: str
) -> None:
    (url,) = await urls_of(admin, picture(), name=name)
    assert url.endswith("/foto-960x720-960.webp")
    message = (await send(admin, b"x", name=name)).json()["message"]
    assert len(message) < 200
    assert message.isprintable()


async def test_too_large_file_or_body_is_refused(
    admin: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = await send(admin, *[picture("PNG", (5, 5))] * MAX_FILES)
    assert answer.status_code == 200
    answer = await send(admin, *[picture("PNG", (5, 5))] * (MAX_FILES + 1))
    assert (answer.status_code, answer.json()["message"]) == (
        400,
        "Too many files. Maximum number of files is 10.",
    )
    monkeypatch.setattr(module, "MAX_FILE_BYTES", 1 << 20)
    assert await upload_refused(admin, b"x" * ((1 << 20) + 1)) == "too_many_bytes"


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({"json": {"files": []}}, "Invalid request: Expected content-type: 'multipart/form-data'"),
        ({"data": {"files": "x"}}, "Invalid request: Expected content-type: 'multipart/form-data'"),
        ({}, "Invalid request: Expected content-type: 'multipart/form-data'"),
        ({"files": {"file": picture("PNG", (5, 5))}}, "Invalid request: Unrecognized fields: 'file'"),
        (
            {"files": {"files": (None, "x")}},
            "Invalid request: Expected type: 'file' for field 'files', got: 'string'",
        ),
        (
            {"content": b"x", "headers": {"content-type": "multipart/form-data"}},
            "Missing boundary in multipart.",
        ),
        (
            {"content": b"--b--\r\n", "headers": {"content-type": "multipart/form-data; boundary=b"}},
            "No files were uploaded",
        ),
        (
            {"files": {"files": (None, "x" * 2000)}},
            "Part exceeded maximum size of 1KB.",
        ),
    ],
)
async def test_invalid_upload_is_refused(admin: httpx.AsyncClient, sent: Any, message: str) -> None:
    answer = await admin.post(PATH, **sent)
    assert (answer.status_code, answer.json()["message"]) == (400, message)


async def test_forbidden_caller_is_refused_before_the_body_is_read(
    api: FastAPI, admin: httpx.AsyncClient, shop: Shop
) -> None:
    async def nothing_is_read() -> Any:
        raise AssertionError("the body was read")

    sent: list[Any] = []

    async def keep(message: Any) -> None:
        sent.append(message)

    boundary = b"multipart/form-data; boundary=b"
    for headers in (
        [],
        [(b"cookie", admin.headers["cookie"].encode()), (b"origin", b"https://other.example")],
    ):
        scope: dict[str, Any] = {
            "type": "http", "method": "POST", "path": PATH, "raw_path": PATH.encode(), "query_string": b"",
            "client": ("190.24.1.1", 1), "headers": [(b"host", b"shop.test"), (b"content-type", boundary), *headers],
        }  # fmt: skip
        await api(scope, nothing_is_read, keep)
        assert sent.pop(0)["status"] == 401
        sent.clear()
    stockroom = Actor("user_2", Role.STOCKROOM)
    with pytest.raises(Forbidden), shop.uploads.reserve_catalog_slot(stockroom):
        pass
    with pytest.raises(Forbidden):
        await shop.uploads.store(stockroom, [])


async def test_concurrent_uploads_are_limited(admin: httpx.AsyncClient, shop: Shop) -> None:
    with ExitStack() as places:
        for _ in range(MAX_STAFF_REQUESTS):
            places.enter_context(shop.uploads.reserve_catalog_slot(OWNER))
        answer = await send(admin, picture())
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "3")
    assert (await send(admin, picture())).status_code == 200


async def test_pictures_are_converted_one_by_one(
    admin: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    put, running, most = PictureStore.put, [], []

    def count_calls(store: PictureStore, name: str, content: bytes) -> None:
        running.append(name)
        most.append(len(running))
        put(store, name, content)
        running.remove(name)

    monkeypatch.setattr(PictureStore, "put", count_calls)
    same, other = picture(), picture("PNG")
    found = await asyncio.gather(*(urls_of(admin, content) for content in (same, other, same)))
    assert found[0] == found[2] != found[1]
    assert (len(most), max(most)) == (12, 1)


@pytest.mark.parametrize("shop", ["away"], indirect=True)
async def test_upload_to_an_unavailable_picture_store_returns_503(admin: httpx.AsyncClient) -> None:
    answer = await send(admin, picture())
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert answer.json()["type"] == "unavailable"
    assert "hush" not in answer.text


async def test_upload_to_a_hanging_picture_store_returns_503(
    admin: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = threading.Event()
    monkeypatch.setattr(PictureStore, "put", lambda *_: released.wait(60))
    monkeypatch.setattr(module, "CONVERSION_TIMEOUT_S", 0.05)
    answer = await send(admin, picture())
    released.set()
    assert answer.status_code == 503


@pytest.mark.parametrize(
    "url",
    [
        "/pictures/0a1b2c3d4e5f6071/foto-960x720-640.webp",
        "/pictures/0a1b2c3d4e5f6071/foto-500x500-500.webp",
        "/pictures/0a1b2c3d4e5f6071/foto-960x0-960.webp",
        "/pictures/0a1b2c3d4e5f6071/trompo-960.webp",
        "https://cdn.example/pictures/0a1b2c3d4e5f6071/foto-960x720-960.webp",
        "/pictures/0a1b2c3d4e5f6071/foto-960x720-960.webp\n",
        "",
    ],
)
def test_other_urls_are_not_recognised_as_uploaded_pictures(url: str) -> None:
    assert parse_uploaded_picture(url) is None


async def test_url_of_an_uploaded_picture_determines_its_size_and_files(admin: httpx.AsyncClient) -> None:
    (url,) = await urls_of(admin, picture(size=(700, 350)))
    prepared = parse_uploaded_picture(url)
    assert prepared is not None
    assert (prepared.url, prepared.width, prepared.height) == (url, 640, 320)
    assert [width for _, width in prepared.sources] == [160, 320, 640]


async def test_upload_route_is_documented_with_a_curl_command(anyone: httpx.AsyncClient) -> None:
    assert "-F files=@trompo.jpg" in (await anyone.get("/docs")).text
    document = await get(anyone, "/openapi.json")
    assert "multipart/form-data" in document["paths"][PATH]["post"]["requestBody"]["content"]
