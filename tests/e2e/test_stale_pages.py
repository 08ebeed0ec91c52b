"""A page of an earlier version learns of the new version while the shopper is leaving it.

| the shopper | the next page |
|---|---|
| has followed a link whose document is loading | the link's |
| has sent a search | the search's |
| does nothing | the same page, loaded again |
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable

import pytest
from playwright.async_api import Page, Route, WebSocketRoute

from tests.e2e.conftest import PHONE_ONLY
from tests.e2e.shopper import TIMEOUT_MS
from tests.e2e.test_restart import HYDRATED


class Upgrade:
    """A websocket on which a test can announce a new version to the page."""

    def __init__(self) -> None:
        self.is_ready = asyncio.Event()
        """Set when the page has received all initial messages of the server."""
        self._sockets: list[WebSocketRoute] = []

    async def intercept(self, page: Page) -> None:
        """Intercept the websocket of this page, which must not be open yet."""
        await page.route_web_socket(re.compile("_event"), self._connect)

    def announce(self) -> None:
        """Announce a new version to the page, as the server does on connecting."""
        message = json.dumps(["state_mismatch", {"backend": "new", "reload_cooldown_ms": 0}])
        self._sockets[-1].send(f"42/_event,{message}")

    def _connect(self, socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        socket.on_message(server.send)
        self._sockets.append(socket)

        def pass_on(message: str | bytes) -> None:
            socket.send(message)
            if HYDRATED in str(message):
                self.is_ready.set()

        server.on_message(pass_on)


async def follow_link(page: Page) -> None:
    """Follow the link to the wishlist without waiting for it."""
    await page.locator("a[href='/wishlist']").first.click(no_wait_after=True)


async def search(page: Page) -> None:
    """Send a search without waiting for its page."""
    await page.get_by_test_id("search-input").fill("oso")
    await page.get_by_test_id("search-input").press("Enter", no_wait_after=True)


@PHONE_ONLY
@pytest.mark.parametrize(
    ("leave", "address"),
    [(follow_link, r"/wishlist$"), (search, r"/catalog\?q=oso$")],
    ids=["a link", "a search"],
)
async def test_page_of_an_earlier_version_loads_the_requested_document(
    page: Page, leave: Callable[[Page], Awaitable[None]], address: str
) -> None:
    upgrade, may_load = Upgrade(), asyncio.Event()

    async def hold(route: Route) -> None:
        await may_load.wait()
        await route.continue_()

    await upgrade.intercept(page)
    await page.goto("/product/trompo-de-madera")
    await asyncio.wait_for(upgrade.is_ready.wait(), TIMEOUT_MS / 1000)
    await page.route(re.compile(r"/assets/.*\.js$"), hold)
    await leave(page)
    async with page.expect_request(re.compile(address), timeout=TIMEOUT_MS) as document:
        upgrade.announce()
    assert (await document.value).is_navigation_request()
    may_load.set()
    await page.wait_for_url(re.compile(address), timeout=TIMEOUT_MS)


@PHONE_ONLY
async def test_idle_page_of_an_earlier_version_is_loaded_again(page: Page) -> None:
    upgrade = Upgrade()
    await upgrade.intercept(page)
    await page.goto("/product/trompo-de-madera")
    await asyncio.wait_for(upgrade.is_ready.wait(), TIMEOUT_MS / 1000)
    reload = page.expect_request(re.compile("/product/trompo-de-madera$"), timeout=TIMEOUT_MS)
    # Chromium may not close a page whose next document is still arriving
    async with reload as document, page.expect_event("load", timeout=TIMEOUT_MS):
        upgrade.announce()
    assert (await document.value).is_navigation_request()
