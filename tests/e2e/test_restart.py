"""A server that restarts goes unnoticed: every page stays as it was, with all that is opened and typed in it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from playwright.async_api import ElementHandle, Page, expect

from tests.e2e.account_steps import register
from tests.e2e.conftest import WIDTHS, OpenPage, ShopServer, Watch
from tests.e2e.held import Held
from tests.e2e.scenes import visit
from tests.e2e.shopper import (
    PATIENCE,
    be_ready_to_pay,
    decide,
    expect_status,
    field,
    go_to_bank,
    open_checkout,
    put_in_cart,
    stock_of,
)
from tests.e2e.test_checkout_errors import BAD, expect_problem, expect_told, type_badly
from tests.e2e.test_first_light import _open

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


@pytest.mark.timeout(360)  # many pages, one after the other
async def test_a_restart_goes_unnoticed(open_page: OpenPage, server: ShopServer, watch: Watch) -> None:
    """One restart for all of them: each says what it looks at before it, and what must be so after it."""
    watch.expect("WebSocket connection")
    watch.expect("ERR_CONNECTION_REFUSED")  # a picture may still be on its way
    async with AsyncExitStack() as stack:
        for stays, width in (
            (pages, "1280"),
            (no_message, "320"),
            (narrowed_list, "1280"),
            (typed_address, "320"),
            (never_whole, "320"),
            (bad_input, "320"),
            (typed_early, "320"),
            (paid_order, "1280"),
            (opened_anew, "1280"),
            (town_list, "320"),
            (shipping_estimate, "1280"),
        ):
            page = await stack.enter_async_context(open_page(*WIDTHS[width]))
            await stack.enter_async_context(stays(page, server))
        server.restart()


@asynccontextmanager
async def pages(first: Page, server: ShopServer) -> AsyncIterator[None]:
    """Pages stay as they are."""
    await put_in_cart(first, "yoyo-de-madera")
    await first.get_by_test_id("wishlist-toggle").first.click()
    pages = {path: await first.context.new_page() for path in PARTS}
    shown: dict[str, tuple[ElementHandle, str]] = {}
    for path, page in pages.items():
        await visit(page, path)  # at rest: a document may be older than what the first answer brings
        shown[path] = await part_of(page, PARTS[path]), await page.title()
    async with reconnected(*pages.values()):
        yield
    for path, page in pages.items():
        part, title = shown[path]
        assert await part.evaluate("part => part.isConnected"), path
        assert await page.title() == title


@asynccontextmanager
async def no_message(page: Page, server: ShopServer) -> AsyncIterator[None]:
    """No message comes up a second time."""
    await put_in_cart(page, "yoyo-de-madera")
    notice = page.get_by_test_id("added-notice")
    await notice.get_by_role("button").click()
    await expect(notice).to_have_count(0)
    async with reconnected(page):
        yield
    await expect(notice).to_have_count(0)


@asynccontextmanager
async def narrowed_list(page: Page, server: ShopServer) -> AsyncIterator[None]:
    """A list stays narrowed."""
    await page.goto("/catalog")
    cards = page.get_by_test_id("product-card")
    await page.locator('input[value="construccion"]').check()
    await expect(cards).to_have_count(6, timeout=PATIENCE)
    async with reconnected(page):
        yield
    await expect(page.locator(".results")).to_have_attribute("aria-busy", "false", timeout=PATIENCE)
    await expect(cards).to_have_count(6)


@asynccontextmanager
async def typed_address(page: Page, server: ShopServer) -> AsyncIterator[None]:
    """An address that is being typed stays."""
    await register(page, "reinicio@example.com")
    await page.get_by_text("Agregar una dirección").click()
    typed = page.locator("details[open] [name=address]")
    await typed.fill("Calle 10 # 43-12")
    async with reconnected(page):
        yield
    await expect(typed).to_have_value("Calle 10 # 43-12")
    await expect(typed).to_be_focused()


@asynccontextmanager
async def never_whole(page: Page, server: ShopServer) -> AsyncIterator[None]:
    """What never becomes whole is shown all the same."""
    end = Held(WHOLE)
    await end.stand_before(page)
    await put_in_cart(page, "yoyo-de-madera")
    await page.goto("/cart")
    total = page.get_by_test_id("cart-total")
    await expect(total).to_have_text("$ 16.900", timeout=PATIENCE)
    end.is_holding = True
    yield
    await page.get_by_test_id("cart-line").get_by_test_id("quantity").fill("2")
    await expect(total).to_have_text("$ 33.800", timeout=PATIENCE)


@asynccontextmanager
async def bad_input(page: Page, server: ShopServer) -> AsyncIterator[None]:
    """What is wrong in the checkout's form is still there, and still told."""
    await put_in_cart(page, "yoyo-de-madera")
    await open_checkout(page)
    await type_badly(page)
    yield
    await expect_told(page)
    await field(page, "email").fill("ana@example.com")
    await expect(field(page, "email")).not_to_have_attribute("aria-invalid", "true", timeout=PATIENCE)
    await page.reload()
    await expect(field(page, "email")).to_have_value("ana@example.com", timeout=PATIENCE)


