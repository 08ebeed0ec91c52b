"""The file of a backup: a gzipped tar. Its final member, `manifest.json`, has the checksum of every other member.

The file is written under a temporary name and renamed when it is complete. Only its owner can read it. A restore
first reads the whole file: a truncated file has no manifest, and a damaged file has other checksums.
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
FORMAT_VERSION = 1
COMPRESSION_LEVEL = 3
"""Compression level of gzip. Pictures are compressed already, and the rest becomes small enough."""
CHUNK_BYTES = 1 << 20


class DamagedBackup(Exception):
    """The file is not a backup of a shop, or is incomplete. The message is one line for the person who restores it."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """Description of a backup, stored inside it.

    Attributes:
        made_at: time of the backup, in ISO 8601 and UTC.
        database: kind of the database (`sqlite` or `postgresql`), revision of its schema and, for PostgreSQL,
            the data that `postgresql_dump.check_restorable` needs.
        files: size and SHA-256 of every member, by name.
    """

    made_at: str
    database: dict[str, Any]
    files: dict[str, tuple[int, str]] = field(default_factory=dict)

    def to_json(self) -> bytes:
        """Return the manifest as JSON for the archive."""
        fields = {
            "format": FORMAT_VERSION,
            "made_at": self.made_at,
            "database": self.database,
            "files": self.files,
        }
        return json.dumps(fields, ensure_ascii=False, indent=1).encode()

    @classmethod
    def from_json(cls, content: bytes) -> "Manifest":
        """Parse the manifest of an archive.

        Raises:
            DamagedBackup: the content is not a manifest, or has the format of another version.
        """
        try:
            fields = json.loads(content)
            if fields["format"] != FORMAT_VERSION:
                raise DamagedBackup(
                    f"this version reads backups of format {FORMAT_VERSION}, not {fields['format']}"
                )
            files = {str(name): (int(size), str(digest)) for name, (size, digest) in fields["files"].items()}
            return cls(str(fields["made_at"]), dict(fields["database"]), files)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise DamagedBackup("its manifest cannot be read") from None


class ArchiveWriter:
    """A writer of one archive. Only `finish` gives the file its final name."""

    def __init__(self, path: Path, part: Path) -> None:
        """Create the temporary file `part`. It must not exist yet, and must be on the same disk as `path`."""
        self.path, self._part = path, part
        self.files: dict[str, tuple[int, str]] = {}
        handle = os.open(self._part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        self._file = os.fdopen(handle, "wb")
        self._packed = gzip.GzipFile(
            filename="", mode="wb", compresslevel=COMPRESSION_LEVEL, fileobj=self._file
        )
        self._tar = tarfile.open(fileobj=self._packed, mode="w|")  # noqa: SIM115 - closed by `finish`

    def add(self, name: str, content: bytes) -> None:
        """Add a member with this content to the archive."""
        self._add(name, io.BytesIO(content), len(content))

    def add_file(self, name: str, path: Path) -> None:
        """Add a file to the archive. Nothing may change the file during the call."""
        with path.open("rb") as file:
            self._add(name, file, os.fstat(file.fileno()).st_size)

    def finish(self, manifest: Manifest) -> int:
        """Write the manifest, and give the archive its final name. Return its size in bytes."""
        self.add(MANIFEST, manifest.to_json())
        self._tar.close()
        self._packed.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._part.rename(self.path)
        return self.path.stat().st_size

    def close(self) -> None:
        """Close the file of the archive. An unfinished archive is invalid."""
        for part in (self._tar, self._packed, self._file):
            with suppress(OSError, ValueError):
                part.close()

    def _add(self, name: str, content: IO[bytes], size: int) -> None:
        member = tarfile.TarInfo(name)
        member.size, member.mode = size, 0o600
        digest = hashlib.sha256()
        self._tar.addfile(member, _HashingReader(content, digest))
        self.files[name] = (size, digest.hexdigest())


class _HashingReader(io.RawIOBase):
    """A stream that hashes every byte that is read from it."""

    def __init__(self, content: IO[bytes], digest: Any) -> None:
        self._content, self._digest = content, digest

    def read(self, size: int = -1) -> bytes:
        piece = self._content.read(size)
        self._digest.update(piece)
        return piece


class ArchiveMember:
    """The content of one archive member. Reading it raises `DamagedBackup` if this part of the archive is damaged."""

    def __init__(self, content: IO[bytes]) -> None:
        self._content = content

    def read(self, size: int = -1) -> bytes:
        """Read up to `size` bytes, or all that remain.

        Raises:
            DamagedBackup: the bytes cannot be read.
        """
        with _translate_damage():
            return self._content.read(size)


def verify_archive(path: Path) -> Manifest:
    """Read the whole archive, and compare every member with the manifest. Return the manifest.

    Raises:
        DamagedBackup: a member is missing, unexpected, or different from its checksum.
        OSError: the file cannot be read.
    """
    found: dict[str, tuple[int, str]] = {}
    manifest: Manifest | None = None
    for name, content in read_members(path):
        if manifest is not None or name in found:
            raise DamagedBackup("it contains more than its manifest lists")
        if name == MANIFEST:
            manifest = Manifest.from_json(content.read())
            continue
        size, digest = 0, hashlib.sha256()
        while piece := content.read(CHUNK_BYTES):
            size += len(piece)
            digest.update(piece)
        found[name] = (size, digest.hexdigest())
    if manifest is None:
        raise DamagedBackup("its end is missing")
    for name in sorted(manifest.files.keys() | found.keys()):
        if manifest.files.get(name) != found.get(name):
            raise DamagedBackup(f"{name} differs from its checksum")
    return manifest


def read_members(path: Path) -> Iterator[tuple[str, ArchiveMember]]:
    """Yield the name and the content of each member in order. Read the content before you request the next member.

    Raises:
        DamagedBackup: the file is damaged or truncated.
        OSError: the file cannot be read.
    """
    with (
        path.open("rb") as file,
        _translate_damage(),
        gzip.open(file) as packed,
        tarfile.open(fileobj=packed, mode="r|") as tar,
    ):
        for member in tar:
            content = tar.extractfile(member) if member.isreg() else None
            if content is None:
                raise DamagedBackup(f"{member.name[:100]!r} is not a file")
            yield member.name, ArchiveMember(content)
        while packed.read(CHUNK_BYTES):
            pass  # gzip's own checksum is at the end of the file


@contextmanager
def _translate_damage() -> Iterator[None]:
    try:
        yield
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DamagedBackup(f"it is damaged or truncated ({type(error).__name__})") from None
