"""Answers of outside services that are longer than anybody should read, as transports of httpx."""

from collections.abc import AsyncIterator, Callable

import httpx


class Pieces(httpx.AsyncByteStream):
    """A body that is made piece by piece, as often as it is asked for, `count` times at most."""

    def __init__(self, piece: bytes, count: int | None = None) -> None:
        self.piece, self.count = piece, count
        self.given = 0
        self.is_closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while self.count is None or self.given < self.count:
            self.given += 1
            yield self.piece

    async def aclose(self) -> None:
        self.is_closed = True


class Bodies(httpx.AsyncBaseTransport):
    """Answers every request with a new body."""

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


def whole(content: bytes, piece: int = 65_536) -> httpx.AsyncByteStream:
    class Whole(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            for at in range(0, len(content), piece):
                yield content[at : at + piece]

    return Whole()
