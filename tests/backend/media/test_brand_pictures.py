"""Uploads of brand pictures: conversion to a logo and icons, and files that are refused."""

from collections.abc import Callable
from io import BytesIO

import pytest
from PIL import Image

from backend.core.config.settings import Settings
from backend.core.errors import Forbidden
from backend.media.brand_pictures import BrandPicture, IconKind, build_brand_picture, parse_brand_picture
from backend.media.picture_store import URL, open_picture_store
from backend.media.uploads import PictureRefused, PictureUploads, SentFile
from backend.staff.rights import COMMAND_LINE, Actor, Role


def picture(kind: str, mode: str = "RGB", size: tuple[int, int] = (400, 200), **options: object) -> bytes:
    content = BytesIO()
    color = (200, 30, 40, 255) if mode == "RGBA" else (200, 30, 40)
    Image.new(mode, size, color).save(content, kind, **options)
    return content.getvalue()


def sent(content: bytes, name: str = "logo") -> SentFile:
    return SentFile(name, len(content), BytesIO(content))


@pytest.fixture
def uploads(settings: Settings) -> PictureUploads:
    return PictureUploads(open_picture_store(settings), max_video_bytes=1 << 20)


async def store(uploads: PictureUploads, content: bytes) -> BrandPicture:
    stored = await uploads.store_brand_picture(COMMAND_LINE, sent(content))
    found = parse_brand_picture(stored.url)
    assert found is not None
    return found


async def read(settings: Settings, url: str) -> Image.Image:
    found = await open_picture_store(settings).get(url.removeprefix(f"{URL}/"))
    assert found is not None
    return Image.open(BytesIO(found.content))


async def test_picture_is_stored_for_pages_and_for_mails(uploads: PictureUploads, settings: Settings) -> None:
    logo = await store(uploads, picture("PNG", size=(1000, 500)))
    assert (logo.width, logo.height) == (384, 192)
    page, mail = await read(settings, logo.url), await read(settings, logo.png)
    assert (page.format, mail.format, page.size) == ("WEBP", "PNG", mail.size)
    names = await open_picture_store(settings).list_names(logo.url.split("/")[2])
    assert len(names) == 2 + len(IconKind)


async def test_icons_have_the_required_sizes_and_opaque_icons_a_white_margin(
    uploads: PictureUploads, settings: Settings
) -> None:
    logo = await store(uploads, picture("PNG", "RGBA", (300, 300)))
    for kind in IconKind:
        icon = await read(settings, logo.icon(kind))
        assert (icon.format, icon.size) == ("PNG", (kind.size, kind.size))
        assert (icon.mode == "RGB") is kind.is_opaque
    maskable = await read(settings, logo.icon(IconKind.MASKABLE))
    assert maskable.getpixel((100, 256)) == (255, 255, 255)
    assert maskable.getpixel((256, 256)) == (200, 30, 40)


async def test_camera_metadata_is_removed_and_the_picture_turned_upright(
    uploads: PictureUploads, settings: Settings
) -> None:
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, "calle 1"
    logo = await store(uploads, picture("JPEG", size=(400, 200), exif=exif))
    assert logo.height > logo.width
    for url in (logo.url, logo.png, logo.icon(IconKind.LARGE)):
        found = await read(settings, url)
        assert not found.getexif()
        assert not found.info.get("exif")


async def test_transparent_margins_are_cut_and_a_small_logo_is_not_enlarged(
    uploads: PictureUploads,
) -> None:
    image = Image.new("RGBA", (500, 500), (0, 0, 0, 0))
    image.paste((1, 2, 3, 255), (100, 200, 200, 240))
    content = BytesIO()
    image.save(content, "PNG")
    logo = await store(uploads, content.getvalue())
    assert (logo.width, logo.height) == (100, 40)


REFUSED: list[tuple[str, Callable[[], bytes], str]] = [
    ("a text", lambda: b"hola", "no_picture"),
    ("nothing", lambda: b"", "no_picture"),
    ("a GIF", lambda: picture("GIF"), "no_picture"),
    ("a page", lambda: b"<!doctype html><script>alert(1)</script>", "no_picture"),
    ("too many pixels", lambda: picture("PNG", size=(4001, 4000)), "too_large"),
    ("a stripe", lambda: picture("PNG", size=(1100, 100)), "odd_shape"),
    ("a dot", lambda: picture("PNG", size=(20, 20)), "odd_shape"),
    ("half a picture", lambda: picture("PNG", size=(900, 900))[:900], "damaged"),
]  # fmt: skip


@pytest.mark.parametrize(("fault", "make", "reason"), REFUSED, ids=[row[0] for row in REFUSED])
async def test_file_that_is_no_safe_picture_is_refused_and_not_stored(
    uploads: PictureUploads, settings: Settings, fault: str, make: Callable[[], bytes], reason: str
) -> None:
    with pytest.raises(PictureRefused) as refused:
        await store(uploads, make())
    assert refused.value.reason == reason
    assert [one async for one in open_picture_store(settings).iter_pictures()] == []


async def test_role_without_the_right_may_not_upload(uploads: PictureUploads) -> None:
    with pytest.raises(Forbidden):
        await uploads.store_brand_picture(Actor("staff_1", Role.STOCKROOM), sent(picture("PNG")))


@pytest.mark.parametrize(
    "url",
    [
        "", "/pictures/0123456789abcdef/foto-640x192-640.webp", "/pictures/0123456789abcdef/marca-641x10.webp",
        "/pictures/0123456789abcdef/marca-10x193.webp", "/pictures/../marca-10x10.webp",
        "https://otro.example/pictures/0123456789abcdef/marca-10x10.webp", "/pictures/0123456789abcdef/marca-10x10.png",
        '/pictures/0123456789abcdef/marca-10x10.webp"',
    ],
)  # fmt: skip
def test_address_of_another_file_is_not_parsed_as_a_brand_picture(url: str) -> None:
    assert parse_brand_picture(url) is None


def test_addresses_of_all_brand_files_are_derived_from_one_address() -> None:
    logo = build_brand_picture("0123456789abcdef", 384, 192)
    assert parse_brand_picture(logo.url) == logo
    assert logo.icon(IconKind.MASKABLE) == "/pictures/0123456789abcdef/marca-384x192-icon-maskable-512.png"
