"""Locations of backups: a folder of this machine, or an S3 store.

The address of an S3 store has the form of PICTURES_URL: `https://KEY:SECRET@host/bucket/folder?region=name`. An
upload is complete or does not exist: the store does not show an unfinished upload. Parts are sent one after the
other, so a backup is never in memory as a whole.
"""

import re
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from backend.core.config.values import S3Address, parse_s3_address
from backend.media.object_stores import StoreUnavailable, open_s3_store, translate_store_errors

if TYPE_CHECKING:
    from obstore.store import ObjectStore

SUFFIX = ".tar.gz"
_NAME = re.compile(r"trompo-\d{8}-\d{6}\.tar\.gz")
"""File names that `trompo backup` gives. Their order is the order of time."""
PART_BYTES, MAX_PARTS = 8 << 20, 9_000
"""Bytes that are sent or fetched at a time, and the maximum number of parts of one file."""
CONCURRENCY = 2
PART_TIMEOUT = timedelta(minutes=5)


class BackupNotFound(Exception):
    """The backup does not exist. The message is one line."""


class BackupStore:
    """The backups in a folder of an S3 store. `name` is the name of one selected backup, or empty.

    All methods raise `StoreUnavailable` if the store does not answer or refuses the request.
    """

    def __init__(self, address: S3Address, name: str = "") -> None:
        """Store the address. No connection is opened yet."""
        self._address, self.name = address, name

    @cached_property
    def _store(self) -> "ObjectStore":
        return open_s3_store(self._address, request_timeout=PART_TIMEOUT)

    async def has(self, name: str) -> bool:
        """Return True if the store has a file with this name."""
        with _translate_errors():
            try:
                await self._store.head_async(name)
            except FileNotFoundError:
                return False
            return True

    async def put(self, name: str, file: Path, size: int) -> None:
        """Upload a file of `size` bytes, completely or not at all.

        Raises:
            StoreUnavailable: the store does not accept it; nothing is stored.
        """
        with _translate_errors():
            await self._store.put_async(
                name, file, chunk_size=max(PART_BYTES, size // MAX_PARTS), max_concurrency=CONCURRENCY
            )
            stored: int = (await self._store.head_async(name))["size"]
        if stored != size:
            raise StoreUnavailable(f"the backup store saved {stored} bytes of {size}")

    async def fetch(self, name: str, file: Path) -> None:
        """Download a backup into `file`.

        Raises:
            BackupNotFound: the store has no backup with this name.
        """
        with file.open("wb") as out:
            with _translate_errors():
                try:
                    size = (await self._store.head_async(name))["size"]
                except FileNotFoundError:
                    raise BackupNotFound(f"the store has no {name}") from None
            for start in range(0, size, PART_BYTES):
                with _translate_errors():
                    piece = await self._store.get_range_async(
                        name, start=start, end=min(start + PART_BYTES, size)
                    )
                out.write(piece)

    async def list_names(self) -> list[str]:
        """Return the names of the backups in the folder, oldest first. Leave out files with other names."""
        found: list[str] = []
        with _translate_errors():
            async for page in self._store.list(chunk_size=500):
                found += [item["path"] for item in page if _NAME.fullmatch(item["path"])]
        return sorted(found)

    async def delete(self, name: str) -> None:
        """Delete a backup. Do nothing if it does not exist."""
        with _translate_errors():
            try:
                await self._store.delete_async(name)
            except FileNotFoundError:
                return

    async def delete_older(self, keep: int) -> list[str]:
        """Delete all backups of the folder except the newest `keep` (1 or more).

        Return the names of the deleted backups.
        """
        deleted = (await self.list_names())[:-keep]
        for name in deleted:
            await self.delete(name)
        return deleted


def parse_backup_target(target: str) -> Path | BackupStore:
    """Parse a backup target: a local path, or an S3 address of a folder or file.

    Raises:
        ValueError: the address is invalid. The message contains no part of it, because it may contain a key.
    """
    if not target.lower().startswith(("https://", "http://")):
        return Path(target)
    address = parse_s3_address(target)
    folder, _slash, last = address.prefix.rpartition("/")
    if last.endswith(SUFFIX):
        return BackupStore(replace(address, prefix=folder), last)
    return BackupStore(address)


async def find_newest_backup(store: BackupStore) -> str:
    """Return the name of the backup to restore: the selected one, or the newest one if none is selected.

    Raises:
        BackupNotFound: the store has no backup.
    """
    if store.name:
        return store.name
    names = await store.list_names()
    if not names:
        raise BackupNotFound("there is no backup in that folder of the store")
    return names[-1]


def delete_older_backups(folder: Path, keep: int) -> list[str]:
    """Delete all backups of a local folder except the newest `keep` (1 or more). Other files stay.

    Returns:
        The names of the deleted files.

    Raises:
        OSError: a file could not be deleted.
    """
    deleted = sorted(file.name for file in folder.iterdir() if _NAME.fullmatch(file.name))[:-keep]
    for name in deleted:
        (folder / name).unlink(missing_ok=True)
    return deleted


def _translate_errors() -> AbstractContextManager[None]:
    return translate_store_errors(StoreUnavailable, "the backup store")
