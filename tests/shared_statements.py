"""Compiled SQL statements that all databases of a worker share."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.postgresql.asyncpg import PGDialect_asyncpg
from sqlalchemy.dialects.sqlite.aiosqlite import SQLiteDialect_aiosqlite
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine


class _EqualDialect:
    """A dialect that equals all of its kind, so that a compiled statement of one engine is found by the others."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))


class SharedSqliteDialect(_EqualDialect, SQLiteDialect_aiosqlite):
    """The dialect of the tests' SQLite databases."""

    supports_statement_cache = True


class SharedPostgresqlDialect(_EqualDialect, PGDialect_asyncpg):
    """The dialect of the tests' PostgreSQL databases. All are on one server."""

    supports_statement_cache = True


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
