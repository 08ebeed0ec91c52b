"""Documents from the real server: over plain HTTP, and in a browser that takes them over."""

import asyncio
import json
import re
from html import unescape
from xml.etree import ElementTree

import httpx
import pytest
from playwright.async_api import Page

from tests.e2e.conftest import ShopServer, Watch

LOC = "{http://www.sitemaps.org/schemas/sitemap/0.9}loc"
PUBLIC = ["/", "/catalog", "/catalog?category=peluches", "/catalog?q=oso", "/product/trompo-de-madera"]
OWN = ["/cart", "/checkout", "/wishlist", "/order/order_0?token=t", "/product/nada", "/no-such-page"]


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
            html = (await client.get(url)).text
            head = html.partition("</head>")[0]
            (title,) = re.findall("<title>(.*?)</title>", head)
            (description,) = re.findall('<meta name="description" content="(.*?)"/>', head)
            (data,) = re.findall('<script type="application/ld\\+json">(.*?)</script>', head)
            graph = json.loads(data)["@graph"]
            product, trail = graph
            assert re.findall('<link rel="canonical" href="(.*?)"/>', head) == [url]
            assert re.findall('<meta property="og:url" content="(.*?)"/>', head) == [url]
            assert unescape(title).endswith(" · Trompo")
            assert unescape(title).startswith(product["name"])
            assert 40 <= len(unescape(description)) <= 155
            assert product["offers"]["url"] == url
            assert product["offers"]["price"] > 0
            assert product["offers"]["availability"].startswith("https://schema.org/")
            assert [item["position"] for item in trail["itemListElement"]] == [1, 2, 3][
                : len(trail["itemListElement"])
            ]
            titles.add(title)
            descriptions.add(description)
        assert len(titles) == len(descriptions) == len(products)


@pytest.mark.parametrize("path", PUBLIC + OWN)
async def test_a_document_is_taken_over_without_an_error(page: Page, watch: Watch, path: str) -> None:
    watch.expect("404")  # the browser reports the status of a document it was sent
    await page.goto(path)
    await page.wait_for_function("() => window.__reflex")
    await page.wait_for_load_state("networkidle")
    title = await page.title()
    assert "Trompo" in title


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
