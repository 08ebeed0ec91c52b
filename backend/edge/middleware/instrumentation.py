"""Instrumentation of each request: its id, in the log and in the response, and its duration."""

import re
import secrets
from time import perf_counter

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.core.observability.logs import log_scope
from backend.core.observability.metrics import REQUEST_SECONDS, REQUESTS
from backend.core.observability.tracing import span, trace_fields
from backend.edge.requests import is_trusted_proxy

REQUEST_ID = "x-request-id"
_PLAIN_ID = re.compile(r"[A-Za-z0-9_.-]{8,64}")
ROUTE = "trompo.route"
"""Key in a request's scope for the template of its path. Code that answers without a route of the API sets it."""
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def with_instrumentation(app: ASGIApp, trusted_proxies: str) -> ASGIApp:
    """Return the app with metrics and an id for each request: the id that a trusted proxy sent, or a new id."""

    async def observe(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        request_id = _choose_request_id(scope, trusted_proxies)
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
    """Return the path template of an answered request, such as `/store/carts/{cart_id}`, never the path itself.

    For a mounted app it is the mount path; `none` if no route of the shop has the path.
    """
    if template := scope.get(ROUTE):
        return str(template)
    route = getattr(scope.get("route"), "path", "")
    return f"{scope.get('root_path', '')}{route}" or "none"


def _choose_request_id(scope: Scope, trusted_proxies: str) -> str:
    """Return the request's id.

    An id from a client is ignored, because the client could use the id of another request. Only a trusted proxy's
    id is used.
    """
    request_ids = Headers(scope=scope).getlist(REQUEST_ID)
    host = (scope.get("client") or ("",))[0]
    if (
        len(request_ids) == 1
        and _PLAIN_ID.fullmatch(request_ids[0])
        and is_trusted_proxy(host, trusted_proxies)
    ):
        return request_ids[0]
    return secrets.token_hex(8)
