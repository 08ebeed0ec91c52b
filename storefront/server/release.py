"""Build of a release: `python -m storefront.server.release` writes an archive to run the shop on another machine.

It contains the code, the lock files and the built pages, with the renderer as one file. The other machine installs
only Python packages: `make run` finds that the pages match the code, and builds nothing. It needs no Node packages;
Node itself is a Python package.
"""

import gzip
import io
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

from storefront.server.build import CLIENT, RENDERER, ROOT, SOURCES, STAMP, is_up_to_date

CONTENTS = (
    *SOURCES,
    "CHANGELOG.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "SECURITY.md",
    "deploy",
    "docs",
    "pyproject.toml",
)
LEFT_OUT = frozenset({"__pycache__", "screenshots"})
FOLDER = ROOT / "dist"


def main() -> None:
    """Write the archive of the built pages, and print its path and size.

    Raises:
        SystemExit: the pages are not built, or were built from other code.
    """
    if not is_up_to_date():
        sys.exit("The pages are not those of this code: run `make pages` first.")
    archive = write_release(FOLDER)
    print(f"{archive.relative_to(ROOT)}: {archive.stat().st_size / 2**20:.1f} MiB")


def write_release(folder: Path) -> Path:
    """Write the archive into `folder`. Equal contents give an archive with equal bytes.

    Returns:
        The archive's path, which contains the version.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    name = f"{project['name']}-{project['version']}"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.tar.gz"
    unpacked = io.BytesIO()
    with tarfile.open(fileobj=unpacked, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for file in sorted(_files()):
            entry = archive.gettarinfo(file, f"{name}/{file.relative_to(ROOT)}")
            entry.uid = entry.gid = entry.mtime = 0
            entry.uname = entry.gname = ""
            with file.open("rb") as content:
                archive.addfile(entry, content)
    path.write_bytes(gzip.compress(unpacked.getvalue(), mtime=0))
    return path


def _files() -> Iterator[Path]:
    for part in (*(ROOT / name for name in CONTENTS), CLIENT, RENDERER, STAMP):
        for file in [part] if part.is_file() else part.rglob("*"):
            if file.is_file() and LEFT_OUT.isdisjoint(file.relative_to(ROOT).parts):
                yield file


if __name__ == "__main__":
    main()
