"""What is seen of each request from outside the app: its id, in the log and in the response."""

import re
import secrets

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.edge.requests import is_trusted
from backend.logs import log_scope

REQUEST_ID = "x-request-id"
_PLAIN_ID = re.compile(r"[A-Za-z0-9_.-]{8,64}")


def observed(app: ASGIApp, trusted_proxies: str) -> ASGIApp:
    """The app, each of whose requests has an id: that of a trusted proxy, or else a new one."""

    async def observe(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        request_id = _id_of(scope, trusted_proxies)

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[REQUEST_ID] = request_id
            await send(message)

        with log_scope(request_id=request_id):
            await app(scope, receive, send_with_id)

    return observe


def _id_of(scope: Scope, trusted_proxies: str) -> str:
    """The request's id. A stranger's would let them write their own entries among those of others."""
    given = Headers(scope=scope).getlist(REQUEST_ID)
    host = (scope.get("client") or ("",))[0]
    if len(given) == 1 and _PLAIN_ID.fullmatch(given[0]) and is_trusted(host, trusted_proxies):
        return given[0]
    return secrets.token_hex(8)
