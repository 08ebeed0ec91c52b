"""The addresses browsers ask for: taken apart, checked, and written in the one way that counts."""

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes

from starlette.types import Scope

from storefront.pages.routes import PAGES, Page

LONGEST_PATH = 2048
LONGEST_QUERY = 4096
PATH_CHARACTERS = "!$&'()*+,;=:@-._~"
"""What a segment of a path may hold as it is (RFC 3986, pchar)."""
QUERY_CHARACTERS = PATH_CHARACTERS + "/?%"
BROKEN = re.compile(rb"%(?![0-9A-Fa-f]{2})")
NOT_FOUND = next(page for page in PAGES if page.route == "404")


@dataclass(frozen=True, slots=True)
class Address:
    """A path, as it was sent and taken apart, and the query. `segments` are decoded and never empty."""

    sent: str
    segments: tuple[str, ...]
    query: str

    @property
    def path(self) -> str:
        """The one way to write the path: no slash doubled or at the end, encoded only where it has to be."""
        return "/" + "/".join(quote(segment, safe=PATH_CHARACTERS) for segment in self.segments)

    @property
    def url(self) -> str:
        """The path and the query."""
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def is_canonical(self) -> bool:
        """Whether it was sent in the one way to write it."""
        return self.sent == self.path


def is_too_long(scope: Scope) -> bool:
    """Whether the address is longer than any of ours."""
    return len(_raw_path(scope)) > LONGEST_PATH or len(scope["query_string"]) > LONGEST_QUERY


def read_address(scope: Scope) -> Address | None:
    """The address of a request; None when no page can have it.

    That is: what is wrongly encoded, holds control characters, climbs (`..`), or hides a slash inside a segment.
    """
    raw = _raw_path(scope)
    if not raw.startswith(b"/") or BROKEN.search(raw):
        return None
    try:
        segments = tuple(unquote_to_bytes(part).decode() for part in raw.split(b"/") if part)
    except UnicodeDecodeError:
        return None
    if not all(map(_can_be_named, segments)):
        return None
    return Address(raw.decode("latin-1"), segments, quote(scope["query_string"], safe=QUERY_CHARACTERS))


def page_at(segments: tuple[str, ...]) -> Page | None:
    """The page that a path leads to; None when there is none."""
    return next((page for page, pattern in _PATTERNS if _fits(segments, pattern)), None)


def sample_of(page: Page) -> str:
    """An address that leads to the page, whatever stands in its varying parts."""
    return "/" + "/".join("x" if part.startswith("[") else part for part in _pattern(page.route))


def _raw_path(scope: Scope) -> bytes:
    """The path as it was sent. Servers may leave it out; then it is written anew from the decoded one."""
    raw: bytes = scope.get("raw_path") or quote(scope["path"]).encode()
    return raw.partition(b"?")[0]


def _can_be_named(segment: str) -> bool:
    return segment.isprintable() and "/" not in segment and segment not in {".", ".."}


def _pattern(route: str) -> tuple[str, ...]:
    return tuple(part for part in route.split("/") if part)


def _fits(segments: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Whether each segment is the pattern's own, or stands where the pattern varies (`[slug]`)."""
    return len(segments) == len(pattern) and all(
        part.startswith("[") or part == segment for part, segment in zip(pattern, segments, strict=True)
    )


_PATTERNS = [(page, _pattern(page.route)) for page in PAGES if page is not NOT_FOUND]
