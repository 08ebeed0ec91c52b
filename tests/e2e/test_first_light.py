"""The parts work together: pages, websocket and API on one port, on any host, and again after a restart."""

import json
from collections.abc import Callable
from urllib.request import urlopen

from playwright.async_api import Page, WebSocket

from tests.e2e.conftest import ShopServer, Watch


async def test_a_page_loads_and_its_first_event_makes_the_round_trip(page: Page, server: ShopServer) -> None:
    socket = await _open(page, "/")
    assert socket.url.startswith(f"ws://localhost:{server.port}/_event")


async def test_a_page_talks_to_the_host_it_came_from(page_1280: Page, server: ShopServer) -> None:
    socket = await _open(page_1280, f"http://127.0.0.1:{server.port}/")
    assert socket.url.startswith(f"ws://127.0.0.1:{server.port}/_event")


async def test_a_page_works_after_a_restart_of_the_server(page_1280: Page, server: ShopServer, watch: Watch) -> None:
    watch.expect("WebSocket connection")
    await _open(page_1280, "/")
    server.restart()
    await _open(page_1280, "/")


async def test_an_unknown_page_is_not_found(page: Page, watch: Watch) -> None:
    watch.expect("404")
    answer = await page.goto("/no-such-page")
    assert answer is not None
    assert answer.status == 404


async def test_the_shop_is_healthy(server: ShopServer) -> None:
    with urlopen(f"{server.url}/health") as answer:
        assert answer.status == 200
        health = json.load(answer)
    assert health["status"] == "ok"
    assert health["database"] == "up"
    assert health["sandbox"] is True


async def test_a_page_of_another_site_cannot_open_the_websocket(
    page_1280: Page, server: ShopServer, watch: Watch
) -> None:
    watch.expect("WebSocket connection")
    await page_1280.goto("data:text/html,<title>another site</title>")
    opened = await page_1280.evaluate(
        """address => new Promise(resolve => {
            const socket = new WebSocket(address);
            socket.onopen = () => resolve(true);
            socket.onerror = () => resolve(false);
        })""",
        f"ws://localhost:{server.port}/_event/?EIO=4&transport=websocket",
    )
    assert opened is False


async def test_the_server_closes_when_it_is_told_to(new_server: Callable[..., ShopServer]) -> None:
    shop = new_server()
    assert shop.stop() == 0
    assert f"Trompo is open: {shop.url}" in shop.log
    assert "Traceback" not in shop.log


async def _open(page: Page, url: str) -> WebSocket:
    """Open the page and wait until the server has answered its first event with a change of state."""
    async with page.expect_websocket() as opening:
        await page.goto(url)
    socket = await opening.value
    await socket.wait_for_event("framereceived", lambda frame: "delta" in str(frame))
    return socket
