"""Faults of the websocket between a page and the server: messages that are held back, lost or slow."""

import asyncio
import re

from playwright.async_api import Page, WebSocketRoute

from tests.e2e.conftest import TIMEOUT_MS


class HeldMessages:
    """A websocket on which messages that contain `text` can be held back."""

    def __init__(self, text: str, *, is_from_page: bool = False, in_order: bool = False) -> None:
        """Hold back messages of the server, or of the page if `is_from_page`.

        With `in_order`, messages that follow a held one are held back, too, as on a real connection.
        """
        self.is_holding = False
        self._in_order = in_order
        self._text = text
        self._is_from_page = is_from_page
        self._held: list[tuple[WebSocketRoute, str | bytes]] = []

    async def intercept(self, page: Page) -> None:
        """Intercept the websocket of this page, which must not be open yet."""
        await page.route_web_socket(re.compile("_event"), self._connect)

    def release(self) -> None:
        """Send the messages that were held back."""
        self.is_holding = False
        for socket, message in self._held:
            socket.send(message)

    def release_first(self) -> None:
        """Send the oldest message that was held back, and continue to hold back the others."""
        socket, message = self._held.pop(0)
        socket.send(message)

    async def wait_until_held(self) -> None:
        """Wait until a message is held back.

        Raises:
            TimeoutError: none came.
        """
        async with asyncio.timeout(TIMEOUT_MS / 1000):
            while not self._held:  # noqa: ASYNC110 - Playwright reports messages only by callbacks
                await asyncio.sleep(0.01)

    async def discard_next(self) -> None:
        """Wait until a message is held back, discard the held messages, and stop holding back."""
        await self.wait_until_held()
        self.is_holding = False
        self.discard()

    def discard(self) -> None:
        """Discard the messages that were held back."""
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


class LostMessages:
    """A websocket that discards the next `count` messages with `text`, and closes after each of them."""

    def __init__(self, text: str, *, is_from_page: bool = True) -> None:
        self.count = 1
        """Number of messages that are still to be lost."""
        self._text = text
        self._is_from_page = is_from_page

    async def intercept(self, page: Page) -> None:
        """Intercept the websocket of this page, which must not be open yet."""
        await page.route_web_socket(re.compile("_event"), self._connect)

    async def wait_until_lost(self) -> None:
        """Wait until `count` messages were lost.

        Raises:
            TimeoutError: the page or the server did not send them.
        """
        async with asyncio.timeout(TIMEOUT_MS / 1000):
            while self.count:  # noqa: ASYNC110 - Playwright reports messages only by callbacks
                await asyncio.sleep(0.01)

    async def _connect(self, socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        source, target = (socket, server) if self._is_from_page else (server, socket)
        is_cut = False

        async def pass_on(message: str | bytes) -> None:
            nonlocal is_cut
            if is_cut:
                return  # later messages are lost, too
            if self.count and self._text in str(message):
                is_cut = True
                self.count -= 1
                await server.close()
                await socket.close()
            else:
                target.send(message)

        source.on_message(pass_on)
        target.on_message(source.send)


class SlowConnection:
    """A websocket on which every message takes `seconds` longer in each direction."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def intercept(self, page: Page) -> None:
        """Intercept the websocket of this page, which must not be open yet."""
        await page.route_web_socket(re.compile("_event"), self._connect)

    def _connect(self, socket: WebSocketRoute) -> None:
        loop, server = asyncio.get_running_loop(), socket.connect_to_server()
        socket.on_message(lambda message: loop.call_later(self._seconds, server.send, message))
        server.on_message(lambda message: loop.call_later(self._seconds, socket.send, message))
