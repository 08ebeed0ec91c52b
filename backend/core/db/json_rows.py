"""Rows that the database formats as JSON: reading them costs a fraction of reading rows with many columns.

A row is an array of its values, rows are arrays separated by commas, and moments are texts in the format of the
platform's API. SQLite and PostgreSQL return the same texts, but with different SQL functions.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias, TypeVar

import orjson
from sqlalchemy import ColumnElement, Select, String, Text, any_, bindparam, cast, func, select, type_coerce
from sqlalchemy import literal_column as literally
from sqlalchemy.dialects.postgresql import ARRAY

IDS_PARAMETER = "ids"
"""Name of the SQL parameter with the ids that `is_one_of` compares."""

R = TypeVar("R")


class SqliteJson:
    """SQL expressions that format rows as JSON on SQLite."""

    @staticmethod
    def row(*values: ColumnElement[Any]) -> ColumnElement[Any]:
        """Return an SQL expression for a JSON array of these values: one row."""
        return func.json_array(*values)

    @staticmethod
    def json(column: ColumnElement[Any]) -> ColumnElement[Any]:
        """Return an SQL expression for a JSON column in a row. Its value is inserted as JSON, not as a text."""
        return func.json(column)

    @staticmethod
    def moment(column: ColumnElement[Any]) -> ColumnElement[Any]:
        """Return an SQL expression that formats a moment like `backend.edge.wire.iso`, cut to milliseconds."""
        text = func.substr(
            type_coerce(column, String).concat(literally("'.000'")), literally("1"), literally("23")
        )
        return func.replace(text, literally("' '"), literally("'T'")).concat(literally("'Z'"))

    @staticmethod
    def rows(query: Select[Any]) -> ColumnElement[Any]:
        """Return an SQL expression for all rows of the query; it is NULL if there are none.

        The query must have one column and an ORDER BY.
        """
        (row,) = (subquery_ := query.subquery()).columns
        return select(func.group_concat(row)).select_from(subquery_).scalar_subquery()

    @classmethod
    def nested(cls, query: Select[Any]) -> ColumnElement[Any]:
        """Return an SQL expression for the query's rows as one JSON array, for a column of another query."""
        rows = func.coalesce(cls.rows(query), literally("''"))
        return func.json(literally("'['").concat(rows).concat(literally("']'")))

    @staticmethod
    def text(value: ColumnElement[Any]) -> ColumnElement[Any]:
        """Declare a JSON expression as text, so that SQLAlchemy does not parse its result."""
        return type_coerce(value, String)

    @staticmethod
    def is_one_of(column: ColumnElement[Any]) -> ColumnElement[bool]:
        """Return the SQL condition that the column is one of the ids in the SQL parameter `IDS_PARAMETER`."""
        return column.in_(select(func.json_each(bindparam(IDS_PARAMETER)).table_valued("value").c.value))

    @staticmethod
    def ids(ids: list[str]) -> str:
        """Convert ids to the value of the SQL parameter `IDS_PARAMETER`."""
        return orjson.dumps(ids).decode()


class PostgresqlJson:
    """SQL expressions that format rows as JSON on PostgreSQL: see `SqliteJson`."""

    @staticmethod
    def row(*values: ColumnElement[Any]) -> ColumnElement[Any]:
        """Return an SQL expression for a JSON array of these values: one row."""
        return func.json_build_array(*values)

    @staticmethod
    def json(column: ColumnElement[Any]) -> ColumnElement[Any]:
        """Return an SQL expression for a JSON column in a row."""
        return column

    @staticmethod
    def moment(column: ColumnElement[Any]) -> ColumnElement[Any]:
        """Return an SQL expression that formats a moment like `backend.edge.wire.iso`, cut to milliseconds."""
        form: ColumnElement[str] = literally('\'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'')
        return func.to_char(func.timezone(literally("'UTC'"), column), form)

    @classmethod
    def rows(cls, query: Select[Any]) -> ColumnElement[Any]:
        """Return an SQL expression for all rows of the query; it is NULL if there are none.

        The query must have one column and an ORDER BY.
        """
        (row,) = (subquery_ := query.subquery()).columns
        joined = func.string_agg(cls.text(row), literally("','"))
        return select(joined).select_from(subquery_).scalar_subquery()

    @staticmethod
    def nested(query: Select[Any]) -> ColumnElement[Any]:
        """Return an SQL expression for the query's rows as one JSON array, for a column of another query."""
        (row,) = (subquery_ := query.subquery()).columns
        all_rows = func.coalesce(func.json_agg(row), literally("'[]'::json"))
        return select(all_rows).select_from(subquery_).scalar_subquery()

    @staticmethod
    def text(value: ColumnElement[Any]) -> ColumnElement[Any]:
        """Declare a JSON expression as text, so that SQLAlchemy does not parse its result."""
        return cast(value, Text)

    @staticmethod
    def is_one_of(column: ColumnElement[Any]) -> ColumnElement[bool]:
        """Return the SQL condition that the column is one of the ids in the SQL parameter `IDS_PARAMETER`."""
        return column == any_(bindparam(IDS_PARAMETER, type_=ARRAY(String)))

    @staticmethod
    def ids(ids: list[str]) -> list[str]:
        """Convert ids to the value of the SQL parameter `IDS_PARAMETER`."""
        return ids


JsonRows: TypeAlias = type[SqliteJson] | type[PostgresqlJson]


@cache
def json_rows(dialect: str) -> JsonRows:
    """Return the JSON expressions for a kind of database, by the name of its SQLAlchemy dialect."""
    return SqliteJson if dialect == "sqlite" else PostgresqlJson


def parse_rows(row_type: Callable[..., R], written: str | None) -> list[R]:
    """Parse the JSON text of `rows` into one object of `row_type` for each row; empty for None."""
    return [row_type(*row) for row in orjson.loads(f"[{written}]")] if written else []
