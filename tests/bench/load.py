"""A load generator: keep-alive connections that send one request after the other, without pipelining.

It implements only the HTTP that the shop's answers need (a `Content-Length` and no chunks), because it shares two
cores with the measured shop.
"""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, cast

import orjson

HEAD_END = b"\r\n\r\n"


class RequestRefused(Exception):
    """The server closed the connection or sent an unexpected answer."""


class Connection(asyncio.Protocol):
    """A connection that sends one request at a time and waits for its answer."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._expected_length = 0
        self._answer: asyncio.Future[bytes] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's transport is no subclass

    def connection_lost(self, _exc: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(RequestRefused("the connection was closed"))

    def data_received(self, data: bytes) -> None:
        self._received += data
        if not self._expected_length:
            end = self._received.find(HEAD_END)
            if end < 0:
                return
            head = bytes(self._received[:end]).lower()
            start = head.find(b"content-length:")
            if start < 0:
                self._finish(RequestRefused(f"no length: {head!r}"))
                return
            self._expected_length = end + len(HEAD_END) + int(head[start + 15 :].split(b"\r\n", 1)[0])
        if len(self._received) >= self._expected_length:
            self._finish(None)

    def _finish(self, error: Exception | None) -> None:
        answer, self._received, self._expected_length = bytes(self._received), bytearray(), 0
        assert self._answer is not None
        if self._answer.done():  # the caller was cancelled
            return
        if error is None and not answer.startswith(b"HTTP/1.1 200"):
            error = RequestRefused(answer[:600].decode(errors="replace"))
        if error is not None:
            self._answer.set_exception(error)
        else:
            self._answer.set_result(answer)

    async def send(self, request: bytes) -> bytes:
        """Send a request and return the answer, head and body.

        Raises:
            RequestRefused: the status is not 200, or there is no answer.
        """
        assert self._transport is not None
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._answer

    async def send_json(self, request: bytes) -> Any:
        """Send a request and return the answer's body, parsed."""
        answer = await self.send(request)
        return orjson.loads(answer[answer.index(HEAD_END) + 4 :])

    def close(self) -> None:
        assert self._transport is not None
        self._transport.close()


async def connect(port: int) -> Connection:
    """Connect to a port of this machine."""
    _, protocol = await asyncio.get_running_loop().create_connection(Connection, "127.0.0.1", port)
    return protocol


@dataclass
class Figures:
    """Results of a measurement; times in milliseconds."""

    seconds: float
    times: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Return the completed tasks per second."""
        return len(self.times) / self.seconds

    def percentile(self, share: float) -> float:
        """Return the time within which this share of the tasks was completed."""
        ordered = sorted(self.times)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]

    @property
    def median(self) -> float:
        return statistics.median(self.times)


Task = Callable[[Connection, int], Awaitable[object]]
"""A measured task, called with a connection and its running number."""


async def measure(
    port: int, task: Task, *, concurrency: int, seconds: float, max_tasks: int = 10**12
) -> Figures:
    """Repeat the task on `concurrency` connections for `seconds`, at most `max_tasks` times."""
    connections = [await connect(port) for _ in range(concurrency)]
    times: list[float] = []
    numbers = iter(range(max_tasks))
    started_at = time.perf_counter()
    until = started_at + seconds

    async def work(connection: Connection) -> None:
        while (started := time.perf_counter()) < until and (number := next(numbers, None)) is not None:
            await task(connection, number)
            times.append((time.perf_counter() - started) * 1000)

    async with asyncio.TaskGroup() as group:
        for connection in connections:
            group.create_task(work(connection))
    figures = Figures(time.perf_counter() - started_at, times)
    for connection in connections:
        connection.close()
    return figures


def build_get(path: str, headers: dict[str, str] | None = None) -> bytes:
    """Format a GET request."""
    return f"GET {path} HTTP/1.1\r\nhost: shop.test\r\n{_format_headers(headers)}\r\n".encode()


def build_post(path: str, body: Any, headers: dict[str, str] | None = None) -> bytes:
    """Format a POST request with a JSON body."""
    content = orjson.dumps(body)
    head = (
        f"POST {path} HTTP/1.1\r\nhost: shop.test\r\ncontent-type: application/json\r\n"
        f"content-length: {len(content)}\r\n{_format_headers(headers)}\r\n"
    )
    return head.encode() + content


def _format_headers(headers: dict[str, str] | None) -> str:
    return "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
