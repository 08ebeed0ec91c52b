"""Takes the pictures of every page for docs/screenshots, at the three widths the shop is looked at.

    python -m tools.screenshots              every page
    python -m tools.screenshots home order   only these

It opens shops of its own with the demo toys, buys something in them, and leaves nothing behind but the pictures.
"""

import argparse
import asyncio
import io
import tempfile
from pathlib import Path

from PIL import Image
from playwright.async_api import Page, async_playwright

from tests.e2e.conftest import ShopServer
from tests.e2e.scenes import EVERYWHERE, ON_PHONES
from tools.browser import launch

FOLDER = Path(__file__).parent.parent / "docs" / "screenshots"
SIZES = {320: 640, 768: 1024, 1280: 800}
TALLEST = 2400
"""Pixels of a long page that are kept: enough to see how it is made."""
QUALITY = 72

NARROW = 1024
"""Pixels from which there is room for the departments and the filters beside the page."""

WHOLE_PAGES = (
    *("home", "catalog", "product", "cart", "cart-empty", "wishlist", "checkout", "checkout-errors", "bank"),
    *("order-paid", "order-rejected", "order-pending", "login", "register", "reset", "account"),
    *("account-edit", "checkout-addresses", "not-found"),
)
OVER_A_PAGE = ("search", "search-nothing", "menu", "filters", "drawer", "product-large")
"""What lies over a page and goes when it is left: pictured as it stands in the window."""
PICTURES = (*WHOLE_PAGES, *OVER_A_PAGE)
DECODE_WHAT_IS_SEEN = """() => Promise.all([...document.images].filter((one) => {
    const { top, bottom, left, right } = one.getBoundingClientRect();
    return one.checkVisibility() && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
}).map((one) => one.decode()))"""
SCENES = {**ON_PHONES, **EVERYWHERE}


async def _take(shop: ShopServer, width: int, wanted: list[str]) -> None:
    async with async_playwright() as playwright:
        browser = await launch(playwright)
        for name in wanted:
            if name in ON_PHONES and width >= NARROW:
                continue
            context = await browser.new_context(
                base_url=shop.url,
                viewport={"width": width, "height": SIZES[width]},
                locale="es-CO",
                reduced_motion="reduce",
            )
            page = await context.new_page()
            await SCENES[name](page)
            picture = await (_window(page) if name in OVER_A_PAGE else _whole(page))
            _save(picture, FOLDER / f"{name}-{width}.webp")
            await context.close()
            print(f"{name} at {width} px", flush=True)
        await browser.close()


async def _whole(page: Page) -> bytes:
    """The page from top to bottom, with the pictures that wait to be scrolled to, as it looks before anyone scrolls."""
    await page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    await page.evaluate(
        "document.querySelectorAll('img[loading=lazy]').forEach(one => { one.loading = 'eager' })"
    )
    await page.wait_for_load_state("networkidle")
    await page.evaluate("Promise.all([...document.images].map(one => one.decode()))")
    await page.evaluate("document.fonts.ready")
    return await page.screenshot(full_page=True, animations="disabled")


async def _window(page: Page) -> bytes:
    """What the window shows, with the focus where it is, once the pictures in it have come."""
    await page.wait_for_load_state("networkidle")
    await page.evaluate(DECODE_WHAT_IS_SEEN)
    await page.evaluate("document.fonts.ready")
    return await page.screenshot(animations="disabled", caret="initial")


def _save(picture: bytes, file: Path) -> None:
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image.crop((0, 0, image.width, min(image.height, TALLEST))).save(file, quality=QUALITY, method=6)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Take the pictures of every page.")
    parser.add_argument("pages", nargs="*", choices=[*PICTURES, []], help="only these")
    wanted = parser.parse_args().pages or list(PICTURES)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for width in SIZES:  # each in a shop of its own, or the last one finds the shelves empty
        with tempfile.TemporaryDirectory() as folder:
            shop = ShopServer(
                Path(folder), {"GOOGLE_CLIENT_ID": "a client", "GOOGLE_CLIENT_SECRET": "its secret"}
            )
            shop.start()
            try:
                asyncio.run(_take(shop, width, wanted))
            finally:
                shop.stop()


if __name__ == "__main__":
    main()
