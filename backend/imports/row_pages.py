"""Pages of an import's rows: those with problems, those with notes, and those that create or change products."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import ColumnElement, String, cast, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.tables import JsonObject
from backend.imports.lookup import find_import
from backend.imports.messages import format_note, format_problem
from backend.imports.models import ImportStatus, Plan, ProductImport, ProductImportRow, RowState
from backend.staff.rights import Actor, Right

PAGE_SIZE = 50
"""Number of rows of a page, unless the caller asks for another number."""
MAX_CELL_LENGTH = 60
"""Maximum number of characters of a cell that a problem quotes."""
EMPTY_LIST = "[]"
"""Text of an empty JSON list in both databases."""


class RowList(StrEnum):
    """A list of rows of an import. A row may be in several lists."""

    PROBLEMS = "problems"
    """Rows that cannot be imported as they are, that were refused, or that were written without a picture."""
    NOTES = "notes"
    """Rows that have a cell whose value was changed when it was read."""
    CHANGES = "changes"
    """Rows that create or change a product."""


@dataclass(frozen=True, slots=True)
class CellMessage:
    """A problem to correct, or a note about a cell.

    Attributes:
        line: number of the row in the spreadsheet.
        column: the importer's name of the column; empty if the message concerns the whole row.
        code: kind of the problem or note.
        text: the sentence for people.
        heading: the file's own heading of the column.
        value: the cell; shortened.
    """

    line: int
    column: str
    code: str
    text: str
    heading: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class ImportRow:
    """A row of an import.

    Attributes:
        line: number of the row in the spreadsheet.
        title: title, SKU or handle, by which people recognize the row.
        is_new: True if it creates a product.
        problems: reasons why it cannot be imported as it is, or why it was refused or lacks a picture.
        notes: messages about cells whose value was changed when it was read.
        changes: a list of `{"column", "before", "after"}`.
        losses: columns whose value it empties or takes away.
    """

    line: int
    title: str
    is_new: bool
    problems: Sequence[CellMessage]
    notes: Sequence[CellMessage]
    changes: Sequence[JsonObject]
    losses: Sequence[str]


async def read_row_page(
    session: AsyncSession, actor: Actor, import_id: str, kind: RowList, *, offset: int, limit: int
) -> tuple[list[ImportRow], int]:
    """Return a page of one list of an import's rows, in the order of the lines, and the length of the whole list.

    Raises:
        NotFound: the import does not exist.
    """
    actor.require(Right.READ_CATALOG)
    found = await find_import(session, import_id)
    rows = await list_rows(session, found, kind, offset, limit)
    return rows, await count_rows(session, found, kind)


async def count_rows(session: AsyncSession, found: ProductImport, kind: RowList) -> int:
    """Return the number of rows in a list of the import: its problems, notes or changes."""
    query = select(func.count()).select_from(ProductImportRow).where(*list_conditions(found, kind))
    return (await session.execute(query)).scalar_one()


async def list_rows(
    session: AsyncSession, found: ProductImport, kind: RowList, offset: int = 0, limit: int = PAGE_SIZE
) -> list[ImportRow]:
    """Return a page of one of the import's lists, in the order of the lines."""
    row = ProductImportRow
    query = (
        select(row.line, row.title, row.plan, row.problems, row.notes, row.changes, row.losses, row.texts)
        .where(*list_conditions(found, kind))
        .order_by(row.line)
    )
    return [
        ImportRow(
            one.line,
            one.title,
            one.plan == Plan.NEW,
            [
                _to_message(found, one.line, one.texts, problem, format_problem(problem))
                for problem in one.problems
            ],
            [_to_message(found, one.line, one.texts, note, format_note(note)) for note in one.notes],
            one.changes,
            one.losses,
        )
        for one in await session.execute(query.offset(offset).limit(limit))
    ]


def list_conditions(found: ProductImport, kind: RowList) -> list[ColumnElement[bool]]:
    """Return the SQL conditions for the rows of one of the import's lists."""
    row = ProductImportRow
    of_import: ColumnElement[bool] = row.import_id == found.id
    if kind is RowList.NOTES:
        return [of_import, cast(row.notes, String) != EMPTY_LIST]
    if kind is RowList.CHANGES:
        return [of_import, row.plan.in_([Plan.NEW, Plan.CHANGED]), row.state != RowState.REFUSED]
    if found.status == ImportStatus.CHECKED:
        return [of_import, row.plan == Plan.WRONG]
    return [of_import, row.state.in_([RowState.REFUSED, RowState.PARTIAL])]


def _to_message(
    found: ProductImport, line: int, texts: Sequence[str | None], stored: JsonObject, text: str
) -> CellMessage:
    column = stored["column"]
    place = found.columns.index(column) if column in found.columns else -1
    heading = found.headings[place] if 0 <= place < len(found.headings) else ""
    value = (texts[place] or "") if 0 <= place < len(texts) else ""
    is_long = len(value) > MAX_CELL_LENGTH
    return CellMessage(
        line, column, stored["code"], text, heading, f"{value[:MAX_CELL_LENGTH]}…" if is_long else value
    )
