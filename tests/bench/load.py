"""A load generator: keep-alive connections that each send one request after the other, without pipelining.

It does only as much HTTP as the shop's answers need (a `Content-Length` and no chunks), so that it takes little of the
two cores it shares with what it measures.
"""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, cast

import orjson

HEAD_ENDS = b"\r\n\r\n"


class Refused(Exception):
    """The other end closed the connection, or answered otherwise than it had to."""


class Connection(asyncio.Protocol):
    """One connection: `ask` sends a request and gives the answer's body."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._wanted = 0
        self._answer: asyncio.Future[bytes] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is one by behaviour only

    def connection_lost(self, _exc: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(Refused("the connection was closed"))

    def data_received(self, data: bytes) -> None:
        self._received += data
        if not self._wanted:
            end = self._received.find(HEAD_ENDS)
            if end < 0:
                return
            head = bytes(self._received[:end]).lower()
            at = head.find(b"content-length:")
            if at < 0:
                self._finish(Refused(f"no length: {head!r}"))
                return
            self._wanted = end + len(HEAD_ENDS) + int(head[at + 15 :].split(b"\r\n", 1)[0])
        if len(self._received) >= self._wanted:
            self._finish(None)

    def _finish(self, error: Exception | None) -> None:
        whole, self._received, self._wanted = bytes(self._received), bytearray(), 0
        assert self._answer is not None
        if self._answer.done():  # whoever asked has been cancelled
            return
        if error is None and not whole.startswith(b"HTTP/1.1 200"):
            error = Refused(whole[:600].decode(errors="replace"))
        if error is not None:
            self._answer.set_exception(error)
        else:
            self._answer.set_result(whole)

    async def ask(self, request: bytes) -> bytes:
        """The answer, head and body.

        Raises:
            Refused: it is not 200, or there is none.
        """
        assert self._transport is not None
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._answer

    async def ask_json(self, request: bytes) -> Any:
        """The answer's body, parsed."""
        whole = await self.ask(request)
        return orjson.loads(whole[whole.index(HEAD_ENDS) + 4 :])

    def close(self) -> None:
        assert self._transport is not None
        self._transport.close()


async def connect(port: int) -> Connection:
    """A connection to this machine's port."""
    _, protocol = await asyncio.get_running_loop().create_connection(Connection, "127.0.0.1", port)
    return protocol


@dataclass
class Figures:
    """What a measurement came to; times in milliseconds."""

    seconds: float
    times: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """How many a second."""
        return len(self.times) / self.seconds

    def at(self, share: float) -> float:
        """The time within which this share of them was done."""
        ordered = sorted(self.times)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]

    @property
    def median(self) -> float:
        return statistics.median(self.times)


Task = Callable[[Connection, int], Awaitable[object]]
"""What is measured: it is given a connection and its own running number."""


async def measure(port: int, task: Task, *, at_once: int, seconds: float, most: int = 10**12) -> Figures:
    """Do the task over and over on so many connections, for so long, and no more often than `most`."""
    connections = [await connect(port) for _ in range(at_once)]
    times: list[float] = []
    numbers = iter(range(most))
    begun = time.perf_counter()
    until = begun + seconds

    async def work(connection: Connection) -> None:
        while (started := time.perf_counter()) < until and (number := next(numbers, None)) is not None:
            await task(connection, number)
            times.append((time.perf_counter() - started) * 1000)

    async with asyncio.TaskGroup() as group:
        for connection in connections:
            group.create_task(work(connection))
    figures = Figures(time.perf_counter() - begun, times)
    for connection in connections:
        connection.close()
    return figures


def get(path: str, headers: dict[str, str] | None = None) -> bytes:
    """A GET request."""
    return f"GET {path} HTTP/1.1\r\nhost: shop.test\r\n{_lines(headers)}\r\n".encode()


def post(path: str, body: Any, headers: dict[str, str] | None = None) -> bytes:
    """A POST request with a JSON body."""
    content = orjson.dumps(body)
    head = (
        f"POST {path} HTTP/1.1\r\nhost: shop.test\r\ncontent-type: application/json\r\n"
        f"content-length: {len(content)}\r\n{_lines(headers)}\r\n"
    )
    return head.encode() + content


def _lines(headers: dict[str, str] | None) -> str:
    return "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
