import tarfile
from pathlib import Path

import pytest

from storefront.server import release
from storefront.server.build import STAMP, sources_digest


@pytest.fixture
def require_build() -> None:
    if not STAMP.exists():
        pytest.fail("the pages are not built: run `make pages`")


def test_release_contains_the_build_and_no_local_files(
    require_build: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = release.write_release(tmp_path)
    with tarfile.open(archive) as opened:
        opened.extractall(tmp_path, filter="data")
    (folder,) = [path for path in tmp_path.iterdir() if path.is_dir()]
    for name in (
        "CHANGELOG.md",
        "LICENSE",
        "Makefile",
        "rxconfig.py",
        "requirements/run.txt",
        ".web/build/server/renderer.mjs",
    ):
        assert (folder / name).is_file(), name
    assert not [path for path in folder.rglob("*") if path.name in {"__pycache__", "node_modules", ".venv"}]
    assert (folder / ".web/build/client/index.html").is_file()
    here = sources_digest()
    monkeypatch.setattr("storefront.server.build.ROOT", folder)
    assert sources_digest() == here  # so the other machine does not build again
    first = archive.read_bytes()
    assert release.write_release(tmp_path).read_bytes() == first


def test_outdated_build_is_not_released(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release, "is_up_to_date", lambda: False)
    with pytest.raises(SystemExit, match="make pages"):
        release.main()
