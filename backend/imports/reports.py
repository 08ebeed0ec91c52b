"""Report on an import: counts of its rows, with the first problems and changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import String, cast, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.formats.models import ColumnSuggestion
from backend.core.db.tables import JsonObject
from backend.imports.lookup import find_import
from backend.imports.messages import format_file_note, format_note, format_problem, format_set_aside
from backend.imports.models import ImportStatus, Plan, ProductImport, ProductImportRow, RowState
from backend.imports.picture_report import PictureReport
from backend.staff.rights import Actor, Right

MAX_PROBLEMS = 100
"""Maximum number of rows with problems in a report."""
MAX_CHANGES = 50
MAX_NOTES = 50
"""Maximum number of rows with notes in a report."""
MAX_CELL_LENGTH = 60
"""Maximum number of characters of a cell that a problem quotes."""

EMPTY_LIST = "[]"
"""Text of an empty JSON list in both databases."""


@dataclass(frozen=True, slots=True)
class RowCounts:
    """Numbers of rows.

    Attributes:
        new: rows that create a product.
        changed: rows that change a product.
        same: rows that change nothing.
        wrong: rows that cannot be imported as they are.
        settled: rows that were written or refused.
        refused: rows that were refused.
    """

    new: int
    changed: int
    same: int
    wrong: int
    settled: int
    refused: int


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
class RowChanges:
    """A row that creates or changes a product. `losses` are the columns whose value it empties or takes away."""

    line: int
    title: str
    is_new: bool
    changes: Sequence[JsonObject]
    losses: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class SetAside:
    """A row or a sheet that is not imported. The line of a sheet is 0."""

    line: int
    reason: str
    text: str
    message: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    """State of an import; `problems`, `notes` and `changes` contain only the first ones.

    Attributes:
        format: a `backend.catalog.importer.formats.models.SourceFormat`.
        sheet: name of the imported sheet; empty for a text file.
        publishes: True if new products without a status are published.
        loss_count: number of values that the import would empty or take away.
        losses: number of rows that lose a value, by column.
        code_changes: the first changed SKUs and bar codes: `{"line", "title", "column", "before", "after"}`.
        set_aside: rows and sheets that are not imported.
        file_notes: sentences about the whole file.
        note_count: number of rows with notes.
        pictures: see `backend.imports.picture_report`.
        mapping: the columns of an unknown list, and the importer's columns that they are taken for.
    """

    id: str
    name: str
    status: ImportStatus
    total: int
    makes_places: bool
    ignored: Sequence[str]
    counts: RowCounts
    problems: Sequence[CellMessage]
    changes: Sequence[RowChanges]
    format: str
    sheet: str
    publishes: bool
    loss_count: int
    losses: Mapping[str, int]
    code_changes: Sequence[JsonObject]
    set_aside: Sequence[SetAside]
    file_notes: Sequence[str]
    notes: Sequence[CellMessage]
    note_count: int
    pictures: PictureReport
    mapping: Sequence[ColumnSuggestion]


async def read_report(session: AsyncSession, actor: Actor, import_id: str) -> ImportReport:
    """Return the report on an import.

    Raises:
        NotFound: the import does not exist.
    """
    actor.require(Right.READ_CATALOG)
    found = await find_import(session, import_id)
    counts = await _count_rows(session, import_id)
    of_plan = {plan: sum(n for (one, _s), n in counts.items() if one == plan) for plan in Plan}
    of_state = {state: sum(n for (_p, one), n in counts.items() if one == state) for state in RowState}
    is_begun = found.status != ImportStatus.CHECKED
    bad = ProductImportRow.state == RowState.REFUSED if is_begun else ProductImportRow.plan == Plan.WRONG
    columns = (
        ProductImportRow.line, ProductImportRow.title, ProductImportRow.plan, ProductImportRow.problems,
        ProductImportRow.changes, ProductImportRow.notes, ProductImportRow.losses, ProductImportRow.texts,
    )  # fmt: skip
    of_this = select(*columns).where(ProductImportRow.import_id == import_id).order_by(ProductImportRow.line)
    wrong = (await session.execute(of_this.where(bad).limit(MAX_PROBLEMS))).all()
    moving = of_this.where(
        ProductImportRow.plan.in_([Plan.NEW, Plan.CHANGED]), ProductImportRow.state != RowState.REFUSED
    )
    changed = (await session.execute(moving.limit(MAX_CHANGES))).all()
    noted = of_this.where(cast(ProductImportRow.notes, String) != EMPTY_LIST)
    with_notes = (await session.execute(noted.limit(MAX_NOTES))).all()
    return ImportReport(
        id=found.id,
        name=found.name,
        status=ImportStatus(found.status),
        total=found.total,
        makes_places=found.makes_places,
        ignored=found.ignored,
        counts=RowCounts(
            new=of_plan[Plan.NEW],
            changed=of_plan[Plan.CHANGED],
            same=of_plan[Plan.SAME],
            wrong=of_plan[Plan.WRONG],
            settled=of_state[RowState.DONE] + of_state[RowState.REFUSED],
            refused=of_state[RowState.REFUSED],
        ),
        problems=[
            _to_message(found, row.line, row.texts, one, format_problem(one))
            for row in wrong
            for one in row.problems
        ],
        changes=[
            RowChanges(row.line, row.title, row.plan == Plan.NEW, row.changes, row.losses) for row in changed
        ],
        format=found.format,
        sheet=found.sheet,
        publishes=found.publishes,
        loss_count=count_losses(found),
        losses=found.losses,
        code_changes=found.code_changes,
        set_aside=[
            SetAside(one["line"], one["reason"], one["text"], format_set_aside(one["reason"]))
            for one in found.set_aside
        ],
        file_notes=[format_file_note(code) for code in found.notes],
        notes=[
            _to_message(found, row.line, row.texts, one, format_note(one))
            for row in with_notes
            for one in row.notes
        ],
        note_count=await _count_noted_rows(session, import_id),
        pictures=PictureReport(**found.pictures),
        mapping=[ColumnSuggestion(**one) for one in found.mapping],
    )


def count_losses(found: ProductImport) -> int:
    """Return the number of values of existing products that an import would empty or take away."""
    return sum(found.losses.values())


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


async def _count_noted_rows(session: AsyncSession, import_id: str) -> int:
    query = select(func.count()).where(
        ProductImportRow.import_id == import_id, cast(ProductImportRow.notes, String) != EMPTY_LIST
    )
    return (await session.execute(query)).scalar_one()


async def _count_rows(session: AsyncSession, import_id: str) -> dict[tuple[str, str], int]:
    """Count the rows by plan and state."""
    query = (
        select(ProductImportRow.plan, ProductImportRow.state, func.count())
        .where(ProductImportRow.import_id == import_id)
        .group_by(ProductImportRow.plan, ProductImportRow.state)
    )
    return {(plan, state): count for plan, state, count in await session.execute(query)}


async def find_newest_import(session: AsyncSession, actor: Actor) -> str:
    """Return the id of the actor's newest import; empty if there is none."""
    actor.require(Right.READ_CATALOG)
    newest = select(ProductImport.id).where(ProductImport.actor_id == actor.id)
    query = newest.order_by(ProductImport.created_at.desc(), ProductImport.id.desc()).limit(1)
    return (await session.execute(query)).scalar_one_or_none() or ""
