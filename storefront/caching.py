"""How long a browser keeps a file of the build."""

from pathlib import PurePosixPath

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BUNDLED = "/assets/"  # Vite puts a digest of the content in these names
FOREVER = "public, max-age=31536000, immutable"
A_YEAR = "public, max-age=31536000"
A_WEEK = "public, max-age=604800, stale-while-revalidate=2592000"
AN_HOUR = "public, max-age=3600"
ASK_FIRST = "no-cache"
BY_KIND = {
    ".woff2": A_YEAR,
    **dict.fromkeys((".avif", ".gif", ".jpg", ".jpeg", ".png", ".webp"), A_WEEK),
    **dict.fromkeys((".css", ".ico", ".svg"), AN_HOUR),
}
"""A font keeps its name for good; a picture hardly ever changes, and serves on while it is asked for again."""


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
    return BY_KIND.get(PurePosixPath(path).suffix.lower(), ASK_FIRST)
