"""One bound for the body of every request, whoever answers it: API, pages, websocket's polling, embedded sandbox.

A body is bounded in bytes and in time. What exceeds the bound is read for a while and thrown away, because a client
that still sends may not see the answer; then the answer is 413, and 408 for what takes too long. The same is done with
a body that the app does not read. A provider that notifies must get its 200 (spec: Webhook), so its hook is given the
beginning of the body and answers by itself. A route that takes files has a bound of its own.
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
"""How much beyond the bound is read before the answer; then the connection is closed."""
BODY_WITHIN = 30.0
"""Seconds for the whole body; and for the next part of one that may take longer."""
TOO_SLOW = "request timeout"
HOOKS = "/hooks/"
BODY_HEADERS = {b"content-length", b"transfer-encoding"}
"""A request without either has no body (RFC 9112, 6.3)."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What a body may have: bytes, and seconds until it is there."""

    most: int
    within: float


NO_OTHERS: Mapping[str, Bound] = MappingProxyType({})


def with_bounded_bodies(
    app: ASGIApp, within: float = BODY_WITHIN, others: Mapping[str, Bound] = NO_OTHERS
) -> ASGIApp:
    """The app, with a bound for the body of every request.

    Args:
        app: what answers.
        within: seconds for a whole body.
        others: paths with a bound of their own.
    """
    usual = Bound(MAX_BODY_BYTES, within)

    async def bounded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        body = _Body(scope, receive, send, others.get(scope["path"], usual))
        try:
            await app(scope, body.receive, body.send)
        except Exception:
            if body.refusal is None:
                raise
        await body.finish(scope)

    return bounded


class _Body:
    """The body of one request as it is read.

    `refusal`: why the body is refused; the app's own answer is dropped then.
    """

    def __init__(self, scope: Scope, receive: Receive, send: Send, bound: Bound) -> None:
        self._receive = receive
        self._send = send
        self._bound = bound
        self._cuts_off = scope["path"].startswith(HOOKS)  # the app gets what fits and no error
        self._read = 0
        self._deadline: float | None = None
        self._is_over = not BODY_HEADERS.intersection(name for name, _ in scope["headers"])
        self._is_refused = False
        self._has_answered = False
        self.refusal: HTTPException | None = None

    async def receive(self) -> Message:
        """The next part of the body.

        Raises:
            HTTPException: 413, 408; the app may answer with it, and that answer is replaced.
        """
        if self._is_over:
            return {"type": "http.disconnect"} if self._is_refused else await self._receive()
        try:
            message = await self._next()
        except TimeoutError:
            return self._refuse(408, TOO_SLOW)
        if self._read <= self._bound.most:
            return message
        part: bytes = message["body"]
        fitting = part[: len(part) - (self._read - self._bound.most)]
        await self._discard()
        return self._refuse(413, TOO_LARGE, fitting)

    async def send(self, message: Message) -> None:
        """Send on what the app answers, unless the body is refused. Before that, read what the app has not read."""
        if self.refusal is not None and not self._has_answered:
            return
        if not self._has_answered:
            self._has_answered = True
            await self._discard()
        await self._send(message)

    async def finish(self, scope: Scope) -> None:
        """Answer the refusal, where nothing has been answered yet. The connection ends with it."""
        if self.refusal is None or self._has_answered:
            return
        body = {"type": "unknown_error", "message": self.refusal.detail}
        answer = Wire(body, self.refusal.status_code, headers={"connection": "close"})
        await answer(scope, self._receive, self._send)

    async def _next(self) -> Message:
        """The next message, counted.

        Raises:
            TimeoutError: the body takes too long.
        """
        loop = asyncio.get_running_loop()
        if self._deadline is None:
            self._deadline = loop.time() + self._bound.within
        async with asyncio.timeout_at(min(self._deadline, loop.time() + BODY_WITHIN)):
            message = await self._receive()
        self._read += len(message.get("body", b""))
        self._is_over = message["type"] != "http.request" or not message.get("more_body", False)
        return message

    async def _discard(self) -> None:
        """Read what follows and keep nothing of it: to its end, or to where the patience ends."""
        most = max(self._read, MAX_BODY_BYTES) + MAX_DISCARDED_BYTES
        with suppress(TimeoutError):
            while not self._is_over and self._read < most:
                await self._next()

    def _refuse(self, status: int, why: str, fitting: bytes = b"") -> Message:
        """Refuse the body; where it is cut off, the last message that the app gets of it.

        Raises:
            HTTPException: it is not cut off.
        """
        self._is_over = self._is_refused = True
        if self._cuts_off:
            return {"type": "http.request", "body": fitting, "more_body": False}
        self.refusal = HTTPException(status, why)
        raise self.refusal
