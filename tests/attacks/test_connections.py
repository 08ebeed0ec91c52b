"""Connections that never send a request: they delay no other client, and the shop closes them."""

import asyncio
from collections import Counter

import httpx
import pytest

from storefront.server.granian_server import HEADERS_TIMEOUT_S
from tests.e2e.conftest import ShopServer

HALF_OPEN = 300
BEGINNINGS = {
    "silent": b"",
    "half a line": b"GET / HT",
    "half the headers": b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half",
    "idle after a request": b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n",
}


@pytest.mark.timeout(120)
async def test_half_open_connections_delay_no_request_and_are_closed(attacked_shop: ShopServer) -> None:
    loop = asyncio.get_running_loop()
    started = loop.time()
    opened = {}
    for number in range(HALF_OPEN):
        name, head = [*BEGINNINGS.items()][number % len(BEGINNINGS)]
        reader, writer = await asyncio.open_connection("127.0.0.1", attacked_shop.port)
        writer.write(head)
        opened[name, number] = (reader, writer)
    async with httpx.AsyncClient(base_url=attacked_shop.url, timeout=30) as client:
        requested_at = loop.time()
        assert (await client.get("/health")).status_code == 200
        assert loop.time() - requested_at < 5
        still_open = [
            name
            for (name, _), (reader, _) in opened.items()
            if not await _is_closed_within(reader, started + HEADERS_TIMEOUT_S + 15 - loop.time())
        ]
        assert Counter(still_open) == {}
        assert (await client.get("/health")).status_code == 200
    for _, writer in opened.values():
        writer.close()


async def _is_closed_within(reader: asyncio.StreamReader, seconds: float) -> bool:
    """Return True if the shop closes the connection within `seconds`."""
    try:
        await asyncio.wait_for(reader.read(), max(seconds, 0.01))
    except TimeoutError:
        return False
    except ConnectionError:
        return True
    return True


async def test_endless_headers_are_refused(attacked_shop: ShopServer) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", attacked_shop.port)
    try:
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * 200_000 + b"\r\n\r\n")
        answer = await asyncio.wait_for(reader.read(), HEADERS_TIMEOUT_S + 5)
    except ConnectionError:
        answer = b""
    finally:
        writer.close()
    assert answer == b"" or answer.startswith(b"HTTP/1.1 431 ")
