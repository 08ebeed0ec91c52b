"""A websocket client that can send any frame: Socket.IO frames written by hand."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import uuid4

from simple_websocket import AioClient, ConnectionClosed

NAMESPACE = "/_event"
HOME_ROUTER_DATA = {"pathname": "/", "asPath": "/"}
FIRST_EVENT = {
    "name": "reflex___state____state.hydrate_and_load",
    "payload": {},
    "router_data": HOME_ROUTER_DATA,
}
"""A page's first event. Before it, the shop returns every other event unprocessed."""
LOADED = '"is_hydrated_rx_state_":true'
"""Part of the final answer to the first event."""
SUGGEST = "reflex___state____state.storefront___state___search____search_state.suggest"


def event_frame(event: object) -> str:
    """Return the frame of a page's state event."""
    return f"42{NAMESPACE}," + json.dumps(["event", event])


class RawSocket:
    """An open websocket after the handshake of Engine.IO. `received` counts the received frames."""

    def __init__(self, websocket: AioClient) -> None:
        self._websocket = websocket
        self.received = 0

    async def send(self, frame: str | bytes) -> None:
        """Send one frame unchanged, text or binary."""
        await self._websocket.send(frame)

    async def send_all(self, frames: Iterable[str | bytes]) -> None:
        """Send frames one after the other, as long as the socket is open."""
        with suppress(ConnectionClosed):
            for frame in frames:
                await self.send(frame)

    async def send_event(self, event: object) -> None:
        """Send a page's state event."""
        await self.send(event_frame(event))

    async def receive(self, seconds: float = 30) -> str | None:
        """Return the next frame, or None when the server has closed the socket.

        Raises:
            TimeoutError: no frame arrived.
        """
        try:
            frame = await self._websocket.receive(timeout=seconds)
        except ConnectionClosed:
            return None
        if frame is None:
            raise TimeoutError
        self.received += 1
        if frame == "2":  # a ping
            await self.send("3")
            return await self.receive(seconds)
        return str(frame)

    async def load(self) -> bool:
        """Send a page's first event and read until its state is complete; return False if the shop closes the socket.

        Raises:
            TimeoutError: neither happens.
        """
        await self.send_event(FIRST_EVENT)
        return await self._receive_until(LOADED)

    async def wait_until_handled(self) -> bool:
        """Return True when the shop has handled all sent events, False if it closes the socket.

        The events of a page are handled in order, so this sends a search after them and waits for its answer. A socket
        that the shop is about to close ends at its next frame, so a second search follows.

        Raises:
            TimeoutError: neither happens.
        """
        for _ in range(2):
            word = uuid4().hex
            with suppress(ConnectionClosed):
                await self.send_event(
                    {"name": SUGGEST, "payload": {"text": word}, "router_data": HOME_ROUTER_DATA}
                )
            if not await self._receive_until(f'"answered_text_rx_state_":"{word}"'):
                return False
        return True

    async def _receive_until(self, text: str) -> bool:
        while (frame := await self.receive()) is not None and not frame.startswith("41"):
            if text in frame:
                return True
        return False

    async def wait_until_closed(self, seconds: float = 30) -> None:
        """Read until the server closes the socket or leaves the shop's namespace.

        Raises:
            TimeoutError: the socket stays open.
        """
        async with asyncio.timeout(seconds):
            while (frame := await self.receive(seconds)) is not None and not frame.startswith("41"):
                pass


@asynccontextmanager
async def raw_socket(
    url: str, *, connect: bool = True, auth: Any = None, token: str | None = None, client: str = ""
) -> AsyncIterator[RawSocket]:
    """Open a websocket at the shop as a page does, with a new page token unless `token` is given.

    `client` is the address in the `X-Forwarded-For` header, as a proxy sends it.
    """
    address = url.replace("http", "ws", 1)
    token = str(uuid4()) if token is None else token
    websocket = await AioClient.connect(
        f"{address}/_event/?token={token}&EIO=4&transport=websocket",
        headers={"Origin": url, **({"X-Forwarded-For": client} if client else {})},
    )
    await (
        websocket._handle_events()
    )  # frames that arrived with the handshake: the client would not process them
    socket = RawSocket(websocket)
    try:
        assert (await socket.receive() or "").startswith("0")
        if connect:
            await socket.send(f"40{NAMESPACE}," + (json.dumps(auth) if auth is not None else ""))
            assert (await socket.receive() or "").startswith(f"40{NAMESPACE}")
        yield socket
    finally:
        with suppress(ConnectionClosed):
            await websocket.close()
