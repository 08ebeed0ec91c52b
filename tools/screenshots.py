"""Take the pictures of all pages for docs/screenshots, at three widths. `tools.office_screenshots` takes the office's.

    python -m tools.screenshots              every page
    python -m tools.screenshots home order   only these

It starts temporary shops with the demo products, buys products in them, and leaves only the pictures behind.
"""

import argparse
import asyncio
import io
import tempfile
from pathlib import Path

from PIL import Image
from playwright.async_api import Page, async_playwright

from tests.e2e.conftest import ShopServer
from tests.e2e.scenes import PAGE_SCENES, PHONE_SCENES
from tools.browser import launch

FOLDER = Path(__file__).parent.parent / "docs" / "screenshots"
SIZES = {320: 640, 768: 1024, 1280: 800}
MAX_HEIGHT_PX = 2400
"""Maximum height in pixels of the picture of a long page: enough to see the layout."""
QUALITY = 72

MIN_WIDE_LAYOUT_PX = 1024
"""Minimum width in pixels of the layout with departments and filters next to the page."""

WHOLE_PAGES = (
    *("home", "catalog", "product", "cart", "cart-empty", "wishlist", "checkout", "checkout-errors", "bank"),
    *("order-paid", "order-rejected", "order-pending", "login", "register", "reset", "account"),
    *("account-edit", "checkout-addresses", "not-found", "gift", "pqrs", "legal", "order-find"),
    *("product-variants", "product-sold-out"),
)
OVERLAY_SCENES = ("search", "search-nothing", "menu", "filters", "drawer", "product-large")
"""Scenes with an overlay over a page: only the window is pictured."""
PICTURES = (*WHOLE_PAGES, *OVERLAY_SCENES)
DECODE_VISIBLE_PICTURES = """() => Promise.all([...document.images].filter((one) => {
    const { top, bottom, left, right } = one.getBoundingClientRect();
    return one.checkVisibility() && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
}).map((one) => one.decode()))"""
SCENES = {**PHONE_SCENES, **PAGE_SCENES}


async def _take_pictures(shop: ShopServer, width: int, wanted: list[str]) -> None:
    async with async_playwright() as playwright:
        browser = await launch(playwright)
        for name in wanted:
            if name in PHONE_SCENES and width >= MIN_WIDE_LAYOUT_PX:
                continue
            context = await browser.new_context(
                base_url=shop.url,
                viewport={"width": width, "height": SIZES[width]},
                locale="es-CO",
                reduced_motion="reduce",
            )
            page = await context.new_page()
            await SCENES[name](page)
            picture = await (picture_window(page) if name in OVERLAY_SCENES else _picture_whole_page(page))
            save_picture(picture, FOLDER / f"{name}-{width}.webp")
            await context.close()
            print(f"{name} at {width} px", flush=True)
        await browser.close()


async def _picture_whole_page(page: Page) -> bytes:
    """Return a picture of the whole page at scroll position 0, with its lazily loaded pictures."""
    await page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    await page.evaluate(
        "document.querySelectorAll('img[loading=lazy]').forEach(one => { one.loading = 'eager' })"
    )
    await page.wait_for_load_state("networkidle")
    await page.evaluate("Promise.all([...document.images].map(one => one.decode()))")
    await page.evaluate("document.fonts.ready")
    return await page.screenshot(full_page=True, animations="disabled")


async def picture_window(page: Page) -> bytes:
    """Return a picture of the window with the current focus, after its pictures have loaded."""
    await page.wait_for_load_state("networkidle")
    await page.evaluate(DECODE_VISIBLE_PICTURES)
    await page.evaluate("document.fonts.ready")
    return await page.screenshot(animations="disabled", caret="initial")


def save_picture(picture: bytes, file: Path) -> None:
    """Save the upper part of a picture as WebP."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image.crop((0, 0, image.width, min(image.height, MAX_HEIGHT_PX))).save(file, quality=QUALITY, method=6)


def main() -> None:
    """Take the pictures of the pages that the command line names, or of every page, at each width."""
    parser = argparse.ArgumentParser(description="Take the pictures of every page.")
    parser.add_argument("pages", nargs="*", choices=[*PICTURES, []], help="only these")
    wanted = parser.parse_args().pages or list(PICTURES)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for width in SIZES:  # a separate shop for each width, else the products are sold out in the final one
        with tempfile.TemporaryDirectory() as folder:
            shop = ShopServer(
                Path(folder), {"GOOGLE_CLIENT_ID": "a client", "GOOGLE_CLIENT_SECRET": "its secret"}
            )
            shop.start()
            try:
                asyncio.run(_take_pictures(shop, width, wanted))
            finally:
                shop.stop()


if __name__ == "__main__":
    main()
