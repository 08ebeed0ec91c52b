"""The service worker in the browser: it shows the shop's own page without a network, and stores nothing."""

from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Error, Page, Route, expect

from tests.e2e.conftest import WIDTHS, PageWatch, ShopServer, build_page_opener
from tests.e2e.scenes import visit

WAIT_UNTIL_ACTIVATED = """
    const activated = (worker) => worker.state === "activated" || new Promise((resolve) => {
        worker.addEventListener("statechange", () => worker.state === "activated" && resolve(true));
    });
"""
INSTALL = f"""async () => {{
    {WAIT_UNTIL_ACTIVATED}
    const registration = await navigator.serviceWorker.ready;
    await activated(registration.active);
}}"""
"""Wait until a worker is installed, which handles the next navigation."""
UPDATE = f"""async () => {{
    {WAIT_UNTIL_ACTIVATED}
    const registration = await navigator.serviceWorker.ready;
    await registration.update();
    await activated(registration.installing ?? registration.waiting ?? registration.active);
}}"""
"""Let the browser look for a new script, as it does at each navigation, and wait for its worker."""
ADD_CACHE = "caches.open('offline-of-an-earlier-build').then((cache) => cache.put('/', new Response('old')))"


@pytest_asyncio.fixture(loop_scope="session")
async def phone(browser: Browser, server: ShopServer, watch: PageWatch) -> AsyncIterator[Page]:
    """Open a page on a phone whose browser may run the shop's service worker."""
    expect_lost_network(watch)
    async with build_page_opener(server, browser, watch, service_workers="allow")(*WIDTHS["320"]) as page:
        yield page


def expect_lost_network(watch: PageWatch) -> None:
    for text in ("ERR_INTERNET_DISCONNECTED", "ERR_CONNECTION_REFUSED", "503", "WebSocket"):
        watch.expect(text)


async def install_worker(page: Page) -> None:
    """Open a page and wait until it has installed the service worker."""
    await visit(page, "/catalog")
    await page.evaluate(INSTALL)


async def test_page_opened_without_a_network_is_the_shops_offline_page(phone: Page) -> None:
    await install_worker(phone)
    await phone.context.set_offline(True)
    answer = await phone.goto("/product/trompo-de-madera")
    assert answer is not None
    assert answer.from_service_worker
    await expect(phone.get_by_role("heading", name="No hay conexión")).to_be_visible()
    width = "[document.documentElement.scrollWidth, document.querySelector('a').clientHeight >= 44]"
    assert await phone.evaluate(width) == [320, True]
    async with phone.expect_navigation(url="**/product/trompo-de-madera"):
        await phone.get_by_role("link", name="Intentar otra vez").click()
    await expect(phone.get_by_role("heading", name="No hay conexión")).to_be_visible()


async def test_offline_page_loads_the_requested_page_when_the_network_is_back(phone: Page) -> None:
    await install_worker(phone)
    await phone.context.set_offline(True)
    await phone.goto("/catalog")
    await expect(phone.get_by_role("heading", name="No hay conexión")).to_be_visible()
    await phone.context.set_offline(False)
    await expect(phone.get_by_test_id("product-card").first).to_be_visible()


async def test_offline_page_tries_again_if_its_first_request_is_never_answered(phone: Page) -> None:
    requests: list[Route] = []

    async def hold_first(route: Route) -> None:
        requests.append(route)
        if len(requests) > 1:
            await route.continue_()

    await install_worker(phone)
    await phone.context.set_offline(True)
    await phone.goto("/catalog")
    await expect(phone.get_by_role("heading", name="No hay conexión")).to_be_visible()
    await phone.route("**/sw.js", hold_first)
    await phone.context.set_offline(False)
    await expect(phone.get_by_test_id("product-card").first).to_be_visible()
    assert len(requests) > 1


@pytest.mark.parametrize("path", ["/oficina", "/account", "/checkout", "/order/x", "/store/products"])
async def test_private_pages_opened_offline_show_the_browsers_own_error(phone: Page, path: str) -> None:
    await install_worker(phone)
    await phone.context.set_offline(True)
    with pytest.raises(Error, match="ERR_INTERNET_DISCONNECTED"):
        await phone.goto(path)


async def test_new_script_replaces_the_worker_and_deletes_all_caches(
    browser: Browser, new_server: Callable[..., ShopServer], watch: PageWatch
) -> None:
    """Rename the shop, which changes the script as a new build does."""
    expect_lost_network(watch)
    server = new_server(STORE_NAME="Primera")
    async with build_page_opener(server, browser, watch, service_workers="allow")(*WIDTHS["320"]) as page:
        await install_worker(page)
        assert await page.evaluate("caches.keys()") == []
        await page.evaluate(ADD_CACHE)
        server.environment["STORE_NAME"] = "Segunda"
        server.restart()
        await page.evaluate(UPDATE)
        assert await page.evaluate("caches.keys()") == []
        await page.context.set_offline(True)
        await page.goto("/catalog")
        await expect(page).to_have_title("Sin conexión · Segunda")


async def test_office_registers_no_worker(phone: Page) -> None:
    await phone.goto("/oficina/entrar")
    await expect(phone.get_by_test_id("office-email")).to_be_visible()
    assert await phone.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0
