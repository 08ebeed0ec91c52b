"""Static files of the build: their URLs and how long a browser caches them."""

from collections.abc import Collection
from pathlib import Path, PurePosixPath

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

UNLISTED_SUFFIXES = frozenset({".html", ".br", ".gz", ".zst"})
"""Suffixes of files without a URL of their own: HTML documents (pages have other URLs) and compressed variants."""
BUNDLE_PREFIX = "/assets/"  # Vite adds a digest of the content to these names
CACHE_FOREVER = "public, max-age=31536000, immutable"
CACHE_1_YEAR = "public, max-age=31536000"
CACHE_1_WEEK = "public, max-age=604800, stale-while-revalidate=2592000"
CACHE_1_HOUR = "public, max-age=3600"
CACHE_NEVER = "no-cache"
CACHE_BY_SUFFIX = {
    ".woff2": CACHE_1_YEAR,
    **dict.fromkeys((".avif", ".gif", ".jpg", ".jpeg", ".png", ".webp"), CACHE_1_WEEK),
    **dict.fromkeys((".css", ".ico", ".svg"), CACHE_1_HOUR),
}
"""`Cache-Control` by suffix. A font never changes under its name; a picture rarely does."""


class StaticFiles:
    """The files of the build by URL path.

    They are listed once, because the build does not change while the shop runs.
    """

    def __init__(self, folder: Path, page_folders: Collection[str] = ()) -> None:
        """List the files in `folder`.

        `page_folders` are folders of files whose URL is also the prefix of pages (`/brand`).
        """
        self._pages_in = tuple(f"{place}/" for place in page_folders)
        files = [
            path.relative_to(folder)
            for path in folder.rglob("*")
            if path.is_file() and not UNLISTED_SUFFIXES.intersection(path.suffixes)
        ]
        self._paths = {f"/{path.as_posix()}" for path in files}
        self._folders = {path.parts[0] for path in files if len(path.parts) > 1}

    def has_file(self, path: str) -> bool:
        """Return True if a file has this decoded path."""
        return path in self._paths

    def is_in_file_folder(self, path: str) -> bool:
        """Return True if the path is inside a folder of files and therefore cannot be a page.

        In one of the `page_folders`, a path without a file suffix is a page.
        """
        folder = path.removeprefix("/").partition("/")[0]
        is_page = path.startswith(self._pages_in) and not PurePosixPath(path).suffix
        return folder in self._folders and not is_page


def add_cache_headers(pages: ASGIApp) -> ASGIApp:
    """Wrap the app so that each response without a `Cache-Control` header gets one."""

    async def cached(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await pages(scope, receive, send)
            return

        async def send_with_rule(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).setdefault(
                    "cache-control", get_cache_control(scope["path"], message["status"])
                )
            await send(message)

        await pages(scope, receive, send_with_rule)

    return cached


def get_cache_control(path: str, status: int) -> str:
    """Return the `Cache-Control` value for a response to `path`. Browsers must revalidate an error response."""
    if status >= 400:
        return CACHE_NEVER
    if path.startswith(BUNDLE_PREFIX):
        return CACHE_FOREVER
    return CACHE_BY_SUFFIX.get(PurePosixPath(path).suffix.lower(), CACHE_NEVER)
