"""A server that restarts goes unnoticed: every page stays as it was, with all that is opened and typed in it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import ElementHandle, Page, expect

from tests.e2e.account_steps import register
from tests.e2e.conftest import ShopServer, Watch
from tests.e2e.held import Held
from tests.e2e.shopper import PATIENCE, put_in_cart

WHOLE = '"is_hydrated_rx_state_":true'
"""What the server says last to a page that connects."""
TWO_FRAMES = "() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))"
PARTS = {
    "/": "main h2",
    "/catalog?category=construccion": '[data-testid="product-card"]',
    "/product/chiva-de-madera": "main h1",
    "/cart": '[data-testid="cart-line"]',
    "/wishlist": '[data-testid="product-card"]',
    "/checkout": '[name="email"]',
}
"""By page: something in it. Were it drawn anew, it would be another element."""


async def test_pages_stay_as_they_are(page_1280: Page, server: ShopServer, watch: Watch) -> None:
    watch.expect("WebSocket connection")
    watch.expect("ERR_CONNECTION_REFUSED")  # a picture may still be on its way
    await put_in_cart(page_1280, "yoyo-de-madera")
    await page_1280.get_by_test_id("wishlist-toggle").first.click()
    pages = {path: await page_1280.context.new_page() for path in PARTS}
    shown: dict[str, tuple[ElementHandle, str]] = {}
    for path, page in pages.items():
        await page.goto(path)
        shown[path] = await part_of(page, PARTS[path]), await page.title()
    async with reconnected(*pages.values()):
        server.restart()
    for path, page in pages.items():
        part, title = shown[path]
        assert await part.evaluate("part => part.isConnected"), path
        assert await page.title() == title


async def test_no_message_comes_up_a_second_time(page_320: Page, server: ShopServer, watch: Watch) -> None:
    watch.expect("WebSocket connection")
    await put_in_cart(page_320, "yoyo-de-madera")
    notice = page_320.get_by_test_id("added-notice")
    await notice.get_by_role("button").click()
    await expect(notice).to_have_count(0)
    async with reconnected(page_320):
        server.restart()
    await expect(notice).to_have_count(0)


async def test_a_list_stays_narrowed(page_1280: Page, server: ShopServer, watch: Watch) -> None:
    watch.expect("WebSocket connection")
    watch.expect("ERR_CONNECTION_REFUSED")  # a picture may still be on its way
    await page_1280.goto("/catalog")
    cards = page_1280.get_by_test_id("product-card")
    await page_1280.locator('input[value="construccion"]').check()
    await expect(cards).to_have_count(6, timeout=PATIENCE)
    async with reconnected(page_1280):
        server.restart()
    await expect(page_1280.locator(".results")).to_have_attribute("aria-busy", "false", timeout=PATIENCE)
    await expect(cards).to_have_count(6)


async def test_an_address_that_is_being_typed_stays(page_320: Page, server: ShopServer, watch: Watch) -> None:
    watch.expect("WebSocket connection")
    await register(page_320, "reinicio@example.com")
    await page_320.get_by_text("Agregar una dirección").click()
    typed = page_320.locator("details[open] [name=address]")
    await typed.fill("Calle 10 # 43-12")
    async with reconnected(page_320):
        server.restart()
    await expect(typed).to_have_value("Calle 10 # 43-12")
    await expect(typed).to_be_focused()


async def test_what_never_becomes_whole_is_shown_all_the_same(
    page_320: Page, server: ShopServer, watch: Watch
) -> None:
    watch.expect("WebSocket connection")
    end = Held(WHOLE)
    await end.stand_before(page_320)
    await put_in_cart(page_320, "yoyo-de-madera")
    await page_320.goto("/cart")
    total = page_320.get_by_test_id("cart-total")
    await expect(total).to_have_text("$ 16.900", timeout=PATIENCE)
    end.is_holding = True
    server.restart()
    await page_320.get_by_test_id("cart-line").get_by_test_id("quantity").fill("2")
    await expect(total).to_have_text("$ 33.800", timeout=PATIENCE)


@asynccontextmanager
async def reconnected(*pages: Page) -> AsyncIterator[None]:
    """What is done inside ends the pages' connections. Afterwards they have new ones, and show what these said."""

    def whole(page: Page) -> asyncio.Future[None]:
        heard: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def hear(frame: str | bytes) -> None:
            if WHOLE in str(frame) and not heard.done():
                heard.set_result(None)

        page.on("websocket", lambda socket: socket.on("framereceived", hear))
        return heard

    waiting = [whole(page) for page in pages]
    yield
    async with asyncio.timeout(PATIENCE / 1000):  # from now on: the restart itself may take its time
        await asyncio.gather(*waiting)
    for page in pages:
        await page.evaluate(TWO_FRAMES)


async def part_of(page: Page, selector: str) -> ElementHandle:
    """The element as it is now."""
    part = await page.wait_for_selector(selector, timeout=PATIENCE)
    assert part is not None
    return part
