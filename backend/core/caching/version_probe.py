"""Asking the database whether the catalogue has changed, before every answer, at next to no cost.

The version is some numbers in the row of `catalog_version`, which triggers raise in the transaction of a change. A
session costs a hundred times what reading this row does, so the probe has a connection of its own. On PostgreSQL all
who ask while a query is under way share the next one: however many requests a second, the row is asked for as fast as
the database answers. What is read was committed before or during the question, never earlier than a previous answer.

When single products have changed, it reads which (`ProductChanges`): what shows others need not be made anew.
"""

import sqlite3
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from backend.core.caching.single_flight import SingleFlight
from backend.core.db.database import Database
from backend.core.outage import PROBE, DatabaseUnavailable

if TYPE_CHECKING:
    from backend.core.db.postgresql import ServerConnection

T = TypeVar("T")

MOST_CHANGES = 5_000
"""Products whose last change is remembered. When more have changed, all count as changed."""
_CHANGES = "SELECT product_id, number FROM product_change WHERE number > $1 LIMIT $2"


class Version(NamedTuple):
    """The version of catalogue, stock, lists and of what is sold out (`backend.catalog.derived_models.CatalogVersion`).

    Equal numbers: nothing was committed in between.
    """

    catalog: int
    stock: int
    lists: int
    sold_out: int
    shared: int
    product_changes: int

    @property
    def without_units(self) -> "Version":
        """The same for all versions between which units were sold or came, but nothing was sold out or came back."""
        return self._replace(stock=0)

    @property
    def beside_products(self) -> tuple[int, int]:
        """The same for all versions between which single products changed, but no list, and nothing that they share."""
        return self.lists, self.shared


_QUERY = f"SELECT {', '.join(Version._fields)} FROM catalog_version WHERE id = 1"  # noqa: S608 - names of our own


class ProductChanges:
    """When products changed, as far as it is remembered."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._forgotten: int | None = None
        """Until which number changes are not remembered; None before the first version was read."""
        self._read = 0
        """Until which number they are."""

    def lack(self, version: Version) -> int | None:
        """The number after which changes are to be read, to know those of this version."""
        if self._forgotten is None:  # nothing was made of an earlier version
            self._forgotten = self._read = version.product_changes
        if (
            version.product_changes < self._read
        ):  # the database was restored: numbers known by now stand for others
            self._numbers.clear()
            self._forgotten, self._read = self._read + 1, version.product_changes
        return None if version.product_changes == self._read else self._read

    def note(self, version: Version, changes: Sequence[tuple[str, int]]) -> None:
        """Remember the changes that were read for this version: at most one more than `MOST_CHANGES`."""
        self._numbers.update(changes)
        self._read = version.product_changes
        if len(self._numbers) > MOST_CHANGES or len(changes) > MOST_CHANGES:
            self._numbers.clear()
            self._forgotten = self._read

    def none_since(self, number: int, product_ids: Iterable[str]) -> bool:
        """Whether none of the products has changed after this number."""
        if self._forgotten is None or number < self._forgotten:
            return False
        changed = self._numbers
        return all(changed.get(one, 0) <= number for one in product_ids)


class VersionProbe:
    """Reads the catalogue's version. It is never cached, so it is exact on every replica."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._file: sqlite3.Connection | None = None
        self._server = None if database.is_sqlite else _server(database)
        self._queries = SingleFlight[None, Version](finishes=True)  # one connection serves all who ask
        self._values: dict[Hashable, tuple[tuple[int, int], Any]] = {}
        self.product_changes = ProductChanges()
        """Those of the latest version that `now` gave, and before."""

    async def now(self) -> Version:
        """The version that is committed now.

        Raises:
            DatabaseUnavailable: the database does not answer.
        """
        try:
            version = await self._now()
        except DatabaseUnavailable as error:
            self._database.outage.met(error, error.__cause__ or error, PROBE)
            raise
        self._database.outage.over(PROBE)
        return version

    async def cached(self, name: Hashable, read: Callable[[], Awaitable[T]]) -> T:
        """The value that `read` returned under this name, read again only after lists or what is shared changed.

        For small values that are read all the time and show no single product. A name that holds what somebody sent is
        a tuple that says what it names, so it is no other value's. None is not cached: made-up names fill no memory.
        """
        try:
            version = await self.now()
        except OSError:
            return await read()
        known, value = self._values.get(name, (None, None))
        if known != version.beside_products:
            value = await read()
            if value is not None:
                self._values[name] = (version.beside_products, value)
        return cast("T", value)

    async def close(self) -> None:
        """Close the connection."""
        if self._file is not None:
            self._file.close()
            self._file = None
        await self._queries.idle()
        if self._server is not None:
            self._server.disconnect()

    async def _now(self) -> Version:
        if self._server is None:
            return self._read_file()
        server = self._server
        return await self._queries.share_next(None, lambda: self._ask(server))

    def _read_file(self) -> Version:
        """On this very thread: it takes microseconds, and in WAL mode no writer blocks a reader."""
        try:
            if self._file is None:
                self._file = sqlite3.connect(
                    str(self._database.url.database), timeout=0, isolation_level=None
                )
            version = Version(*self._file.execute(_QUERY).fetchone())
            if (known := self.product_changes.lack(version)) is not None:
                changes = self._file.execute(_CHANGES, {"1": known, "2": MOST_CHANGES + 1})
                self.product_changes.note(version, changes.fetchall())
        except sqlite3.Error as error:
            raise DatabaseUnavailable("The database does not answer: try again") from error
        return version

    async def _ask(self, server: "ServerConnection") -> Version:
        (row,) = await server.fetch(_QUERY)
        version = Version(*row)
        if (known := self.product_changes.lack(version)) is not None:
            self.product_changes.note(version, await server.fetch(_CHANGES, known, MOST_CHANGES + 1))
        return version


def _server(database: Database) -> "ServerConnection":
    from backend.core.db.postgresql import (
        ServerConnection,  # its driver is loaded by shops that have PostgreSQL
    )

    return ServerConnection(database.url, through_pooler=database.through_pooler)
