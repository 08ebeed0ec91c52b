"""How long a browser keeps a file of the build."""

from pathlib import PurePosixPath

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BUNDLED = "/assets/"  # Vite puts a digest of the content in these names
FOREVER = "public, max-age=31536000, immutable"
AN_HOUR = "public, max-age=3600"
ASK_FIRST = "no-cache"
FILES = frozenset({".avif", ".css", ".ico", ".jpg", ".png", ".svg", ".webp", ".woff2"})


def with_caching(pages: ASGIApp) -> ASGIApp:
    """The pages, with a `Cache-Control` on every answer that has none."""

    async def cached(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await pages(scope, receive, send)
            return

        async def send_with_rule(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).setdefault(
                    "cache-control", rule(scope["path"], message["status"])
                )
            await send(message)

        await pages(scope, receive, send_with_rule)

    return cached


def rule(path: str, status: int) -> str:
    """The `Cache-Control` of an answer to `path`. Whatever was not found is asked for again."""
    if status >= 400:
        return ASK_FIRST
    if path.startswith(BUNDLED):
        return FOREVER
    return AN_HOUR if PurePosixPath(path).suffix in FILES else ASK_FIRST
