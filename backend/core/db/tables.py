"""Shared parts of all tables: names of constraints, column types, fast inserts, timestamps."""

from datetime import datetime
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import JSON, ColumnElement, Insert, String, Table, insert
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import make_transient_to_detached
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.sql.selectable import TypedReturnsRows
from sqlmodel import Field, SQLModel

from backend.core.clock import now
from backend.core.db.database import UtcDateTime, planned_literal
from backend.core.errors import require_found

# named constraints, so that a migration can drop the constraints of another one
SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}

Json = JSON().with_variant(JSONB(), "postgresql")
"""A JSON column on both databases."""

JsonObject = dict[str, Any]

ByteOrdered = String().with_variant(String(collation="C"), "postgresql")
"""Text column that both databases compare byte by byte.

So a prefix search can use a range of the index, and both databases sort alike.
"""


class _JsonText(FunctionElement[str]):
    """A field of a JSON column as text. Compiled for each kind of database below."""

    type = String()
    inherit_cache = True


@compiles(_JsonText)
@compiles(_JsonText, "postgresql")
def _compile_json_text(element: _JsonText, compiler: SQLCompiler, **options: Any) -> str:
    column, name = (compiler.process(part, **options) for part in element.clauses)
    return f"({column} ->> {name})"


@compiles(_JsonText, "sqlite")
def _compile_sqlite_json_text(element: _JsonText, compiler: SQLCompiler, **options: Any) -> str:
    column, name = (compiler.process(part, **options) for part in element.clauses)
    return f"json_extract({column}, '$.' || {name})"


def json_text(column: Any, name: str) -> ColumnElement[str]:
    """Return a field of a JSON column as text, for the condition of a partial index and of its queries.

    The name is in the statement's text. With a parameter instead, SQLite would not use the index.
    """
    return _JsonText(column, planned_literal(name))


T = TypeVar("T")
R = TypeVar("R", bound=SQLModel)


def table_of(model: type[SQLModel]) -> Table:
    """Return the table of a model, for statements that are built once.

    Building a statement on the mapped class costs time at each execution. A statement on the table does not flush
    the session first.
    """
    return SQLModel.metadata.tables[str(model.__tablename__)]


def insert_into(target: type[SQLModel] | Table) -> postgresql.Insert:
    """Return an INSERT that has `on_conflict_do_nothing` and `on_conflict_do_update` on both databases.

    SQLite has the same clauses as PostgreSQL, and SQLAlchemy compiles PostgreSQL's statement for SQLite as well.
    """
    return postgresql.insert(target)


async def get_or_404(session: AsyncSession, query: TypedReturnsRows[T], noun: str, subject_id: str) -> T:
    """Return the only row of the query.

    Raises:
        NotFound: the query has no row. `require_found` describes the message.
    """
    return require_found((await session.execute(query)).scalar_one_or_none(), noun, subject_id)


def row_values(row: SQLModel) -> dict[str, Any]:
    """Return the row's values by column, for a statement on its table. Columns are named like the model's fields."""
    return {name: getattr(row, name) for name in type(row).model_fields}


async def insert_row(session: AsyncSession, row: SQLModel) -> None:
    """Insert the row immediately, in a quarter of the time that `session.add` takes.

    The row is not in the session: later changes to it are not written to the database.
    """
    await session.execute(_insert(type(row)), row_values(row))


async def insert_and_attach(session: AsyncSession, row: R) -> R:
    """Insert the row like `insert_row` and attach it to the session, as if the session had read it."""
    await insert_row(session, row)
    return attach_row(session, row)


def attach_row(session: AsyncSession, row: R) -> R:
    """Add an object to the session after a statement has inserted its row. The row is not read again."""
    make_transient_to_detached(row)
    session.add(row)
    return row


@cache
def _insert(model: type[SQLModel]) -> Insert:
    return insert(table_of(model))


class Timestamps(SQLModel):
    """Base class with the moments at which a row was created and most recently changed."""

    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime, nullable=False)
    updated_at: datetime = Field(
        default_factory=now, sa_type=UtcDateTime, nullable=False, sa_column_kwargs={"onupdate": now}
    )
