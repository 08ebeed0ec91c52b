"""The web manifest for a telephone's home screen, and the icons: the demo's, the owner's, or a letter."""

from collections.abc import AsyncIterator
from io import BytesIO

import httpx
import pytest
from fastapi import FastAPI
from PIL import Image

from backend.app import Shop
from backend.content.areas import Area, BrandBody
from backend.content.versions import save_content
from backend.media.brand_pictures import IconKind
from backend.media.picture_store import PictureStore, PicturesUnavailable
from backend.media.uploads import SentFile
from backend.office_settings import save_settings
from backend.staff.rights import COMMAND_LINE
from storefront.brand_icons import find_first_letter
from storefront.documents.icon_routes import draw_letter_icon
from storefront.documents.icon_routes import router as icon_router
from storefront.documents.web_manifest import MEDIA_TYPE, PATH, router
from storefront.server.build import ROOT


@pytest.fixture
async def browser(shop: Shop) -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    app.include_router(router)
    app.include_router(icon_router)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://shop.test") as client:
        yield client


async def rename(shop: Shop, name: str) -> None:
    async with shop.database.transaction() as session:
        await save_settings(session, COMMAND_LINE, {"store_name": name})


async def publish(shop: Shop, body: BrandBody) -> None:
    async with shop.database.transaction() as session:
        await save_content(session, COMMAND_LINE, Area.BRAND, body, seen=0)


async def test_manifest_of_the_demo_names_its_icons(browser: httpx.AsyncClient) -> None:
    answer = await browser.get(PATH)
    assert answer.headers["content-type"] == MEDIA_TYPE
    manifest = answer.json()
    assert (manifest["name"], manifest["start_url"], manifest["lang"]) == ("Trompo", "/", "es-CO")
    for icon in manifest["icons"]:
        with Image.open(ROOT / f"assets{icon['src']}") as picture:
            assert (icon["sizes"], icon["type"]) == (f"{picture.width}x{picture.height}", "image/png")
    assert {icon["purpose"] for icon in manifest["icons"]} == {"any", "maskable"}


async def test_shop_without_a_logo_has_the_first_letter_of_its_name(
    shop: Shop, browser: httpx.AsyncClient
) -> None:
    await rename(shop, "Ñandú Libros")
    manifest = (await browser.get(PATH)).json()
    assert manifest["name"] == "Ñandú Libros"
    for icon in manifest["icons"]:
        answer = await browser.get(icon["src"])
        assert answer.headers["cache-control"].endswith("immutable")
        with Image.open(BytesIO(answer.content)) as picture:
            assert icon["sizes"] == f"{picture.width}x{picture.height}"
    before = manifest["icons"][0]["src"]
    await rename(shop, "Zorro")
    assert before != (await browser.get(PATH)).json()["icons"][0]["src"]
    assert "immutable" not in (await browser.get(before)).headers["cache-control"], "it is outdated"


async def test_icons_colors_and_fixed_addresses_follow_the_brand(
    shop: Shop, browser: httpx.AsyncClient
) -> None:
    content = BytesIO()
    Image.new("RGB", (300, 300), (10, 20, 200)).save(content, "PNG")
    size = len(content.getvalue())
    logo = await shop.uploads.store_brand_picture(COMMAND_LINE, SentFile("logo.png", size, content))
    colors = {"primary": "#0b3d91", "secondary": "#0f5132", "background": "#f0f4ff", "text_color": "#111111"}
    await publish(shop, BrandBody(logo=logo.url, **colors))
    manifest = (await browser.get(PATH)).json()
    assert (manifest["theme_color"], manifest["background_color"]) == ("#f0f4ff", "#f0f4ff")
    assert all(icon["src"].startswith("/pictures/") for icon in manifest["icons"])
    for path, pixels in (("/favicon.ico", 32), ("/apple-touch-icon.png", 180)):
        answer = await browser.get(path)
        assert (answer.headers["content-type"], answer.status_code) == ("image/png", 200)
        with Image.open(BytesIO(answer.content)) as picture:
            assert picture.width == pixels
            assert picture.convert("RGB").getpixel((pixels // 2, pixels // 2)) == (10, 20, 200)


async def test_favicon_is_the_first_letter_if_the_logo_file_is_missing(
    shop: Shop, browser: httpx.AsyncClient
) -> None:
    await publish(shop, BrandBody(logo="/pictures/0123456789abcdef/marca-64x64.webp"))
    assert (await browser.get("/favicon.ico")).status_code == 200
    assert (await browser.get("/icons/icon-9000.png")).status_code == 422


async def test_favicon_is_the_first_letter_while_the_picture_store_does_not_answer(
    shop: Shop, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_store: PictureStore, _name: str) -> None:
        raise PicturesUnavailable("the store of pictures does not answer")

    await publish(shop, BrandBody(logo="/pictures/0123456789abcdef/marca-64x64.webp"))
    monkeypatch.setattr(PictureStore, "get", fail)
    answer = await browser.get("/favicon.ico")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")


@pytest.mark.parametrize(
    ("name", "letter"),
    [("trompo", "T"), ("«ñandú»", "Ñ"), ("3 osos", "3"), ("☃ 雪", ""), ("ß", "S"), (" ", "")],
)
def test_letter_of_the_icon_is_a_capital_that_the_font_contains(name: str, letter: str) -> None:
    assert find_first_letter(name) == letter
    assert draw_letter_icon(letter, "#24446b", IconKind.FAVICON).startswith(b"\x89PNG")
