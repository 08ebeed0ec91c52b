"""Interface of cached reads, for services that may not import the catalogue's cache."""

from collections.abc import Awaitable, Callable, Hashable
from typing import Protocol, TypeVar

T = TypeVar("T")


class CachedReads(Protocol):
    """A cache that reads a value again only after the database reports a change (`VersionProbe`)."""

    async def read_cached(self, name: Hashable, read: Callable[[], Awaitable[T]]) -> T:
        """Return the value stored under this name; call `read` if none is stored or if it may have changed.

        Two different values must not have the same name.
        """
