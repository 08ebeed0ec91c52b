from pathlib import Path

import httpx
import pytest
from starlette.responses import Response

from storefront.static_files import (
    CACHE_1_HOUR,
    CACHE_1_WEEK,
    CACHE_1_YEAR,
    CACHE_FOREVER,
    CACHE_NEVER,
    StaticFiles,
    add_cache_headers,
    get_cache_control,
)


@pytest.mark.parametrize(
    ("path", "status", "expected"),
    [
        ("/assets/entry.client-BvA12.js", 200, CACHE_FOREVER),
        ("/assets/entry.client-BvA12.js", 304, CACHE_FOREVER),
        ("/assets/gone-1234.js", 404, CACHE_NEVER),
        ("/fonts/figtree.woff2", 200, CACHE_1_YEAR),
        ("/demo/trompo (1)-320.webp", 200, CACHE_1_WEEK),
        ("/demo/TROMPO.JPG", 200, CACHE_1_WEEK),
        ("/favicon.ico", 200, CACHE_1_HOUR),
        ("/", 200, CACHE_NEVER),
        ("/product/trompo-de-madera", 200, CACHE_NEVER),
        ("/no-such-page", 404, CACHE_NEVER),
    ],
)
def test_each_kind_of_path_has_the_expected_cache_control(path: str, status: int, expected: str) -> None:
    assert get_cache_control(path, status) == expected


def test_missing_file_is_distinguished_from_a_page_url_in_the_same_folder(tmp_path: Path) -> None:
    for name in ("brand/mark.svg", "demo/trompo.webp"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).touch()
    files = StaticFiles(tmp_path, page_folders=["/brand"])
    assert files.has_file("/brand/mark.svg")
    assert [
        path
        for path in ("/brand/gone.svg", "/brand", "/brand/nido-andino", "/demo/nido-andino", "/catalog")
        if files.is_in_file_folder(path)
    ] == ["/brand/gone.svg", "/brand", "/demo/nido-andino"]


@pytest.mark.parametrize(
    ("own", "expected"), [({}, CACHE_NEVER), ({"cache-control": "no-store"}, "no-store")]
)
async def test_cache_control_that_a_response_already_has_is_not_replaced(
    own: dict[str, str], expected: str
) -> None:
    app = add_cache_headers(Response("hello", headers=own))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://shop") as client:
        assert (await client.get("/")).headers["cache-control"] == expected
