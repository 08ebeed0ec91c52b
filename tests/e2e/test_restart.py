"""A restart of the server goes unnoticed: every page stays as it was, with everything that was opened and typed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from playwright.async_api import ElementHandle, Page, expect

from tests.e2e.account_steps import register
from tests.e2e.conftest import WIDTHS, OpenPage, PageWatch, ShopServer
from tests.e2e.held import HeldMessages
from tests.e2e.scenes import visit
from tests.e2e.shopper import (
    TIMEOUT_MS,
    decide_at_bank,
    expect_status,
    field,
    go_to_bank,
    open_checkout,
    open_estimate,
    prepare_payment,
    put_in_cart,
    read_stock,
)
from tests.e2e.test_checkout_errors import (
    WRONG_INPUT,
    expect_error_messages,
    expect_problem,
    type_wrong_input,
)
from tests.e2e.test_first_light import open_and_wait_for_answer

HYDRATED = '"is_hydrated_rx_state_":true'
"""A part of the final message of the server to a page that connects."""
TWO_FRAMES = "() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))"
ELEMENTS = {
    "/": "main h2",
    "/catalog?category=construccion": '[data-testid="product-card"]',
    "/product/chiva-de-madera": "main h1",
    "/cart": '[data-testid="cart-line"]',
    "/wishlist": '[data-testid="product-card"]',
    "/checkout": '[name="email"]',
}
"""By page: a selector of an element. If the page were rendered again, it would be another element."""


@pytest.mark.timeout(1800)  # many pages in sequence
async def test_restart_does_not_change_open_pages(
    open_page: OpenPage, server: ShopServer, watch: PageWatch
) -> None:
    """Restart the server once, for all checks.

    Each check is a context: it prepares a page, and checks the page after the restart.
    """
    watch.expect("WebSocket connection")
    watch.expect("ERR_CONNECTION_REFUSED")  # a picture may still be on its way
    async with AsyncExitStack() as stack:
        for check, width in (
            (check_pages, "1280"),
            (check_no_repeated_message, "320"),
            (check_filtered_list, "1280"),
            (check_typed_address, "320"),
            (check_never_hydrated_page, "320"),
            (check_wrong_input, "320"),
            (check_early_input, "320"),
            (check_paid_order, "1280"),
            (check_page_opened_afterwards, "1280"),
            (check_town_list, "320"),
            (check_shipping_estimate, "1280"),
        ):
            page = await stack.enter_async_context(open_page(*WIDTHS[width]))
            await stack.enter_async_context(check(page, server))
        server.restart()


@asynccontextmanager
async def check_pages(first: Page, server: ShopServer) -> AsyncIterator[None]:
    """Check that open pages keep their elements and titles."""
    await put_in_cart(first, "yoyo-de-madera")
    await first.get_by_test_id("wishlist-toggle").first.click()
    pages = {path: await first.context.new_page() for path in ELEMENTS}
    shown: dict[str, tuple[ElementHandle, str]] = {}
    for path, page in pages.items():
        await visit(page, path)  # wait until it has loaded: a document may be older than the first answer
        shown[path] = await find_element(page, ELEMENTS[path]), await page.title()
    async with wait_for_reconnection(*pages.values()):
        yield
    for path, page in pages.items():
        part, title = shown[path]
        assert await part.evaluate("part => part.isConnected"), path
        assert await page.title() == title


@asynccontextmanager
async def check_no_repeated_message(page: Page, server: ShopServer) -> AsyncIterator[None]:
    """Check that a dismissed notice of an added product does not appear again."""
    await put_in_cart(page, "yoyo-de-madera")
    notice = page.get_by_test_id("added-notice")
    await notice.get_by_role("button").click()
    await expect(notice).to_have_count(0)
    async with wait_for_reconnection(page):
        yield
    await expect(notice).to_have_count(0)


@asynccontextmanager
async def check_filtered_list(page: Page, server: ShopServer) -> AsyncIterator[None]:
    """Check that a list stays filtered."""
    await page.goto("/catalog")
    cards = page.get_by_test_id("product-card")
    await page.locator('input[value="construccion"]').check()
    await expect(cards).to_have_count(6)
    async with wait_for_reconnection(page):
        yield
    await expect(page.locator(".results")).to_have_attribute("aria-busy", "false")
    await expect(cards).to_have_count(6)


@asynccontextmanager
async def check_typed_address(page: Page, server: ShopServer) -> AsyncIterator[None]:
    """Check that an address that is being typed stays."""
    await register(page, "reinicio@example.com")
    await page.get_by_text("Agregar una dirección").click()
    typed = page.locator("details[open] [name=address]")
    await typed.fill("Calle 10 # 43-12")
    async with wait_for_reconnection(page):
        yield
    await expect(typed).to_have_value("Calle 10 # 43-12")
    await expect(typed).to_be_focused()


@asynccontextmanager
async def check_never_hydrated_page(page: Page, server: ShopServer) -> AsyncIterator[None]:
    """Check that a page works even if the message that completes its hydration never arrives."""
    end = HeldMessages(HYDRATED)
    await end.intercept(page)
    await put_in_cart(page, "yoyo-de-madera")
    await page.goto("/cart")
    total = page.get_by_test_id("cart-total")
    await expect(total).to_have_text("$ 16.900")
    end.is_holding = True
    yield
    await page.get_by_test_id("cart-line").get_by_test_id("quantity").fill("2")
    await expect(total).to_have_text("$ 33.800")


@asynccontextmanager
async def check_wrong_input(page: Page, server: ShopServer) -> AsyncIterator[None]:
    """Check that wrong input of the checkout form is still there, with its error messages."""
    await put_in_cart(page, "yoyo-de-madera")
    await open_checkout(page)
    await type_wrong_input(page)
    yield
    await expect_error_messages(page)
    await field(page, "email").fill("ana@example.com")
    await expect(field(page, "email")).not_to_have_attribute("aria-invalid", "true")
    await page.reload()
    await expect(field(page, "email")).to_have_value("ana@example.com")


@asynccontextmanager
async def check_early_input(page: Page, server: ShopServer) -> AsyncIterator[None]:
    """Check that text is not lost if it is typed before the new server has sent the page's cart."""
    carts = HeldMessages('"cart_rx_state_":{"id":"cart_')
    await carts.intercept(page)
    await put_in_cart(page, "yoyo-de-madera")
    await open_checkout(page)
    email, text = WRONG_INPUT["email"]
    await field(page, "email").fill(email)
    await field(page, "email").blur()
    await expect_problem(page, "email", text)
    carts.is_holding = True
    yield
    await expect(field(page, "email")).not_to_have_attribute("aria-invalid", "true")
    await field(page, "email").fill("ana@example.com")
    carts.is_holding = False
    await page.reload()
    await expect(field(page, "email")).to_have_value("ana@example.com")


