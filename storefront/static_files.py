"""The files of the build: which addresses they have, and how long a browser stores them."""

from collections.abc import Collection
from pathlib import Path, PurePosixPath

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

NO_NAMES = frozenset({".html", ".br", ".gz", ".zst"})
"""What is not asked for by its name: documents, for pages have their own addresses, and a file's compressed copies."""
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
"""By suffix. A font never changes under its name, and a picture hardly ever."""


class StaticFiles:
    """The files of the build by their address, listed once: the build does not change while the shop is open."""

    def __init__(self, folder: Path, pages_in: Collection[str] = ()) -> None:
        """List the files in `folder`. `pages_in`: folders of files that also have pages, such as `/brand`."""
        self._pages_in = tuple(f"{place}/" for place in pages_in)
        files = [
            path.relative_to(folder)
            for path in folder.rglob("*")
            if path.is_file() and not NO_NAMES.intersection(path.suffixes)
        ]
        self._paths = {f"/{path.as_posix()}" for path in files}
        self._folders = {path.parts[0] for path in files if len(path.parts) > 1}

    def has(self, path: str) -> bool:
        """Whether a file has this address (decoded)."""
        return path in self._paths

    def should_have(self, path: str) -> bool:
        """Whether the address lies in a folder of files, so that no page can have it.

        A page below one of `pages_in` has no suffix.
        """
        folder = path.removeprefix("/").partition("/")[0]
        is_page = path.startswith(self._pages_in) and not PurePosixPath(path).suffix
        return folder in self._folders and not is_page


def with_cache_headers(pages: ASGIApp) -> ASGIApp:
    """The pages, with a `Cache-Control` on every response that has none."""

    async def cached(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await pages(scope, receive, send)
            return

        async def send_with_rule(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).setdefault(
                    "cache-control", cache_rule(scope["path"], message["status"])
                )
            await send(message)

        await pages(scope, receive, send_with_rule)

    return cached


def cache_rule(path: str, status: int) -> str:
    """The `Cache-Control` of a response to `path`. Whatever was not found is asked for again."""
    if status >= 400:
        return ASK_FIRST
    if path.startswith(BUNDLED):
        return FOREVER
    return BY_KIND.get(PurePosixPath(path).suffix.lower(), ASK_FIRST)
