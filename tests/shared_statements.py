"""Compiled SQL statements that all databases of a worker share."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import pytest
from sqlalchemy import Connection, Dialect
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.postgresql.asyncpg import PGDialect_asyncpg
from sqlalchemy.dialects.sqlite.aiosqlite import SQLiteDialect_aiosqlite
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from tests.warm_connections import WARM_CONNECTIONS


class _EqualDialect(Dialect):
    """A dialect that equals all others of its class, so that engines share their compiled statements.

    The first engine asks the server for its version and settings; the dialects of the others copy the answers.
    """

    _answers: ClassVar[dict[str, Any] | None] = None

    def initialize(self, connection: Connection) -> None:
        """Set the attributes that depend on the server."""
        if self._answers is not None:
            vars(self).update(self._answers)
            return
        before = dict(vars(self))
        super().initialize(connection)
        type(self)._answers = {
            name: value for name, value in vars(self).items() if before.get(name) is not value
        }

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))


class SharedSqliteDialect(_EqualDialect, SQLiteDialect_aiosqlite):
    """The dialect of the tests' SQLite databases."""

    supports_statement_cache = True


class SharedPostgresqlDialect(_EqualDialect, PGDialect_asyncpg):
    """The dialect of the tests' PostgreSQL databases. All are on one server.

    It keeps connections open for the next test: see `tests/warm_connections.py`.
    """

    supports_statement_cache = True

    def connect(self, *arguments: Any, **options: Any) -> Any:
        """Return an open connection that an earlier test no longer uses, or a new one."""
        connection = WARM_CONNECTIONS.take(options)
        if connection is None:
            connection = super().connect(*arguments, **options)
            WARM_CONNECTIONS.add(connection, options)
        return connection

    def on_connect(self) -> Callable[[Any], None]:
        """Return a function that prepares a connection if it is new."""
        prepare_new = super().on_connect()  # type: ignore[no-untyped-call]

        def prepare(connection: Any) -> None:
            if connection.driver_connection not in WARM_CONNECTIONS.prepared:
                prepare_new(connection)
                WARM_CONNECTIONS.prepared.add(connection.driver_connection)

        return prepare

    def do_close(self, dbapi_connection: Any) -> None:
        """Keep the connection open for the next test, or close it."""
        if not WARM_CONNECTIONS.keep(dbapi_connection):
            super().do_close(dbapi_connection)  # type: ignore[no-untyped-call]


@contextmanager
def share_compiled_statements() -> Iterator[None]:
    """Share the compiled statements between all databases of a kind.

    Each test has its own databases. With independent engines a test would spend a quarter of its time on compiling
    the statements that the previous test had already compiled.
    """
    compiled: dict[Any, Any] = {}

    def create(url: str, **options: Any) -> AsyncEngine:
        return create_async_engine(url, execution_options={"compiled_cache": compiled}, **options)

    registry.register("sqlite.aiosqlite", __name__, SharedSqliteDialect.__name__)
    registry.register("postgresql.asyncpg", __name__, SharedPostgresqlDialect.__name__)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("backend.core.db.database.create_async_engine", create)
        patch.setattr("backend.core.db.postgresql.create_async_engine", create)
        yield
