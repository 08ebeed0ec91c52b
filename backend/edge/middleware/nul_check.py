"""Refusal of requests whose path or query holds a NUL character.

No text with NUL is in the database: PostgreSQL refuses to compare with one, and SQLite would find nothing. A provider's
hook answers 200 whatever comes (spec: Webhook), so it gets its requests all the same.
"""

from starlette.types import ASGIApp, Receive, Scope, Send

from backend.core.errors import InvalidData
from backend.edge.middleware.body_limit import HOOKS
from backend.edge.wire import Wire

MESSAGE = "The address of the request holds a NUL character"


class CleanAddresses:
    """An ASGI middleware that answers 400 to such requests. The app gets all others."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let the app answer it."""
        if scope["type"] == "http" and has_nul(scope) and not scope["path"].startswith(HOOKS):
            await Wire(InvalidData(MESSAGE).body(), InvalidData.status)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def has_nul(scope: Scope) -> bool:
    """Return True if the decoded path or query of a request holds a NUL character."""
    query: bytes = scope.get("query_string", b"")
    return "\0" in scope["path"] or b"%00" in query or b"\0" in query
