"""Whether the catalogue is still what it was: two numbers that the database changes with it."""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeVar, cast

from backend.database import Database
from backend.glance import Glance

T = TypeVar("T")


class Version(NamedTuple):
    """What the catalogue and the stock were like at a moment. Equal numbers: nothing was committed between."""

    catalog: int
    stock: int


class Versions:
    """The catalogue's version, to be asked before every answer. Exact on every replica: it is read, never kept."""

    def __init__(self, database: Database) -> None:
        self._glance = Glance(database, "SELECT catalog, stock FROM catalog_version WHERE id = 1")
        self._known: dict[str, tuple[int, Any]] = {}

    async def now(self) -> Version:
        """The version that is committed now.

        Raises:
            OSError: the database does not answer.
        """
        return Version(*await self._glance.look())

    async def remembered(self, name: str, read: Callable[[], Awaitable[T]]) -> T:
        """What `read` gives, asked again only after the catalogue has changed. For what is small and read always.

        None is never remembered: whoever makes up names fills no memory.
        """
        try:
            catalog = (await self.now()).catalog
        except OSError:
            return await read()
        known, value = self._known.get(name, (None, None))
        if known != catalog:
            value = await read()
            if value is not None:
                self._known[name] = (catalog, value)
        return cast("T", value)

    async def close(self) -> None:
        """Give the connection back."""
        await self._glance.close()
