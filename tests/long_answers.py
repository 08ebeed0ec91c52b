"""httpx transports with responses of outside services that exceed the size limits."""

from collections.abc import AsyncIterator, Callable

import httpx


class RepeatedChunks(httpx.AsyncByteStream):
    """A body that yields the same chunk endlessly, or `count` times."""

    def __init__(self, piece: bytes, count: int | None = None) -> None:
        self.piece, self.count = piece, count
        self.yielded = 0
        self.is_closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while self.count is None or self.yielded < self.count:
            self.yielded += 1
            yield self.piece

    async def aclose(self) -> None:
        self.is_closed = True


class BodyTransport(httpx.AsyncBaseTransport):
    """A transport that answers every request with a new body."""

    def __init__(
        self,
        body: Callable[[], httpx.AsyncByteStream],
        headers: dict[str, str] | None = None,
        status: int = 200,
    ) -> None:
        self.body, self.headers, self.status = body, headers, status
        self.requests: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return httpx.Response(self.status, headers=self.headers, stream=self.body())


def chunked_body(content: bytes, piece: int = 65_536) -> httpx.AsyncByteStream:
    """Return a body that yields the content in chunks of `piece` bytes."""

    class ChunkedBody(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            for start in range(0, len(content), piece):
                yield content[start : start + piece]

    return ChunkedBody()
