"""Packages are installed with uv, and with pip where uv cannot."""

import sys
from pathlib import Path

import pytest

from tools import install_packages
from tools.install_packages import find_uv, locked, main, steps, with_uv

SAID = """\
Collecting sqlalchemy==2.1.9 (from sqlalchemy[asyncio]==2.1.9->-r requirements/run.txt (line 3))
  Downloading sqlalchemy-2.1.9-cp311.whl (3.3 MB)
Collecting uvloop==0.23.0 (from -r requirements/run.txt (line 9))
Installing collected packages: sqlalchemy, uvloop
Successfully installed sqlalchemy-2.1.9 uvloop-0.23.0
"""
LOCK = """\
sqlalchemy[asyncio]==2.1.9 \\
    --hash=sha256:0000
uvloop==0.23.0 ; sys_platform != 'win32' \\
    --hash=sha256:1111
"""


def program(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    path = tmp_path / "run.txt"
    path.write_text(LOCK)
    return path


def test_what_pip_does_is_told_package_by_package() -> None:
    told = [*steps(SAID.splitlines(keepends=True), locked(LOCK))]
    assert told == ["1 of 2: sqlalchemy", "2 of 2: uvloop", "unpacking 2 packages"]


def test_uv_beside_python_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uv = program(tmp_path / "bin" / "uv", "exit 0")
    monkeypatch.setattr(sys, "executable", str(uv.parent / "python"))
    assert find_uv(tmp_path / "empty") == str(uv)


def test_uv_is_fetched_by_its_hashes_where_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched = tmp_path / "fetched"
    asked = tmp_path / "asked"
    pip = program(
        tmp_path / "bin" / "python",
        f'echo "$@" > {asked}; mkdir -p {fetched}/bin; cp "$0" {fetched}/bin/uv',
    )
    monkeypatch.setattr(sys, "executable", str(pip))
    monkeypatch.setattr(install_packages, "_PIP", (str(pip), "-m", "pip", "install", "--require-hashes"))
    assert find_uv(fetched) == str(fetched / "bin" / "uv")
    assert "--require-hashes" in asked.read_text()
    assert asked.read_text().rstrip().endswith("requirements/uv.txt")


def test_uv_asks_the_index_that_pip_is_told_of_and_demands_hashes(
    tmp_path: Path, lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = tmp_path / "asked"
    uv = program(tmp_path / "uv", f'echo "$UV_DEFAULT_INDEX $@" > {asked}')
    monkeypatch.setenv("PIP_INDEX_URL", "http://index.test/simple")
    monkeypatch.delenv("UV_DEFAULT_INDEX", raising=False)
    assert with_uv(str(uv), lock)
    index, *arguments = asked.read_text().split()
    assert index == "http://index.test/simple"
    assert arguments == [
        *("pip", "install", "--python", sys.executable, "--require-hashes", "--requirement", str(lock))
    ]


@pytest.mark.parametrize("code", [0, 3])
def test_pip_installs_where_uv_cannot_and_its_failure_is_told(
    tmp_path: Path, lock: Path, code: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    uv = program(tmp_path / "uv", "exit 2")
    pip = program(tmp_path / "pip", f"echo no such package; exit {code}")
    monkeypatch.setattr(install_packages, "find_uv", lambda _folder: str(uv))
    monkeypatch.setattr(install_packages, "_PIP", (str(pip),))
    monkeypatch.setattr(sys, "argv", ["install_packages.py", str(lock)])
    assert main() == code
    said = capfd.readouterr()
    assert "trying pip" in said.out
    assert ("run.txt: done" in said.out, "no such package" in said.err) == (code == 0, code != 0)