@asynccontextmanager
async def typed_early(page: Page, server: ShopServer) -> AsyncIterator[None]:
    """What is typed before a new server knows the cart is not lost: for a moment the page's state is still empty."""
    carts = Held('"cart_rx_state_":{"id":"cart_')
    await carts.stand_before(page)
    await put_in_cart(page, "yoyo-de-madera")
    await open_checkout(page)
    email, text = BAD["email"]
    await field(page, "email").fill(email)
    await field(page, "email").blur()
    await expect_problem(page, "email", text)
    carts.is_holding = True
    yield
    await expect(field(page, "email")).not_to_have_attribute("aria-invalid", "true", timeout=PATIENCE)
    await field(page, "email").fill("ana@example.com")
    carts.is_holding = False
    await page.reload()
    await expect(field(page, "email")).to_have_value("ana@example.com", timeout=PATIENCE)


@asynccontextmanager
async def paid_order(page: Page, server: ShopServer) -> AsyncIterator[None]:
    """An order outlives the server, and holds its stock."""
    toy = "yoyo-de-madera"
    await be_ready_to_pay(page, toy)
    await go_to_bank(page)
    await decide(page, "approve")
    await expect_status(page, "paid")
    stock = stock_of(server, toy)
    yield
    await page.reload()
    await expect_status(page, "paid")
    assert stock_of(server, toy) == stock


@asynccontextmanager
async def opened_anew(page: Page, server: ShopServer) -> AsyncIterator[None]:
    """A page that is opened afterwards works like one that was opened before."""
    await _open(page, "/")
    yield
    await _open(page, "/")


@asynccontextmanager
async def town_list(page: Page, server: ShopServer) -> AsyncIterator[None]:
    """Fill an open list of municipalities again."""
    await put_in_cart(page, "yoyo-de-madera")
    await open_checkout(page)
    await field(page, "town").fill("medel")
    option = page.get_by_test_id("town-option").first
    await expect(option).to_be_visible(timeout=PATIENCE)
    async with reconnected(page):
        yield
    await expect(option).to_be_visible(timeout=PATIENCE)


@asynccontextmanager
async def shipping_estimate(page: Page, server: ShopServer) -> AsyncIterator[None]:
    """Estimate shipping again."""
    await page.goto("/product/yoyo-de-madera")
    box = page.get_by_test_id("shipping-estimate")
    await box.get_by_role("combobox", name="Municipio").press_sequentially("medel")
    await box.get_by_test_id("town-option").first.click(timeout=PATIENCE)
    ways = box.get_by_test_id("estimate-way")
    await expect(ways).to_have_count(2, timeout=PATIENCE)
    async with reconnected(page):
        yield
    await expect(ways).to_have_count(2, timeout=PATIENCE)


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
