"""One call to the gateway: a deadline for the whole of it, and errors that say whether it may have had its effect."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from backend.payment.gateway.errors import GatewayUnavailable, NoAnswer

_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


@dataclass(frozen=True)
class Patience:
    """How long we wait, in seconds. The bank network is slow to start a payment, so that may take longer."""

    connect: float = 5.0
    reading: float = 10.0
    create: float = 30.0
    retry_pause: float = 0.3
    """Before the first repetition of a reading call; the pause grows from there, with some chance in it."""
    attempts: int = 3

    def timeout(self, seconds: float) -> httpx.Timeout:
        """The timeout of one call: `seconds` for each part of it, less for connecting."""
        return httpx.Timeout(seconds, connect=min(self.connect, seconds), pool=min(self.connect, seconds))


async def send(
    http: httpx.AsyncClient,
    method: str,
    url: str,
    *,
    patience: Patience,
    seconds: float,
    headers: Mapping[str, str] | None = None,
    params: Mapping[str, str] | None = None,
    body: Mapping[str, Any] | None = None,
) -> httpx.Response:
    """Send one request, once, and read the whole answer, whatever its status.

    Raises:
        GatewayUnavailable: no connection could be made; nothing was sent.
        NoAnswer: the request may have arrived.
    """
    # compact JSON, as the official SDK sends it
    content = None if body is None else json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
    request = http.build_request(
        method,
        url,
        params=params,
        content=content,
        headers={"Content-Type": "application/json", "Accept": "*/*", **(headers or {})},
        timeout=patience.timeout(seconds),
    )
    try:
        # a deadline beside the timeouts: those start again with every byte that trickles in
        async with asyncio.timeout(seconds):
            return await http.send(request, follow_redirects=False)
    except _NEVER_SENT as error:
        raise GatewayUnavailable(f"The gateway cannot be reached ({type(error).__name__})") from error
    except (httpx.RequestError, TimeoutError) as error:
        raise NoAnswer(f"The gateway did not answer ({type(error).__name__})") from error
