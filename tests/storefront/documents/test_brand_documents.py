"""The brand in documents: colours and icons in the head, logo and profiles on the plain page, the office unchanged."""

import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from backend.app import Shop
from backend.catalog.models import Category, Product
from backend.content.areas import Area, BrandBody
from backend.content.versions import save_content
from backend.office_settings import save_settings
from backend.staff.rights import COMMAND_LINE
from storefront.documents.web_manifest import web_manifest
from storefront.storefront import FONTS
from tests.document_head import Head
from tests.storefront.documents.conftest import FakeRenderer

LOGO = "/pictures/0123456789abcdef/marca-300x100.webp"
COLORS = {"primary": "#0b3d91", "secondary": "#0f5132", "background": "#f0f4ff", "text_color": "#111111"}
PAGES = (
    "/", "/catalog", "/catalog?q=oso", "/catalog?q=libros", "/cart", "/age/3-5", "/naves", "/checkout", "/wishlist",
    "/order/find", "/order/order_none", "/account", "/pqrs", "/unsubscribe",
    *(f"/legal/{kind}" for kind in ("terminos", "datos", "retracto", "reversion", "garantia", "envios")),
)  # fmt: skip
STYLE = re.compile(r'<style id="brand-style">(.*?)</style>')


async def publish(shop: Shop, **body: Any) -> None:
    async with shop.database.transaction() as session:
        await save_content(session, COMMAND_LINE, Area.BRAND, BrandBody(**body), seen=0)


async def rename(shop: Shop, name: str) -> None:
    async with shop.database.transaction() as session:
        await save_settings(session, COMMAND_LINE, {"store_name": name, "store_legal_name": f"{name} S.A.S."})


@pytest.mark.parametrize("path", ["/", "/catalog", "/cart", "/product/oso", "/naves"])
@pytest.mark.parametrize("may_render", [True, False])
async def test_colors_and_icons_are_in_the_head_of_every_page(
    toyshop: Shop, browser: httpx.AsyncClient, renderer: FakeRenderer, path: str, may_render: bool
) -> None:
    renderer.may_render = may_render
    before = (await browser.get(path)).text
    assert STYLE.search(before) is None
    assert before.count('rel="icon" href="/brand/favicon-32.png"') == 1
    await publish(toyshop, logo=LOGO, **COLORS)
    page = (await browser.get(path)).text
    assert "--tomato:#0b3d91;" in STYLE.findall(page)[0]
    head = page.partition("</head>")[0]
    for tag in (
        '<link rel="icon" href="/pictures/0123456789abcdef/marca-300x100-icon-32.png"/>',
        '<link rel="apple-touch-icon" href="/pictures/0123456789abcdef/marca-300x100-icon-180.png"/>',
        '<meta name="theme-color" content="#f0f4ff" />',
    ):
        assert head.count(tag) == 1, tag
    assert f'"logo":"{LOGO}"' in page
    assert len(page) - len(before) < 2_500


async def test_plain_page_shows_the_shops_logo_or_name_instead_of_the_demos_mark(
    toyshop: Shop, browser: httpx.AsyncClient
) -> None:
    await rename(toyshop, "Macondo")
    page = (await browser.get("/")).text
    assert "/brand/" not in page.replace("/brand/nido", "")
    assert '<span class="logo__name">Macondo</span>' in page
    await publish(toyshop, logo=LOGO, instagram="https://www.instagram.com/macondo")
    page = (await browser.get("/")).text
    assert f'<img class="logo__picture" src="{LOGO}" alt="" width="300" height="100">' in page
    assert '<a href="https://www.instagram.com/macondo" rel="noopener me">Instagram</a>' in page


