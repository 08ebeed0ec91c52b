"""Rows that the database itself writes as JSON: read at once, they cost a fraction of what rows of many columns do.

A row is an array of its values, rows are arrays with commas between them, and moments are texts as the wire has them.
Both kinds of database write the same, each with functions of its own.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias, TypeVar

import orjson
from sqlalchemy import ColumnElement, Select, String, Text, any_, bindparam, cast, func, select, type_coerce
from sqlalchemy import literal_column as literally
from sqlalchemy.dialects.postgresql import ARRAY

IDS = "ids"
"""The parameter of `is_one_of`."""

R = TypeVar("R")


class SqliteJson:
    """How SQLite writes rows."""

    @staticmethod
    def row(*values: ColumnElement[Any]) -> ColumnElement[Any]:
        """The values in an array."""
        return func.json_array(*values)

    @staticmethod
    def json(column: ColumnElement[Any]) -> ColumnElement[Any]:
        """A JSON column as a value of a row."""
        return func.json(column)

    @staticmethod
    def moment(column: ColumnElement[Any]) -> ColumnElement[Any]:
        """A moment as `backend.edge.wire.iso` writes it, cut to milliseconds."""
        text = func.substr(
            type_coerce(column, String).concat(literally("'.000'")), literally("1"), literally("23")
        )
        return func.replace(text, literally("' '"), literally("'T'")).concat(literally("'Z'"))

    @staticmethod
    def rows(query: Select[Any]) -> ColumnElement[Any]:
        """All rows of the query, which has one column and an order; NULL where there are none."""
        (row,) = (found := query.subquery()).columns
        return select(func.group_concat(row)).select_from(found).scalar_subquery()

    @classmethod
    def nested(cls, query: Select[Any]) -> ColumnElement[Any]:
        """The rows as a value of a row."""
        rows = func.coalesce(cls.rows(query), literally("''"))
        return func.json(literally("'['").concat(rows).concat(literally("']'")))

    @staticmethod
    def text(value: ColumnElement[Any]) -> ColumnElement[Any]:
        """JSON as it is stored."""
        return type_coerce(value, String)

    @staticmethod
    def is_one_of(column: ColumnElement[Any]) -> ColumnElement[bool]:
        """The column has one of the ids."""
        return column.in_(select(func.json_each(bindparam(IDS)).table_valued("value").c.value))

    @staticmethod
    def ids(ids: list[str]) -> str:
        """The value of `is_one_of`'s parameter."""
        return orjson.dumps(ids).decode()


class PostgresqlJson:
    """How PostgreSQL writes rows: see `SqliteJson`."""

    @staticmethod
    def row(*values: ColumnElement[Any]) -> ColumnElement[Any]:
        """The values in an array."""
        return func.json_build_array(*values)

    @staticmethod
    def json(column: ColumnElement[Any]) -> ColumnElement[Any]:
        """A JSON column as a value of a row."""
        return column

    @staticmethod
    def moment(column: ColumnElement[Any]) -> ColumnElement[Any]:
        """A moment as `backend.edge.wire.iso` writes it, cut to milliseconds."""
        form: ColumnElement[str] = literally('\'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'')
        return func.to_char(func.timezone(literally("'UTC'"), column), form)

    @classmethod
    def rows(cls, query: Select[Any]) -> ColumnElement[Any]:
        """All rows of the query, which has one column and an order; NULL where there are none."""
        (row,) = (found := query.subquery()).columns
        joined = func.string_agg(cls.text(row), literally("','"))
        return select(joined).select_from(found).scalar_subquery()

    @staticmethod
    def nested(query: Select[Any]) -> ColumnElement[Any]:
        """The rows as a value of a row."""
        (row,) = (found := query.subquery()).columns
        every = func.coalesce(func.json_agg(row), literally("'[]'::json"))
        return select(every).select_from(found).scalar_subquery()

    @staticmethod
    def text(value: ColumnElement[Any]) -> ColumnElement[Any]:
        """JSON as it is stored."""
        return cast(value, Text)

    @staticmethod
    def is_one_of(column: ColumnElement[Any]) -> ColumnElement[bool]:
        """The column has one of the ids."""
        return column == any_(bindparam(IDS, type_=ARRAY(String)))

    @staticmethod
    def ids(ids: list[str]) -> list[str]:
        """The value of `is_one_of`'s parameter."""
        return ids


JsonRows: TypeAlias = type[SqliteJson] | type[PostgresqlJson]


@cache
def json_rows(dialect: str) -> JsonRows:
    """How the kind of database with this name, as a session's bind has it, writes rows."""
    return SqliteJson if dialect == "sqlite" else PostgresqlJson


def rows_from(kind: Callable[..., R], written: str | None) -> list[R]:
    """The rows that the database wrote."""
    return [kind(*row) for row in orjson.loads(f"[{written}]")] if written else []
