"""`If-None-Match` as in RFC 9110: 8.8.3 (entity tags), 13.1.2 (the header), 15.4.5 (304), 5.6.1 (lists)."""

import re

import httpx
import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st

from backend.edge.etags import NotModified, compute_etag, has_current_copy
from backend.edge.requests import WireRoute
from backend.edge.wire import Wire

TAG = 'W/"abc"'


def has_match(*lines: str, tag: str = TAG, method: str = "GET") -> bool:
    headers = [(b"host", b"shop"), *((b"if-none-match", line.encode("latin-1")) for line in lines)]
    return has_current_copy({"type": "http", "method": method, "headers": headers}, tag)


@pytest.mark.parametrize(
    "line",
    [
        'W/"abc"',
        '"abc"',  # weak comparison: only the text between the quotes counts
        '"xyz", W/"abc"',
        'W/"abc","xyz"',
        '"xyz"\t,\t"abc"',
        ' "abc" ',
        ', ,"abc",,',  # empty members are ignored
        '"a,b", "abc"',  # a comma may be part of a tag
        '"", "abc"',
        '"\xe9\xff", "abc"',
        "*",
        " * ",
    ],
)
def test_matching_etag_in_the_header_is_found(line: str) -> None:
    assert has_match(line)
    assert has_match(line, method="HEAD")


@pytest.mark.parametrize(
    "line",
    [
        "",
        " ",
        ",",
        '"xyz"',
        '"ABC"',
        '"abcd"',
        '"xabc"',
        "abc",
        '"abc',
        'abc"',
        "'abc'",
        'w/"abc"',  # the mark of a weak tag is a capital letter
        'W/ "abc"',
        'W/W/"abc"',
        'W/abc"',
        '"abc" "abc"',
        '"abc";q=1',
        '"a"abc"',
        '"xyz, W/"abc"',
        '"x abc", "abc", junk',  # a member that breaks the grammar makes the list invalid: the content is sent
        '"a b", "abc"',
        '"\x7f", "abc"',
        '*, "abc"',
        '"abc", *',
        '"*"',
        "**",
        'W/"abc", W/"abc',
    ],
)
def test_etag_that_is_not_in_the_header_is_not_found(line: str) -> None:
    assert not has_match(line)


def test_etag_does_not_match_if_the_header_or_the_etag_is_missing() -> None:
    assert not has_match()
    assert not has_match("*", tag="")
    assert not has_match('""', tag="")


def test_several_if_none_match_lines_are_read_as_one_list() -> None:
    assert has_match('"xyz"', '"abc"')
    assert not has_match('"xyz"', '"uvw"')
    assert not has_match("*", '"abc"')


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_only_get_and_head_can_be_answered_with_304(method: str) -> None:
    assert not has_match(TAG, method=method)
    assert not has_match("*", method=method)


def test_strong_etag_is_compared_weakly() -> None:
    assert has_match('W/"abc"', tag='"abc"')
    assert has_match('"abc"', tag='"abc"')


OPAQUE = st.text(
    st.characters(min_codepoint=0x21, max_codepoint=0xFF, exclude_characters='"\x7f'), max_size=8
)
MEMBERS = st.lists(st.tuples(st.sampled_from(["", "W/"]), OPAQUE), min_size=1, max_size=6)
GAPS = st.sampled_from([",", ", ", " ,", "\t,\t", ",,", ", ,"])


@given(members=MEMBERS, gap=GAPS, wanted=OPAQUE)
def test_if_none_match_list_matches_exactly_the_etags_in_it(
    members: list[tuple[str, str]], gap: str, wanted: str
) -> None:
    # C1 controls are for the server to check; here they are ordinary characters
    line = gap.join(f'{weak}"{opaque}"' for weak, opaque in members)
    for _, opaque in members:
        assert has_match(line, tag=f'W/"{opaque}"')
    assert has_match(line, tag=f'W/"{wanted}"') == (wanted in {opaque for _, opaque in members})


@given(st.text(st.characters(max_codepoint=0xFF)))
def test_any_if_none_match_text_is_parsed_without_an_error(line: str) -> None:
    if has_match(line) and line.strip(" \t") != "*":
        assert re.search('"abc"', line)


@pytest.mark.parametrize(
    "line", [" " * 100_000 + "x", '"' * 100_000, "W/" * 50_000, '"a",' * 25_000, "," * 100_000]
)
def test_long_if_none_match_header_is_parsed_in_linear_time(line: str) -> None:
    """Check that long headers take linear time: with backtracking, each of these would take hours."""
    assert not has_match(line)


def test_etag_depends_on_the_boundaries_of_its_parts() -> None:
    tags = {
        compute_etag(b"ab", b"c"),
        compute_etag(b"a", b"bc"),
        compute_etag(b"abc"),
        compute_etag(b"abc", b""),
        compute_etag(),
    }
    assert len(tags) == 5
    assert all(re.fullmatch(r'W/"[0-9a-f]{32}"', tag) for tag in tags)
    assert compute_etag(b"abc") == compute_etag(b"abc")


def test_response_304_has_all_headers_except_those_of_the_content() -> None:
    kept = [
        (b"cache-control", b"no-cache"),
        (b"vary", b"accept-encoding"),
        (b"etag", b'W/"abc"'),
        (b"content-location", b"/a"),
        (b"content-security-policy", b"default-src 'self'"),
        (b"set-cookie", b"a=1"),
        (b"set-cookie", b"b=2"),
    ]
    left_out = [
        (b"content-type", b"text/html"),
        (b"content-length", b"7"),
        (b"content-encoding", b"gzip"),
        (b"last-modified", b"Sun, 22 Nov 2026 18:00:00 GMT"),
    ]
    response = NotModified([*left_out, *kept])
    assert (response.status_code, response.body) == (304, b"")
    assert response.raw_headers == kept


@pytest.fixture
def api() -> FastAPI:
    api = FastAPI()
    api.router.route_class = WireRoute

    @api.get("/thing")
    async def read() -> Wire:
        return Wire({"name": "trompo"}, headers={"x-shop": "1"})

    @api.post("/thing")
    async def change() -> Wire:
        return Wire({"name": "trompo"})

    @api.get("/teapot")
    async def fail() -> Wire:
        return Wire({"message": "no"}, 418)

    return api


async def test_route_answers_304_for_a_current_etag(api: FastAPI) -> None:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://shop") as client:
        first = await client.get("/thing")
        tag = first.headers["etag"]
        for asked in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
            again = await client.get("/thing", headers={"if-none-match": asked})
            assert (again.status_code, again.content) == (304, b"")
            assert dict(again.headers) == {"x-shop": "1", "etag": tag}
        whole = await client.get("/thing", headers={"if-none-match": f"x{tag}"})
        assert (whole.status_code, whole.json()) == (200, {"name": "trompo"})


async def test_post_requests_and_errors_are_never_answered_with_304(api: FastAPI) -> None:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://shop") as client:
        assert (await client.post("/thing", headers={"if-none-match": "*"})).status_code == 200
        refused = await client.get("/teapot", headers={"if-none-match": "*"})
        assert (refused.status_code, "etag" in refused.headers) == (418, False)
