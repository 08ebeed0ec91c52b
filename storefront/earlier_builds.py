"""Scripts and styles of earlier builds: a page that was opened before an upgrade goes on asking for them.

Vite puts a digest of the content in their names, so those of all builds lie in one folder in `DATA_DIR`, which replicas
share. So a replica that still runs the earlier version also has what a page of the next one asks for.
"""

import os
import re
from pathlib import Path
from shutil import copyfile
from tempfile import NamedTemporaryFile

from reflex.config import get_config
from reflex.utils.precompressed_staticfiles import PrecompressedStaticFiles
from starlette.types import ASGIApp

from backend.clock import now
from storefront.static_files import BUNDLED, with_cache_headers

DAYS = 30
"""How long after its last start a build's files stay."""
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
    for file in (client / BUNDLED.strip("/")).iterdir():
        stored = folder / file.name
        if stored.exists():
            os.utime(stored)
            continue
        with NamedTemporaryFile(dir=folder, delete=False) as unfinished:
            pass
        copyfile(file, unfinished.name)
        Path(unfinished.name).replace(stored)
    oldest = now().timestamp() - DAYS * 24 * 60 * 60
    for stored in folder.iterdir():
        if stored.stat().st_mtime < oldest:
            stored.unlink(missing_ok=True)


def _folder(data: Path) -> Path:
    return data / "builds" / BUNDLED.strip("/")
