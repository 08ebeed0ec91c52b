"""Asking the database whether the catalogue has changed, before every answer, at next to no cost.

The version is four numbers in the row of `catalog_version`, which triggers raise in the transaction of a change. A
session costs a hundred times what reading this row does, so the probe has a connection of its own. On PostgreSQL all
who ask while a query is under way share the next one: however many requests a second, the row is asked for as fast as
the database answers. What is read was committed before or during the question, never earlier than a previous answer.
"""

import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from backend.database import Database
from backend.outage import DatabaseUnavailable
from backend.single_flight import SingleFlight

if TYPE_CHECKING:
    from backend.postgresql import ServerQuery

T = TypeVar("T")

_QUERY = "SELECT catalog, stock, lists, sold_out FROM catalog_version WHERE id = 1"


class Version(NamedTuple):
    """The version of catalogue, stock, lists and of what is sold out (`backend.catalog.models.CatalogVersion`).

    Equal numbers: nothing was committed in between.
    """

    catalog: int
    stock: int
    lists: int
    sold_out: int

    @property
    def without_units(self) -> "Version":
        """The same for all versions between which units were sold or came, but nothing was sold out or came back."""
        return self._replace(stock=0)


class VersionProbe:
    """Reads the catalogue's version. It is never cached, so it is exact on every replica."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._file: sqlite3.Connection | None = None
        self._server = None if database.is_sqlite else _server(database)
        self._queries = SingleFlight[None, Version](finishes=True)  # one connection serves all who ask
        self._values: dict[str, tuple[int, Any]] = {}

    async def now(self) -> Version:
        """The version that is committed now.

        Raises:
            DatabaseUnavailable: the database does not answer.
        """
        if self._server is None:
            return self._read_file()
        ask = self._server.ask
        return await self._queries.share_next(None, lambda: _version(ask))

    async def cached(self, name: str, read: Callable[[], Awaitable[T]]) -> T:
        """The value that `read` returned under this name, read again only after the catalogue has changed.

        For small values that are read all the time. None is not cached, so made-up names fill no memory.
        """
        try:
            catalog = (await self.now()).catalog
        except OSError:
            return await read()
        known, value = self._values.get(name, (None, None))
        if known != catalog:
            value = await read()
            if value is not None:
                self._values[name] = (catalog, value)
        return cast("T", value)

    async def close(self) -> None:
        """Close the connection."""
        if self._file is not None:
            self._file.close()
            self._file = None
        await self._queries.idle()
        if self._server is not None:
            self._server.disconnect()

    def _read_file(self) -> Version:
        """On this very thread: it takes microseconds, and in WAL mode no writer blocks a reader."""
        try:
            if self._file is None:
                self._file = sqlite3.connect(
                    str(self._database.url.database), timeout=0, isolation_level=None
                )
            return Version(*self._file.execute(_QUERY).fetchone())
        except sqlite3.Error as error:
            raise DatabaseUnavailable("The database does not answer: try again") from error


async def _version(ask: Callable[[], Awaitable[Sequence[Any]]]) -> Version:
    return Version(*await ask())


def _server(database: Database) -> "ServerQuery":
    from backend.postgresql import ServerQuery  # its driver is loaded by shops that have PostgreSQL

    return ServerQuery(database.url, _QUERY, through_pooler=database.through_pooler)
