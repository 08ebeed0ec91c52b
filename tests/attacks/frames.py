"""A program that speaks the pages' websocket as it likes: frames of Socket.IO, written by hand."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import uuid4

from simple_websocket import AioClient, ConnectionClosed

NAMESPACE = "/_event"
AT_HOME = {"pathname": "/", "asPath": "/"}
FIRST = {"name": "reflex___state____state.hydrate_and_load", "payload": {}, "router_data": AT_HOME}
"""A page's first event: before it, the shop hands every other one back."""
WHOLE = '"is_hydrated_rx_state_":true'
"""What the shop says last of all that it answers to it."""
SUGGEST = "reflex___state____state.storefront___state___search____search_state.suggest"


def event_frame(event: object) -> str:
    """The frame in which a page would send this as a state event."""
    return f"42{NAMESPACE}," + json.dumps(["event", event])


class RawSocket:
    """An open websocket, after the handshake of Engine.IO. `heard`: how many frames came."""

    def __init__(self, websocket: AioClient) -> None:
        self._websocket = websocket
        self.heard = 0

    async def send(self, frame: str | bytes) -> None:
        """Send one frame as it stands, of text or binary."""
        await self._websocket.send(frame)

    async def send_all(self, frames: Iterable[str | bytes]) -> None:
        """Send frames one after the other, as long as the socket is open."""
        with suppress(ConnectionClosed):
            for frame in frames:
                await self.send(frame)

    async def send_event(self, event: object) -> None:
        """Send what a page would send as a state event."""
        await self.send(event_frame(event))

    async def receive(self, seconds: float = 30) -> str | None:
        """The next frame; None once the server has closed the socket.

        Raises:
            TimeoutError: nothing came.
        """
        try:
            frame = await self._websocket.receive(timeout=seconds)
        except ConnectionClosed:
            return None
        if frame is None:
            raise TimeoutError
        self.heard += 1
        if frame == "2":  # a ping
            await self.send("3")
            return await self.receive(seconds)
        return str(frame)

    async def load(self) -> bool:
        """Send a page's first event and read until its state is whole; False when the shop closes the socket.

        Raises:
            TimeoutError: it does neither.
        """
        await self.send_event(FIRST)
        return await self._until_heard(WHOLE)

    async def handles_all(self) -> bool:
        """Whether the shop has handled all that was sent; False when it closes the socket.

        The events of a page are handled one after the other: so it answers a search that is sent after them. And a
        socket that is to be closed ends at its next frame: so there is a second search.

        Raises:
            TimeoutError: it does neither.
        """
        for _ in range(2):
            word = uuid4().hex
            with suppress(ConnectionClosed):
                await self.send_event({"name": SUGGEST, "payload": {"text": word}, "router_data": AT_HOME})
            if not await self._until_heard(f'"answered_rx_state_":"{word}"'):
                return False
        return True

    async def _until_heard(self, part: str) -> bool:
        while (frame := await self.receive()) is not None and not frame.startswith("41"):
            if part in frame:
                return True
        return False

    async def until_closed(self, seconds: float = 30) -> None:
        """Read until the server closes the socket or leaves the shop's namespace.

        Raises:
            TimeoutError: it stays open.
        """
        async with asyncio.timeout(seconds):
            while (frame := await self.receive(seconds)) is not None and not frame.startswith("41"):
                pass


@asynccontextmanager
async def raw_socket(
    url: str, *, connect: bool = True, auth: Any = None, token: str | None = None, client: str = ""
) -> AsyncIterator[RawSocket]:
    """Open a websocket at the shop as a page does, with a name of its own unless `token` is given.

    `client` is the address that a proxy in between would pass on.
    """
    address = url.replace("http", "ws", 1)
    token = str(uuid4()) if token is None else token
    websocket = await AioClient.connect(
        f"{address}/_event/?token={token}&EIO=4&transport=websocket",
        headers={"Origin": url, **({"X-Forwarded-For": client} if client else {})},
    )
    await websocket._handle_events()  # what came together with the handshake: the client would let it lie
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
