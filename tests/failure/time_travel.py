"""Time travel for tests: every stored moment moves back; the clock is unchanged."""

from datetime import timedelta
from typing import Any, cast

from sqlalchemy import ColumnElement, Interval, Table, func, inspect, literal, type_coerce, update
from sqlmodel import SQLModel

from backend.core.db.database import Database, UtcDateTime
from backend.jobs.models import Job

UNMOVED_MODULES = ("backend.catalog", "backend.channels", "backend.migrations.sandbox_tables")
"""The catalogue's moments stay, because a change re-renders pages; the gateway's moments belong to the banks."""


async def move_moments_back(
    database: Database, span: timedelta, *, only: type[SQLModel] | None = None
) -> None:
    """Move all stored moments back by `span`, or only those of one table."""
    tables = [
        cast("Table", mapper.local_table)
        for mapper in inspect(Job).registry.mappers
        if only in (None, mapper.class_) and not mapper.class_.__module__.startswith(UNMOVED_MODULES)
    ]
    async with database.transaction() as session:
        for table in tables:
            moments = [column for column in table.c if isinstance(column.type, UtcDateTime)]
            if moments:
                earlier = {
                    column: _subtract_seconds(column, span.total_seconds(), database) for column in moments
                }
                await session.execute(update(table).values(earlier))


def _subtract_seconds(column: ColumnElement[Any], seconds: float, database: Database) -> ColumnElement[Any]:
    if database.is_sqlite:
        moved = func.strftime("%Y-%m-%d %H:%M:%f", column, f"-{seconds:.3f} seconds").op("||")("000")
        return type_coerce(moved, column.type)
    return type_coerce(column.op("-")(literal(timedelta(seconds=seconds), Interval())), column.type)
