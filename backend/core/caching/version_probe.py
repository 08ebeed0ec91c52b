"""Check, before every answer and at very low cost, whether the catalogue has changed.

The version is a set of numbers in the row of `catalog_version`, which triggers increase in the transaction of a
change. A session costs a hundred times as much as reading this row, so the probe has a separate connection. On
PostgreSQL all callers that arrive while a query is running share the next one: the number of queries does not grow
with the number of requests. A caller gets a version that was committed before or during the query, and never an
older version than an earlier caller got.

If only single products have changed, the probe also reads their ids (`ProductChanges`), so that views of other
products stay valid.
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

MAX_CHANGES = 5_000
"""Maximum number of changed products to remember. If more have changed, every product counts as changed."""
_CHANGES = "SELECT product_id, number FROM product_change WHERE number > $1 LIMIT $2"


class Version(NamedTuple):
    """The version of catalogue, stock, lists and sold-out state (`backend.catalog.derived_models.CatalogVersion`).

    If two versions are equal, no change was committed between them.
    """

    catalog: int
    stock: int
    lists: int
    sold_out: int
    shared: int
    product_changes: int

    @property
    def without_units(self) -> "Version":
        """Part of the version that ignores changes of stock, unless a product sells out or is available again."""
        return self._replace(stock=0)

    @property
    def without_products(self) -> tuple[int, int]:
        """Part of the version that ignores changes of single products: lists and shared data."""
        return self.lists, self.shared


_QUERY = f"SELECT {', '.join(Version._fields)} FROM catalog_version WHERE id = 1"  # noqa: S608 - the names are constants


class ProductChanges:
    """The number of the latest change of each product, by product id. At most `MAX_CHANGES` products are stored."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._forgotten: int | None = None
        """Number of the latest change whose product is no longer remembered; None before the first version was read."""
        self._read_until = 0
        """Number of the latest change that was read from the database."""

    def missing_since(self, version: Version) -> int | None:
        """Return the number after which changes of this version have not been read yet.

        Return None if all changes of this version were read.
        """
        if self._forgotten is None:  # no view was built from an earlier version
            self._forgotten = self._read_until = version.product_changes
        if (
            version.product_changes < self._read_until
        ):  # the database was restored: the known numbers belong to other changes
            self._numbers.clear()
            self._forgotten, self._read_until = self._read_until + 1, version.product_changes
        return None if version.product_changes == self._read_until else self._read_until

    def add_changes(self, version: Version, changes: Sequence[tuple[str, int]]) -> None:
        """Store the changes that were read for this version, as pairs of product id and number.

        If more than `MAX_CHANGES` are given or would be stored, all changes are discarded. Then no earlier
        view counts as unchanged.
        """
        self._numbers.update(changes)
        self._read_until = version.product_changes
        if len(self._numbers) > MAX_CHANGES or len(changes) > MAX_CHANGES:
            self._numbers.clear()
            self._forgotten = self._read_until

    def are_unchanged_since(self, number: int, product_ids: Iterable[str]) -> bool:
        """Return True if none of the products has changed after the change with this number.

        Return False if the changes after this number were discarded.
        """
        if self._forgotten is None or number < self._forgotten:
            return False
        changed = self._numbers
        return all(changed.get(product_id, 0) <= number for product_id in product_ids)


class VersionProbe:
    """Reader of the catalogue's version. The version is never cached, so it is exact on every replica."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._file: sqlite3.Connection | None = None
        self._server = None if database.is_sqlite else _server_connection(database)
        self._queries = SingleFlight[None, Version](runs_to_end=True)  # all callers share one connection
        self._values: dict[Hashable, tuple[tuple[int, int], Any]] = {}
        self.product_changes = ProductChanges()
        """The changes up to the latest version that `read_version` returned."""

    async def read_version(self) -> Version:
        """Return the version that is committed now.

        Raises:
            DatabaseUnavailable: the database does not answer.
        """
        try:
            version = await self._query_version()
        except DatabaseUnavailable as error:
            self._database.outage.record_failure(error, error.__cause__ or error, PROBE)
            raise
        self._database.outage.record_success(PROBE)
        return version

    async def read_cached(self, name: Hashable, read: Callable[[], Awaitable[T]]) -> T:
        """Return the value that `read` returned under this name. It is read again after lists or shared data changed.

        Use this for small values that are read often and do not depend on a single product. If a name contains
        input of a client, it must be a tuple that also contains the kind of the value, so that it cannot equal
        another name. None is not cached, so clients cannot fill the memory with invented names.
        """
        try:
            version = await self.read_version()
        except OSError:
            return await read()
        known, value = self._values.get(name, (None, None))
        if known != version.without_products:
            value = await read()
            if value is not None:
                self._values[name] = (version.without_products, value)
        return cast("T", value)

    async def close(self) -> None:
        """Close the connection."""
        if self._file is not None:
            self._file.close()
            self._file = None
        await self._queries.wait_until_idle()
        if self._server is not None:
            self._server.disconnect()

    async def _query_version(self) -> Version:
        if self._server is None:
            return self._read_file()
        server = self._server
        return await self._queries.share_next(None, lambda: self._read_server(server))

    def _read_file(self) -> Version:
        """Read the version from an SQLite database in the calling thread.

        This takes microseconds, and in WAL mode no writer blocks a reader.
        """
        try:
            if self._file is None:
                self._file = sqlite3.connect(
                    str(self._database.url.database), timeout=0, isolation_level=None
                )
            version = Version(*self._file.execute(_QUERY).fetchone())
            if (known := self.product_changes.missing_since(version)) is not None:
                changes = self._file.execute(_CHANGES, {"1": known, "2": MAX_CHANGES + 1})
                self.product_changes.add_changes(version, changes.fetchall())
        except sqlite3.Error as error:
            raise DatabaseUnavailable("The database does not answer: try again") from error
        return version

    async def _read_server(self, server: "ServerConnection") -> Version:
        (row,) = await server.fetch(_QUERY)
        version = Version(*row)
        if (known := self.product_changes.missing_since(version)) is not None:
            self.product_changes.add_changes(version, await server.fetch(_CHANGES, known, MAX_CHANGES + 1))
        return version


def _server_connection(database: Database) -> "ServerConnection":
    from backend.core.db.postgresql import (
        ServerConnection,  # only shops with PostgreSQL load its driver
    )

    return ServerConnection(database.url, through_pooler=database.through_pooler)
