"""Addresses of a former shop over HTTP: redirects (301) to the shop's pages, and visits of unknown ones."""

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.catalog.collections import change_collection, create_collection, set_collection_display
from backend.catalog.models import Category, Product
from backend.catalog.redirects.addresses import RESERVED_SEGMENTS, parse_address
from backend.catalog.redirects.models import UnknownAddress
from backend.catalog.redirects.service import create_redirect
from backend.catalog.redirects.targets import (
    RedirectTarget,
    category_page_path,
    collection_page_path,
    product_page_path,
)
from backend.catalog.schemas.admin import CollectionChange
from backend.core.outage import DatabaseUnavailable
from backend.staff.rights import COMMAND_LINE
from storefront.documents import former_addresses
from storefront.documents.sitemap import sitemap
from storefront.links import catalog_path, product_path
from storefront.url_prefixes import API_SEGMENTS, OFFICE


async def redirect(shop: Shop, address: str, *, product: str = "", category: str = "") -> None:
    async with shop.database.transaction() as session:
        product_id = (
            await session.execute(select(Product.id).where(Product.handle == product))
        ).scalar_one_or_none()
        category_id = (
            await session.execute(select(Category.id).where(Category.handle == category))
        ).scalar_one_or_none()
        target = RedirectTarget(product_id, category_id)
        await create_redirect(session, COMMAND_LINE, parse_address(address), target)


async def list_unknown(shop: Shop) -> dict[str, int]:
    await shop.unknown_addresses.flush()
    async with shop.database.read() as session:
        rows = await session.execute(select(UnknownAddress.former_address, UnknownAddress.visits))
        return dict(rows.all())


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("/productos/oso.html", "/product/oso"),
        ("/Productos//Oso.HTML/?utm_source=mail", "/product/oso"),
        ("/index.php?controller=product&id_product=12&id_lang=1", "/product/oso"),
        ("/?product=oso", "/product/oso"),
        ("/mu%F1ecas", "/product/ping%C3%BCino-%C3%B1and%C3%BA"),
        ("/mu%C3%B1ecas/", "/product/ping%C3%BCino-%C3%B1and%C3%BA"),
        ("/product/oso-viejo", "/product/oso"),
        ("/catalog?category=viejos", "/catalog?category=peluches"),
        ("/tienda/peluches", "/catalog?category=peluches"),
    ],
)
async def test_former_address_redirects_permanently(
    browser: httpx.AsyncClient, toyshop: Shop, path: str, location: str
) -> None:
    for address in ("/productos/oso.html", "/index.php?id_product=12&controller=product", "/?product=oso"):
        await redirect(toyshop, address, product="oso")
    await redirect(toyshop, "/product/oso-viejo", product="oso")
    await redirect(toyshop, "/muñecas", product="pingüino-ñandú")
    await redirect(toyshop, "/catalog?category=viejos", category="peluches")
    await redirect(toyshop, "/tienda/peluches", category="peluches")
    for method in ("GET", "HEAD"):
        url = httpx.URL("https://trompo.example").copy_with(raw_path=path.encode())
        answer = await browser.request(method, url)
        assert (answer.status_code, answer.headers["location"], answer.content) == (301, location, b"")
        assert answer.headers["cache-control"] == "private, no-cache"
    assert (await browser.get(location)).status_code == 200
    assert await list_unknown(toyshop) == {}


async def test_existing_page_is_preferred_to_a_redirect(browser: httpx.AsyncClient, toyshop: Shop) -> None:
    await redirect(toyshop, "/cart", product="oso")
    await redirect(toyshop, "/product/trompo", product="oso")
    await redirect(toyshop, "/catalog?category=musica", product="oso")
    await redirect(toyshop, "/oso?id=1", product="oso")
    for path in ("/cart", "/cart?id=1", "/product/trompo", "/catalog?category=musica", "/?id=1", "/catalog"):
        assert (await browser.get(path)).status_code == 200, path
    assert (await browser.get("/oso")).status_code == 404


async def test_redirect_to_a_hidden_product_answers_404_and_is_not_listed_as_unknown(
    browser: httpx.AsyncClient, toyshop: Shop
) -> None:
    await redirect(toyshop, "/oso", product="oso")
    async with toyshop.database.transaction() as session:
        (await session.execute(select(Product).where(Product.handle == "oso"))).scalar_one().status = "draft"
    assert (await browser.get("/oso")).status_code == 404
    assert await list_unknown(toyshop) == {}


async def test_visited_unknown_addresses_are_counted(browser: httpx.AsyncClient, toyshop: Shop) -> None:
    for path in (
        "/Balero", "/balero/?utm_source=x", "/product/balero?token=secret", "/index.php?id_product=7&email=ana",
        "/wp-login.php", "/.env", "/order/order_nada?token=x", "/oficina/nada", "/a%2F..%2Fb", "/cart?id=1",
        "/assets/gone.js", "/oferta?correo=ana@example.com",
    ):  # fmt: skip
        await browser.get(path)
    await browser.head("/aro")
    await browser.get("/yoyo", headers={"user-agent": "Googlebot/2.1"})
    assert await list_unknown(toyshop) == {
        "/balero": 2,
        "/product/balero": 1,
        "/index.php?id_product=7": 1,
        "/oferta": 1,
    }


async def test_page_is_answered_as_usual_if_reading_its_redirect_fails(
    browser: httpx.AsyncClient,
    toyshop: Shop,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    error: Exception = DatabaseUnavailable("gone")

    async def fail(*_arguments: object, **_options: object) -> None:
        raise error

    monkeypatch.setattr(former_addresses, "find_former_address", fail)
    assert (await browser.get("/balero")).status_code == 404
    assert (await browser.get("/?product=oso")).status_code == 200
    assert caplog.records == []
    error = ValueError("broken")
    assert (await browser.get("/balero")).status_code == 404
    assert [record.message for record in caplog.records] == ["the former addresses could not be read"]


def test_redirect_targets_and_reserved_segments_match_the_storefronts_paths() -> None:
    assert product_page_path("oso-ñ") == product_path("oso-ñ")
    assert category_page_path("oso-ñ") == catalog_path("oso-ñ")
    assert collection_page_path("oso-ñ") == catalog_path(collection="oso-ñ")
    assert API_SEGMENTS | {OFFICE.strip("/"), "_event", "robots.txt", "sitemap.xml"} <= RESERVED_SEGMENTS


async def test_address_of_a_renamed_collection_redirects_until_it_is_hidden(
    browser: httpx.AsyncClient, toyshop: Shop
) -> None:
    async with toyshop.database.transaction() as session:
        collection = await create_collection(session, COMMAND_LINE, title="Navidad")
    assert (await browser.get("/collection/navidad")).status_code == 200
    async with toyshop.database.transaction() as session:
        change = CollectionChange(handle="novena")
        await change_collection(session, COMMAND_LINE, collection.id, change)
    moved = await browser.get("/collection/navidad")
    assert (moved.status_code, moved.headers["location"]) == (301, "/collection/novena")
    assert "/collection/novena" in await sitemap()
    async with toyshop.database.transaction() as session:
        await set_collection_display(session, COMMAND_LINE, collection.id, is_active=False)
    for path in ("/collection/navidad", "/collection/novena"):
        assert (await browser.get(path)).status_code == 404
    assert "/collection/" not in await sitemap()