@asynccontextmanager
async def check_paid_order(page: Page, server: ShopServer) -> AsyncIterator[None]:
    """Check that a paid order stays paid, and that the stock stays the same."""
    product = "yoyo-de-madera"
    await prepare_payment(page, product)
    await go_to_bank(page)
    await decide_at_bank(page, "approve")
    await expect_status(page, "paid")
    stock = read_stock(server, product)
    yield
    await page.reload()
    await expect_status(page, "paid")
    assert read_stock(server, product) == stock


@asynccontextmanager
async def check_page_opened_afterwards(page: Page, server: ShopServer) -> AsyncIterator[None]:
    """Check that the server answers a page opened after the restart, as it does one opened before."""
    await open_and_wait_for_answer(page, "/")
    yield
    await open_and_wait_for_answer(page, "/")


@asynccontextmanager
async def check_town_list(page: Page, server: ShopServer) -> AsyncIterator[None]:
    """Check that an open list of municipalities is shown again."""
    await put_in_cart(page, "yoyo-de-madera")
    await open_checkout(page)
    await field(page, "town").fill("medel")
    option = page.get_by_test_id("town-option").first
    await expect(option).to_be_visible()
    async with wait_for_reconnection(page):
        yield
    await expect(option).to_be_visible()


@asynccontextmanager
async def check_shipping_estimate(page: Page, server: ShopServer) -> AsyncIterator[None]:
    """Check that shipping is estimated again."""
    await page.goto("/product/yoyo-de-madera")
    box = await open_estimate(page)
    await box.get_by_role("combobox", name="Municipio").press_sequentially("medel")
    await box.get_by_test_id("town-option").first.click(timeout=TIMEOUT_MS)
    options = box.get_by_test_id("estimate-way")
    await expect(options).to_have_count(2)
    async with wait_for_reconnection(page):
        yield
    await expect(options).to_have_count(2)


@asynccontextmanager
async def wait_for_reconnection(*pages: Page) -> AsyncIterator[None]:
    """Wait until the pages have new connections and show their data. The block must end the old connections."""

    def listen_for_hydration(page: Page) -> asyncio.Future[None]:
        hydrated: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def listen(frame: str | bytes) -> None:
            if HYDRATED in str(frame) and not hydrated.done():
                hydrated.set_result(None)

        page.on("websocket", lambda socket: socket.on("framereceived", listen))
        return hydrated

    waiting = [listen_for_hydration(page) for page in pages]
    yield
    async with asyncio.timeout(TIMEOUT_MS / 1000):  # counted from here: the restart itself may take long
        await asyncio.gather(*waiting)
    for page in pages:
        await page.evaluate(TWO_FRAMES)


async def find_element(page: Page, selector: str) -> ElementHandle:
    """Return the element that the selector matches now."""
    part = await page.wait_for_selector(selector, timeout=TIMEOUT_MS)
    assert part is not None
    return part
