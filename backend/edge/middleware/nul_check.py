"""Refusal of requests whose path or query contains a NUL character.

The database contains no text with NUL, so such a request can find nothing; PostgreSQL would even report an error. A
provider's hook must always answer 200 (spec: Webhook), so its requests are not checked.
"""

from starlette.types import ASGIApp, Receive, Scope, Send

from backend.core.errors import InvalidData
from backend.edge.middleware.body_limit import HOOKS
from backend.edge.wire import Wire

MESSAGE = "The address of the request holds a NUL character"


class NulCheck:
    """ASGI middleware that answers 400 to a request with NUL in path or query. Paths below `HOOKS` are not checked."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or forward it to the app."""
        if scope["type"] == "http" and has_nul(scope) and not scope["path"].startswith(HOOKS):
            await Wire(InvalidData(MESSAGE).body(), InvalidData.status)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def has_nul(scope: Scope) -> bool:
    """Return True if the decoded path or query of a request holds a NUL character."""
    query: bytes = scope.get("query_string", b"")
    return "\0" in scope["path"] or b"%00" in query or b"\0" in query
