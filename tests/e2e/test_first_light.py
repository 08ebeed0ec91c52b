"""The parts work together: pages, websocket and API on one port, on any host."""

import asyncio
from collections.abc import Callable

from playwright.async_api import Browser, Page, WebSocket

from tests.e2e.conftest import (
    METRICS_HEADERS,
    PHONE_ONLY,
    TIMEOUT_MS,
    WIDTHS,
    PageWatch,
    ShopServer,
    build_page_opener,
)

OPENS_WEBSOCKET = """address => new Promise(resolve => {
    const socket = new WebSocket(address);
    socket.onopen = () => resolve(true);
    socket.onerror = () => resolve(false);
})"""

PRODUCT = "/product/trompo-de-madera"


@PHONE_ONLY
async def test_page_loads_and_its_first_event_is_answered(page: Page, server: ShopServer) -> None:
    socket = await open_and_wait_for_answer(page, "/")
    assert socket.url.startswith(f"ws://localhost:{server.port}/_event")


async def test_page_opens_its_websocket_to_its_own_host(page_1280: Page, server: ShopServer) -> None:
    socket = await open_and_wait_for_answer(page_1280, f"http://127.0.0.1:{server.port}/")
    assert socket.url.startswith(f"ws://127.0.0.1:{server.port}/_event")


async def test_health_route_is_ok_and_shows_details_with_the_metrics_token(server: ShopServer) -> None:
    async with server.open_client() as client:
        seen_by_strangers = await client.get("/health")
        answer = await client.get("/health", headers=METRICS_HEADERS)
    assert seen_by_strangers.json() == {"status": "ok"}
    assert answer.status_code == 200
    health = answer.json()
    assert health["status"] == "ok"
    assert health["database"] == "up"
    assert health["sandbox"] is True


async def test_only_pages_of_the_shop_can_open_the_websocket(
    page_1280: Page, server: ShopServer, watch: PageWatch
) -> None:
    watch.expect("WebSocket connection")
    address = f"ws://localhost:{server.port}/_event/?EIO=4&transport=websocket"
    await page_1280.goto("/")
    assert await page_1280.evaluate(OPENS_WEBSOCKET, address) is True
    await page_1280.goto(f"http://127.0.0.1:{server.port}/")  # for a browser, this is another site
    assert await page_1280.evaluate(OPENS_WEBSOCKET, address) is False


async def test_shop_with_public_url_answers_only_requests_for_its_hosts(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch
) -> None:
    shop = new_server(PUBLIC_URL="http://tienda.example", ALLOWED_HOSTS="localhost")
    async with build_page_opener(shop, browser, watch)(*WIDTHS["1280"]) as page:
        socket = await open_and_wait_for_answer(page, "/")
    assert socket.url.startswith(f"ws://localhost:{shop.port}/_event")
    handshake = {
        "connection": "Upgrade",
        "upgrade": "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        "origin": "http://evil.example",
    }
    async with shop.open_client(host="evil.example") as client:
        for path in ("/", "/catalog", "/store/products", "/assets/x.js", "/docs", "/robots.txt"):
            assert (await client.get(path)).status_code == 421
        refused = await client.get("/_event/?EIO=4&transport=websocket", headers=handshake)
        assert refused.status_code in {403, 421}
        for path in ("/livez", "/readyz", "/health"):
            assert (await client.get(path)).status_code == 200
        assert (await client.head("/hooks/payment/gateway_pse")).status_code == 200


async def test_server_stops_cleanly_on_request(new_server: Callable[..., ShopServer]) -> None:
    shop = new_server()
    shop.wait_for_log(f"Trompo is open: {shop.url}")
    assert shop.stop() == 0
    assert "Traceback" not in shop.log


async def open_and_wait_for_answer(page: Page, url: str) -> WebSocket:
    """Open the page, and wait for the first state change from the server. Return the page's websocket."""
    answered: asyncio.Future[WebSocket] = asyncio.get_running_loop().create_future()

    def listen(socket: WebSocket) -> None:
        def hear(frame: str | bytes) -> None:
            if "delta" in str(frame) and not answered.done():
                answered.set_result(socket)

        socket.on("framereceived", hear)

    page.on("websocket", listen)  # an open page may still try to reconnect
    await page.goto(url)
    return await asyncio.wait_for(answered, TIMEOUT_MS / 1000)
