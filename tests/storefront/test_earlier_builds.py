import gzip
import os
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from backend.clock import now
from storefront.earlier_builds import DAYS, EarlierBuilds, store_build
from storefront.static_files import FOREVER


def build(folder: Path, **files: bytes) -> Path:
    assets = folder / "assets"
    assets.mkdir(parents=True)
    for name, content in files.items():
        (assets / f"{name}.js").write_bytes(content)
    return folder


def names(data: Path) -> list[str]:
    return sorted(path.name for path in (data / "builds" / "assets").iterdir())


def test_what_an_earlier_build_had_is_there_and_the_folder_holds_nothing_unfinished(tmp_path: Path) -> None:
    store_build(build(tmp_path / "first", a1=b"1", b=b"b"), tmp_path)
    store_build(build(tmp_path / "next", a2=b"2", b=b"b"), tmp_path)
    assert names(tmp_path) == ["a1.js", "a2.js", "b.js"]
    builds = EarlierBuilds(tmp_path)
    assert builds.has("/assets/a1.js")


@pytest.mark.parametrize(
    "path",
    [
        "/assets/", "/assets/none.js", "/assets/../assets/a.js", "/assets/..", "/assets/secret.key", "/a.js",
        "/assets/x/a.js", "/assets/a.js\0", "/assets/a.js/",
    ],
)  # fmt: skip
def test_nothing_else_has_an_address(tmp_path: Path, path: str) -> None:
    store_build(build(tmp_path / "first", a=b"1"), tmp_path)
    (tmp_path / "builds" / "assets" / "secret.key").write_text("x")
    assert not EarlierBuilds(tmp_path).has(path)


def test_before_the_first_start_there_is_nothing(tmp_path: Path) -> None:
    assert not EarlierBuilds(tmp_path).has("/assets/a.js")


async def test_it_is_served_compressed_and_for_good(tmp_path: Path) -> None:
    folder = build(tmp_path / "first", a=b"let a;" * 100)
    (folder / "assets" / "a.js.gz").write_bytes(gzip.compress(b"let a;" * 100))
    store_build(folder, tmp_path)
    transport = httpx.ASGITransport(EarlierBuilds(tmp_path).app)
    async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
        answer = await client.get("/assets/a.js", headers={"accept-encoding": "gzip"})
    assert answer.text == "let a;" * 100
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["cache-control"] == FOREVER
    assert answer.headers["content-type"].startswith("text/javascript")


def test_a_build_that_has_not_started_for_long_is_removed(tmp_path: Path) -> None:
    store_build(build(tmp_path / "first", old=b"1", both=b"b"), tmp_path)
    for days, name in ((DAYS + 1, "old.js"), (DAYS + 1, "both.js")):
        then = (now() - timedelta(days=days)).timestamp()
        os.utime(tmp_path / "builds" / "assets" / name, (then, then))
    store_build(build(tmp_path / "next", both=b"b"), tmp_path)
    assert names(tmp_path) == ["both.js"]
