"""Documents of the real server: over plain HTTP, and in a browser that hydrates them."""

import asyncio
import json
import re
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from html import escape
from xml.etree import ElementTree

import pytest
from playwright.async_api import Browser, Page, expect

from storefront.documents.client_detection import COOKIE
from storefront.documents.security_headers import inline_scripts
from tests.document_head import Head
from tests.e2e.chromium import close_within_limit
from tests.e2e.conftest import PageWatch, ShopServer
from tests.e2e.shopper import read_stock, wait_until_hydrated

LOC = "{http://www.sitemaps.org/schemas/sitemap/0.9}loc"
PUBLIC = ["/", "/catalog", "/catalog?category=peluches", "/catalog?q=oso", "/product/trompo-de-madera"]
RECORD_HYDRATION = """
    window.mains = [];  // the number of visible pages, after each change
    window.shifts = [];
    new PerformanceObserver((list) => window.shifts.push(...list.getEntries()))
        .observe({ type: "layout-shift", buffered: true });
    const look = () => {
        const seen = [...document.querySelectorAll("main")].filter((one) => one.getClientRects().length).length;
        if (window.mains.at(-1) !== seen) window.mains.push(seen);
        if (seen && !document.querySelector("body > .plain")) window.taken ??= performance.now();
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
"""
SHIFT = """() =>
    window.shifts.filter((one) => one.startTime <= window.taken + 50).reduce((sum, one) => sum + one.value, 0)
"""
NEED_SCRIPTS = ["/cart", "/checkout", "/wishlist", "/order/order_0?token=t"]
VISIBLE_WITHOUT_SCRIPTS = [
    ("/", ["banner-slide", "product-card"]),
    ("/catalog?category=peluches", ["product-card"]),
    ("/product/trompo-de-madera", ["gallery-image", "add-to-cart"]),
    ("/product/nada", ["not-found"]),
    ("/no-such-page", ["not-found"]),
]
"""By address: the elements that a browser without scripts shows."""
PRIVATE = [
    *NEED_SCRIPTS,
    "/product/nada",
    "/no-such-page",
    "/legal/nada",
]


