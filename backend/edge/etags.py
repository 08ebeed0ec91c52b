"""Conditional requests: `ETag`, `If-None-Match` and 304 (RFC 9110, 13.1.2 and 15.4.5).

A route computes the tag of its content (`compute_etag`), checks whether the client has that content
(`has_current_copy`), and if so answers with `NotModified` instead.
"""

import re
from collections.abc import Iterable
from hashlib import blake2b

from starlette.responses import Response
from starlette.types import Scope

RawHeaders = Iterable[tuple[bytes, bytes]]

IF_NONE_MATCH = b"if-none-match"
CONTENT_HEADERS = frozenset(
    {
        b"content-encoding",
        b"content-language",
        b"content-length",
        b"content-range",
        b"content-type",
        b"last-modified",
    }
)
"""Headers that describe the body. A 304 has no body and no such headers; it has all other headers of the 200."""

# an entity-tag or nothing, up to the next comma; possessive, so that long lists take linear time
_MEMBER = re.compile(r'[ \t]*+(?:(?:W/)?+"([\x21\x23-\x7e\x80-\xff]*+)"[ \t]*+)?+(?:,|\Z)')


class NotModified(Response):
    """A 304 response: the client's copy is still valid.

    `headers` are the headers of the 200 response that it replaces.
    """

    def __init__(self, headers: RawHeaders) -> None:
        # not `Response.__init__`, which would add headers that a 304 must not have
        self.status_code, self.body, self.background = 304, b"", None
        self.raw_headers = [header for header in headers if header[0] not in CONTENT_HEADERS]


def compute_etag(*parts: bytes) -> str:
    """Return an ETag computed from these parts. It is weak: the same content may be sent compressed or not."""
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(len(part).to_bytes(8))
        digest.update(part)
    return f'W/"{digest.hexdigest()}"'


def has_current_copy(scope: Scope, tag: str) -> bool:
    """Return True if a GET or HEAD can be answered with 304, because the client has the content with this tag.

    Tags are compared weakly. `*` matches any content. A header that breaks the grammar is ignored: the content is
    sent.
    """
    lines = [value for name, value in scope["headers"] if name == IF_NONE_MATCH]
    if not lines or not tag or scope["method"] not in {"GET", "HEAD"}:
        return False
    if_none_match = b", ".join(lines).decode("latin-1")
    return (
        if_none_match == tag
        or if_none_match.strip(" \t") == "*"
        or tag.removeprefix("W/")[1:-1] in _opaque_tags(if_none_match)
    )


def _opaque_tags(text: str) -> set[str]:
    """Return the quoted part of each tag in a list of tags; an empty set if the text is not such a list."""
    tags, place = set(), 0
    while place <= len(text):
        member = _MEMBER.match(text, place)
        if member is None:
            return set()
        if member[1] is not None:
            tags.add(member[1])
        if member.end() == len(text) and not member[0].endswith(","):
            break
        place = member.end()
    return tags
