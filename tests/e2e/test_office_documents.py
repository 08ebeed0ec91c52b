"""The office's documents in a browser: their content without scripts, and actions before the scripts have loaded."""

import asyncio

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from tests.e2e.chromium import close_within_limit
from tests.e2e.conftest import OpenPage, ShopServer
from tests.e2e.office_steps import enter_office, place_paid_order, sign_in, visit
from tests.e2e.shopper import TIMEOUT_MS
from tests.e2e.test_office_product import PHONE, create_product_in_office, save_form

LISTS = {
    "/oficina": "waiting-tile",
    "/oficina/pedidos": "order-row",
    "/oficina/productos": "product-row",
    "/oficina/bodega": "stock-row",
}


@pytest.fixture(scope="module")
def server(private_server: ShopServer) -> ShopServer:
    """Return a shop that only these tests use, because they change its products."""
    return private_server


async def test_office_lists_are_visible_without_scripts(browser: Browser, server: ShopServer) -> None:
    await place_paid_order(server)
    for is_inside in (False, True):
        context = await browser.new_context(base_url=server.url, java_script_enabled=False)
        page = await context.new_page()
        if is_inside:
            await sign_in(page, server)
        for path, row in LISTS.items():
            await load_until_found(
                page, path, page.get_by_test_id(row) if is_inside else page.locator(".bone")
            )
            assert bool(await page.locator(".bone").count()) is not is_inside
            assert bool(await page.get_by_test_id(row).count()) is is_inside
        await close_within_limit(context)


async def load_until_found(page: Page, path: str, what: Locator) -> None:
    """Load the page until it contains the element: a busy machine may first return a page without it."""
    async with asyncio.timeout(TIMEOUT_MS / 1000):
        while not await what.count():
            await page.goto(path)


async def test_office_actions_before_the_scripts_load_are_not_lost(
    open_page: OpenPage, server: ShopServer
) -> None:
    is_typed = asyncio.Event()

    async def hold(route: Route) -> None:
        await is_typed.wait()
        await route.continue_()

    async with open_page(*PHONE) as page:
        await enter_office(page, server, "/oficina/productos/nuevo")
        path = await create_product_in_office(page, "Trompo antes de tiempo")
        await page.route("**/assets/*.js", hold)
        await page.goto(path, wait_until="commit")
        await page.get_by_label("Título").fill("Trompo con afán")
        await page.get_by_test_id("history").locator("summary").click()
        is_typed.set()
        await expect(page.get_by_test_id("save")).to_be_visible()
        await expect(page.get_by_test_id("history")).to_contain_text("creó")
        await save_form(page)
        await page.unroute_all(behavior="wait")
        await visit(page, path)
        await expect(page.get_by_label("Título")).to_have_value("Trompo con afán")
