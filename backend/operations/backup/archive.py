"""The file of a copy: a gzipped tar whose last member, `manifest.json`, has the checksum of every other.

It is written under another name and gets its own when it is whole. Only its owner can read it. It is looked through to
its end before anything of it is used: what is cut off has no manifest, what is damaged has another checksum.
"""

import gzip
import hashlib
import io
import json
import os
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

MANIFEST = "manifest.json"
FORMAT = 1
LEVEL = 3
"""Of gzip: pictures are packed already, and the rest is packed well enough."""
PIECE = 1 << 20


class Damaged(Exception):
    """The file is not a copy of a shop, or not a whole one. The message is one line for whoever wants it restored."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a copy says of itself.

    Attributes:
        made_at: when, in ISO 8601 and UTC.
        database: of which kind it is, its schema's revision, and what else its kind needs.
        files: size and SHA-256 of every member, by name.
    """

    made_at: str
    database: dict[str, Any]
    files: dict[str, tuple[int, str]] = field(default_factory=dict)

    def as_json(self) -> bytes:
        """For the archive."""
        said = {"format": FORMAT, "made_at": self.made_at, "database": self.database, "files": self.files}
        return json.dumps(said, ensure_ascii=False, indent=1).encode()

    @classmethod
    def of_json(cls, content: bytes) -> "Manifest":
        """What an archive holds.

        Raises:
            Damaged: it is none, or that of a later version.
        """
        try:
            said = json.loads(content)
            if said["format"] != FORMAT:
                raise Damaged(f"this version reads copies of format {FORMAT}, not {said['format']}")
            files = {str(name): (int(size), str(digest)) for name, (size, digest) in said["files"].items()}
            return cls(str(said["made_at"]), dict(said["database"]), files)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise Damaged("its manifest cannot be read") from None


class Writer:
    """Writes an archive. `finish` gives it its name; without that it has none."""

    def __init__(self, path: Path, part: Path) -> None:
        """`part`: its name until it is whole, on the same disk; there is nothing yet."""
        self.path, self._part = path, part
        self.files: dict[str, tuple[int, str]] = {}
        handle = os.open(self._part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        self._file = os.fdopen(handle, "wb")
        self._packed = gzip.GzipFile(filename="", mode="wb", compresslevel=LEVEL, fileobj=self._file)
        self._tar = tarfile.open(fileobj=self._packed, mode="w|")  # noqa: SIM115 - closed by `finish`

    def add(self, name: str, content: bytes) -> None:
        """Add a member."""
        self._add(name, io.BytesIO(content), len(content))

    def add_file(self, name: str, path: Path) -> None:
        """Add a file that nobody changes meanwhile."""
        with path.open("rb") as file:
            self._add(name, file, os.fstat(file.fileno()).st_size)

    def finish(self, manifest: Manifest) -> int:
        """Write the manifest, and give the archive its name. Returns its size in bytes."""
        self.add(MANIFEST, manifest.as_json())
        self._tar.close()
        self._packed.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._part.rename(self.path)
        return self.path.stat().st_size

    def close(self) -> None:
        """Close what is open. What was not finished is no archive."""
        for part in (self._tar, self._packed, self._file):
            with suppress(OSError, ValueError):
                part.close()

    def _add(self, name: str, content: IO[bytes], size: int) -> None:
        member = tarfile.TarInfo(name)
        member.size, member.mode = size, 0o600
        digest = hashlib.sha256()
        self._tar.addfile(member, _Watched(content, digest))
        self.files[name] = (size, digest.hexdigest())


class _Watched(io.RawIOBase):
    """Hashes what is read through it."""

    def __init__(self, content: IO[bytes], digest: Any) -> None:
        self._content, self._digest = content, digest

    def read(self, size: int = -1) -> bytes:
        piece = self._content.read(size)
        self._digest.update(piece)
        return piece


class Member:
    """What a member holds. Reading it finds out whether it is damaged."""

    def __init__(self, content: IO[bytes]) -> None:
        self._content = content

    def read(self, size: int = -1) -> bytes:
        """So many bytes, or all.

        Raises:
            Damaged: they are not there.
        """
        with _damage_told():
            return self._content.read(size)


def verify(path: Path) -> Manifest:
    """Read the archive to its end, and compare every member with the manifest.

    Raises:
        Damaged: something is missing, more, or not as it was written.
        OSError: the file cannot be read.
    """
    found: dict[str, tuple[int, str]] = {}
    manifest: Manifest | None = None
    for name, content in members(path):
        if manifest is not None or name in found:
            raise Damaged("it holds more than its manifest says")
        if name == MANIFEST:
            manifest = Manifest.of_json(content.read())
            continue
        size, digest = 0, hashlib.sha256()
        while piece := content.read(PIECE):
            size += len(piece)
            digest.update(piece)
        found[name] = (size, digest.hexdigest())
    if manifest is None:
        raise Damaged("its end is missing")
    for name in sorted(manifest.files.keys() | found.keys()):
        if manifest.files.get(name) != found.get(name):
            raise Damaged(f"{name} is not what was copied")
    return manifest


def members(path: Path) -> Iterator[tuple[str, Member]]:
    """The members in their order, each with what it holds; to be read before the next one is asked for.

    Raises:
        Damaged: see there.
        OSError: the file cannot be read.
    """
    with (
        path.open("rb") as file,
        _damage_told(),
        gzip.open(file) as packed,
        tarfile.open(fileobj=packed, mode="r|") as tar,
    ):
        for member in tar:
            content = tar.extractfile(member) if member.isreg() else None
            if content is None:
                raise Damaged(f"{member.name[:100]!r} is no file")
            yield member.name, Member(content)
        while packed.read(PIECE):
            pass  # its own checksum comes last


@contextmanager
def _damage_told() -> Iterator[None]:
    try:
        yield
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise Damaged(f"it is damaged or cut off ({type(error).__name__})") from None
