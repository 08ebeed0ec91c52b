"""The office's documents in a browser: what they show before any script, and what is done before the scripts come."""

import asyncio

from playwright.async_api import Browser, Locator, Page, Route, expect

from tests.e2e.conftest import OpenPage, ShopServer
from tests.e2e.office_steps import enter, paid_order, sign_in, visit
from tests.e2e.shopper import PATIENCE
from tests.e2e.test_office_product import PHONE, make_toy, save

LISTS = {
    "/oficina": "today-tile",
    "/oficina/pedidos": "order-row",
    "/oficina/productos": "product-row",
    "/oficina/bodega": "stock-row",
}


async def test_a_list_is_there_before_any_script(browser: Browser, server: ShopServer) -> None:
    await paid_order(server)
    for is_inside in (False, True):
        context = await browser.new_context(base_url=server.url, java_script_enabled=False)
        page = await context.new_page()
        if is_inside:
            await sign_in(page, server)
        for path, row in LISTS.items():
            await see(page, path, page.get_by_test_id(row) if is_inside else page.locator(".bone"))
            assert bool(await page.locator(".bone").count()) is not is_inside
            assert bool(await page.get_by_test_id(row).count()) is is_inside
        await context.close()


async def see(page: Page, path: str, what: Locator) -> None:
    """Load the document until this is in it: what a busy machine renders too late comes without it."""
    async with asyncio.timeout(PATIENCE / 1000):
        while not await what.count():
            await page.goto(path)


async def test_what_is_done_before_the_scripts_are_there_is_not_lost(
    open_page: OpenPage, server: ShopServer
) -> None:
    is_typed = asyncio.Event()

    async def hold(route: Route) -> None:
        await is_typed.wait()
        await route.continue_()

    async with open_page(*PHONE) as page:
        await enter(page, server, "/oficina/productos/nuevo")
        path = await make_toy(page, "Trompo antes de tiempo")
        await page.route("**/assets/*.js", hold)
        await page.goto(path, wait_until="commit")
        await page.get_by_label("Título").fill("Trompo con afán")
        await page.get_by_test_id("history").locator("summary").click()
        is_typed.set()
        await expect(page.get_by_test_id("save")).to_be_visible(timeout=PATIENCE)
        await expect(page.get_by_test_id("history")).to_contain_text("creó", timeout=PATIENCE)
        await save(page)
        await page.unroute_all(behavior="wait")
        await visit(page, path)
        await expect(page.get_by_label("Título")).to_have_value("Trompo con afán")
