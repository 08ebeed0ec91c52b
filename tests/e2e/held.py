"""What a page and the server say to each other can be held back on its way, or take its time."""

import asyncio
import re

from playwright.async_api import Page, WebSocketRoute


class Held:
    """The way from the shop to a page, or back, on which what says `text` can be held back."""

    def __init__(self, text: str, *, is_from_page: bool = False, in_order: bool = False) -> None:
        """`in_order`: what comes after something that is held back is held back, too, as on a real connection."""
        self.is_holding = False
        self._in_order = in_order
        self._text = text
        self._is_from_page = is_from_page
        self._held: list[tuple[WebSocketRoute, str | bytes]] = []

    async def stand_before(self, page: Page) -> None:
        """Be the way to this page, which is still to be opened."""
        await page.route_web_socket(re.compile("_event"), self._connect)

    def release(self) -> None:
        """Let everything through that was held back."""
        self.is_holding = False
        for socket, message in self._held:
            socket.send(message)

    async def wait_for_one(self) -> None:
        """Wait until something is held back."""
        while not self._held:  # noqa: ASYNC110 - Playwright tells of messages by callbacks alone
            await asyncio.sleep(0.01)

    async def lose_next(self) -> None:
        """Wait until something is held back, and let nobody ever hear of it."""
        await self.wait_for_one()
        self.is_holding = False
        self._held.clear()

    def _connect(self, socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        source, target = (socket, server) if self._is_from_page else (server, socket)

        def pass_on(message: str | bytes) -> None:
            is_behind = self._in_order and bool(self._held)
            if self.is_holding and (is_behind or self._text in str(message)):
                self._held.append((target, message))
            else:
                target.send(message)

        source.on_message(pass_on)


class Swallowed:
    """The way from a page to the shop, or back, on which what says `text` gets lost, and the connection with it."""

    def __init__(self, text: str, *, is_from_page: bool = True) -> None:
        self.count = 1
        """How many are still to be lost."""
        self._text = text
        self._is_from_page = is_from_page

    async def stand_before(self, page: Page) -> None:
        """Be the way to this page, which is still to be opened."""
        await page.route_web_socket(re.compile("_event"), self._connect)

    async def _connect(self, socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        source, target = (socket, server) if self._is_from_page else (server, socket)
        is_cut = False

        async def pass_on(message: str | bytes) -> None:
            nonlocal is_cut
            if is_cut:
                return  # what was sent after it is lost, too
            if self.count and self._text in str(message):
                is_cut = True
                self.count -= 1
                await server.close()
                await socket.close()
            else:
                target.send(message)

        source.on_message(pass_on)
        target.on_message(source.send)


class Slow:
    """The way between the shop and a page, on which everything takes these seconds in each direction."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def stand_before(self, page: Page) -> None:
        """Be the way to this page, which is still to be opened."""
        await page.route_web_socket(re.compile("_event"), self._connect)

    def _connect(self, socket: WebSocketRoute) -> None:
        loop, server = asyncio.get_running_loop(), socket.connect_to_server()
        socket.on_message(lambda message: loop.call_later(self._seconds, server.send, message))
        server.on_message(lambda message: loop.call_later(self._seconds, socket.send, message))
