"""`/robots.txt` and the sitemaps, made of what is for sale at this moment."""

import re
from datetime import datetime
from html import escape

from backend.app import current_shop
from backend.catalog.search.suggestions import read_places
from backend.catalog.storefront.product_list import ages_of
from backend.catalog.storefront.sitemap import count_products, listed_categories, listed_products
from backend.legal.texts import current_texts
from storefront.links import CATALOG, GIFT, HOME, PQRS, catalog_path, legal_path, product_path
from storefront.meta import absolute

ROBOTS = "/robots.txt"
SITEMAP = "/sitemap.xml"
SITEMAP_PAGE = re.compile(r"/sitemap-(\d{1,6})\.xml")
MOST_URLS = 50_000
"""The most urls that one file of a sitemap may list (sitemaps.org)."""
NOT_FOR_CRAWLERS = ("/admin/", "/api/", "/auth/", "/hooks/", "/sandbox/", "/store/", "/_event")
"""Addresses without documents. Pages that must not be indexed are not here: crawlers have to read their tag."""
XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def robots() -> str:
    """The text of `/robots.txt`."""
    rules = [f"Disallow: {path}" for path in NOT_FOR_CRAWLERS]
    return "\n".join(["User-agent: *", *rules, "", f"Sitemap: {absolute(SITEMAP)}", ""])


async def sitemap(most: int = MOST_URLS) -> str:
    """The sitemap; when it is too long for one file, the index of its files.

    Args:
        most: how many urls a file may list.
    """
    pages = await _pages()
    count = await _count()
    if len(pages) + count > most:
        return _index([absolute(f"/sitemap-{number}.xml") for number in range(-(-count // most) + 1)])
    return _url_set([*pages, *await _products(0, most)])


async def sitemap_page(number: int, most: int = MOST_URLS) -> str | None:
    """A file of a long sitemap: number 0 lists the catalogue's pages, the others products. None when there is none."""
    urls = await _products((number - 1) * most, most) if number else await _pages()
    return _url_set(urls) if urls else None


Urls = list[tuple[str, datetime | None]]


async def _pages() -> Urls:
    async with current_shop().database.read() as session:
        categories = await listed_categories(session)
        texts = await current_texts(session)
        ages, brands = await ages_of(session), (await read_places(session)).brands
    lists: Urls = [(catalog_path(category=category.handle), category.changed_at) for category in categories]
    legal: Urls = [(legal_path(kind), text.saved_at) for kind, text in texts.items()]
    lists += [(catalog_path(age=age.value), None) for age in ages]
    lists += [(path, None) for path in dict.fromkeys(catalog_path(brand=brand.handle) for brand in brands)]
    return [(HOME, None), (CATALOG, None), (GIFT, None), *lists, *legal, (PQRS, None)]


async def _products(offset: int, limit: int) -> Urls:
    async with current_shop().database.read() as session:
        products = await listed_products(session, offset=offset, limit=limit)
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
        lines.append(f"<{entry}><loc>{escape(absolute(path))}</loc>{changed}</{entry}>")
    content = "\n".join(lines)
    return f"{XML}<{root} {NAMESPACE}>\n{content}\n</{root}>\n"
