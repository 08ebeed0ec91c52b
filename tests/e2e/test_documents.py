"""Documents from the real server: over plain HTTP, and in a browser that takes them over."""

import asyncio
import json
import re
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from html import escape
from xml.etree import ElementTree

import httpx
import pytest
from playwright.async_api import Browser, Page, expect

from storefront.documents.client_detection import COOKIE
from storefront.documents.security_headers import inline_scripts
from tests.document_head import Head
from tests.e2e.conftest import ShopServer, Watch

LOC = "{http://www.sitemaps.org/schemas/sitemap/0.9}loc"
PUBLIC = ["/", "/catalog", "/catalog?category=peluches", "/catalog?q=oso", "/product/trompo-de-madera"]
TAKING_OVER = """
    window.mains = [];  // how many pages are to be seen, whenever that changes
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
OWN = [
    "/cart",
    "/checkout",
    "/wishlist",
    "/order/order_0?token=t",
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
        ("/favicon.ico", 200, ""),  # crawlers and readers of feeds ask for it by this name
        ("/" + "a" * 5000, 414, ""),
        ("/" + "a" * 100_000, 414, ""),
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_the_status_on_the_wire(
    server: ShopServer, method: str, target: str, status: int, location: str
) -> None:
    reader, writer = await asyncio.open_connection("localhost", server.port)
    writer.write(f"{method} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    assert int(head.split()[1]) == status
    assert (f"location: {location}".encode() in head) >= bool(location)
    assert (body == b"") >= (method == "HEAD")


async def test_the_heads_of_all_products(server: ShopServer) -> None:
    async with httpx.AsyncClient(base_url=server.url) as client:
        sitemap = ElementTree.fromstring((await client.get("/sitemap.xml")).content)
        products = [url.text or "" for url in sitemap.iter(LOC) if "/product/" in (url.text or "")]
        assert len(products) >= 20
        titles, descriptions = set(), set()
        for url in products:
            html = await server.rendered(url)
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


async def test_what_the_first_frame_of_home_waits_for_is_there(server: ShopServer) -> None:
    html = await server.rendered("/")
    awaited = Head(html).link("expect")
    assert awaited["blocking"] == "render"
    assert html.count(f' id="{(awaited["href"] or "").removeprefix("#")}"') == 1


@pytest.mark.parametrize("path", ["/", "/catalog", "/product/trompo-de-madera"])
async def test_what_a_page_is_comes_before_its_pictures_and_fonts(server: ShopServer, path: str) -> None:
    html = await server.rendered(path)
    heading = html.index("<h1")
    assert heading < html.index("/demo/", html.index("<body"))
    assert heading < html.index(".woff2")
    assert "local(" in html[:heading]  # what stands in for a font until then


async def assert_it_is_taken_over(page: Page, address: str) -> None:
    """Opened, it comes alive, and its head says everything once."""
    await page.goto(address)
    await page.wait_for_function("() => window.__reflex")
    await page.wait_for_load_state("networkidle")
    assert "Trompo" in await page.title()
    assert await page.locator("main").count() == 1  # the page that was sent is the one that came alive
    for tag in ("title", "meta[name=description]", "link[rel=canonical]", 'meta[property="og:image"]'):
        assert await page.locator(f"head > {tag}").count() <= 1


async def test_an_address_that_leads_nowhere_says_so_in_spanish(server: ShopServer) -> None:
    head = Head(await server.rendered("/naves/espaciales"))
    assert head.texts["title"] == "Página no encontrada · Trompo"
    assert head.meta("description") == "La página que buscas no existe o cambió de lugar."
    assert head.meta("og:image") == "/brand/og.png"


@pytest.mark.parametrize("path", PUBLIC + OWN)
async def test_a_document_is_taken_over_without_an_error(page: Page, watch: Watch, path: str) -> None:
    watch.expect("404")  # the browser reports the status of a document it was sent
    await assert_it_is_taken_over(page, path)


async def test_a_document_that_nobody_drew_is_taken_over_too(
    new_server: Callable[..., ShopServer], page_1280: Page, watch: Watch
) -> None:
    watch.expect("404")
    server = new_server(RENDERERS="0")
    page = page_1280
    await page.add_init_script(TAKING_OVER)
    for path in PUBLIC + OWN:
        await assert_it_is_taken_over(page, server.url + path)
        await page.wait_for_function("() => window.taken")
        assert await page.evaluate("window.mains") in ([1], [0, 1]), (
            path
        )  # no page is shown twice, none goes away
        assert await page.locator("[data-stand-in]").count() == 0
        # what may be left is a word that moves by the width of a letter when its typeface comes late
        assert await page.evaluate(SHIFT) < 0.05, path
    await page.goto(server.url + "/product/trompo-de-madera")
    await page.get_by_role("link", name="Favoritos").first.click()
    await expect(page).to_have_title("Tus favoritos · Trompo")


async def test_without_scripts_and_rendering_a_toy_is_found_and_read(
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
    assert await page.locator("h1").inner_text() == "Trompo de madera"
    widths = "() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    assert await page.evaluate(widths) == [320, 320]
    await page.get_by_role("link", name="Juegos tradicionales").first.click()
    assert await page.locator("h1").inner_text() == "Juegos tradicionales"
    assert COOKIE in {cookie.get("name") for cookie in await context.cookies()}
    await context.close()


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/", "banner-slide"),
        ("/", "product-card"),
        ("/catalog?category=peluches", "product-card"),
        ("/product/trompo-de-madera", "gallery-image"),
        ("/product/trompo-de-madera", "add-to-cart"),
        ("/product/nada", "not-found"),
        ("/no-such-page", "not-found"),
    ],
)
async def test_the_content_is_there_without_scripts(
    browser: Browser, server: ShopServer, path: str, shown: str
) -> None:
    await server.rendered(path)
    context = await browser.new_context(base_url=server.url, java_script_enabled=False)
    page = await context.new_page()
    await page.goto(path)
    assert await page.get_by_test_id(shown).first.is_visible()
    assert await page.locator("main h1").count() == 1
    await context.close()


@pytest.mark.parametrize("path", ["/cart", "/checkout", "/wishlist", "/order/order_0?token=t"])
async def test_what_cannot_do_without_scripts_says_so(
    browser: Browser, server: ShopServer, path: str
) -> None:
    await server.rendered(path)
    context = await browser.new_context(base_url=server.url, java_script_enabled=False)
    page = await context.new_page()
    await page.goto(path)
    said = page.locator("noscript p").first
    assert await said.is_visible()
    assert "tu navegador necesita JavaScript" in await said.inner_text()
    await context.close()


async def test_a_products_words_and_price_are_in_its_document(server: ShopServer) -> None:
    html = await server.rendered("/product/trompo-de-madera")
    body = html.partition("<body>")[2]
    assert '<h1 class="product__title">Trompo de madera</h1>' in body
    assert "El trompo de siempre, torneado en madera de naranjo" in body
    assert re.search(r'<span class="price__now">\$\s[\d.]+</span>', body)


@pytest.mark.parametrize("path", ["/cart", "/checkout", "/wishlist", "/order/order_0?token=t"])
async def test_a_document_is_the_same_for_everybody(server: ShopServer, path: str) -> None:
    rendered = await server.rendered(path)
    cookies = {"cookie": "trompo_session=someone; token=else", "authorization": "Bearer x"}
    async with httpx.AsyncClient(base_url=server.url) as client:
        assert (await client.get(path, headers=cookies)).text == rendered


async def test_every_inline_script_that_runs_is_allowed(server: ShopServer) -> None:
    async with httpx.AsyncClient(base_url=server.url) as client:
        for path in PUBLIC + OWN:
            answer = await client.get(path)
            for script in inline_scripts(answer.text):
                digest = b64encode(sha256(script.encode()).digest()).decode()
                assert f"'sha256-{digest}'" in answer.headers["content-security-policy"], script


async def test_the_manual_of_the_api_needs_nobody_else(page: Page, watch: Watch) -> None:
    await page.goto("/docs")
    operation = page.locator("details", has_text="/store/carts/{cart_id}/complete")
    await operation.locator("summary").click()
    assert await operation.get_by_text("Make the order, once").is_visible()
    assert await page.evaluate("getComputedStyle(document.body).maxWidth") == "1024px"
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert watch.problems == []


async def test_nothing_of_another_site_may_read_the_answers(server: ShopServer) -> None:
    async with httpx.AsyncClient(base_url=server.url, headers={"origin": "https://evil.example"}) as client:
        for path in ("/", "/product/trompo-de-madera", "/health", "/robots.txt"):
            answer = await client.get(path)
            assert "access-control-allow-origin" not in answer.headers
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "strict-origin-when-cross-origin"


async def test_files_are_kept_as_long_as_their_names_promise(server: ShopServer) -> None:
    async with httpx.AsyncClient(base_url=server.url) as client:
        document = await client.get("/")
        script = re.findall('href="(/assets/[^"]+\\.js)"', document.text)[0]
        kept = {
            path: (await client.get(path)).headers["cache-control"]
            for path in ("/", script, "/fonts/figtree.woff2")
        }
    assert kept["/"] == "private, no-cache"
    assert kept[script] == "public, max-age=31536000, immutable"
    assert kept["/fonts/figtree.woff2"] == "public, max-age=31536000"


async def test_a_page_from_before_an_upgrade_still_gets_its_scripts(server: ShopServer) -> None:
    stored = server.folder / "data" / "builds" / "assets"
    assert list(stored.glob("*.js"))  # those of this build, for the next
    (stored / "of-an-earlier-build.js").write_text("export {};")
    async with httpx.AsyncClient(base_url=server.url) as client:
        earlier = await client.get("/assets/of-an-earlier-build.js")
        posted = await client.post("/assets/of-an-earlier-build.js")
        unknown = await client.get("/assets/of-no-build.js")
    assert (earlier.status_code, earlier.text) == (200, "export {};")
    assert earlier.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert earlier.headers["x-content-type-options"] == "nosniff"
    assert (posted.status_code, unknown.status_code) == (405, 404)
