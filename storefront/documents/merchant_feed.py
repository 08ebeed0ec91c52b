"""`/feed/google.xml`: all variants for sale as RSS 2.0 with the attributes of Google Merchant Center.

The file is written page by page while it is sent, so the whole file is never in memory. Its ETag is the version of
the catalogue: a program that has the current file gets 304, and no product is read.
"""

import re
import zlib
from asyncio import to_thread
from collections.abc import AsyncIterator, Iterator
from html import escape

from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from backend.app import current_shop
from backend.catalog.merchant_facts import CURRENCY
from backend.catalog.storefront.merchant_feed import FeedItem, read_feed_page
from backend.core.money import Cop
from backend.edge.etags import NotModified, compute_etag, has_current_copy
from backend.edge.requests import client_address
from backend.rate_limit.limiter import Client, RateLimit, hit
from storefront.documents.responses import LEVEL, XML, accepts_gzip
from storefront.links import HOME, product_path
from storefront.meta import absolute_url

PATH = "/feed/google.xml"
DOWNLOADS = RateLimit("merchant feed", per_pair=6, per_client=30, per_subject=0)
"""Rate limit of complete downloads. Requests that are answered with 304 are not counted."""
FORMAT = 1
"""Part of the ETag. Increase it when the format of the feed changes, so that programs download the feed again."""
PAGE_SIZE = 100
"""Number of products that are read and written at once."""
MAX_ID_LENGTH, MAX_TITLE_LENGTH, MAX_DESCRIPTION_LENGTH, MAX_BRAND_LENGTH = 50, 150, 5_000, 70
MAX_ATTRIBUTE_LENGTHS = {"color": 100, "material": 200, "pattern": 100, "size": 100}
MAX_TYPE_LENGTH = 750
"""Maximum lengths of the feed's texts in characters (Google Merchant Center, product data specification)."""
GZIP = 16 + zlib.MAX_WBITS
START = '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0">\n<channel>\n'
END = "</channel>\n</rss>\n"
_FORBIDDEN = re.compile("[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that an XML 1.0 document cannot contain, and the carriage return, which XML reads as a line feed."""

router = APIRouter(include_in_schema=False)


@router.api_route(PATH, methods=["GET", "HEAD"])
async def merchant_feed(request: Request) -> Response:
    """Return the feed, or 304 if the client has its current version. Only a complete feed counts as a download.

    Raises:
        TooManyRequests: the client has downloaded it too often.
    """
    shop = current_shop()
    settings = shop.settings
    # read before the content, so that the content is not older than its tag
    version = await shop.catalog_version.read_version()
    tag = compute_etag(repr((*version, FORMAT, settings.base_url)).encode())
    is_packed = accepts_gzip(request.headers)
    headers = {"cache-control": "no-cache", "vary": "Accept-Encoding", "etag": tag}
    if is_packed:
        headers["content-encoding"] = "gzip"
    response = Response(headers=headers, media_type=XML)
    if has_current_copy(request.scope, tag):
        return NotModified(response.raw_headers)
    if request.method == "HEAD":
        del response.headers["content-length"]
        return response
    client = Client.from_ip(client_address(request, settings.trusted_proxies), settings)
    await hit(shop.database, DOWNLOADS, "", client)
    parts = write_feed((await shop.effective_settings.now()).store_name)
    content = _pack(parts) if is_packed else (part.encode() async for part in parts)
    return StreamingResponse(content, headers=headers, media_type=XML)


async def write_feed(store_name: str, page_size: int = PAGE_SIZE) -> AsyncIterator[str]:
    """Yield the feed in parts of `page_size` products."""
    yield START + "".join(
        [
            _element("title", _clean(store_name)),
            _element("link", absolute_url(HOME)),
            _element("description", _clean(store_name)),
        ]
    )
    after: str | None = ""
    while after is not None:
        async with current_shop().database.read() as session:
            page = await read_feed_page(session, after, page_size)
        yield await to_thread(lambda items: "".join(map(write_item, items)), page.items)
        after = page.last_product_id
    yield END


async def _pack(parts: AsyncIterator[str]) -> AsyncIterator[bytes]:
    packer = zlib.compressobj(LEVEL, wbits=GZIP)
    async for part in parts:
        if packed := await to_thread(packer.compress, part.encode()):
            yield packed
    yield packer.flush()


def write_item(item: FeedItem) -> str:
    """Return the item's XML. Missing facts are left out."""
    return "<item>\n" + "".join(_elements(item)) + "</item>\n"


def _elements(item: FeedItem) -> Iterator[str]:
    path = product_path(item.handle)
    has_choice = bool(item.variant_title)
    yield _element("g:id", build_item_id(item))
    if has_choice:
        yield _element("g:item_group_id", item.product_id)
    title = build_title(item)
    yield _element("g:title", title)
    yield _element("g:description", _cut(_clean(item.description), MAX_DESCRIPTION_LENGTH) or title)
    yield _element("g:link", absolute_url(f"{path}?variant={item.variant_id}" if has_choice else path))
    for place, url in enumerate(item.pictures):
        yield _element("g:additional_image_link" if place else "g:image_link", absolute_url(url))
    yield from _availability(item)
    yield _element("g:price", _format_price(item.price))
    yield _element("g:sale_price", _format_price(item.sale_price) if item.sale_price is not None else "")
    yield from _identifiers(item)
    yield _element("g:condition", "new")
    yield _element("g:product_type", _cut(_clean(" > ".join(item.category_path)), MAX_TYPE_LENGTH))
    yield _element("g:age_group", item.ages.age_group if item.ages else "")
    for name, value in item.attributes.items():
        yield _element(f"g:{name}", _cut(_clean(value), MAX_ATTRIBUTE_LENGTHS[name]))
    yield _element("g:shipping_weight", _format_measure(item.weight, "kg"))
    sides = {"length": item.length, "width": item.width, "height": item.height}
    if all(sides.values()):
        yield from (
            _element(f"g:shipping_{name}", _format_measure(side, "cm")) for name, side in sides.items()
        )


def _identifiers(item: FeedItem) -> Iterator[str]:
    brand = _cut(_clean(item.brand), MAX_BRAND_LENGTH)
    yield _element("g:brand", brand)
    yield _element("g:gtin", item.bar_code)
    number = item.sku if len(item.sku) <= MAX_BRAND_LENGTH and item.sku.isprintable() else ""
    yield _element("g:mpn", number)
    if not item.bar_code and not (brand and number):
        yield _element("g:identifier_exists", "no")


def build_item_id(item: FeedItem) -> str:
    """Return the item's id: its SKU, which other programs also use; the variant's id if the SKU is no valid id."""
    is_usable = 0 < len(item.sku) <= MAX_ID_LENGTH and item.sku.isprintable() and item.sku == item.sku.strip()
    return item.sku if is_usable else item.variant_id


def _availability(item: FeedItem) -> Iterator[str]:
    """Yield the XML elements of the availability, and of the day from which a preorder is available."""
    if item.is_available and item.preorder_day is not None:
        yield _element("g:availability", "preorder")
        yield _element("g:availability_date", f"{item.preorder_day.isoformat()}T00:00-05:00")
    else:
        yield _element("g:availability", "in_stock" if item.is_available else "out_of_stock")


def build_title(item: FeedItem) -> str:
    """Return the item's title: the product's, and the variant's if there are several."""
    title = _clean(item.title)
    if not item.variant_title:
        return _cut(title, MAX_TITLE_LENGTH)
    variant = f" – {_cut(_clean(item.variant_title), MAX_TITLE_LENGTH // 2)}"
    return _cut(title, MAX_TITLE_LENGTH - len(variant)) + variant


def _element(name: str, text: str) -> str:
    return f"<{name}>{escape(text, quote=False)}</{name}>\n" if text else ""


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("", text)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def _format_price(price: Cop) -> str:
    return f"{price}.00 {CURRENCY}"


def _format_measure(value: float | None, unit: str) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".") + f" {unit}" if value else ""
