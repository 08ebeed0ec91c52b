"""Scripts and styles of earlier builds, because a page that was opened before an upgrade still requests them.

Vite adds a digest of the content to their names, so the files of all builds are in one folder of `DATA_DIR`, which
replicas share. Therefore, a replica with the earlier version can also serve the files that a page of the next
version requests.
"""

import os
import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from shutil import copyfile
from tempfile import NamedTemporaryFile

from reflex.config import get_config
from reflex.utils.precompressed_staticfiles import PrecompressedStaticFiles
from starlette.types import ASGIApp

from backend.core.clock import now
from storefront.static_files import BUNDLE_PREFIX, add_cache_headers

DAYS = 30
"""Days after the latest use of a build until its files are deleted."""
STARTED = "started.txt"
"""A file next to the folder with the names of the files of the most recently started build."""
NAME = re.compile(r"[\w.-]+\.(?:js|css)")


class EarlierBuilds:
    """The files of earlier builds in the data folder."""

    def __init__(self, data: Path) -> None:
        """Serve the files of earlier builds from the data folder `data`."""
        self._folder = _folder(data)
        files = PrecompressedStaticFiles(
            directory=self._folder.parent,
            check_dir=False,
            encodings=get_config().frontend_compression_formats,
        )
        self.app: ASGIApp = add_cache_headers(files)
        """Answers requests for existing files."""

    def has(self, path: str) -> bool:
        """Return True if one of the builds has a script or style sheet with this decoded address."""
        name = path.removeprefix(BUNDLE_PREFIX)
        return name != path and NAME.fullmatch(name) is not None and (self._folder / name).is_file()


def store_build(client: Path, data: Path) -> None:
    """Copy the files of the build in `client` to the folder of all builds, and delete files not used for `DAYS` days.

    Several processes may do it at the same time.

    Raises:
        OSError: the data folder cannot be written.
    """
    folder = _folder(data)
    folder.mkdir(parents=True, exist_ok=True)
    files = list((client / BUNDLE_PREFIX.strip("/")).iterdir())
    for name in _started_last(folder):
        _touch(folder / name)
    for file in files:
        stored = folder / file.name
        if not _touch(stored):
            _write(stored, partial(copyfile, file))
    _write(folder.parent / STARTED, lambda new: new.write_text("\n".join(file.name for file in files)))
    oldest = now().timestamp() - DAYS * 24 * 60 * 60
    for stored in folder.iterdir():
        with suppress(FileNotFoundError):
            if stored.stat().st_mtime < oldest:
                stored.unlink()


def _started_last(folder: Path) -> list[str]:
    """Return the files of the build that was started before this one.

    If there is no record of that build, return all stored files: earlier versions of the shop wrote none.
    """
    try:
        return (folder.parent / STARTED).read_text().splitlines()
    except FileNotFoundError:
        return [stored.name for stored in folder.iterdir()]


def _touch(stored: Path) -> bool:
    """Mark the file as in use.

    Returns:
        True if the file exists.
    """
    try:
        os.utime(stored)
    except FileNotFoundError:
        return False
    return True


def _write(place: Path, fill: Callable[[Path], object]) -> None:
    """Create a file atomically: `fill` writes a temporary file, which is then renamed."""
    with NamedTemporaryFile(dir=place.parent, delete=False) as unfinished:
        pass
    new = Path(unfinished.name)
    fill(new)
    new.replace(place)


def _folder(data: Path) -> Path:
    return data / "builds" / BUNDLE_PREFIX.strip("/")
