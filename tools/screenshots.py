"""Takes the pictures of every page for docs/screenshots, at the three widths the shop is looked at.

    python -m tools.screenshots              every page
    python -m tools.screenshots home order   only these

It opens a shop of its own with the demo toys, buys something in it, and leaves nothing behind but the pictures.
"""

import argparse
import asyncio
import io
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from PIL import Image
from playwright.async_api import Page, async_playwright, expect

from tests.e2e import shopper
from tests.e2e.conftest import FLAGS, ShopServer
from tools.browser import find as find_browser

FOLDER = Path(__file__).parent.parent / "docs" / "screenshots"
SIZES = {320: 640, 768: 1024, 1280: 800}
TALLEST = 2400
"""Pixels of a long page that are kept: enough to see how it is made."""
QUALITY = 72

Scene = Callable[[Page], Awaitable[None]]


async def _visit(page: Page, path: str) -> None:
    await page.goto(path)
    await page.wait_for_load_state("networkidle")


def _at(path: str) -> Scene:
    async def scene(page: Page) -> None:
        await _visit(page, path)

    return scene


async def _search(page: Page) -> None:
    await _visit(page, "/")
    await page.get_by_test_id("search-input").press_sequentially("tronpo")
    await expect(page.get_by_test_id("search-result").first).to_be_visible()
    await page.wait_for_load_state("networkidle")


async def _cart(page: Page) -> None:
    await shopper.put_in_cart(page, "chiva-de-madera")
    await shopper.put_in_cart(page, "trompo-de-madera")
    await _visit(page, "/cart")
    await expect(page.get_by_test_id("cart-line").first).to_be_visible()


async def _wishlist(page: Page) -> None:
    await _visit(page, "/catalog")
    for number in range(3):
        await page.get_by_test_id("wishlist-toggle").nth(number).click()
    await _visit(page, "/wishlist")
    await expect(page.get_by_test_id("product-card").first).to_be_visible()


async def _checkout(page: Page) -> None:
    await shopper.put_in_cart(page, "chiva-de-madera")
    await shopper.open_checkout(page)
    await shopper.fill_in(page)


async def _checkout_errors(page: Page) -> None:
    await shopper.put_in_cart(page, "chiva-de-madera")
    await shopper.open_checkout(page)
    await page.get_by_test_id("place-order").click()
    await expect(page.locator("[aria-invalid=true]").first).to_be_visible()


def _order(decision: str, status: str) -> Scene:
    async def scene(page: Page) -> None:
        await _checkout(page)
        await shopper.go_to_bank(page)
        await shopper.decide(page, decision)
        await shopper.expect_status(page, status)

    return scene


async def _bank(page: Page) -> None:
    await _checkout(page)
    await shopper.go_to_bank(page)


SCENES: dict[str, Scene] = {
    "home": _at("/"),
    "search": _search,
    "catalog": _at("/catalog?category=munecas-y-peluches"),
    "product": _at("/product/chiva-de-madera"),
    "cart": _cart,
    "cart-empty": _at("/cart"),
    "wishlist": _wishlist,
    "checkout": _checkout,
    "checkout-errors": _checkout_errors,
    "bank": _bank,
    "order-paid": _order("approve", "paid"),
    "order-rejected": _order("reject", "rejected"),
    "order-pending": _order("pending", "pending"),
    "not-found": _at("/no-existe"),
}


async def _take(shop: ShopServer, wanted: list[str]) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        for width, height in SIZES.items():
            for name in wanted:
                context = await browser.new_context(
                    base_url=shop.url,
                    viewport={"width": width, "height": height},
                    locale="es-CO",
                    reduced_motion="reduce",
                )
                page = await context.new_page()
                await SCENES[name](page)
                _save(await _whole(page), FOLDER / f"{name}-{width}.webp")
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


def _save(picture: bytes, file: Path) -> None:
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image.crop((0, 0, image.width, min(image.height, TALLEST))).save(file, quality=QUALITY, method=6)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Take the pictures of every page.")
    parser.add_argument("pages", nargs="*", choices=[*SCENES, []], help="only these")
    wanted = parser.parse_args().pages or list(SCENES)
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        shop = ShopServer(Path(folder))
        shop.start()
        try:
            asyncio.run(_take(shop, wanted))
        finally:
            shop.stop()


if __name__ == "__main__":
    main()
