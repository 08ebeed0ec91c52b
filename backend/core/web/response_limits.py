"""Reading of responses of external services with a size limit.

httpx decompresses each piece of a response as a whole, and 64 KiB of gzip may hold 64 MiB. Here a response is
decompressed in small steps, and reading stops at a limit of decompressed bytes.
"""

import zlib
from collections.abc import Iterator
from typing import Any

import httpx

MAX_RESPONSE_BYTES = 4 * 2**20
"""Maximum size of a decompressed response. Gateway and carrier are known to send a few dozen KiB at most."""
MAX_PDF_RESPONSE_BYTES = 16 * 2**20
"""Maximum size of a decompressed response that holds a PDF or an XML document in base64."""
ACCEPTED_ENCODING = "gzip"
_GZIP_NAMES = frozenset({"gzip", "x-gzip"})
_GZIP_WINDOW_BITS = 16 + zlib.MAX_WBITS
_STEP_BYTES = 64 * 1024
_DESCRIBING_HEADERS = ("content-encoding", "content-length", "transfer-encoding")
"""Headers that describe the body as it was sent; they are wrong for the decompressed body."""


class ResponseTooLarge(httpx.RequestError):
    """The decompressed response exceeds the limit. Its rest was not read."""


class LimitedClient(httpx.AsyncClient):
    """An httpx client that reads at most `MAX_RESPONSE_BYTES` of a response, else raises `ResponseTooLarge`."""

    async def send(self, request: httpx.Request, *, stream: bool = False, **options: Any) -> httpx.Response:
        """Send a request. A streamed response has no limit: the caller must read it with `read_limited`."""
        request.headers["accept-encoding"] = ACCEPTED_ENCODING
        response = await super().send(request, stream=True, **options)
        return response if stream else await read_limited(response)


async def read_limited(response: httpx.Response, max_bytes: int = MAX_RESPONSE_BYTES) -> httpx.Response:
    """Read a streamed response, close it, and return it with its decompressed body.

    Raises:
        ResponseTooLarge: the body has more than `max_bytes`, as sent or decompressed.
        DecodingError: the body has a compression that was not requested, is damaged, or is incomplete.
    """
    try:
        content = await _read_body(response, max_bytes)
    finally:
        await response.aclose()
    headers = [
        (name, value)
        for name, value in response.headers.multi_items()
        if name.lower() not in _DESCRIBING_HEADERS
    ]
    return httpx.Response(
        response.status_code,
        headers=headers,
        content=content,
        request=response.request,
        extensions=response.extensions,
        history=response.history,
    )


async def _read_body(response: httpx.Response, max_bytes: int) -> bytes:
    decoder = _decoder_of(response)
    stream = response.stream
    assert isinstance(stream, httpx.AsyncByteStream)  # noqa: S101 - the client is asynchronous
    content, sent = bytearray(), 0
    async for piece in stream:
        sent += len(piece)
        for part in (piece,) if decoder is None else decoder.decode(piece):
            content += part
            if len(content) > max_bytes:
                break
        if max(sent, len(content)) > max_bytes:
            raise ResponseTooLarge(f"longer than {max_bytes} bytes", request=response.request)
    if decoder is not None and sent and not decoder.is_complete:
        raise httpx.DecodingError("the compressed body is cut off", request=response.request)
    return bytes(content)


def _decoder_of(response: httpx.Response) -> "_Gunzip | None":
    encoding = response.headers.get("content-encoding", "").strip().casefold()
    if encoding in ("", "identity"):
        return None
    if encoding in _GZIP_NAMES:
        return _Gunzip(response.request)
    raise httpx.DecodingError("the compression was not requested", request=response.request)


class _Gunzip:
    """A gzip decompressor that works in steps of at most `_STEP_BYTES`."""

    def __init__(self, request: httpx.Request) -> None:
        self._request = request
        self._stream = zlib.decompressobj(_GZIP_WINDOW_BITS)

    @property
    def is_complete(self) -> bool:
        """True if the end of the compressed data has been read."""
        return self._stream.eof

    def decode(self, piece: bytes) -> Iterator[bytes]:
        """Yield the decompressed content of the next bytes, step by step.

        Raises:
            DecodingError: they are not gzip.
        """
        while piece and not self._stream.eof:
            try:
                part = self._stream.decompress(piece, _STEP_BYTES)
            except zlib.error as error:
                raise httpx.DecodingError(str(error), request=self._request) from error
            yield part
            piece = self._stream.unconsumed_tail
