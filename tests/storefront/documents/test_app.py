"""Documents over HTTP: status, headers, and the head of a document that is not rendered."""

import json
import logging
import re

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.catalog.models import Product
from backend.core.clock import now
from backend.office_settings import save_settings
from backend.staff.rights import COMMAND_LINE
from storefront.documents.app import MAX_PATH_LENGTH, MAX_QUERY_LENGTH
from storefront.reflex_ext.patches import INITIAL_STATE_ID
from tests.document_head import Head
from tests.storefront.documents.conftest import TITLE


async def change_product(shop: Shop, handle: str, /, **changes: object) -> None:
    async with shop.database.transaction() as session:
        product = (await session.execute(select(Product).where(Product.handle == handle))).scalar_one()
        for name, value in changes.items():
            setattr(product, name, value)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 200),
        ("/catalog", 200),
        ("/catalog?category=peluches", 200),
        ("/catalog?category=nada", 404),
        ("/catalog?q=oso", 200),
        ("/catalog?q=%00", 200),
        ("/catalog?q=%FF%C3", 200),
        ("/age/3-5", 200),
        ("/age/12+", 200),
        ("/age/nada", 404),
        ("/age", 404),
        ("/brand/nada", 404),
        ("/brand", 404),
        ("/brand/%00", 404),
        ("/brand/" + "a" * 500, 404),
        ("/collection/nada", 404),
        ("/collection", 404),
        ("/product/oso", 200),
        ("/product/ping%C3%BCino-%C3%B1and%C3%BA", 200),
        ("/product/nada", 404),
        ("/product/OSO", 404),
        ("/product", 404),
        ("/product/oso/otro", 404),
        ("/product/a%2Fb", 404),
        ("/product%2Foso", 404),
        ("/product/..%2Fcatalog", 404),
        ("/product/%2e%2e", 404),
        ("/..%2f..%2fetc/passwd", 404),
        ("/product/%00", 404),
        ("/product/%FF", 404),
        ("/product/%zz", 404),
        ("/product/%0d%0aset-cookie:x=1", 404),
        ("/product/" + "a" * 500, 404),
        ("/cart", 200),
        ("/checkout", 200),
        ("/wishlist", 200),
        ("/order/order_nada?token=x", 404),
        ("/no-such-page", 404),
        ("/no/such/page/", 404),
        ("/404", 404),
        ("/index.html", 404),
        ("/catalog/index.html", 404),
        ("/__spa-fallback.html", 404),
        ("/assets/gone.js", 404),
        ("/assets/entry.js.gz", 404),
        ("/demo/..%2f..%2fpyproject.toml", 404),
        ("/" + "a" * MAX_PATH_LENGTH, 414),
        ("/catalog?q=" + "a" * MAX_QUERY_LENGTH, 414),
    ],
)
async def test_document_of_each_kind_of_url_has_the_expected_status(
    browser: httpx.AsyncClient, path: str, status: int
) -> None:
    answer = await browser.get(path)
    assert answer.status_code == status
    if answer.headers["content-type"].startswith("text/html"):
        assert ("noindex" in answer.headers.get("x-robots-tag", "")) >= (status != 200)


@pytest.mark.parametrize(
    ("path", "canonical"),
    [
        ("/catalog/", "/catalog"),
        ("//catalog", "/catalog"),
        ("///evil.example/", None),
        ("/catalog/?category=peluches&q=%C3%B1", "/catalog?category=peluches&q=%C3%B1"),
        ("/product//oso/", "/product/oso"),
        ("/product/nada/", "/product/nada"),
        ("/%63atalog", "/catalog"),
        ("/age/12%2B", "/age/12+"),
        ("/product/ping%c3%bcino-%c3%b1and%c3%ba", "/product/ping%C3%BCino-%C3%B1and%C3%BA"),
    ],
)
async def test_url_redirects_to_its_canonical_form(
    browser: httpx.AsyncClient, path: str, canonical: str | None
) -> None:
    answer = await browser.request("GET", httpx.URL("https://trompo.example", raw_path=path.encode()))
    if canonical is None:
        assert answer.status_code == 404
        return
    assert (answer.status_code, answer.headers["location"]) == (308, canonical)
    assert (await browser.get(canonical)).status_code in {200, 404}