async def test_book_shop_without_ages_shows_no_toy_words_and_no_gift_finder(
    toyshop: Shop, browser: httpx.AsyncClient
) -> None:
    await rename(toyshop, "Librería Ñandú")
    async with toyshop.database.transaction() as session:
        await session.execute(update(Category).values(name="Novela"))
        await session.execute(update(Product).values(title="Cien años", age_range=""))
    await publish(toyshop, goods_one="libro", goods_many="libros")
    for path in PAGES:
        page = (await browser.get(path)).text
        assert 'placeholder="¿Qué libro buscas?"' in page
        found = re.search(".{60}(juguete|/gift|Fredoka).{60}", page, re.IGNORECASE)
        assert found is None, (path, found[0])
    catalog = (await browser.get("/catalog?q=libros")).text
    assert "3 libros" in catalog, "the word for everything in the shop narrows no list"
    assert Head((await browser.get("/catalog")).text).texts["title"] == "Todos los libros · Librería Ñandú"


async def test_headline_is_the_title_of_the_home_page(toyshop: Shop, browser: httpx.AsyncClient) -> None:
    await publish(toyshop, headline="Libros </title> & más", headline_text="Con café.")
    head = Head((await browser.get("/")).text)
    assert head.texts["title"] == "Libros </title> & más · Trompo"
    assert head.meta("description") == "Con café."


async def test_office_has_the_shops_icon_and_its_own_colors(
    toyshop: Shop, browser: httpx.AsyncClient
) -> None:
    await publish(toyshop, logo=LOGO, **COLORS)
    page = (await browser.get("/oficina/entrar")).text
    assert STYLE.search(page) is None
    assert "marca-300x100-icon-32.png" in page


@pytest.fixture
def preloads(build: Path) -> None:
    """Add the preloads of fonts to the shell."""
    shell = build / "__spa-fallback.html"
    links = (f'<link as="font" href="{font}" rel="preload"/>' for font in FONTS)
    shell.write_text(shell.read_text("utf-8").replace("<head>", f"<head>{''.join(links)}"), "utf-8")


@pytest.mark.usefixtures("preloads")
async def test_only_the_fonts_of_the_brand_are_preloaded(toyshop: Shop, browser: httpx.AsyncClient) -> None:
    for number, (font, is_used) in enumerate([("rounded", True), ("serif", False), ("plain", False)]):
        async with toyshop.database.transaction() as session:
            await save_content(session, COMMAND_LINE, Area.BRAND, BrandBody(font=font), seen=number)
        for path in ("/", "/cart", "/naves"):
            page = (await browser.get(path)).text
            assert ('<link as="font" href="/fonts/fredoka.woff2"' in page) is is_used, (font, path)
            assert ('<link as="font" media="not all" href="/fonts/fredoka.woff2"' in page) is not is_used
            assert '<link as="font" href="/fonts/figtree.woff2"' in page


async def test_page_shown_in_a_database_outage_has_the_last_known_name_and_no_demo_content(
    toyshop: Shop, browser: httpx.AsyncClient
) -> None:
    await rename(toyshop, "Macondo")
    assert (await browser.get("/")).status_code == 200
    await toyshop.database.close()
    toyshop.database = type(toyshop.database)("sqlite+aiosqlite:////no/such/folder/x.db")
    answer = await browser.get("/product/oso")
    assert answer.status_code == 503
    page = answer.text.partition("<body")[2]
    assert "Macondo" in page
    found = re.search(".{40}(Trompo|juguete|/brand/).{40}", page, re.IGNORECASE)
    assert found is None, found[0]


async def test_manifest_and_offline_page_of_another_shop_have_nothing_of_the_demo(
    toyshop: Shop, browser: httpx.AsyncClient
) -> None:
    await rename(toyshop, "Macondo")
    await publish(toyshop, goods_one="libro", goods_many="libros")
    manifest = bytes((await web_manifest()).body).decode()
    worker = (await browser.get("/sw.js")).text
    for text in (manifest, worker):
        assert "Macondo" in text
        found = re.search(".{0,40}(Trompo|juguete|/brand/|#b93420|#fbf6ec).{0,40}", text, re.IGNORECASE)
        assert found is None, found[0]
