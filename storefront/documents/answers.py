"""Answers over HTTP as documents need them: revalidated, compressed, and without a body where none is asked for."""

import gzip
from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from backend.edge.conditional import NotModified, is_known

HTML = "text/html; charset=utf-8"
TEXT = "text/plain; charset=utf-8"
XML = "application/xml; charset=utf-8"
REVALIDATED = "private, no-cache"
"""Kept by the browser alone, and asked for again each time."""
LEVEL = 6
WORTH_PACKING = 1000


@dataclass(frozen=True, slots=True)
class Body:
    """What an answer carries, kept as it is sent most often: as gzip where that is worth it (`packed`)."""

    kind: str
    content: bytes = field(repr=False)
    is_packed: bool = False

    @classmethod
    def of(cls, text: str, kind: str) -> "Body":
        """The text, packed where that is worth it; the same text always gives the same bytes."""
        content = text.encode()
        if len(content) < WORTH_PACKING:
            return cls(kind, content)
        return cls(kind, gzip.compress(content, LEVEL, mtime=0), is_packed=True)

    def unpacked(self) -> bytes:
        """The content for those who cannot unpack it."""
        return gzip.decompress(self.content) if self.is_packed else self.content


EMPTY = Body(TEXT, b"")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request gets. `etag` names the content; an answer without one is sent in full each time."""

    status: int
    body: Body = EMPTY
    etag: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it: only the news that nothing changed to a browser that has it, only its head to one that asks so."""
        headers = {"cache-control": REVALIDATED, "vary": "Accept-Encoding", **self.headers}
        if self.etag:
            headers["etag"] = self.etag
        if self.status == 200 and is_known(scope, self.etag):
            await NotModified(_raw(headers))(scope, receive, send)
            return
        content, is_packed = self.body.content, self.body.is_packed
        if is_packed and _takes_gzip(Headers(scope=scope)):
            headers["content-encoding"] = "gzip"
        elif is_packed:
            content = self.body.unpacked()
        headers |= {"content-type": self.body.kind, "content-length": str(len(content))}
        await send({"type": "http.response.start", "status": self.status, "headers": _raw(headers)})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else content})


def _raw(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]


def _takes_gzip(asked: Headers) -> bool:
    """Whether the browser unpacks gzip (RFC 9110, 12.5.3)."""
    weights = {}
    for entry in asked.get("accept-encoding", "").lower().replace(" ", "").split(","):
        coding, _, weight = entry.partition(";q=")
        weights[coding] = weight
    weight = weights.get("gzip", weights.get("*", "0"))
    return not weight or weight.strip("0.") != ""
