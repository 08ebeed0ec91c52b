"""Limits for the body of every request: API, pages, websocket polling, embedded sandbox.

A body is limited in bytes and in time. The answer is 413 if it has too many bytes, and 408 if it takes too long.
Before the answer, the rest of a too large body is read for a while and discarded, because a client that is still
sending may not see the answer. A body that the app does not read is discarded in the same way.

The route of a provider's notification must always answer 200 (spec: Webhook). So this route gets the beginning of a
too large body, and answers itself. A route that accepts files has a separate limit.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.edge.requests import MAX_BODY_BYTES, TOO_LARGE
from backend.edge.wire import Wire

MAX_DISCARDED_BYTES = 8 * 1024 * 1024
"""Bytes beyond the limit that are read before the answer; then the connection is closed."""
BODY_TIMEOUT_S = 30.0
"""Seconds within which a body must be complete. If a path allows more time, maximum seconds until the next part."""
TOO_SLOW = "request timeout"
HOOKS = "/hooks/"
BODY_HEADERS = {b"content-length", b"transfer-encoding"}
"""A request that has neither of these headers has no body (RFC 9112, 6.3)."""


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """Limits of a body: its maximum size in bytes, and the seconds within which it must be complete."""

    max_bytes: int
    timeout_s: float


NO_OTHER_LIMITS: Mapping[str, BodyLimit] = MappingProxyType({})


def with_body_limits(
    app: ASGIApp, timeout_s: float = BODY_TIMEOUT_S, other_limits: Mapping[str, BodyLimit] = NO_OTHER_LIMITS
) -> ASGIApp:
    """Return the app with limits for the body of every request.

    Args:
        app: the wrapped app.
        timeout_s: seconds within which a body must be complete.
        other_limits: other limits, by path.
    """
    default_limit = BodyLimit(MAX_BODY_BYTES, timeout_s)

    async def limited(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        body = _Body(scope, receive, send, other_limits.get(scope["path"], default_limit))
        try:
            await app(scope, body.receive, body.send)
        except Exception:
            if body.refusal is None:
                raise
        await body.finish(scope)

    return limited


class _Body:
    """The body of one request while it is read.

    `refusal` is the error if the body is refused. Then the app's answer is not sent.
    """

    def __init__(self, scope: Scope, receive: Receive, send: Send, bound: BodyLimit) -> None:
        self._receive = receive
        self._send = send
        self._limit = bound
        self._cuts_off = scope["path"].startswith(
            HOOKS
        )  # the app gets the part within the limit and no error
        self._read_bytes = 0
        self._deadline: float | None = None
        self._is_over = not BODY_HEADERS.intersection(name for name, _ in scope["headers"])
        self._is_refused = False
        self._has_answered = False
        self.refusal: HTTPException | None = None

    async def receive(self) -> Message:
        """Return the next part of the body.

        Raises:
            HTTPException: status 413 or 408. If the app sends an answer for this error, `send` does not forward it;
                `finish` answers instead.
        """
        if self._is_over:
            return {"type": "http.disconnect"} if self._is_refused else await self._receive()
        try:
            message = await self._next()
        except TimeoutError:
            return self._refuse(408, TOO_SLOW)
        if self._read_bytes <= self._limit.max_bytes:
            return message
        part: bytes = message["body"]
        fitting = part[: len(part) - (self._read_bytes - self._limit.max_bytes)]
        await self._discard()
        return self._refuse(413, TOO_LARGE, fitting)

    async def send(self, message: Message) -> None:
        """Forward the app's answer, unless the body was refused.

        First, read the rest of the body that the app did not read.
        """
        if self.refusal is not None and not self._has_answered:
            return
        if not self._has_answered:
            self._has_answered = True
            await self._discard()
        await self._send(message)

    async def finish(self, scope: Scope) -> None:
        """If the body was refused and no answer was sent yet, send the refusal and close the connection."""
        if self.refusal is None or self._has_answered:
            return
        body = {"type": "unknown_error", "message": self.refusal.detail}
        answer = Wire(body, self.refusal.status_code, headers={"connection": "close"})
        await answer(scope, self._receive, self._send)

    async def _next(self) -> Message:
        """Return the next message, and count its bytes.

        Raises:
            TimeoutError: the body takes too long.
        """
        loop = asyncio.get_running_loop()
        if self._deadline is None:
            self._deadline = loop.time() + self._limit.timeout_s
        async with asyncio.timeout_at(min(self._deadline, loop.time() + BODY_TIMEOUT_S)):
            message = await self._receive()
        self._read_bytes += len(message.get("body", b""))
        self._is_over = message["type"] != "http.request" or not message.get("more_body", False)
        return message

    async def _discard(self) -> None:
        """Read and discard the rest of the body, up to `MAX_DISCARDED_BYTES`."""
        max_read = max(self._read_bytes, MAX_BODY_BYTES) + MAX_DISCARDED_BYTES
        with suppress(TimeoutError):
            while not self._is_over and self._read_bytes < max_read:
                await self._next()

    def _refuse(self, status: int, why: str, fitting: bytes = b"") -> Message:
        """Refuse the body.

        For a provider's notification, return a final ASGI message with `fitting`, so that the app reads a body that
        was cut off there. For any other request, raise an error.

        Raises:
            HTTPException: the request is not a provider's notification.
        """
        self._is_over = self._is_refused = True
        if self._cuts_off:
            return {"type": "http.request", "body": fitting, "more_body": False}
        self.refusal = HTTPException(status, why)
        raise self.refusal
