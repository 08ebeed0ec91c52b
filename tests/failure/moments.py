"""Letting time pass: every moment that the shop has stored moves back; the clock stays as it is."""

from datetime import timedelta
from typing import Any, cast

from sqlalchemy import ColumnElement, Interval, Table, func, literal, type_coerce, update
from sqlmodel import SQLModel

from backend.core.db.database import Database, UtcDateTime

UNMOVED = ("backend.catalog", "backend.channels", "backend.migrations.sandbox_tables")
"""The catalogue's moments stay, as pages are drawn anew when they change; the gateway's are its banks' own business."""


async def move_moments_back(
    database: Database, span: timedelta, *, only: type[SQLModel] | None = None
) -> None:
    """Let so much time have passed for everything the shop keeps, or for the rows of one table only."""
    tables = [
        cast("Table", mapper.local_table)
        for mapper in SQLModel._sa_registry.mappers
        if only in (None, mapper.class_) and not mapper.class_.__module__.startswith(UNMOVED)
    ]
    async with database.transaction() as session:
        for table in tables:
            moments = [column for column in table.c if isinstance(column.type, UtcDateTime)]
            if moments:
                earlier = {one: _earlier(one, span.total_seconds(), database) for one in moments}
                await session.execute(update(table).values(earlier))


def _earlier(column: ColumnElement[Any], seconds: float, database: Database) -> ColumnElement[Any]:
    if database.is_sqlite:
        moved = func.strftime("%Y-%m-%d %H:%M:%f", column, f"-{seconds:.3f} seconds").op("||")("000")
        return type_coerce(moved, column.type)
    return type_coerce(column.op("-")(literal(timedelta(seconds=seconds), Interval())), column.type)
