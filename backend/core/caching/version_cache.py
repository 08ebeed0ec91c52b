"""Values that are read again only after the catalogue or the stock has changed.

This is no cache by time or tag (spec: Storefront view rules 5): the database is asked before each use whether anything
has changed since (`backend.core.caching.version_probe`). What is shown of a product depends on the day too: it may be
new.
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

MadeOf = tuple[Version, date]
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def _one(_key: object, _value: object) -> int:
    return 1


@dataclass(frozen=True, slots=True)
class _Stored(Generic[Value]):
    made_of: MadeOf
    value: Value
    size: int


class VersionCache(Generic[Key, Value]):
    """Values by key, each with the version that it holds for. The least recently used go first.

    A key says all that its value depends on besides the database and the day in Colombia; nobody changes a value.
    """

    def __init__(
        self,
        version: Callable[[], Awaitable[Version]],
        most: int,
        size: Callable[[Key, Value], int] = _one,
    ) -> None:
        """`version` gives what is committed now; the `size` of all keys and values together is `most` at most."""
        self._version = version
        self._reading = SingleFlight[Key, Value]()
        self._size = size
        self._stored: LRUCache[Key, _Stored[Value]] = LRUCache(most, getsizeof=lambda stored: stored.size)

    async def get(self, key: Key, read: Callable[[], Awaitable[Value]], *, shows_units: bool = True) -> Value:
        """What `read` gives at the version of now.

        However often something changes, a key is read by one at a time: who comes meanwhile shares the next reading.
        Where no value of this key `shows_units`, a sale that sells nothing out changes none of them.

        Raises:
            DatabaseUnavailable: the database does not answer.
            Exception: what `read` raised, for all who share it.
        """
        if (stored := self._at(await self._now(shows_units), key)) is not None:
            return stored.value
        return await self._reading.share_next(key, lambda: self._read(key, read, shows_units))

    async def _read(self, key: Key, read: Callable[[], Awaitable[Value]], shows_units: bool) -> Value:
        made_of = await self._now(shows_units)  # asked for first: what is read is never older
        if (stored := self._at(made_of, key)) is not None:  # whoever read before has read it
            return stored.value
        value = await read()
        size = self._size(key, value)
        if size <= self._stored.maxsize:
            self._stored[key] = _Stored(made_of, value, size)
        return value

    async def _now(self, shows_units: bool) -> MadeOf:
        version = await self._version()
        return version if shows_units else version.without_units, today_in_colombia(now())

    def _at(self, made_of: MadeOf, key: Key) -> _Stored[Value] | None:
        stored = self._stored.get(key)
        return stored if stored is not None and stored.made_of == made_of else None
