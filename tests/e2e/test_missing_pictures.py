"""A picture that does not exist, or whose address is unusual, leaves no gap in a page.

| picture | page, card, cart | head, JSON-LD |
|---|---|---|
| none | the placeholder | the shop's own picture; no `image` |
| answers 404 | the placeholder | as stored |
| its name has `#`, `%`, quotes, spaces | the picture | the whole name, encoded |
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, Route, expect
from sqlalchemy import select

from backend.catalog.models import Picture, Product, Variant
from backend.catalog.search.index import index_products
from backend.core.db.database import Database
from backend.inventory.service import set_stock
from backend.shipping.models import StockLocation
from storefront.brand_icons import DEMO_SHARE_IMAGE
from storefront.components.pictures import NO_PICTURE
from tests.e2e import shopper
from tests.e2e.conftest import PageWatch, ShopServer, build_page_opener
from tests.e2e.scenes import visit
from tests.e2e.shopper import expect_no_overflow_at_any_width

SCREENSHOTS = os.environ.get("SCREENSHOTS", "")
"""Folder for screenshots of the tested pages, to be checked by eye."""
CDN = "https://cdn.example"
ODD_URL = f"""{CDN}/50% más "oso" #3.svg"""
ODD_URL_ENCODED = f"{CDN}/50%25%20m%C3%A1s%20%22oso%22%20%233.svg"
PICTURES = {"sin-foto": None, "foto-perdida": f"{CDN}/gone.jpg", "foto-rara": ODD_URL}
LONG_WORD = "m" * 110
"""A word that is wider than any screen: the title of `foto-perdida` ends with it."""
DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="60"><rect width="60" height="60"/></svg>'
)


async def create_products(shop: ShopServer) -> None:
    """Add one product for each kind of picture."""
    database = Database(f"sqlite+aiosqlite:///{shop.folder / 'data' / 'trompo.db'}")
    try:
        async with database.transaction() as session:
            location = (await session.execute(select(StockLocation.id).limit(1))).scalar_one()
            for handle, url in PICTURES.items():
                last_word = LONG_WORD if handle == "foto-perdida" else handle
                product = Product(handle=handle, title=f"Retrato {last_word}", thumbnail=url)
                session.add(product)
                await session.flush()
                variant = Variant(product_id=product.id, sku=handle, price=20_000)
                session.add(variant)
                if url:
                    session.add(Picture(product_id=product.id, url=url, alt="Foto", rank=0))
                await session.flush()
                await set_stock(session, variant.id, location, 9)
                await index_products(session, [product.id])
    finally:
        await database.close()


async def answer_as_cdn(route: Route) -> None:
    """Answer as the other host: with a drawing at `ODD_URL_ENCODED`, with 404 at any other address."""
    if route.request.url == ODD_URL_ENCODED:
        await route.fulfill(body=DRAWING, content_type="image/svg+xml")
    else:
        await route.fulfill(status=404)


async def find_picture_url(page: Page, handle: str) -> str:
    """Open a product's page. Return the address of the displayed picture."""
    await visit(page, f"/product/{handle}")
    shown = page.locator(".gallery__slide img")
    await expect(shown).to_have_js_property("complete", True)
    await page.wait_for_function("() => document.querySelector('.gallery__slide img').naturalWidth > 0")
    return str(await shown.evaluate("(one) => one.currentSrc"))


async def read_structured_data(page: Page, handle: str) -> dict[str, Any]:
    """Return the JSON-LD of a product's document."""
    document = await (await page.request.get(f"/product/{handle}")).text()
    written = document.partition('<script type="application/ld+json">')[2].partition("</script>")[0]
    data: dict[str, Any] = json.loads(written)
    return data


async def test_missing_pictures_leave_no_gap(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch
) -> None:
    shop = new_server()
    await create_products(shop)
    watch.expect("cdn.example")
    async with build_page_opener(shop, browser, watch)(320, 640) as page:
        await page.route(f"{CDN}/**", answer_as_cdn)
        assert await find_picture_url(page, "sin-foto") == f"{shop.url}{NO_PICTURE}"
        await expect(page.get_by_text("Sin foto todavía")).to_be_visible()
        shared = page.locator("meta[property='og:image']")
        await expect(shared).to_have_attribute("content", f"{shop.url}{DEMO_SHARE_IMAGE}")
        assert await find_picture_url(page, "foto-perdida") == f"{shop.url}{NO_PICTURE}"
        assert await find_picture_url(page, "foto-rara") == ODD_URL_ENCODED
        await expect(shared).to_have_attribute("content", ODD_URL_ENCODED)
        assert (await read_structured_data(page, "foto-rara"))["image"] == [ODD_URL_ENCODED]
        assert "image" not in await read_structured_data(page, "sin-foto")
        await visit(page, "/catalog?q=retrato")
        await expect(page.locator(".card__image")).to_have_count(3)
        await page.wait_for_function(
            "() => [...document.querySelectorAll('.card__image')].every((one) => one.naturalWidth > 0)"
        )
        assert await page.locator(f".card__image[src='{NO_PICTURE}']").count() == 2
        await expect_no_overflow_at_any_width(page)
        if SCREENSHOTS:
            await page.screenshot(path=Path(SCREENSHOTS) / "missing-cards.png", full_page=True)
        await shopper.put_in_cart(page, "foto-perdida")
        await expect_no_overflow_at_any_width(page)
        await visit(page, "/cart")
        await expect(page.locator(f".line__picture img[src='{NO_PICTURE}']")).to_be_visible()
        await expect_no_overflow_at_any_width(page)
