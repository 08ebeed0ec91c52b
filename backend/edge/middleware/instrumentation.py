"""What is seen of each request from outside the app: its id, in the log and in the response; how long it took."""

import re
import secrets
from time import perf_counter

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.core.observability.logs import log_scope
from backend.core.observability.metrics import REQUEST_SECONDS, REQUESTS
from backend.core.observability.tracing import span, trace_fields
from backend.edge.requests import is_trusted

REQUEST_ID = "x-request-id"
_PLAIN_ID = re.compile(r"[A-Za-z0-9_.-]{8,64}")
ROUTE = "trompo.route"
"""Key in a request's scope: the template of its path, from who answers without the API's routes."""
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def observed(app: ASGIApp, trusted_proxies: str) -> ASGIApp:
    """The app, whose requests are counted and measured, each with an id: that of a trusted proxy, or else a new one."""

    async def observe(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        request_id = _id_of(scope, trusted_proxies)
        status = "aborted"
        method = scope["method"] if scope["method"] in METHODS else "other"
        began = perf_counter()

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
                MutableHeaders(scope=message)[REQUEST_ID] = request_id
            await send(message)

        try:
            with (
                span(method, "server", {"http.request.method": method}) as opened,
                log_scope(request_id=request_id, **trace_fields()),
            ):
                await app(scope, receive, send_with_id)
                if opened is not None:
                    opened.update_name(f"{method} {route_of(scope)}")
                    opened.set_attributes(
                        {"http.route": route_of(scope), "http.response.status_code": status}
                    )
        finally:
            route = route_of(scope)
            REQUESTS.labels(method, route, status).inc()
            REQUEST_SECONDS.labels(route).observe(perf_counter() - began)

    return observe


def route_of(scope: Scope) -> str:
    """The template of a request's path that was answered, such as `/store/carts/{cart_id}`; never the path itself.

    Of a mounted app it is where that is mounted; `none` when no route of the shop has the path.
    """
    if known := scope.get(ROUTE):
        return str(known)
    route = getattr(scope.get("route"), "path", "")
    return f"{scope.get('root_path', '')}{route}" or "none"


def _id_of(scope: Scope, trusted_proxies: str) -> str:
    """The request's id. A stranger's would let them write their own entries among those of others."""
    given = Headers(scope=scope).getlist(REQUEST_ID)
    host = (scope.get("client") or ("",))[0]
    if len(given) == 1 and _PLAIN_ID.fullmatch(given[0]) and is_trusted(host, trusted_proxies):
        return given[0]
    return secrets.token_hex(8)
