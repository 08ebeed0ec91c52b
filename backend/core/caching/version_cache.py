"""Cache of values that are read again only after the catalogue or the stock has changed.

Values do not expire after a time, and have no tags (spec: Storefront view rules 5). Before each use, the database
is asked whether anything has changed since the value was read (`backend.core.caching.version_probe`). The views of
a product also depend on the day, because a product counts as new for some days.
"""

from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from datetime import date
from typing import Generic, TypeVar

from cachetools import LRUCache

from backend.core.caching.single_flight import SingleFlight
from backend.core.caching.version_probe import Version
from backend.core.clock import now
from backend.core.dates import today_in_colombia

CacheStamp = tuple[Version, date]
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def _unit_size(_key: object, _value: object) -> int:
    return 1


@dataclass(frozen=True, slots=True)
class _Stored(Generic[Value]):
    stamp: CacheStamp
    value: Value
    size: int


class VersionCache(Generic[Key, Value]):
    """Values by key, each valid for one version of the catalogue. The least recently used values are removed first.

    A key must contain everything that its value depends on, except the database and the day in Colombia. Values
    must not be modified.
    """

    def __init__(
        self,
        version: Callable[[], Awaitable[Version]],
        max_size: int,
        size: Callable[[Key, Value], int] = _unit_size,
    ) -> None:
        """Create an empty cache.

        Args:
            version: reads the version that is committed now.
            max_size: maximum total size of all entries.
            size: size of an entry; 1 by default.
        """
        self._version = version
        self._reading = SingleFlight[Key, Value]()
        self._size = size
        self._stored: LRUCache[Key, _Stored[Value]] = LRUCache(max_size, getsizeof=lambda stored: stored.size)

    async def get(self, key: Key, read: Callable[[], Awaitable[Value]], *, shows_units: bool = True) -> Value:
        """Return the stored value of `key`; call `read` if none is stored for the current version of the data.

        One call of `read` runs per key. Callers that arrive while it runs wait for it. Then they share one further
        call, because the data may have changed after the first call began. Pass `shows_units=False` if the value
        shows no units in stock: then a sale does not make it invalid, unless a product sells out.

        Raises:
            DatabaseUnavailable: the database does not answer.
            Exception: the exception of `read`, for all callers that share it.
        """
        if (stored := self._find_stored(await self._current_stamp(shows_units), key)) is not None:
            return stored.value
        return await self._reading.share_next(key, lambda: self._read(key, read, shows_units))

    async def _read(self, key: Key, read: Callable[[], Awaitable[Value]], shows_units: bool) -> Value:
        stamp = await self._current_stamp(
            shows_units
        )  # read first, so that the value is never older than its version
        if (stored := self._find_stored(stamp, key)) is not None:  # the previous reading stored it
            return stored.value
        value = await read()
        size = self._size(key, value)
        if size <= self._stored.maxsize:
            self._stored[key] = _Stored(stamp, value, size)
        return value

    async def _current_stamp(self, shows_units: bool) -> CacheStamp:
        version = await self._version()
        return version if shows_units else version.without_units, today_in_colombia(now())

    def _find_stored(self, stamp: CacheStamp, key: Key) -> _Stored[Value] | None:
        stored = self._stored.get(key)
        return stored if stored is not None and stored.stamp == stamp else None
