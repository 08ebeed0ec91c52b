"""Where the shop's pictures and videos are: a folder, or an S3-compatible store that several replicas share.

A picture is named by `{digest}/{name}`; what a name holds never changes. Both kinds of place are spoken to in one way.
"""

import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, BinaryIO

from backend.core.config.settings import Settings
from backend.media.object_stores import StoreUnavailable, object_store, store_errors

if TYPE_CHECKING:
    from obstore.store import ObjectStore

FOLDER = "pictures"
AT_ONCE_BYTES = 256 << 10
"""Of a video, at least, that is handed on at a time."""
URL = "/pictures"
"""Where they are served."""
MOST_BYTES = 250
"""Of each part of a name: what a folder takes."""
_PART = re.compile(r"(?!\.)(?!.*#[0-9]+$)[^/\x00-\x1f\x7f]+")
"""The folder's library keeps names that end in `#` and a number for itself."""


class PicturesUnavailable(StoreUnavailable):
    """The place of the pictures does not answer, or refuses."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A picture that is there. `changed_at` is aware."""

    name: str
    size: int
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class Found:
    """A picture's content, and when it was stored."""

    content: bytes
    changed_at: datetime


class PictureStore:
    """The pictures by their names. Methods that wait may not be used on the event loop.

    All methods raise `PicturesUnavailable`.
    """

    def __init__(self, open_store: "Callable[[], ObjectStore]") -> None:
        """Nothing is opened yet: a shop whose pictures nobody asks for does not load the library."""
        self._open_store = open_store

    @cached_property
    def _store(self) -> "ObjectStore":
        return self._open_store()

    def has(self, name: str) -> bool:
        """Whether there is such a picture. Waits for the answer."""
        if not _is_name(name):
            return False
        with _errors():
            try:
                self._store.head(name)
            except (FileNotFoundError, ValueError):
                return False
            return True

    def put(self, name: str, content: bytes | BinaryIO) -> None:
        """Store a picture or a video, whole or not at all. Waits until that is done.

        Raises:
            PicturesUnavailable: see there; nothing is stored.
        """
        with _errors():
            self._store.put(name, content)

    async def size_of(self, name: str) -> Listed | None:
        """How large the file with this name is; None where there is none, or could be none."""
        if not _is_name(name):
            return None
        with _errors():
            try:
                found = await self._store.head_async(name)
            except (FileNotFoundError, ValueError):
                return None
            return Listed(name, found["size"], found["last_modified"])

    async def part(self, name: str, start: int, end: int) -> AsyncIterator[bytes]:
        """The bytes from `start` to before `end` of a file that is there, some at a time.

        Raises:
            PicturesUnavailable: see there; here where the file is gone, later where the rest does not come.
        """
        with _errors():
            found = await self._store.get_async(name, options={"range": (start, end)})
        return self._streamed(found.stream(AT_ONCE_BYTES))

    async def _streamed(self, stream: AsyncIterator[Any]) -> AsyncIterator[bytes]:
        with _errors():
            async for some in stream:
                yield bytes(some)

    async def get(self, name: str) -> Found | None:
        """The picture with this name; None where there is none, or could be none."""
        if not _is_name(name):
            return None
        with _errors():
            try:
                found = await self._store.get_async(name)
                return Found(bytes(await found.bytes_async()), found.meta["last_modified"])
            except (FileNotFoundError, ValueError):
                return None

    async def names_below(self, folder: str) -> Sequence[str]:
        """The names of the pictures whose first part is `folder`, sorted; none where it could be no name."""
        if not _is_name(folder):
            return []
        with _errors():
            found = await self._store.list(f"{folder}/").collect_async()
        return sorted(one["path"] for one in found)

    def known_below(self, folder: str) -> Sequence[str]:
        """The same for a folder whose name is one. Waits for the answer."""
        with _errors():
            return sorted(one["path"] for one in self._store.list(f"{folder}/").collect())

    async def listed(self) -> AsyncIterator[Sequence[Listed]]:
        """All pictures, some at a time."""
        with _errors():
            async for some in self._store.list(chunk_size=500):
                yield [Listed(one["path"], one["size"], one["last_modified"]) for one in some]

    async def delete(self, names: Sequence[str], *, unless_stored_after: datetime) -> None:
        """Delete these pictures. One that is gone already is no error; one that was stored again meanwhile stays."""
        with _errors():
            for name in names:
                try:
                    if (await self._store.head_async(name))["last_modified"] <= unless_stored_after:
                        await self._store.delete_async(name)
                except FileNotFoundError:
                    continue


def _is_name(name: str) -> bool:
    """Whether a picture could have it, in a folder and in a store."""
    parts = name.split("/")
    return all(_PART.fullmatch(part) and len(part.encode("utf-8", "replace")) <= MOST_BYTES for part in parts)


def _errors() -> AbstractContextManager[None]:
    return store_errors(PicturesUnavailable, "the store of pictures")


def picture_store(settings: Settings) -> PictureStore:
    """The pictures of the shop with these settings."""
    return PictureStore(lambda: object_store(settings, FOLDER))