async def test_old_product_handle_redirects_to_the_product(browser: httpx.AsyncClient, toyshop: Shop) -> None:
    await change_product(toyshop, "oso", handle="oso-tomás")
    answer = await browser.get("/product/oso")
    assert (answer.status_code, answer.headers["location"]) == (301, "/product/oso-tom%C3%A1s")
    assert (await browser.get(answer.headers["location"])).status_code == 200


async def test_each_age_or_brand_list_has_one_url(browser: httpx.AsyncClient, toyshop: Shop) -> None:
    await change_product(toyshop, "oso", brand="Ñandú & Cía", age_range="12+")
    for path, canonical in {
        "/catalog?age=12%2B": "/age/12+",
        "/catalog?q=oso&age=3-5&page=2&sale=1": "/age/3-5?q=oso&sale=1&page=2",
        "/brand/%C3%91and%C3%BA%20&%20C%C3%ADa": "/brand/nandu-cia",
        "/brand/Nandu-Cia": "/brand/nandu-cia",
    }.items():
        answer = await browser.get(path)
        assert (answer.status_code, answer.headers["location"]) == (301, canonical)
    head = Head((await browser.get("/brand/nandu-cia")).text)
    assert head.texts["title"] == "Ñandú & Cía · Trompo"
    assert head.link("canonical")["href"] == "https://trompo.example/brand/nandu-cia"
    assert head.meta("robots") == "index,follow"


async def test_deleted_product_returns_410(browser: httpx.AsyncClient, toyshop: Shop) -> None:
    await change_product(toyshop, "oso", deleted_at=now())
    answer = await browser.get("/product/oso")
    assert answer.status_code == 410
    assert "Este producto no existe" in answer.text


@pytest.mark.parametrize(
    "path", ["/", "/product/oso", "/product/nada", "/no-such-page", "/sitemap.xml", "/catalog/"]
)
async def test_http_head_request_gets_the_same_headers_without_a_body(
    browser: httpx.AsyncClient, path: str
) -> None:
    whole, head = await browser.get(path), await browser.head(path)
    assert head.status_code == whole.status_code
    assert head.headers == whole.headers
    assert head.content == b""


async def test_requests_other_than_get_and_head_for_a_document_are_refused(
    browser: httpx.AsyncClient,
) -> None:
    answer = await browser.post("/catalog")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize(
    "path", ["/assets/entry.js", "/demo/Trompo%20(frente)-320.webp", "/favicon.ico", "/_event"]
)
async def test_requests_for_other_paths_are_passed_on_to_reflex(
    browser: httpx.AsyncClient, path: str
) -> None:
    assert (await browser.get(path)).text == "reflex"


