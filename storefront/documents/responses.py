"""HTTP responses of documents: revalidated with an ETag, compressed, and without a body for HEAD requests."""

import gzip
from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from backend.edge.etags import NotModified, has_current_copy

HTML = "text/html; charset=utf-8"
TEXT = "text/plain; charset=utf-8"
XML = "application/xml; charset=utf-8"
REVALIDATED = "private, no-cache"
"""Only the browser caches the response, and revalidates it on each use."""
LEVEL = 6
MIN_COMPRESSED_BYTES = 1000


@dataclass(frozen=True, slots=True)
class Body:
    """The content of a response. `is_packed` is True if it is compressed with gzip."""

    kind: str
    content: bytes = field(repr=False)
    is_packed: bool = False

    @classmethod
    def of(cls, text: str, kind: str) -> "Body":
        """Return the body for a text, compressed if it has at least 1,000 bytes.

        Equal texts always give equal bytes.
        """
        content = text.encode()
        if len(content) < MIN_COMPRESSED_BYTES:
            return cls(kind, content)
        return cls(kind, gzip.compress(content, LEVEL, mtime=0), is_packed=True)

    def unpacked(self) -> bytes:
        """Return the content for a browser that does not accept gzip."""
        return gzip.decompress(self.content) if self.is_packed else self.content


EMPTY = Body(TEXT, b"")


@dataclass(frozen=True, slots=True)
class DocumentResponse:
    """A response. Without `etag` it is always sent in full."""

    status: int
    body: Body = EMPTY
    etag: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response: status 304 if the browser has the current version, and only headers for a HEAD request."""
        headers = {"cache-control": REVALIDATED, "vary": "Accept-Encoding", **self.headers}
        if self.etag:
            headers["etag"] = self.etag
        if self.status == 200 and has_current_copy(scope, self.etag):
            await NotModified(_raw(headers))(scope, receive, send)
            return
        content, is_packed = self.body.content, self.body.is_packed
        if is_packed and accepts_gzip(Headers(scope=scope)):
            headers["content-encoding"] = "gzip"
        elif is_packed:
            content = self.body.unpacked()
        headers |= {"content-type": self.body.kind, "content-length": str(len(content))}
        await send({"type": "http.response.start", "status": self.status, "headers": _raw(headers)})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else content})


def _raw(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]


def accepts_gzip(headers: Headers) -> bool:
    """Return True if the browser accepts gzip (RFC 9110, 12.5.3)."""
    weights = {}
    for entry in headers.get("accept-encoding", "").lower().replace(" ", "").split(","):
        coding, _, weight = entry.partition(";q=")
        weights[coding] = weight
    weight = weights.get("gzip", weights.get("*", "0"))
    return not weight or weight.strip("0.") != ""
