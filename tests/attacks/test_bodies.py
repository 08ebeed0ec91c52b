"""Bodies without a limit, sent in chunks without a length: the shop refuses them and does not store them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import httpx
import psutil
import pytest

from backend.edge.requests import MAX_BODY_BYTES
from tests.e2e.conftest import ShopServer

CHUNK = b"x" * 64 * 1024
MIB = 2**20
MAX_MEMORY_GROWTH = 64 * MIB
CONCURRENCY, SIZE = 6, 40 * MIB
SANDBOX = "/sandbox/gateway/v1/auth/login"


async def send_chunks(size: int) -> AsyncIterator[bytes]:
    """Yield a body of `size` bytes in chunks, so that the request has no `Content-Length`."""
    for _ in range(0, size, len(CHUNK)):
        yield CHUNK


@pytest.mark.parametrize("path", [SANDBOX, "/auth/user/emailpass", "/auth/customer/emailpass"])
async def test_too_large_body_is_refused(path: str, attacked_shop: ShopServer) -> None:
    async with httpx.AsyncClient(base_url=attacked_shop.url, timeout=60) as client:
        answer = await client.post(path, content=send_chunks(3 * MIB))
        assert answer.status_code == 413
        assert answer.json() == {"type": "unknown_error", "message": "request entity too large"}
        assert answer.headers["x-content-type-options"] == "nosniff"


async def test_body_within_the_limit_is_read(attacked_shop: ShopServer) -> None:
    async with httpx.AsyncClient(base_url=attacked_shop.url, timeout=60) as client:
        answer = await client.post(SANDBOX, content=b"x" * MAX_BODY_BYTES)
        assert answer.status_code != 413


@pytest.mark.parametrize("size", [80 * 1024, 3 * MIB])
async def test_too_large_notification_is_answered_with_200(size: int, attacked_shop: ShopServer) -> None:
    async with httpx.AsyncClient(base_url=attacked_shop.url, timeout=60) as client:
        answer = await client.post("/hooks/payment/gateway_pse", content=send_chunks(size))
        assert (answer.status_code, answer.text) == (200, "OK")


@pytest.mark.parametrize(
    "path",
    [SANDBOX, "/hooks/payment/gateway_pse", "/_event/?EIO=4&transport=polling", "/admin/uploads"],
)
async def test_memory_growth_during_endless_uploads_is_limited(path: str, attacked_shop: ShopServer) -> None:
    async with httpx.AsyncClient(base_url=attacked_shop.url, timeout=60) as client:

        async def send() -> None:
            with suppress(httpx.TransportError):  # the shop has closed the connection
                await client.post(path, content=send_chunks(SIZE))

        before = measure_memory(attacked_shop)
        sending = [asyncio.create_task(send()) for _ in range(CONCURRENCY)]
        peak = before
        while not all(task.done() for task in sending):
            peak = max(peak, measure_memory(attacked_shop))
            await asyncio.wait(sending, timeout=0.05)
        assert peak - before < MAX_MEMORY_GROWTH, (before // MIB, peak // MIB)
        assert (await client.get("/health")).status_code == 200


def measure_memory(shop: ShopServer) -> int:
    """Return the memory of the shop's processes in bytes."""
    assert shop.process is not None
    parent = psutil.Process(shop.process.pid)
    return sum(process.memory_info().rss for process in [parent, *parent.children(recursive=True)])
