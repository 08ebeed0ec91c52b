"""Scripts and styles of earlier builds: a page that was opened before an upgrade goes on asking for them.

Vite puts a digest of the content in their names, so those of all builds lie in one folder in `DATA_DIR`, which replicas
share. So a replica that still runs the earlier version also has what a page of the next one asks for.
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
from storefront.static_files import BUNDLED, with_cache_headers

DAYS = 30
"""How long after a build was last in use its files stay."""
STARTED = "started.txt"
"""Beside the folder: the names of the files of the build that started last."""
NAME = re.compile(r"[\w.-]+\.(?:js|css)")


class EarlierBuilds:
    """The files that builds have left in the data folder."""

    def __init__(self, data: Path) -> None:
        """`data` is the data folder."""
        self._folder = _folder(data)
        files = PrecompressedStaticFiles(
            directory=self._folder.parent,
            check_dir=False,
            encodings=get_config().frontend_compression_formats,
        )
        self.app: ASGIApp = with_cache_headers(files)
        """Answers requests for what it has."""

    def has(self, path: str) -> bool:
        """Whether one of the builds had a script or style sheet with this address (decoded)."""
        name = path.removeprefix(BUNDLED)
        return name != path and NAME.fullmatch(name) is not None and (self._folder / name).is_file()


def store_build(client: Path, data: Path) -> None:
    """Put the files of the build in `client` beside those of earlier builds, and remove those that are out of use.

    Several processes may do it at once.

    Raises:
        OSError: the data folder cannot be written.
    """
    folder = _folder(data)
    folder.mkdir(parents=True, exist_ok=True)
    files = list((client / BUNDLED.strip("/")).iterdir())
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
    """The files of the build that was in use until now: all, where an earlier version of the shop has not noted it."""
    try:
        return (folder.parent / STARTED).read_text().splitlines()
    except FileNotFoundError:
        return [stored.name for stored in folder.iterdir()]


def _touch(stored: Path) -> bool:
    """Note that the file is in use.

    Returns:
        Whether it is there.
    """
    try:
        os.utime(stored)
    except FileNotFoundError:
        return False
    return True


def _write(place: Path, fill: Callable[[Path], object]) -> None:
    """Have a file filled that is whole as soon as it is there."""
    with NamedTemporaryFile(dir=place.parent, delete=False) as unfinished:
        pass
    new = Path(unfinished.name)
    fill(new)
    new.replace(place)


def _folder(data: Path) -> Path:
    return data / "builds" / BUNDLED.strip("/")
