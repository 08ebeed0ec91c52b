"""A page of an earlier version hears of the new one while the shopper is just leaving.

| the shopper | the page |
|---|---|
| has followed a link whose document is on its way | is the link's |
| has sent a search | is the search's |
| does nothing | is loaded again |
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable

import pytest
from playwright.async_api import Page, Route, WebSocketRoute

from tests.e2e.conftest import ON_A_PHONE
from tests.e2e.shopper import PATIENCE
from tests.e2e.test_restart import WHOLE


class Upgrade:
    """The way between a page and the shop, on which the page can be told that it is of an earlier version."""

    def __init__(self) -> None:
        self.is_heard = asyncio.Event()
        """Set once the page has heard all that the server says first."""
        self._sockets: list[WebSocketRoute] = []

    async def stand_before(self, page: Page) -> None:
        """Be the way to this page, which is still to be opened."""
        await page.route_web_socket(re.compile("_event"), self._connect)

    def announce(self) -> None:
        """Tell the page, as the server does when it connects."""
        told = json.dumps(["state_mismatch", {"backend": "new", "reload_cooldown_ms": 0}])
        self._sockets[-1].send(f"42/_event,{told}")

    def _connect(self, socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        socket.on_message(server.send)
        self._sockets.append(socket)

        def pass_on(message: str | bytes) -> None:
            socket.send(message)
            if WHOLE in str(message):
                self.is_heard.set()

        server.on_message(pass_on)


async def follow_link(page: Page) -> None:
    await page.locator("a[href='/wishlist']").first.click(no_wait_after=True)


async def search(page: Page) -> None:
    await page.get_by_test_id("search-input").fill("oso")
    await page.get_by_test_id("search-input").press("Enter", no_wait_after=True)


@ON_A_PHONE
@pytest.mark.parametrize(
    ("leave", "address"),
    [(follow_link, r"/wishlist$"), (search, r"/catalog\?q=oso$")],
    ids=["a link", "a search"],
)
async def test_stale_page_goes_where_the_press_led(
    page: Page, leave: Callable[[Page], Awaitable[None]], address: str
) -> None:
    upgrade, may_come = Upgrade(), asyncio.Event()

    async def hold(route: Route) -> None:
        await may_come.wait()
        await route.continue_()

    await upgrade.stand_before(page)
    await page.goto("/product/trompo-de-madera")
    await asyncio.wait_for(upgrade.is_heard.wait(), PATIENCE / 1000)
    await page.route(re.compile(r"/assets/.*\.js$"), hold)
    await leave(page)
    async with page.expect_request(re.compile(address), timeout=PATIENCE) as document:
        upgrade.announce()
    assert (await document.value).is_navigation_request()
    may_come.set()
    await page.wait_for_url(re.compile(address), timeout=PATIENCE)


@ON_A_PHONE
async def test_stale_page_that_nobody_leaves_is_loaded_again(page: Page) -> None:
    upgrade = Upgrade()
    await upgrade.stand_before(page)
    await page.goto("/product/trompo-de-madera")
    await asyncio.wait_for(upgrade.is_heard.wait(), PATIENCE / 1000)
    async with page.expect_request(re.compile("/product/trompo-de-madera$"), timeout=PATIENCE) as document:
        upgrade.announce()
    assert (await document.value).is_navigation_request()
