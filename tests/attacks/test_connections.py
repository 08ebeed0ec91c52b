"""Connections that never come to a request: they wait alone, and the shop ends them."""

import asyncio
from collections import Counter

import httpx
import pytest

from storefront.server.granian_server import HEADERS_WITHIN
from tests.e2e.conftest import ShopServer

HALF_OPEN = 300
BEGINNINGS = {
    "silent": b"",
    "half a line": b"GET / HT",
    "half the headers": b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half",
    "idle after a request": b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n",
}


@pytest.mark.timeout(120)
async def test_half_open_connections_delay_nobody_and_are_closed(attacked: ShopServer) -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    opened = {}
    for number in range(HALF_OPEN):
        name, beginning = [*BEGINNINGS.items()][number % len(BEGINNINGS)]
        reader, writer = await asyncio.open_connection("127.0.0.1", attacked.port)
        writer.write(beginning)
        opened[name, number] = (reader, writer)
    async with httpx.AsyncClient(base_url=attacked.url, timeout=30) as client:
        asked = loop.time()
        assert (await client.get("/health")).status_code == 200
        assert loop.time() - asked < 5
        still_open = [
            name
            for (name, _), (reader, _) in opened.items()
            if not await _ends(reader, began + HEADERS_WITHIN + 15 - loop.time())
        ]
        assert Counter(still_open) == {}
        assert (await client.get("/health")).status_code == 200
    for _, writer in opened.values():
        writer.close()


async def _ends(reader: asyncio.StreamReader, seconds: float) -> bool:
    """Whether the shop closes the connection within so many seconds."""
    try:
        await asyncio.wait_for(reader.read(), max(seconds, 0.01))
    except TimeoutError:
        return False
    except ConnectionError:
        return True
    return True


async def test_headers_without_end_are_refused(attacked: ShopServer) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", attacked.port)
    try:
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * 200_000 + b"\r\n\r\n")
        answer = await asyncio.wait_for(reader.read(), HEADERS_WITHIN + 5)
    except ConnectionError:
        answer = b""
    finally:
        writer.close()
    assert answer == b"" or answer.startswith(b"HTTP/1.1 431 ")
