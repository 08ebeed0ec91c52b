"""Size limits for answers of external services.

answer                                        outcome
--------------------------------------------  ---------------------------------------------------------------
exactly as long as the limit                  read
one byte longer, plain or decompressed        `AnswerTooLarge`: the request may have been carried out
endless, or sent without a length             the same, after reading only the limit's bytes
300 KB of gzip that hold 300 MB               the same, with a few MiB of memory
gzip within gzip, brotli, zstd, deflate       `NoAnswer`: these were not requested
truncated or damaged gzip                     `NoAnswer`: a part must not count as the whole
too large, of a call that is repeated         requested once
"""

import gzip
import tracemalloc
import zlib

import httpx
import pytest

from backend.core.web.http_client import AnswerTooLarge, HttpClient, NoAnswer, RetryPolicy
from backend.core.web.response_limits import (
    MAX_RESPONSE_BYTES,
    LimitedClient,
    ResponseTooLarge,
)
from tests.long_answers import BodyTransport, RepeatedChunks, chunked_body

QUICK = RetryPolicy(pause=0)
MIB = 2**20
PACKED = {"content-encoding": "gzip"}


def client(transport: httpx.AsyncBaseTransport) -> HttpClient:
    return HttpClient("The weather", QUICK, base_url="http://weather.test", transport=transport)


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("limit", [1, 70_000, 3 * MIB])
async def test_answer_above_its_size_limit_raises_an_error(limit: int, is_packed: bool) -> None:
    def answer(size: int) -> BodyTransport:
        content = b"x" * size
        body = gzip.compress(content) if is_packed else content
        return BodyTransport(lambda: chunked_body(body, 1000), PACKED if is_packed else None)

    # one byte takes more than one byte of gzip, and the limit also applies to the bytes sent
    fits = limit if limit > 100 or not is_packed else limit + 100
    response = await client(answer(limit)).send("GET", "/", 10, max_bytes=fits)
    assert response.content == b"x" * limit
    with pytest.raises(AnswerTooLarge, match="The weather answered with too much"):
        await client(answer(fits + 1)).send("GET", "/", 10, max_bytes=fits)


@pytest.mark.parametrize("status", [200, 302, 401, 500])
async def test_reading_of_an_endless_answer_stops_at_the_size_limit(status: int) -> None:
    body = RepeatedChunks(b" " * 65_536)
    with pytest.raises(AnswerTooLarge):
        await client(BodyTransport(lambda: body, status=status)).send("POST", "/", 10)
    assert body.yielded == MAX_RESPONSE_BYTES // 65_536 + 1
    assert body.is_closed


@pytest.mark.parametrize("lies", ["1", "99999999999999"])
async def test_content_length_header_is_not_trusted(lies: str) -> None:
    body = RepeatedChunks(b" " * 65_536)
    with pytest.raises(AnswerTooLarge):
        await client(BodyTransport(lambda: body, {"content-length": lies})).send("GET", "/", 10)
    short = await client(BodyTransport(lambda: RepeatedChunks(b"{}", 1), {"content-length": lies})).send(
        "GET", "/", 10
    )
    assert short.json() == {}


async def test_gzip_bomb_uses_limited_memory() -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    bomb = b"".join([*(packer.compress(bytes(MIB)) for _ in range(300)), packer.flush()])
    assert len(bomb) < 310_000
    transport = BodyTransport(lambda: chunked_body(bomb, len(bomb)), PACKED)
    tracemalloc.start()
    try:
        with pytest.raises(AnswerTooLarge):
            await client(transport).send("GET", "/", 10)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3 * MAX_RESPONSE_BYTES


async def test_reading_of_endless_empty_gzip_parts_is_stopped() -> None:
    body = RepeatedChunks(gzip.compress(b""))
    with pytest.raises(NoAnswer):
        await client(BodyTransport(lambda: body, PACKED)).send("GET", "/", 10)
    assert body.yielded <= MAX_RESPONSE_BYTES // len(body.piece) + 1


@pytest.mark.parametrize("encoding", ["br", "zstd", "deflate", "gzip, gzip", "aes128gcm"])
async def test_unrequested_compression_is_refused(encoding: str) -> None:
    transport = BodyTransport(
        lambda: chunked_body(gzip.compress(gzip.compress(b"{}"))), {"content-encoding": encoding}
    )
    with pytest.raises(NoAnswer, match="DecodingError"):
        await client(transport).send("GET", "/", 10)
    assert transport.requests[0].headers["accept-encoding"] == "gzip"


@pytest.mark.parametrize(
    "broken",
    [gzip.compress(b"{}" * 900)[:-9], b"no gzip at all", gzip.compress(b"{}")[:9]],
    ids=["cut off", "no gzip", "only a header"],
)
async def test_damaged_or_truncated_gzip_raises_a_no_answer_error(broken: bytes) -> None:
    with pytest.raises(NoAnswer, match="DecodingError"):
        await client(BodyTransport(lambda: chunked_body(broken), PACKED)).send("GET", "/", 10)


@pytest.mark.parametrize("name", ["gzip", "GZip", "x-gzip"])
async def test_gzip_is_decompressed_and_its_header_removed(name: str) -> None:
    packed = gzip.compress(b'{"a": 1}')
    headers = {"content-encoding": name, "content-length": str(len(packed)), "x-other": "1"}
    response = await client(BodyTransport(lambda: chunked_body(packed, 3), headers)).send("GET", "/", 10)
    assert response.json() == {"a": 1}
    assert "content-encoding" not in response.headers
    assert (response.headers["content-length"], response.headers["x-other"]) == ("8", "1")


async def test_head_answer_with_a_gzip_header_is_empty() -> None:
    response = await client(BodyTransport(lambda: chunked_body(b""), PACKED)).send("HEAD", "/", 10)
    assert response.content == b""


async def test_too_large_answer_is_never_requested_again() -> None:
    transport = BodyTransport(lambda: RepeatedChunks(b" " * 65_536))
    weather = client(transport)
    for is_passing in (lambda _error: True, lambda error: isinstance(error, NoAnswer)):
        transport.requests.clear()
        with pytest.raises(AnswerTooLarge):
            await weather.repeat(lambda: weather.send("GET", "/", 10), is_passing=is_passing)
        assert len(transport.requests) == 1


async def test_limited_client_refuses_answers_above_the_limit() -> None:
    body = RepeatedChunks(b" " * 65_536)
    async with LimitedClient(transport=BodyTransport(lambda: body)) as outside:
        with pytest.raises(ResponseTooLarge):
            await outside.get("http://weather.test")
        assert body.is_closed
    async with LimitedClient(
        transport=BodyTransport(lambda: chunked_body(b"sun"), {"x-other": "1"}, 404)
    ) as outside:
        response = await outside.post("http://weather.test/a", json={})
    assert (response.status_code, response.text, response.headers["x-other"]) == (404, "sun", "1")
    assert response.request.url == "http://weather.test/a"
