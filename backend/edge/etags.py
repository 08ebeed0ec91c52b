"""Not sending what a program has already: `ETag`, `If-None-Match` and 304 (RFC 9110, 13.1.2 and 15.4.5).

Whoever answers names the content by its tag (`tag_of`), asks whether it is known (`is_known`), and then answers with
`NotModified` in place of the content.
"""

import re
from collections.abc import Iterable
from hashlib import blake2b

from starlette.responses import Response
from starlette.types import Scope

RawHeaders = Iterable[tuple[bytes, bytes]]

IF_NONE_MATCH = b"if-none-match"
OF_THE_CONTENT = frozenset(
    {
        b"content-encoding",
        b"content-language",
        b"content-length",
        b"content-range",
        b"content-type",
        b"last-modified",
    }
)
"""What says something of a content that is not sent. All else stands in a 304 as it would in the 200."""

# an entity-tag or nothing, up to the next comma; nothing here is tried twice, however long the list
_MEMBER = re.compile(r'[ \t]*+(?:(?:W/)?+"([\x21\x23-\x7e\x80-\xff]*+)"[ \t]*+)?+(?:,|\Z)')


class NotModified(Response):
    """304: what the caller has still holds. `headers`: those that the 200 would have."""

    def __init__(self, headers: RawHeaders) -> None:
        # `Response.__init__` would look for headers to add: there are none to a 304
        self.status_code, self.body, self.background = 304, b"", None
        self.raw_headers = [header for header in headers if header[0] not in OF_THE_CONTENT]


def tag_of(*parts: bytes) -> str:
    """An ETag out of what makes the content. Weak: the same content may be sent packed and unpacked."""
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(len(part).to_bytes(8))
        digest.update(part)
    return f'W/"{digest.hexdigest()}"'


def is_known(scope: Scope, tag: str) -> bool:
    """Whether a GET or HEAD need not be answered with the content of this tag, as the caller has it.

    Tags are compared weakly. `*` stands for any content. A header that breaks the grammar counts for nothing: the
    content is sent.
    """
    lines = [value for name, value in scope["headers"] if name == IF_NONE_MATCH]
    if not lines or not tag or scope["method"] not in {"GET", "HEAD"}:
        return False
    asked = b", ".join(lines).decode("latin-1")
    return asked == tag or asked.strip(" \t") == "*" or tag.removeprefix("W/")[1:-1] in _opaque_tags(asked)


def _opaque_tags(text: str) -> set[str]:
    """What is between the quotes of each tag in a list; nothing at all when the text is no list of tags."""
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
