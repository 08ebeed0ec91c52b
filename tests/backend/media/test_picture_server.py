"""Imported pictures are served and cached permanently; files outside their folder are not served."""

from pathlib import Path

import httpx
from starlette.applications import Starlette
from starlette.routing import Mount

from backend.core.config.settings import Settings
from backend.media.picture_server import PERMANENT_CACHING, PictureServer
from backend.media.picture_store import URL, open_picture_store


async def test_pictures_are_served(tmp_path: Path) -> None:
    app = Starlette(routes=[Mount(URL, PictureServer(open_picture_store(Settings(data_dir=tmp_path))))])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://shop") as client:
        assert (await client.get(f"{URL}/0123/a-320.webp")).status_code == 404  # before the first import
        file = tmp_path / "pictures" / "0123" / "Trompo (frente)-320.webp"
        file.parent.mkdir(parents=True)
        file.write_bytes(b"RIFF")
        (tmp_path / "secret_key").write_text("secret")
        answer = await client.get(f"{URL}/0123/Trompo%20%28frente%29-320.webp")
        assert (answer.status_code, answer.content) == (200, b"RIFF")
        assert answer.headers["cache-control"] == PERMANENT_CACHING
        assert answer.headers["content-type"] == "image/webp"
        for path in (f"{URL}/../secret_key", f"{URL}/%2e%2e/secret_key", f"{URL}/..%2fsecret_key"):
            answer = await client.get(path)
            assert answer.status_code == 404
            assert "immutable" not in answer.headers.get("cache-control", "")


async def test_picture_without_its_narrow_file_is_served_from_the_wider_one(tmp_path: Path) -> None:
    """Request a narrow file that was never created, as for a picture that an early release stored."""
    app = Starlette(routes=[Mount(URL, PictureServer(open_picture_store(Settings(data_dir=tmp_path))))])
    folder = tmp_path / "pictures" / "0123456789abcdef"
    folder.mkdir(parents=True)
    (folder / "foto-640x480-320.webp").write_bytes(b"RIFF wide")
    narrow = f"{URL}/0123456789abcdef/foto-640x480-160.webp"
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://shop") as client:
        answer = await client.get(narrow)
        assert (answer.status_code, answer.content) == (200, b"RIFF wide")
        assert answer.headers["content-type"] == "image/webp"
        known = await client.get(narrow, headers={"if-none-match": answer.headers["etag"]})
        assert (known.status_code, known.content) == (304, b"")
        for name in ("foto-160x120-160.webp", "foto-960x480-160.webp", "foto-640x480-640.webp"):
            assert (await client.get(f"{URL}/0123456789abcdef/{name}")).status_code == 404
        (folder / "foto-640x480-320.avif").write_bytes(b"AVIF")
        smaller = await client.get(narrow, headers={"accept": "image/avif,*/*"})
        assert (smaller.content, smaller.headers["content-type"]) == (b"AVIF", "image/avif")
        (folder / "foto-640x480-160.webp").write_bytes(b"RIFF narrow")
        assert (await client.get(narrow)).content == b"RIFF narrow"


async def test_cached_picture_is_not_sent_again(tmp_path: Path) -> None:
    app = Starlette(routes=[Mount(URL, PictureServer(open_picture_store(Settings(data_dir=tmp_path))))])
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a.webp").write_bytes(b"RIFF")
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://shop") as client:
        first = await client.get(f"{URL}/a.webp")
        tag, since = first.headers["etag"], {"if-modified-since": first.headers["last-modified"]}
        for asked in ({"if-none-match": f'"b,c", W/{tag}'}, {"if-none-match": "*"}, since):
            known = await client.get(f"{URL}/a.webp", headers=asked)
            assert (known.status_code, known.content) == (304, b"")
            assert (known.headers["etag"], known.headers["cache-control"]) == (tag, PERMANENT_CACHING)
        for asked in (
            {"if-modified-since": "yesterday"},
            {"if-none-match": f'"b", {tag}, c'},
            {"if-none-match": '"b"', **since},
        ):
            assert (await client.get(f"{URL}/a.webp", headers=asked)).content == b"RIFF"
