"""Where copies of the shop lie: in a folder of this machine, or in an S3 store.

An S3 store is named as PICTURES_URL names one: `https://KEY:SECRET@host/bucket/folder?region=name`. What is uploaded
is there whole or not at all: the store shows nothing of an upload that did not end. Pieces go one after the other, so
no copy is ever in memory.
"""

import re
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from backend.core.config.values import S3Address, s3_address
from backend.media.object_stores import StoreUnavailable, s3_store, store_errors

if TYPE_CHECKING:
    from obstore.store import ObjectStore

SUFFIX = ".tar.gz"
_NAME = re.compile(r"trompo-\d{8}-\d{6}\.tar\.gz")
"""Names that `trompo backup` gives: in the order of the moments."""
PIECE, MOST_PIECES = 8 << 20, 9_000
"""Bytes that are sent or fetched at a time, and how many pieces a store takes of one file."""
AT_ONCE = 2
PIECE_WITHIN = timedelta(minutes=5)


class NoCopy(Exception):
    """There is no such copy. The message is one line."""


class CopyStore:
    """The copies in a folder of an S3 store. `name` is that of the one copy that was named, empty without one.

    All methods raise `StoreUnavailable`.
    """

    def __init__(self, address: S3Address, name: str = "") -> None:
        """Nothing is opened yet."""
        self._address, self.name = address, name

    @cached_property
    def _store(self) -> "ObjectStore":
        return s3_store(self._address, answer_within=PIECE_WITHIN)

    async def has(self, name: str) -> bool:
        """Whether there is such a file."""
        with _errors():
            try:
                await self._store.head_async(name)
            except FileNotFoundError:
                return False
            return True

    async def put(self, name: str, file: Path, size: int) -> None:
        """Upload the file, which has so many bytes, whole or not at all.

        Raises:
            StoreUnavailable: see there; nothing is stored.
        """
        with _errors():
            await self._store.put_async(
                name, file, chunk_size=max(PIECE, size // MOST_PIECES), max_concurrency=AT_ONCE
            )
            stored: int = (await self._store.head_async(name))["size"]
        if stored != size:
            raise StoreUnavailable(f"the store of copies kept {stored} bytes of {size}")

    async def fetch(self, name: str, file: Path) -> None:
        """Download it into the file.

        Raises:
            NoCopy: there is none.
        """
        with file.open("wb") as out:
            with _errors():
                try:
                    size = (await self._store.head_async(name))["size"]
                except FileNotFoundError:
                    raise NoCopy(f"the store has no {name}") from None
            for start in range(0, size, PIECE):
                with _errors():
                    piece = await self._store.get_range_async(name, start=start, end=min(start + PIECE, size))
                out.write(piece)

    async def names(self) -> list[str]:
        """The copies that `trompo backup` named, the oldest first."""
        found: list[str] = []
        with _errors():
            async for some in self._store.list(chunk_size=500):
                found += [one["path"] for one in some if _NAME.fullmatch(one["path"])]
        return sorted(found)

    async def delete(self, name: str) -> None:
        """Delete it. One that is gone already is no error."""
        with _errors():
            try:
                await self._store.delete_async(name)
            except FileNotFoundError:
                return

    async def delete_older(self, keep: int) -> list[str]:
        """The same as `delete_older_files`.

        Raises:
            StoreUnavailable: one could not be deleted.
        """
        gone = (await self.names())[:-keep]
        for name in gone:
            await self.delete(name)
        return gone


def copy_place(said: str) -> Path | CopyStore:
    """The file or folder, or the store or file in one, that somebody named.

    Raises:
        ValueError: it is no address of a store; the message shows nothing of it.
    """
    if not said.lower().startswith(("https://", "http://")):
        return Path(said)
    address = s3_address(said)
    folder, _slash, last = address.prefix.rpartition("/")
    if last.endswith(SUFFIX):
        return CopyStore(replace(address, prefix=folder), last)
    return CopyStore(address)


async def newest_copy(store: CopyStore) -> str:
    """The name of the copy to bring back: the one that was named, or the newest.

    Raises:
        NoCopy: there is none.
    """
    if store.name:
        return store.name
    names = await store.names()
    if not names:
        raise NoCopy("there is no copy in that folder of the store")
    return names[-1]


def delete_older_files(folder: Path, keep: int) -> list[str]:
    """Delete all copies of a folder but the newest ones: `keep` of them stay, 1 or more. Other files stay.

    Returns:
        The names of those that went.

    Raises:
        OSError: one could not be deleted.
    """
    gone = sorted(file.name for file in folder.iterdir() if _NAME.fullmatch(file.name))[:-keep]
    for name in gone:
        (folder / name).unlink(missing_ok=True)
    return gone


def _errors() -> AbstractContextManager[None]:
    return store_errors(StoreUnavailable, "the store of copies")
