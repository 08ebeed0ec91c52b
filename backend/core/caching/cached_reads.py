"""Values that are read all the time and change seldom, as services below the catalogue have them read."""

from collections.abc import Awaitable, Callable, Hashable
from typing import Protocol, TypeVar

T = TypeVar("T")


class CachedReads(Protocol):
    """What reads a value again only after the database says that something changed (`VersionProbe`)."""

    async def cached(self, name: Hashable, read: Callable[[], Awaitable[T]]) -> T:
        """The value that `read` returned under this name, which nothing else has."""
