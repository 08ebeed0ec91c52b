"""Uploads that begin and never end, like those of an attacker who wants to use all connections."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager

import httpx

HEAD = b'--b\r\nContent-Disposition: form-data; name="pictures"; filename="a.png"\r\n\r\n'
MULTIPART = {"content-type": "multipart/form-data; boundary=b"}


class StalledUpload:
    """An upload whose body never ends.

    Attributes:
        read: set when the shop begins to read the body.
        answer: the request, which is done if the shop answers.
    """

    def __init__(self, client: httpx.AsyncClient, path: str, headers: Mapping[str, str]) -> None:
        self.read = asyncio.Event()
        sent = client.post(path, content=self._body(), headers={**MULTIPART, **headers})
        self.answer: asyncio.Task[httpx.Response] = asyncio.create_task(sent)

    async def _body(self) -> AsyncIterator[bytes]:
        self.read.set()
        yield HEAD
        await asyncio.Future()

    async def wait_until_settled(self) -> None:
        """Wait until the shop reads the body, or answers without reading it."""
        read = asyncio.create_task(self.read.wait())
        await asyncio.wait({read, self.answer}, return_when=asyncio.FIRST_COMPLETED)
        read.cancel()


@asynccontextmanager
async def open_stalled_uploads(
    clients: Iterable[httpx.AsyncClient], path: str, headers: Mapping[str, str]
) -> AsyncIterator[list[StalledUpload]]:
    """Open an upload that never ends for each client, and cancel all of them when the block ends.

    The next upload is opened once the shop reads the body of the previous one, or has answered it.
    """
    forms: list[StalledUpload] = []
    try:
        for client in clients:
            forms.append(StalledUpload(client, path, headers))
            await forms[-1].wait_until_settled()
        yield forms
    finally:
        for form in forms:
            form.answer.cancel()
        await asyncio.gather(*(form.answer for form in forms), return_exceptions=True)
