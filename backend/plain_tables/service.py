"""Small tables that staff keep over the Admin API: tags and types of products, reasons of refunds and returns.

A `Kind` says what a table holds. `backend.plain_tables.routes` gives it the platform's five routes; the functions here
check the right and add an entry to the audit.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.core.db.database import constrained, locked
from backend.core.db.tables import JsonObject, get_or_404
from backend.core.errors import InvalidData
from backend.edge.query import in_order, mentions, met, moments, one_of, rows_of
from backend.edge.wire import JsonDict, stamps
from backend.plain_tables.models import PlainRow
from backend.plain_tables.schemas import RowChange, RowsParameters
from backend.staff.rights import Actor, Right


async def _untold(_session: AsyncSession, _row_id: str) -> None:
    """Nothing that others show is made of the row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What a table holds.

    Attributes:
        thing: what it is in the audit.
        names: what many of them and one are called on the wire.
        right: to change them.
        texts: its columns, by the names that they have on the wire; of the first no two rows have the same.
        constants: what the platform shows besides, and the shop does not have.
        new: the body that makes one. What it requires is never null.
        before_change: called with the id before a row is changed or deleted.
    """

    table: type[PlainRow]
    thing: Thing
    names: tuple[str, str]
    right: Right
    texts: tuple[str, ...]
    constants: JsonObject
    new: type[RowChange]
    change: type[RowChange]
    parameters: type[RowsParameters]
    before_change: Callable[[AsyncSession, str], Awaitable[None]] = _untold

    @property
    def called(self) -> str:
        """What one is called in a message."""
        return self.names[1].replace("_", " ").capitalize()

    def wire(self, row: PlainRow | Any) -> JsonDict:
        """The row as the platform shows it."""
        return {
            "id": row.id,
            **{name: getattr(row, name) for name in self.texts},
            **self.constants,
            "metadata": row.meta or None,
            **stamps(row.created_at, row.updated_at),
            "deleted_at": None,
        }


async def rows_asked_for(
    session: AsyncSession, kind: Kind, asked: RowsParameters
) -> tuple[Sequence[PlainRow], int]:
    """A page of the rows that were asked for, and how many there are in all.

    Raises:
        InvalidData: they cannot be ordered by what was asked.
    """
    table = kind.table
    columns = {name: getattr(table, name) for name in kind.texts}

    def conditions(part: RowsParameters) -> list[ColumnElement[bool]]:
        found = moments(part, table.created_at, table.updated_at)
        found += one_of(
            (table.id, part.id), *((columns[name], getattr(part, name, None)) for name in columns)
        )
        return [*found, *mentions(part.q, *columns.values())]

    sortable = {**columns, "created_at": table.created_at, "updated_at": table.updated_at}
    order = in_order(asked.order, sortable, [columns[kind.texts[0]], table.id])
    return await rows_of(session, table, met(asked, conditions), order, asked)


async def find_row(session: AsyncSession, kind: Kind, row_id: str, *, lock: bool = False) -> PlainRow:
    """The row; with `lock`, locked for a change.

    Raises:
        NotFound: there is none.
    """
    query = select(kind.table).where(kind.table.id == row_id)
    return await get_or_404(session, locked(query) if lock else query, kind.called, row_id)


async def create_row(session: AsyncSession, actor: Actor, kind: Kind, new: RowChange) -> PlainRow:
    """A new row.

    Raises:
        InvalidData: there is one with its first text.
    """
    actor.require(kind.right)
    said = new.model_dump()
    row = kind.table(meta=said.pop("metadata") or {}, **said)
    await record(session, actor, "created", Subject(kind.thing, row.id))
    async with constrained(session, _taken(kind, new)):
        session.add(row)
    return row


async def change_row(
    session: AsyncSession, actor: Actor, kind: Kind, row_id: str, change: RowChange
) -> PlainRow:
    """Change the texts that the body names; the others stay.

    Raises:
        NotFound: there is none.
        InvalidData: another has its first text.
    """
    actor.require(kind.right)
    row = await find_row(session, kind, row_id, lock=True)
    await record(session, actor, "changed", Subject(kind.thing, row_id))
    await kind.before_change(session, row_id)
    async with constrained(session, _taken(kind, change)):
        for name in kind.texts:
            value = getattr(change, name)
            if name in change.model_fields_set and not (
                value is None and kind.new.model_fields[name].is_required()
            ):
                setattr(row, name, value)
        if "metadata" in change.model_fields_set:
            row.meta = change.metadata or {}
    return row


async def delete_row(session: AsyncSession, actor: Actor, kind: Kind, row_id: str) -> None:
    """Delete the row; what named it does so no longer.

    Raises:
        NotFound: there is none.
    """
    actor.require(kind.right)
    row = await find_row(session, kind, row_id, lock=True)
    await record(session, actor, "deleted", Subject(kind.thing, row_id))
    await kind.before_change(session, row_id)
    await session.delete(row)
    await session.flush()


def _taken(kind: Kind, said: RowChange) -> InvalidData:
    """Another row has the first text of what was said."""
    name = kind.texts[0]
    return InvalidData(f"{kind.called} with {name}: {getattr(said, name)}, already exists.")
