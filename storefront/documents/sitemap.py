"""`/robots.txt` and the sitemaps, built from the products that are for sale now."""

import re
from datetime import datetime
from html import escape

from backend.app import current_shop
from backend.catalog.search.suggestions import read_suggestion_source
from backend.catalog.storefront.product_list import read_age_facets
from backend.catalog.storefront.sitemap import (
    count_products,
    list_category_entries,
    list_collection_entries,
    list_product_entries,
)
from backend.legal.texts import current_texts
from storefront.links import CATALOG, GIFT, HOME, PQRS, catalog_path, legal_path, product_path
from storefront.meta import absolute_url

ROBOTS = "/robots.txt"
SITEMAP = "/sitemap.xml"
SITEMAP_PAGE = re.compile(r"/sitemap-(\d{1,6})\.xml")
MAX_URLS = 50_000
"""URLs that one sitemap file may list (sitemaps.org)."""
NOT_FOR_CRAWLERS = ("/admin/", "/api/", "/auth/", "/hooks/", "/sandbox/", "/store/", "/_event")
"""Path prefixes that `/robots.txt` forbids, because they have no documents.

Pages that must not be indexed are missing here: crawlers have to read the robots tag of these pages.
"""
XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def robots() -> str:
    """Return the text of `/robots.txt`."""
    rules = [f"Disallow: {path}" for path in NOT_FOR_CRAWLERS]
    return "\n".join(["User-agent: *", *rules, "", f"Sitemap: {absolute_url(SITEMAP)}", ""])


async def sitemap(max_urls: int = MAX_URLS) -> str:
    """Return the sitemap. If it is too long for one file, return the index of its files.

    Args:
        max_urls: maximum number of URLs in a file.
    """
    pages = await _pages()
    count = await _count()
    if len(pages) + count > max_urls:
        return _index([absolute_url(f"/sitemap-{number}.xml") for number in range(-(-count // max_urls) + 1)])
    return _url_set([*pages, *await _products(0, max_urls)])


async def sitemap_page(number: int, max_urls: int = MAX_URLS) -> str | None:
    """Return a file of a long sitemap; None if there is no file with this number.

    Number 0 lists the pages of the catalog; the other files list products.
    """
    urls = await _products((number - 1) * max_urls, max_urls) if number else await _pages()
    return _url_set(urls) if urls else None


Urls = list[tuple[str, datetime | None]]


async def _pages() -> Urls:
    async with current_shop().database.read() as session:
        categories = await list_category_entries(session)
        collections = await list_collection_entries(session)
        texts = await current_texts(session)
        ages, brands = await read_age_facets(session), (await read_suggestion_source(session)).brands
    lists: Urls = [(catalog_path(category=category.handle), category.changed_at) for category in categories]
    legal: Urls = [(legal_path(kind), text.saved_at) for kind, text in texts.items()]
    lists += [(catalog_path(collection=one.handle), one.changed_at) for one in collections]
    lists += [(catalog_path(age=age.value), None) for age in ages]
    lists += [(path, None) for path in dict.fromkeys(catalog_path(brand=brand.handle) for brand in brands)]
    gift_finder: Urls = [(GIFT, None)] if ages else []  # without ages it has nothing to find
    return [(HOME, None), (CATALOG, None), *gift_finder, *lists, *legal, (PQRS, None)]


async def _products(offset: int, limit: int) -> Urls:
    async with current_shop().database.read() as session:
        products = await list_product_entries(session, offset=offset, limit=limit)
    return [(product_path(product.handle), product.changed_at) for product in products]


async def _count() -> int:
    async with current_shop().database.read() as session:
        return await count_products(session)


def _url_set(urls: Urls) -> str:
    return _file("urlset", "url", urls)


def _index(files: list[str]) -> str:
    return _file("sitemapindex", "sitemap", [(file, None) for file in files])


def _file(root: str, entry: str, urls: Urls) -> str:
    lines = []
    for path, changed_at in urls:
        changed = f"<lastmod>{changed_at:%Y-%m-%dT%H:%M:%SZ}</lastmod>" if changed_at else ""
        lines.append(f"<{entry}><loc>{escape(absolute_url(path))}</loc>{changed}</{entry}>")
    content = "\n".join(lines)
    return f"{XML}<{root} {NAMESPACE}>\n{content}\n</{root}>\n"
