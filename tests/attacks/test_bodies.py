"""Bodies without a bound, sent in chunks of unknown length to whatever answers: refused, and nothing of them kept."""

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
MOST_MEMORY = 64 * MIB
SENDERS, SIZE = 6, 40 * MIB
SANDBOX = "/sandbox/gateway/v1/auth/login"


async def chunks(size: int) -> AsyncIterator[bytes]:
    """A body of so many bytes, sent without its length."""
    for _ in range(0, size, len(CHUNK)):
        yield CHUNK


@pytest.mark.parametrize("path", [SANDBOX, "/auth/user/emailpass", "/auth/customer/emailpass"])
async def test_a_body_beyond_the_bound_is_refused(path: str, attacked: ShopServer) -> None:
    async with httpx.AsyncClient(base_url=attacked.url, timeout=60) as client:
        answer = await client.post(path, content=chunks(3 * MIB))
        assert answer.status_code == 413
        assert answer.json() == {"type": "unknown_error", "message": "request entity too large"}
        assert answer.headers["x-content-type-options"] == "nosniff"


async def test_a_body_within_the_bound_is_read(attacked: ShopServer) -> None:
    async with httpx.AsyncClient(base_url=attacked.url, timeout=60) as client:
        answer = await client.post(SANDBOX, content=b"x" * MAX_BODY_BYTES)
        assert answer.status_code != 413


@pytest.mark.parametrize("size", [80 * 1024, 3 * MIB])
async def test_a_notification_beyond_the_bound_is_answered_with_200(size: int, attacked: ShopServer) -> None:
    async with httpx.AsyncClient(base_url=attacked.url, timeout=60) as client:
        answer = await client.post("/hooks/payment/gateway_pse", content=chunks(size))
        assert (answer.status_code, answer.text) == (200, "OK")


@pytest.mark.parametrize(
    "path",
    [SANDBOX, "/hooks/payment/gateway_pse", "/_event/?EIO=4&transport=polling", "/admin/uploads"],
)
async def test_memory_stays_bounded(path: str, attacked: ShopServer) -> None:
    async with httpx.AsyncClient(base_url=attacked.url, timeout=60) as client:

        async def send() -> None:
            with suppress(httpx.TransportError):  # the shop has closed the connection
                await client.post(path, content=chunks(SIZE))

        before = memory(attacked)
        sending = [asyncio.create_task(send()) for _ in range(SENDERS)]
        most = before
        while not all(task.done() for task in sending):
            most = max(most, memory(attacked))
            await asyncio.wait(sending, timeout=0.05)
        assert most - before < MOST_MEMORY, (before // MIB, most // MIB)
        assert (await client.get("/health")).status_code == 200


def memory(shop: ShopServer) -> int:
    """Bytes that the shop's processes hold."""
    assert shop.process is not None
    parent = psutil.Process(shop.process.pid)
    return sum(process.memory_info().rss for process in [parent, *parent.children(recursive=True)])
