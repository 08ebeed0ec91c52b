"""A push service on this machine, and a browser whose messages an independent library decrypts."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import http_ece
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from backend.app import Shop
from backend.jobs import Worker
from backend.staff.rights import Actor
from backend.staff_notices.batches import NoticeBatches
from backend.staff_notices.push.encryption import encode_base64url, encode_point
from backend.staff_notices.push.models import PushSubscription
from backend.staff_notices.push.sending import PushSender


@dataclass
class PushService:
    """A push service. It answers with `status`, and stores the requests."""

    url: str = ""
    status: int = 201
    requests: list[tuple[str, Mapping[str, str], bytes]] = field(default_factory=list)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = head.split("\r\n")[:-2]
        headers = {name.lower(): value for name, _colon, value in (line.partition(": ") for line in lines)}
        content = await reader.readexactly(int(headers["content-length"]))
        self.requests.append((first, headers, content))
        writer.write(f"HTTP/1.1 {self.status} X\r\ncontent-length: 0\r\n\r\n".encode())
        await writer.drain()
        writer.close()


@pytest.fixture
async def push_service() -> AsyncIterator[PushService]:
    service = PushService()
    server = await asyncio.start_server(service.handle, "127.0.0.1", 0)
    service.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    yield service
    server.close()
    await server.wait_closed()


class PushBrowser:
    """A browser with the keys of a subscription."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._secret = b"0123456789abcdef"
        self.p256dh = encode_base64url(encode_point(self._key.public_key()))
        self.auth = encode_base64url(self._secret)

    def read(self, content: bytes) -> dict[str, Any]:
        """Decrypt a message."""
        plain = http_ece.decrypt(
            content, private_key=self._key, auth_secret=self._secret, version="aes128gcm"
        )
        message: dict[str, Any] = json.loads(plain)
        return message


async def store_subscription(shop: Shop, actor: Actor, browser: PushBrowser, endpoint: str) -> str:
    """Store a subscription without the check of its address, and return its id."""
    async with shop.database.transaction() as session:
        row = PushSubscription(
            staff_id=actor.id, endpoint=endpoint, p256dh=browser.p256dh, auth=browser.auth, device="Chrome"
        )
        session.add(row)
        await session.flush()
    return row.id


def create_worker(shop: Shop, *, allow_private: bool = True) -> Worker:
    """Return a worker for notices; with `allow_private`, it can call push services on this machine."""
    sender = PushSender(shop.database, shop.settings, allow_private=allow_private)
    return Worker(shop.database, [NoticeBatches(shop.database), sender])
