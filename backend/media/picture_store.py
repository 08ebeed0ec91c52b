"""Storage of the shop's pictures and videos: a folder, or an S3-compatible store that several replicas share.

A picture's name is `{digest}/{name}`; the content of a name never changes. The folder and the S3 store have the
same interface.
"""

import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, BinaryIO

from backend.core.config.settings import Settings
from backend.media.object_stores import StoreUnavailable, open_object_store, translate_store_errors

if TYPE_CHECKING:
    from obstore.store import ObjectStore

FOLDER = "pictures"
MIN_CHUNK_BYTES = 256 << 10
"""Minimum size of the chunks of a video's stream."""
URL = "/pictures"
"""Path prefix of the URLs of pictures and videos."""
MAX_NAME_PART_BYTES = 250
"""Maximum number of bytes of each part of a name, because of the limit of file systems."""
_PART = re.compile(r"(?!\.)(?!.*#[0-9]+$)[^/\x00-\x1f\x7f]+")
"""Pattern of one part of a name. The storage library reserves names that end in `#` and a number."""


class PicturesUnavailable(StoreUnavailable):
    """The store of pictures does not answer, or refuses a request."""


@dataclass(frozen=True, slots=True)
class PictureEntry:
    """The name, size in bytes and time of the latest change of a stored picture. `changed_at` is timezone-aware."""

    name: str
    size: int
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class PictureContent:
    """The content of a picture, and the time when it was stored."""

    content: bytes
    changed_at: datetime


class PictureStore:
    """Access to stored pictures and videos by name. The blocking methods must not be called on the event loop.

    All methods raise `PicturesUnavailable` if the store does not answer or refuses.
    """

    def __init__(self, open_store: "Callable[[], ObjectStore]") -> None:
        """Set the function that opens the store. It is called on first use, because it loads a large library."""
        self._open_store = open_store

    @cached_property
    def _store(self) -> "ObjectStore":
        return self._open_store()

    def has_picture(self, name: str) -> bool:
        """Return True if the picture exists. Blocks."""
        if not _is_valid_name(name):
            return False
        with _translate_errors():
            try:
                self._store.head(name)
            except (FileNotFoundError, ValueError):
                return False
            return True

    def put(self, name: str, content: bytes | BinaryIO) -> None:
        """Store a picture or a video as a whole. Blocks.

        Raises:
            PicturesUnavailable: the store does not answer or refuses; nothing is stored.
        """
        with _translate_errors():
            self._store.put(name, content)

    async def find_entry(self, name: str) -> PictureEntry | None:
        """Return the size and time of the file; None if it does not exist or the name is invalid."""
        if not _is_valid_name(name):
            return None
        with _translate_errors():
            try:
                found = await self._store.head_async(name)
            except (FileNotFoundError, ValueError):
                return None
            return PictureEntry(name, found["size"], found["last_modified"])

    async def stream_range(self, name: str, start: int, end: int) -> AsyncIterator[bytes]:
        """Stream the bytes of an existing file from `start` to `end`, without the byte at `end`.

        Raises:
            PicturesUnavailable: the file no longer exists, or, while streaming, the rest does not arrive.
        """
        with _translate_errors():
            found = await self._store.get_async(name, options={"range": (start, end)})
        return self._iter_chunks(found.stream(MIN_CHUNK_BYTES))

    async def _iter_chunks(self, stream: AsyncIterator[Any]) -> AsyncIterator[bytes]:
        with _translate_errors():
            async for some in stream:
                yield bytes(some)

    async def get(self, name: str) -> PictureContent | None:
        """Return the picture; None if it does not exist or the name is invalid."""
        if not _is_valid_name(name):
            return None
        with _translate_errors():
            try:
                found = await self._store.get_async(name)
                return PictureContent(bytes(await found.bytes_async()), found.meta["last_modified"])
            except (FileNotFoundError, ValueError):
                return None

    async def list_names(self, folder: str) -> Sequence[str]:
        """Return the sorted names of the pictures in this folder; empty if the folder's name is invalid."""
        if not _is_valid_name(folder):
            return []
        with _translate_errors():
            found = await self._store.list(f"{folder}/").collect_async()
        return sorted(one["path"] for one in found)

    def list_names_blocking(self, folder: str) -> Sequence[str]:
        """Return the sorted names of the pictures in this folder. The folder's name must be valid. Blocks."""
        with _translate_errors():
            return sorted(one["path"] for one in self._store.list(f"{folder}/").collect())

    async def iter_pictures(self) -> AsyncIterator[Sequence[PictureEntry]]:
        """Yield the entries of all pictures, as lists of up to 500 entries."""
        with _translate_errors():
            async for some in self._store.list(chunk_size=500):
                yield [PictureEntry(one["path"], one["size"], one["last_modified"]) for one in some]

    async def delete(self, names: Sequence[str], *, unless_stored_after: datetime) -> None:
        """Delete these pictures. Missing pictures are ignored; those stored after `unless_stored_after` are kept."""
        with _translate_errors():
            for name in names:
                try:
                    if (await self._store.head_async(name))["last_modified"] <= unless_stored_after:
                        await self._store.delete_async(name)
                except FileNotFoundError:
                    continue


def _is_valid_name(name: str) -> bool:
    """Return True if a picture can have this name, both in a folder and in an S3 store."""
    parts = name.split("/")
    return all(
        _PART.fullmatch(part) and len(part.encode("utf-8", "replace")) <= MAX_NAME_PART_BYTES
        for part in parts
    )


def _translate_errors() -> AbstractContextManager[None]:
    return translate_store_errors(PicturesUnavailable, "the store of pictures")


def open_picture_store(settings: Settings) -> PictureStore:
    """Return the store of pictures that the settings select."""
    return PictureStore(lambda: open_object_store(settings, FOLDER))
