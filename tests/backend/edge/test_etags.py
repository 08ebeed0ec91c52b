"""`If-None-Match` by the letter of RFC 9110: 8.8.3 (entity tags), 13.1.2 (the header), 15.4.5 (304), 5.6.1 (lists)."""

import re

import httpx
import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st

from backend.edge.etags import NotModified, is_known, tag_of
from backend.edge.requests import WireRoute
from backend.edge.wire import Wire

TAG = 'W/"abc"'


def known(*lines: str, tag: str = TAG, method: str = "GET") -> bool:
    headers = [(b"host", b"shop"), *((b"if-none-match", line.encode("latin-1")) for line in lines)]
    return is_known({"type": "http", "method": method, "headers": headers}, tag)


@pytest.mark.parametrize(
    "line",
    [
        'W/"abc"',
        '"abc"',  # weak comparison: only what is between the quotes counts
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
def test_is_known(line: str) -> None:
    assert known(line)
    assert known(line, method="HEAD")


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
        '"x abc", "abc", junk',  # one that breaks the grammar spoils the list: the content is sent
        '"a b", "abc"',
        '"\x7f", "abc"',
        '*, "abc"',
        '"abc", *',
        '"*"',
        "**",
        'W/"abc", W/"abc',
    ],
)
def test_is_not_known(line: str) -> None:
    assert not known(line)


def test_no_header_and_no_tag_mean_that_nothing_is_known() -> None:
    assert not known()
    assert not known("*", tag="")
    assert not known('""', tag="")


def test_several_lines_are_one_list() -> None:
    assert known('"xyz"', '"abc"')
    assert not known('"xyz"', '"uvw"')
    assert not known("*", '"abc"')


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_only_reading_is_spared(method: str) -> None:
    assert not known(TAG, method=method)
    assert not known("*", method=method)


def test_a_strong_tag_is_compared_weakly_too() -> None:
    assert known('W/"abc"', tag='"abc"')
    assert known('"abc"', tag='"abc"')


OPAQUE = st.text(
    st.characters(min_codepoint=0x21, max_codepoint=0xFF, exclude_characters='"\x7f'), max_size=8
)
MEMBERS = st.lists(st.tuples(st.sampled_from(["", "W/"]), OPAQUE), min_size=1, max_size=6)
GAPS = st.sampled_from([",", ", ", " ,", "\t,\t", ",,", ", ,"])


@given(members=MEMBERS, gap=GAPS, wanted=OPAQUE)
def test_any_list_of_tags_names_its_members_and_no_other(
    members: list[tuple[str, str]], gap: str, wanted: str
) -> None:
    # what C1 controls do to a header is the server's business; here they are letters like any other
    line = gap.join(f'{weak}"{opaque}"' for weak, opaque in members)
    for _, opaque in members:
        assert known(line, tag=f'W/"{opaque}"')
    assert known(line, tag=f'W/"{wanted}"') == (wanted in {opaque for _, opaque in members})


@given(st.text(st.characters(max_codepoint=0xFF)))
def test_any_text_has_an_answer(line: str) -> None:
    if known(line) and line.strip(" \t") != "*":
        assert re.search('"abc"', line)


@pytest.mark.parametrize(
    "line", [" " * 100_000 + "x", '"' * 100_000, "W/" * 50_000, '"a",' * 25_000, "," * 100_000]
)
def test_a_long_header_is_read_once(line: str) -> None:
    """Tried in every way, each of these would take hours."""
    assert not known(line)


def test_a_tag_names_its_parts_and_their_bounds() -> None:
    tags = {tag_of(b"ab", b"c"), tag_of(b"a", b"bc"), tag_of(b"abc"), tag_of(b"abc", b""), tag_of()}
    assert len(tags) == 5
    assert all(re.fullmatch(r'W/"[0-9a-f]{32}"', tag) for tag in tags)
    assert tag_of(b"abc") == tag_of(b"abc")


def test_what_says_nothing_of_the_content_stands_in_a_304() -> None:
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


async def test_a_route_spares_who_has_the_answer(api: FastAPI) -> None:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://shop") as client:
        first = await client.get("/thing")
        tag = first.headers["etag"]
        for asked in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
            again = await client.get("/thing", headers={"if-none-match": asked})
            assert (again.status_code, again.content) == (304, b"")
            assert dict(again.headers) == {"x-shop": "1", "etag": tag}
        whole = await client.get("/thing", headers={"if-none-match": f"x{tag}"})
        assert (whole.status_code, whole.json()) == (200, {"name": "trompo"})


async def test_a_route_spares_nobody_who_changes_something_or_fails(api: FastAPI) -> None:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://shop") as client:
        assert (await client.post("/thing", headers={"if-none-match": "*"})).status_code == 200
        refused = await client.get("/teapot", headers={"if-none-match": "*"})
        assert (refused.status_code, "etag" in refused.headers) == (418, False)
