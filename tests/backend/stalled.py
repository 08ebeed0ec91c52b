"""Forms that begin and never end, as whoever wants to take all places sends them."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager

import httpx

HEAD = b'--b\r\nContent-Disposition: form-data; name="pictures"; filename="a.png"\r\n\r\n'
MULTIPART = {"content-type": "multipart/form-data; boundary=b"}


class Stalled:
    """One such form. It is `read` once something asked for its body, else `answer` is there."""

    def __init__(self, client: httpx.AsyncClient, path: str, headers: Mapping[str, str]) -> None:
        self.read = asyncio.Event()
        sent = client.post(path, content=self._body(), headers={**MULTIPART, **headers})
        self.answer: asyncio.Task[httpx.Response] = asyncio.create_task(sent)

    async def _body(self) -> AsyncIterator[bytes]:
        self.read.set()
        yield HEAD
        await asyncio.Future()

    async def settled(self) -> None:
        """Wait until its body is read, or it is answered without."""
        read = asyncio.create_task(self.read.wait())
        await asyncio.wait({read, self.answer}, return_when=asyncio.FIRST_COMPLETED)
        read.cancel()


@asynccontextmanager
async def stalled(
    clients: Iterable[httpx.AsyncClient], path: str, headers: Mapping[str, str]
) -> AsyncIterator[list[Stalled]]:
    """One form of each client, one after the other, for as long as this lasts."""
    forms: list[Stalled] = []
    try:
        for client in clients:
            forms.append(Stalled(client, path, headers))
            await forms[-1].settled()
        yield forms
    finally:
        for form in forms:
            form.answer.cancel()
        await asyncio.gather(*(form.answer for form in forms), return_exceptions=True)