@pytest.mark.parametrize(
    ("target", "status", "location"),
    [
        ("/product/trompo-de-madera", 200, ""),
        ("/product/trompo-de-madera/", 308, "/product/trompo-de-madera"),
        ("//catalog//", 308, "/catalog"),
        ("//evil.example/%2e%2e", 404, ""),
        ("/product/nada", 404, ""),
        ("/no-such-page", 404, ""),
        ("/../../etc/passwd", 404, ""),
        ("/assets/..%2f..%2fserver/index.js", 404, ""),
        ("/assets/../../server/index.js", 404, ""),
        ("/product/%FF", 404, ""),
        ("/product/%00", 404, ""),
        ("/product/%zz", 404, ""),
        ("/catalog?q=%FF%00", 200, ""),
        ("/checkout", 200, ""),
        ("/index.html", 404, ""),
        ("/favicon.ico", 200, ""),  # crawlers and feed readers request it by this name
        ("/" + "a" * 5000, 414, ""),
        ("/" + "a" * 100_000, 414, ""),
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_response_has_the_expected_status_location_and_body_for_each_raw_request(
    server: ShopServer, method: str, target: str, status: int, location: str
) -> None:
    reader, writer = await asyncio.open_connection("localhost", server.port)
    writer.write(f"{method} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    assert int(head.split()[1]) == status
    assert (f"location: {location}".encode() in head) >= bool(location)
    assert (body == b"") >= (method == "HEAD")


async def test_head_of_every_product_document_is_complete(server: ShopServer) -> None:
    async with server.open_client() as client:
        sitemap = ElementTree.fromstring((await client.get("/sitemap.xml")).content)
        products = [url.text or "" for url in sitemap.iter(LOC) if "/product/" in (url.text or "")]
        assert len(products) >= 20
        titles, descriptions = set(), set()
        for url in products:
            html = await server.fetch_rendered(url)
            head = Head(html)
            title, description = head.texts["title"], head.meta("description") or ""
            product, trail = json.loads(head.texts["application/ld+json"])["@graph"]
            assert head.link("canonical")["href"] == head.meta("og:url") == url
            assert title == head.meta("og:title") == f"{product['name']} · Trompo"
            assert 40 <= len(description) <= 155
            assert description == head.meta("og:description")
            assert (head.meta("og:image") or "").startswith(f"{server.url}/demo/")
            assert head.meta("robots") == "index,follow"
            (first,) = head.preloads("image")
            assert first["fetchpriority"] == "high"
            assert "-320.webp 320w, " in (first["imagesrcset"] or "")
            assert f'<h1 class="product__title">{escape(product["name"], quote=False)}</h1>' in html
            assert product["offers"]["url"] == url
            offers = product["offers"]
            for offer in offers["offers"] if offers["@type"] == "AggregateOffer" else [offers]:
                assert offer["price"] > 0
                assert offer["availability"].startswith("https://schema.org/")
            assert [item["position"] for item in trail["itemListElement"]] == [1, 2, 3][
                : len(trail["itemListElement"])
            ]
            titles.add(title)
            descriptions.add(description)
        assert len(titles) == len(descriptions) == len(products)


async def test_home_page_contains_the_element_that_blocks_its_rendering(server: ShopServer) -> None:
    html = await server.fetch_rendered("/")
    awaited = Head(html).link("expect")
    assert awaited["blocking"] == "render"
    assert html.count(f' id="{(awaited["href"] or "").removeprefix("#")}"') == 1


@pytest.mark.parametrize("path", ["/", "/catalog", "/product/trompo-de-madera"])
async def test_heading_is_in_the_document_before_pictures_and_fonts(server: ShopServer, path: str) -> None:
    html = await server.fetch_rendered(path)
    heading = html.index("<h1")
    assert heading < html.index("/demo/", html.index("<body"))
    assert heading < html.index(".woff2")
    assert "local(" in html[:heading]  # the fallback until a font has loaded


async def expect_hydration(page: Page, address: str) -> None:
    """Open the address, and check that the page hydrates and its head has each tag once."""
    await page.goto(address)
    await wait_until_hydrated(page)
    await page.wait_for_load_state("networkidle")
    assert "Trompo" in await page.title(), address
    # the page in the document is the one that was hydrated
    assert await page.locator("main").count() == 1, address
    for tag in ("title", "meta[name=description]", "link[rel=canonical]", 'meta[property="og:image"]'):
        assert await page.locator(f"head > {tag}").count() <= 1, address


async def test_document_of_an_unknown_url_has_a_spanish_head(server: ShopServer) -> None:
    head = Head(await server.fetch_rendered("/naves/espaciales"))
    assert head.texts["title"] == "Página no encontrada · Trompo"
    assert head.meta("description") == "La página que buscas no existe o cambió de lugar."
    assert head.meta("og:image") == "/apple-touch-icon.png"


async def test_rendered_document_is_hydrated_without_an_error(page: Page, watch: PageWatch) -> None:
    watch.expect("404")  # the browser reports the status of the document
    for path in PUBLIC + PRIVATE:
        await expect_hydration(page, path)


async def test_document_that_was_not_rendered_is_hydrated(
    new_server: Callable[..., ShopServer], page_1280: Page, watch: PageWatch
) -> None:
    watch.expect("404")
    server = new_server(RENDERERS="0")
    page = page_1280
    await page.add_init_script(RECORD_HYDRATION)
    for path in PUBLIC + PRIVATE:
        await expect_hydration(page, server.url + path)
        await page.wait_for_function("() => window.taken")
        assert await page.evaluate("window.mains") in ([1], [0, 1]), (
            path
        )  # no page is shown twice, none disappears
        assert await page.locator("[data-stand-in]").count() == 0
        # the remaining shift is a word that moves by the width of a letter when its font loads late
        assert await page.evaluate(SHIFT) < 0.05, path
    await page.goto(server.url + "/product/trompo-de-madera")
    await page.get_by_role("link", name="Favoritos").first.click()
    await expect(page).to_have_title("Tus favoritos · Trompo")


async def test_product_is_found_without_scripts_in_a_document_that_was_not_rendered(
    browser: Browser, new_server: Callable[..., ShopServer]
) -> None:
    server = new_server(RENDERERS="0")
    context = await browser.new_context(
        base_url=server.url, java_script_enabled=False, viewport={"width": 320, "height": 640}
    )
    page = await context.new_page()
    await page.goto("/")
    await page.get_by_role("searchbox").fill("trompo de madera")
    await page.get_by_role("searchbox").press("Enter")
    await page.get_by_role("link", name="Trompo de madera").first.click()
    await expect(page.locator("h1")).to_have_text("Trompo de madera")
    widths = "() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    assert await page.evaluate(widths) == [320, 320]
    await page.get_by_role("link", name="Juegos tradicionales").first.click()
    await expect(page.locator("h1")).to_have_text("Juegos tradicionales")
    assert COOKIE in {cookie.get("name") for cookie in await context.cookies()}
    await close_within_limit(context)


async def test_content_is_visible_without_scripts(browser: Browser, server: ShopServer) -> None:
    context = await browser.new_context(base_url=server.url, java_script_enabled=False)
    page = await context.new_page()
    for path, shown in VISIBLE_WITHOUT_SCRIPTS:
        await server.fetch_rendered(path)
        await page.goto(path)
        for test_id in shown:
            assert await page.get_by_test_id(test_id).first.is_visible(), (path, test_id)
        assert await page.locator("main h1").count() == 1, path
    await close_within_limit(context)


async def test_pages_that_need_scripts_show_a_notice_without_scripts(
    browser: Browser, server: ShopServer
) -> None:
    context = await browser.new_context(base_url=server.url, java_script_enabled=False)
    page = await context.new_page()
    for path in NEED_SCRIPTS:
        await server.fetch_rendered(path)
        await page.goto(path)
        message = page.locator("noscript p").first
        assert await message.is_visible(), path
        assert "tu navegador necesita JavaScript" in await message.inner_text(), path
    await close_within_limit(context)


async def test_product_document_has_its_text_and_price(server: ShopServer) -> None:
    html = await server.fetch_rendered("/product/trompo-de-madera")
    body = html.partition("<body>")[2]
    assert '<h1 class="product__title">Trompo de madera</h1>' in body
    assert "El trompo de siempre, torneado en madera de naranjo" in body
    assert re.search(r'<span class="price__now">\$\s[\d.]+</span>', body)


async def test_product_documents_describe_the_stock(server: ShopServer) -> None:
    stock = read_stock(server, "loteria-de-animales")  # other tests may have bought some
    assert stock > 1
    for handle, text, button in (
        ("trompo-de-madera", "Disponible, listo para despachar", "Agregar al carrito"),
        ("loteria-de-animales", f"Quedan {stock} unidades", "Agregar al carrito"),
        ("cocina-de-juguete", "Agotado por ahora", "Agotado"),
    ):
        html = await server.fetch_rendered(f"/product/{handle}")
        (shown,) = re.findall(r'<p class="stock[^"]*">([^<]*)</p>', html)
        assert shown == text
        (tag,) = re.findall(r'<button [^>]*data-testid="add-to-cart"[^>]*>[^<]*', html)
        assert tag.endswith(f">{button}")
        assert (" disabled" in tag) is (button == "Agotado")


@pytest.mark.parametrize("path", NEED_SCRIPTS)
async def test_document_is_the_same_for_every_visitor(server: ShopServer, path: str) -> None:
    rendered = await server.fetch_rendered(path)
    cookies = {"cookie": "trompo_session=someone; token=else", "authorization": "Bearer x"}
    async with server.open_client() as client:
        assert (await client.get(path, headers=cookies)).text == rendered


async def test_every_inline_script_that_runs_is_allowed(server: ShopServer) -> None:
    async with server.open_client() as client:
        for path in PUBLIC + PRIVATE:
            answer = await client.get(path)
            for script in inline_scripts(answer.text):
                digest = b64encode(sha256(script.encode()).digest()).decode()
                assert f"'sha256-{digest}'" in answer.headers["content-security-policy"], script


async def test_api_documentation_loads_nothing_from_other_hosts(page: Page, watch: PageWatch) -> None:
    await page.goto("/docs")
    operation = page.locator("details", has_text="/store/carts/{cart_id}/complete")
    await operation.locator("summary").click()
    assert await operation.get_by_text("Create the order, once").is_visible()
    assert await page.evaluate("getComputedStyle(document.body).maxWidth") == "1024px"
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert watch.problems == []


async def test_pages_of_other_sites_cannot_read_the_responses(server: ShopServer) -> None:
    async with server.open_client(origin="https://evil.example") as client:
        for path in ("/", "/product/trompo-de-madera", "/health", "/robots.txt"):
            answer = await client.get(path)
            assert "access-control-allow-origin" not in answer.headers
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "strict-origin-when-cross-origin"


async def test_cache_headers_of_responses_match_the_kind_of_file(server: ShopServer) -> None:
    async with server.open_client() as client:
        document = await client.get("/")
        script = re.findall('href="(/assets/[^"]+\\.js)"', document.text)[0]
        cache_headers = {
            path: (await client.get(path)).headers["cache-control"]
            for path in ("/", script, "/fonts/figtree.woff2")
        }
    assert cache_headers["/"] == "private, no-cache"
    assert cache_headers[script] == "public, max-age=31536000, immutable"
    assert cache_headers["/fonts/figtree.woff2"] == "public, max-age=31536000"


async def test_open_page_of_an_earlier_build_still_gets_its_scripts(server: ShopServer) -> None:
    stored = server.folder / "data" / "builds" / "assets"
    assert list(stored.glob("*.js"))  # the files of this build, for pages that outlive it
    (stored / "of-an-earlier-build.js").write_text("export {};")
    async with server.open_client() as client:
        earlier = await client.get("/assets/of-an-earlier-build.js")
        posted = await client.post("/assets/of-an-earlier-build.js")
        unknown = await client.get("/assets/of-no-build.js")
    assert (earlier.status_code, earlier.text) == (200, "export {};")
    assert earlier.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert earlier.headers["x-content-type-options"] == "nosniff"
    assert (posted.status_code, unknown.status_code) == (405, 404)
