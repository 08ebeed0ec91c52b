import gzip
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from backend.core.clock import now
from storefront.reflex_ext.earlier_builds import DAYS, EarlierBuilds, store_build
from storefront.static_files import CACHE_FOREVER


def build(folder: Path, **files: bytes) -> Path:
    assets = folder / "assets"
    assets.mkdir(parents=True)
    for name, content in files.items():
        (assets / f"{name}.js").write_bytes(content)
    return folder


def names(data: Path) -> list[str]:
    return sorted(path.name for path in (data / "builds" / "assets").iterdir())


def test_files_of_earlier_builds_are_served_and_no_partial_files_remain(tmp_path: Path) -> None:
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
def test_only_files_of_earlier_builds_are_found(tmp_path: Path, path: str) -> None:
    store_build(build(tmp_path / "first", a=b"1"), tmp_path)
    (tmp_path / "builds" / "assets" / "secret.key").write_text("x")
    assert not EarlierBuilds(tmp_path).has(path)


def test_no_files_of_earlier_builds_exist_before_the_first_start(tmp_path: Path) -> None:
    assert not EarlierBuilds(tmp_path).has("/assets/a.js")


async def test_file_is_served_compressed_and_cached_permanently(tmp_path: Path) -> None:
    folder = build(tmp_path / "first", a=b"let a;" * 100)
    (folder / "assets" / "a.js.gz").write_bytes(gzip.compress(b"let a;" * 100))
    store_build(folder, tmp_path)
    transport = httpx.ASGITransport(EarlierBuilds(tmp_path).app)
    async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
        answer = await client.get("/assets/a.js", headers={"accept-encoding": "gzip"})
    assert answer.text == "let a;" * 100
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["cache-control"] == CACHE_FOREVER
    assert answer.headers["content-type"].startswith("text/javascript")


def let_pass(data: Path, days: int, *stored: str) -> None:
    """Simulate that these files, or all files, have not been used for this many days."""
    then = (now() - timedelta(days=days)).timestamp()
    for name in stored or names(data):
        os.utime(data / "builds" / "assets" / name, (then, then))


def test_retention_time_of_a_build_begins_when_it_is_replaced(tmp_path: Path) -> None:
    first, following = build(tmp_path / "first", a1=b"1", b=b"b"), build(tmp_path / "next", a2=b"2", b=b"b")
    store_build(first, tmp_path)
    let_pass(tmp_path, DAYS + 1)
    store_build(following, tmp_path)
    assert names(tmp_path) == ["a1.js", "a2.js", "b.js"]
    let_pass(tmp_path, DAYS + 1)
    store_build(first, tmp_path)  # a rollback: its files do not replace those of another build
    assert names(tmp_path) == ["a1.js", "a2.js", "b.js"]


def test_files_of_a_build_replaced_long_ago_are_removed(tmp_path: Path) -> None:
    following = build(tmp_path / "next", a2=b"2", b=b"b")
    store_build(build(tmp_path / "first", a1=b"1", b=b"b"), tmp_path)
    store_build(following, tmp_path)
    let_pass(tmp_path, DAYS - 1, "a1.js")
    store_build(following, tmp_path)
    assert "a1.js" in names(tmp_path)
    let_pass(tmp_path, DAYS + 1)
    store_build(build(tmp_path / "third", a3=b"3"), tmp_path)
    assert names(tmp_path) == ["a2.js", "a3.js", "b.js"]


def test_earlier_build_without_a_record_is_recorded_and_its_files_are_kept(tmp_path: Path) -> None:
    store_build(build(tmp_path / "first", a1=b"1"), tmp_path)
    (tmp_path / "builds" / "started.txt").unlink()  # the earlier version did not write this file
    let_pass(tmp_path, DAYS + 1)
    store_build(build(tmp_path / "next", a2=b"2"), tmp_path)
    assert names(tmp_path) == ["a1.js", "a2.js"]


def test_concurrent_removal_by_another_replica_is_tolerated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = build(tmp_path / "first", a=b"1")
    store_build(first, tmp_path)
    let_pass(tmp_path, DAYS + 1)
    touch, listed = os.utime, Path.iterdir

    def removed_first(path: Path, *times: Any) -> None:
        path.unlink(missing_ok=True)
        touch(path, *times)

    def with_removed(folder: Path) -> list[Path]:
        return [*listed(folder), *([folder / "gone.js"] if folder.parent.name == "builds" else [])]

    monkeypatch.setattr(os, "utime", removed_first)
    monkeypatch.setattr(Path, "iterdir", with_removed)
    store_build(first, tmp_path)
    monkeypatch.undo()
    assert names(tmp_path) == ["a.js"]
