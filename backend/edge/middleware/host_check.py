"""Refusal of requests for host names that are not the shop's, if PUBLIC_URL is set.

To browsers, a foreign host name that leads to this server is a separate site. The pages of that site could read the
shop as their own (DNS rebinding), and search engines would list the shop twice.
"""

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from backend.core.config.origins import host_of
from backend.core.config.settings import Settings
from backend.edge.middleware.cors import first_segment

ANY_HOST = frozenset({"livez", "readyz", "health", "metrics", "hooks"})
"""First segments of paths that probes, monitors and providers may request under any host name or address."""
REVALIDATION = "/api/revalidate"
MISDIRECTED = 421
"""Status of a refused request."""
_REFUSAL = PlainTextResponse("Misdirected Request\n", MISDIRECTED)


def with_host_check(app: ASGIApp, settings: Settings) -> ASGIApp:
    """Return the app, answering 421 to requests for hosts that are not the shop's.

    Without PUBLIC_URL, requests for every host are answered. For the host of STOREFRONT_URL, only `/api/revalidate`
    is answered.
    """
    hosts = settings.hosts
    if not hosts:
        return app
    inside = hosts | {host_of(urlsplit(settings.storefront_url).netloc)}

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"} or first_segment(scope) in ANY_HOST:
            await app(scope, receive, send)
            return
        sent = Headers(scope=scope).getlist("host")
        host = host_of(sent[0]) if len(sent) == 1 else ""
        if host and host in (inside if scope["path"] == REVALIDATION else hosts):
            await app(scope, receive, send)
        elif scope["type"] == "http" or "websocket.http.response" in scope.get("extensions", {}):
            await _REFUSAL(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    return checked
