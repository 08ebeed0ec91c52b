from pathlib import Path

import httpx
import pytest
from starlette.responses import Response

from storefront.static_files import (
    A_WEEK,
    A_YEAR,
    AN_HOUR,
    ASK_FIRST,
    FOREVER,
    StaticFiles,
    cache_rule,
    with_cache_headers,
)


@pytest.mark.parametrize(
    ("path", "status", "expected"),
    [
        ("/assets/entry.client-BvA12.js", 200, FOREVER),
        ("/assets/entry.client-BvA12.js", 304, FOREVER),
        ("/assets/gone-1234.js", 404, ASK_FIRST),
        ("/fonts/figtree.woff2", 200, A_YEAR),
        ("/demo/trompo (1)-320.webp", 200, A_WEEK),
        ("/demo/TROMPO.JPG", 200, A_WEEK),
        ("/favicon.ico", 200, AN_HOUR),
        ("/", 200, ASK_FIRST),
        ("/product/trompo-de-madera", 200, ASK_FIRST),
        ("/no-such-page", 404, ASK_FIRST),
    ],
)
def test_the_rule(path: str, status: int, expected: str) -> None:
    assert cache_rule(path, status) == expected


def test_the_pages_of_brands_stand_beside_their_drawings(tmp_path: Path) -> None:
    for name in ("brand/mark.svg", "demo/trompo.webp"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).touch()
    files = StaticFiles(tmp_path, pages_in=["/brand"])
    assert files.has("/brand/mark.svg")
    assert [
        path
        for path in ("/brand/gone.svg", "/brand", "/brand/nido-andino", "/demo/nido-andino", "/catalog")
        if files.should_have(path)
    ] == ["/brand/gone.svg", "/brand", "/demo/nido-andino"]


@pytest.mark.parametrize(("own", "expected"), [({}, ASK_FIRST), ({"cache-control": "no-store"}, "no-store")])
async def test_an_answer_keeps_its_own_rule(own: dict[str, str], expected: str) -> None:
    app = with_cache_headers(Response("hello", headers=own))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://shop") as client:
        assert (await client.get("/")).headers["cache-control"] == expected
