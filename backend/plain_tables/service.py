"""Small tables that staff maintain through the Admin API: product tags and types, and reasons for refunds and returns.

A `PlainTable` describes one table. `backend.plain_tables.routes` adds the commerce platform's five routes for it.
The functions here check the actor's rights and add an entry to the audit log.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.db.database import lock_rows, raise_on_conflict
from backend.core.db.tables import JsonObject, get_or_404
from backend.core.errors import InvalidData
from backend.edge.query import (
    in_clauses,
    moment_clauses,
    order_clauses,
    read_page,
    search_clauses,
    where_clauses,
)
from backend.edge.wire import JsonDict, stamps
from backend.plain_tables.models import PlainRow
from backend.plain_tables.schemas import RowChange, RowsParameters
from backend.staff.rights import Actor, Right


async def _ignore_change(_session: AsyncSession, _row_id: str) -> None:
    """Do nothing: no other data is derived from these rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainTable:
    """The description of a small table.

    Attributes:
        subject_type: the type of its rows in the audit log.
        names: the plural and the singular of its rows in the commerce platform's API.
        right: the right that is needed to change rows.
        text_columns: its text columns, named as in the commerce platform's API. The first column is unique.
        constants: fields of the commerce platform's API that this shop does not have, with their fixed values.
        create_model: the request body that creates a row. Its required fields can never be changed to null.
        before_change: called with the row's id before a row is changed or deleted.
    """

    table: type[PlainRow]
    subject_type: SubjectType
    names: tuple[str, str]
    right: Right
    text_columns: tuple[str, ...]
    constants: JsonObject
    create_model: type[RowChange]
    change_model: type[RowChange]
    parameters: type[RowsParameters]
    before_change: Callable[[AsyncSession, str], Awaitable[None]] = _ignore_change

    @property
    def display_name(self) -> str:
        """Name of one row of the table in error messages, such as `Product tag`."""
        return self.names[1].replace("_", " ").capitalize()

    def to_wire(self, row: PlainRow | Any) -> JsonDict:
        """Return the row in the platform's shape."""
        return {
            "id": row.id,
            **{name: getattr(row, name) for name in self.text_columns},
            **self.constants,
            "metadata": row.meta or None,
            **stamps(row.created_at, row.updated_at),
            "deleted_at": None,
        }


async def find_rows(
    session: AsyncSession, plain_table: PlainTable, asked: RowsParameters
) -> tuple[Sequence[PlainRow], int]:
    """Return the requested page of the matching rows, and the total number of matching rows.

    Raises:
        InvalidData: the rows cannot be sorted by the requested column.
    """
    table = plain_table.table
    columns = {name: getattr(table, name) for name in plain_table.text_columns}

    def conditions(part: RowsParameters) -> list[ColumnElement[bool]]:
        clauses = moment_clauses(part, table.created_at, table.updated_at)
        clauses += in_clauses(
            (table.id, part.id), *((columns[name], getattr(part, name, None)) for name in columns)
        )
        return [*clauses, *search_clauses(part.q, *columns.values())]

    sortable = {**columns, "created_at": table.created_at, "updated_at": table.updated_at}
    order = order_clauses(asked.order, sortable, [columns[plain_table.text_columns[0]], table.id])
    return await read_page(session, table, where_clauses(asked, conditions), order, asked)


async def find_row(
    session: AsyncSession, plain_table: PlainTable, row_id: str, *, lock: bool = False
) -> PlainRow:
    """Return the row; with `lock`, lock it for a change.

    Raises:
        NotFound: the row does not exist.
    """
    query = select(plain_table.table).where(plain_table.table.id == row_id)
    return await get_or_404(session, lock_rows(query) if lock else query, plain_table.display_name, row_id)


async def create_row(
    session: AsyncSession, actor: Actor, plain_table: PlainTable, new: RowChange
) -> PlainRow:
    """Create a row.

    Raises:
        InvalidData: another row has the same value in the first text column, which is unique.
    """
    actor.require(plain_table.right)
    values = new.model_dump()
    row = plain_table.table(meta=values.pop("metadata") or {}, **values)
    await record(session, actor, "created", Subject(plain_table.subject_type, row.id))
    async with raise_on_conflict(session, _duplicate_error(plain_table, new)):
        session.add(row)
    return row


async def change_row(
    session: AsyncSession, actor: Actor, plain_table: PlainTable, row_id: str, change: RowChange
) -> PlainRow:
    """Change the fields that the request body contains; the others stay unchanged.

    Raises:
        NotFound: the row does not exist.
        InvalidData: another row has the same value in the first text column, which is unique.
    """
    actor.require(plain_table.right)
    row = await find_row(session, plain_table, row_id, lock=True)
    await record(session, actor, "changed", Subject(plain_table.subject_type, row_id))
    await plain_table.before_change(session, row_id)
    async with raise_on_conflict(session, _duplicate_error(plain_table, change)):
        for name in plain_table.text_columns:
            value = getattr(change, name)
            if name in change.model_fields_set and not (
                value is None and plain_table.create_model.model_fields[name].is_required()
            ):
                setattr(row, name, value)
        if "metadata" in change.model_fields_set:
            row.meta = change.metadata or {}
    return row


async def delete_row(session: AsyncSession, actor: Actor, plain_table: PlainTable, row_id: str) -> None:
    """Delete the row. References to it in other rows become null.

    Raises:
        NotFound: the row does not exist.
    """
    actor.require(plain_table.right)
    row = await find_row(session, plain_table, row_id, lock=True)
    await record(session, actor, "deleted", Subject(plain_table.subject_type, row_id))
    await plain_table.before_change(session, row_id)
    await session.delete(row)
    await session.flush()


def _duplicate_error(plain_table: PlainTable, body: RowChange) -> InvalidData:
    """Return the error that another row has the same value in the unique first text column."""
    name = plain_table.text_columns[0]
    return InvalidData(f"{plain_table.display_name} with {name}: {getattr(body, name)}, already exists.")