async def test_document_during_a_database_outage_asks_to_try_again(
    browser: httpx.AsyncClient, toyshop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    await toyshop.database.close()
    toyshop.database.url = toyshop.database.url.set(database="/no/such/folder/x.db")
    toyshop.database = type(toyshop.database)(toyshop.database.url.render_as_string())
    for _ in range(2):
        answer = await browser.get("/product/oso")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert [record.name for record in caplog.records if record.levelno >= logging.WARNING] == [
        "backend.core.outage"
    ]
    assert "La tienda vuelve en un momento. Inténtalo otra vez en unos segundos.</p>" in answer.text
    assert "import" in answer.text


async def test_head_of_a_product_page_has_title_price_and_breadcrumbs(browser: httpx.AsyncClient) -> None:
    head = Head((await browser.get("/product/oso")).text)
    canonical = "https://trompo.example/product/oso"
    assert head.texts["title"] == f"{TITLE} · Trompo"
    assert head.meta("description") == "Un oso de peluche."
    assert head.meta("robots") == "index,follow"
    assert head.link("canonical")["href"] == head.meta("og:url") == canonical
    assert head.meta("og:title") == f"{TITLE} · Trompo"
    assert head.meta("og:image") == "https://trompo.example/demo/Oso%20%281%29-960.webp"
    assert [head.meta(f"og:{name}") for name in ("type", "site_name", "locale")] == [
        "product",
        "Trompo",
        "es_CO",
    ]
    assert head.meta("twitter:card") == "summary_large_image"
    preload = head.link("preload")
    assert preload["imagesrcset"] == "/demo/Oso%20%281%29-320.webp 320w, /demo/Oso%20%281%29-960.webp 960w"
    assert (preload["as"], preload["fetchpriority"]) == ("image", "high")
    product, trail = json.loads(head.texts["application/ld+json"])["@graph"]
    assert (product["@type"], product["name"], product["sku"]) == ("Product", "Oso Tomás & Cía", "SKU-oso")
    assert product["offers"]["price"] == 50_000
    assert product["offers"]["priceCurrency"] == "COP"
    assert product["offers"]["availability"] == "https://schema.org/InStock"
    assert [item["name"] for item in trail["itemListElement"]] == ["Inicio", "Peluches"]


async def test_sold_out_product_is_marked_in_the_head(browser: httpx.AsyncClient) -> None:
    head = Head((await browser.get("/product/trompo")).text)
    assert (
        json.loads(head.texts["application/ld+json"])["offers"]["availability"]
        == "https://schema.org/OutOfStock"
    )


async def test_head_of_the_home_page_has_store_data_and_a_canonical_url(browser: httpx.AsyncClient) -> None:
    head = Head((await browser.get("/")).text)
    store, site = json.loads(head.texts["application/ld+json"])["@graph"]
    assert store["name"] == site["name"] == "Trompo"
    assert site["potentialAction"]["target"] == "https://trompo.example/catalog?q={search_term_string}"
    assert head.link("canonical")["href"] == "https://trompo.example/"


@pytest.mark.parametrize(
    "path", ["/cart", "/checkout", "/wishlist", "/catalog?q=oso", "/no-such-page", "/order/o?token=t"]
)
async def test_private_pages_are_not_indexed(browser: httpx.AsyncClient, path: str) -> None:
    answer = await browser.get(path)
    assert answer.headers["x-robots-tag"] == Head(answer.text).meta("robots") == "noindex,follow"


@pytest.mark.parametrize(
    ("path", "title"),
    [("/order/o?token=t", "Tu pedido"), ("/account/register", "Crea tu cuenta"), ("/account", "Mi cuenta")],
)
async def test_private_page_has_a_title(browser: httpx.AsyncClient, path: str, title: str) -> None:
    head = Head((await browser.get(path)).text)
    assert head.texts["title"] == f"{title} · Trompo"
    assert head.meta("robots") == "noindex,follow"


async def test_initial_state_is_the_last_child_of_the_head_and_is_escaped(browser: httpx.AsyncClient) -> None:
    html = (await browser.get("/product/oso")).text
    element = re.search(f'<template id="{INITIAL_STATE_ID}">([^<&]*)</template></head>', html)
    assert element is not None
    states = json.loads(element[1])
    page = next(values for name, values in states.items() if name.endswith("product_state"))
    assert page["is_ready_rx_state_"] is True
    assert page["content_rx_state_"]["detail"]["card"]["title"] == TITLE
    frame = next(values for name, values in states.items() if name.endswith("frame_state"))
    assert [node["name"] for node in frame["departments_rx_state_"]] == ["Música", "Peluches"]


@pytest.mark.parametrize("path", ["/cart", "/checkout", "/wishlist", "/order/o?token=t"])
async def test_private_page_has_no_initial_content(browser: httpx.AsyncClient, path: str) -> None:
    states = json.loads(Head((await browser.get(path)).text).texts[INITIAL_STATE_ID])
    assert {variable for values in states.values() for variable in values} <= {
        "departments_rx_state_",
        "ages_rx_state_",
        "shop_rx_state_",
        "brand_rx_state_",
        "meta_rx_state_",
    }


async def test_document_must_be_revalidated(browser: httpx.AsyncClient) -> None:
    for path in ("/", "/product/nada", "/cart"):
        answer = await browser.get(path)
        assert answer.headers["cache-control"] == "private, no-cache"
        assert answer.headers["vary"] == "Accept-Encoding"
        assert "set-cookie" not in answer.headers


async def test_document_is_compressed_only_if_accepted(browser: httpx.AsyncClient) -> None:
    packed = await browser.get("/", headers={"accept-encoding": "br;q=1.0, gzip;q=0.8, *;q=0.1"})
    plain = await browser.get("/", headers={"accept-encoding": "gzip;q=0, *"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.text == plain.text
    assert int(packed.headers["content-length"]) < len(plain.content) == int(plain.headers["content-length"])


async def test_document_has_security_headers(browser: httpx.AsyncClient) -> None:
    answer = await browser.get("/checkout")
    rules = (rule.partition(" ") for rule in answer.headers["content-security-policy"].split("; "))
    policy = {name: values for name, _, values in rules}
    assert policy["default-src"] == policy["form-action"] == "'self'"
    assert policy["frame-ancestors"] == policy["object-src"] == policy["base-uri"] == "'none'"
    assert policy["connect-src"] == "'self' wss://trompo.example"
    assert "unsafe" not in policy["script-src"]
    assert len(policy["script-src"].split()) == 1 + 2
    assert "upgrade-insecure-requests" in policy
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"
    assert answer.headers["x-frame-options"] == "DENY"
    assert "camera=()" in answer.headers["permissions-policy"]


async def test_robots_txt_names_the_sitemap(browser: httpx.AsyncClient) -> None:
    text = (await browser.get("/robots.txt")).text
    assert "Sitemap: https://trompo.example/sitemap.xml" in text.splitlines()
    assert "Disallow: /admin/" in text.splitlines()
    assert "Disallow: /" not in text.splitlines()


async def test_sitemap_shows_changes_immediately(browser: httpx.AsyncClient, toyshop: Shop) -> None:
    first = await browser.get("/sitemap.xml")
    assert first.headers["content-type"] == "application/xml; charset=utf-8"
    assert "<loc>https://trompo.example/product/oso</loc><lastmod>20" in first.text
    assert "<loc>https://trompo.example/product/ping%C3%BCino-%C3%B1and%C3%BA</loc>" in first.text
    assert "<loc>https://trompo.example/catalog?category=peluches</loc>" in first.text
    known = {"if-none-match": first.headers["etag"]}
    assert (await browser.get("/sitemap.xml", headers=known)).status_code == 304
    await change_product(toyshop, "oso", status="draft")
    second = await browser.get("/sitemap.xml", headers=known)
    assert second.status_code == 200
    assert "/product/oso" not in second.text


async def test_new_shop_name_is_in_documents_without_a_new_build(
    browser: httpx.AsyncClient, toyshop: Shop
) -> None:
    assert Head((await browser.get("/catalog")).text).texts["title"].endswith(" · Trompo")
    async with toyshop.database.transaction() as session:
        await save_settings(session, COMMAND_LINE, {"store_name": "Ñandú", "store_nit": "901.234.567-1"})
    html = (await browser.get("/catalog")).text
    head = Head(html)
    assert head.texts["title"].endswith(" · Ñandú")
    assert head.meta("og:site_name") == "Ñandú"
    assert "NIT 901.234.567-1" in html
