"""Lists in a query string, as programs write them: `id[]=a&id[]=b` and `id[0]=a&id[1]=b` mean `id=a&id=b`."""

import re

from starlette.types import ASGIApp, Receive, Scope, Send

_INDEX = re.compile(rb"(?:\[|%5B)\d{0,3}(?:\]|%5D)(?==|&|$)", re.IGNORECASE)


class PlainLists:
    """Middleware that writes such names plainly, so that a parameter declared as a list gets its values."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        query: bytes = scope.get("query_string", b"")
        if b"[" in query or b"%5" in query:
            scope["query_string"] = _INDEX.sub(b"", query)
        await self.app(scope, receive, send)
