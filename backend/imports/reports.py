"""Report on an import: counts of its rows, with the first problems and changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import String, cast, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.formats.models import ColumnSuggestion
from backend.core.db.tables import JsonObject
from backend.imports.lookup import find_import
from backend.imports.messages import format_file_note, format_set_aside
from backend.imports.models import ImportStatus, Plan, ProductImport, ProductImportRow, RowState
from backend.imports.picture_report import PictureReport
from backend.imports.row_pages import CellMessage, ImportRow, RowList, count_rows, list_rows
from backend.staff.rights import Actor, Right

MISSING_CODES = ("category", "collection", "tag", "type")
"""Codes of problems with missing categories, collections, tags and types.

The import can create these: see `ProductImport.makes_places`.
"""
MAX_UNFINISHED = 20
"""Maximum number of unfinished imports in a list."""
MAX_SET_ASIDE = 50
"""Maximum number of rows and sheets that a report lists as not imported."""


@dataclass(frozen=True, slots=True)
class RowCounts:
    """Numbers of rows.

    Attributes:
        new: rows that create a product.
        changed: rows that change a product.
        same: rows that change nothing.
        wrong: rows that cannot be imported as they are.
        settled: rows that were written or refused.
        partial: rows that were written without a picture that could not be downloaded.
        refused: rows that were refused.
    """

    new: int
    changed: int
    same: int
    wrong: int
    settled: int
    partial: int
    refused: int


@dataclass(frozen=True, slots=True)
class SetAside:
    """A row or a sheet that is not imported. `line` is 0 for a sheet."""

    line: int
    reason: str
    text: str
    message: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    """State of an import. Its lists have the rows of one page: see `backend.imports.row_pages`.

    Attributes:
        misses_places: True if the import was not started, and a row names a category, collection, tag or type that
            the shop does not have.
        problems: problems of rows that cannot be imported as they are, that were refused, or that lack a picture.
        changes: rows that create or change a product.
        format: a `backend.catalog.importer.formats.models.SourceFormat`.
        sheet: name of the imported sheet; empty for a text file.
        publishes: True if new products without a status are published.
        loss_count: number of values that the import would empty or take away.
        losses: number of rows that lose a value, by column.
        code_changes: the first changed SKUs and bar codes: `{"line", "title", "column", "before", "after"}`.
        set_aside: the first rows and sheets that are not imported; `set_aside_count` is the number of all.
        file_notes: sentences about the whole file.
        note_count: number of rows with notes.
        pictures: see `backend.imports.picture_report`.
        mapping: the columns of a spreadsheet in an unknown format, each with the importer's column.
    """

    id: str
    name: str
    status: ImportStatus
    total: int
    makes_places: bool
    misses_places: bool
    ignored: Sequence[str]
    counts: RowCounts
    problems: Sequence[CellMessage]
    changes: Sequence[ImportRow]
    format: str
    sheet: str
    publishes: bool
    loss_count: int
    losses: Mapping[str, int]
    code_changes: Sequence[JsonObject]
    set_aside: Sequence[SetAside]
    set_aside_count: int
    file_notes: Sequence[str]
    notes: Sequence[CellMessage]
    note_count: int
    pictures: PictureReport
    mapping: Sequence[ColumnSuggestion]


@dataclass(frozen=True, slots=True)
class UnfinishedImport:
    """An import that is not finished.

    Attributes:
        total: number of rows.
        settled: rows that were written or refused.
    """

    id: str
    name: str
    status: ImportStatus
    total: int
    settled: int


async def read_report(
    session: AsyncSession, actor: Actor, import_id: str, offsets: Mapping[RowList, int] | None = None
) -> ImportReport:
    """Return the report on an import. `offsets` has the position of each list's page; by default it is 0.

    Raises:
        NotFound: the import does not exist.
    """
    actor.require(Right.READ_CATALOG)
    found = await find_import(session, import_id)
    counts = await _count_by_plan_and_state(session, import_id)
    of_plan = {plan: sum(n for (one, _s), n in counts.items() if one == plan) for plan in Plan}
    of_state = {state: sum(n for (_p, one), n in counts.items() if one == state) for state in RowState}
    pages = {kind: await list_rows(session, found, kind, (offsets or {}).get(kind, 0)) for kind in RowList}
    return ImportReport(
        id=found.id,
        name=found.name,
        status=ImportStatus(found.status),
        total=found.total,
        makes_places=found.makes_places,
        misses_places=found.status == ImportStatus.CHECKED and await _misses_places(session, import_id),
        ignored=found.ignored,
        counts=RowCounts(
            new=of_plan[Plan.NEW],
            changed=of_plan[Plan.CHANGED],
            same=of_plan[Plan.SAME],
            wrong=of_plan[Plan.WRONG],
            settled=sum(of_state.values()) - of_state[RowState.WAITING],
            partial=of_state[RowState.PARTIAL],
            refused=of_state[RowState.REFUSED],
        ),
        problems=[one for row in pages[RowList.PROBLEMS] for one in row.problems],
        changes=pages[RowList.CHANGES],
        format=found.format,
        sheet=found.sheet,
        publishes=found.publishes,
        loss_count=count_losses(found),
        losses=found.losses,
        code_changes=found.code_changes,
        set_aside=[
            SetAside(one["line"], one["reason"], one["text"], format_set_aside(one["reason"]))
            for one in found.set_aside[:MAX_SET_ASIDE]
        ],
        set_aside_count=len(found.set_aside),
        file_notes=[format_file_note(code) for code in found.notes],
        notes=[one for row in pages[RowList.NOTES] for one in row.notes],
        note_count=await count_rows(session, found, RowList.NOTES),
        pictures=PictureReport(**found.pictures),
        mapping=[ColumnSuggestion(**one) for one in found.mapping],
    )


def count_losses(found: ProductImport) -> int:
    """Return the number of values of existing products that an import would empty or take away."""
    return sum(found.losses.values())


async def _count_by_plan_and_state(session: AsyncSession, import_id: str) -> dict[tuple[str, str], int]:
    """Count the rows by plan and state."""
    query = (
        select(ProductImportRow.plan, ProductImportRow.state, func.count())
        .where(ProductImportRow.import_id == import_id)
        .group_by(ProductImportRow.plan, ProductImportRow.state)
    )
    return {(plan, state): count for plan, state, count in await session.execute(query)}


async def _misses_places(session: AsyncSession, import_id: str) -> bool:
    stored = cast(ProductImportRow.problems, String)
    # SQLite stores the JSON without spaces, PostgreSQL writes them
    names_code = or_(
        *(stored.contains(f'"code":{space}"{code}"') for code in MISSING_CODES for space in ("", " "))
    )
    query = select(ProductImportRow.line).where(
        ProductImportRow.import_id == import_id, ProductImportRow.plan == Plan.WRONG, names_code
    )
    return (await session.execute(query.limit(1))).first() is not None


async def find_newest_import(session: AsyncSession, actor: Actor) -> str:
    """Return the id of the actor's newest import; empty if there is none."""
    actor.require(Right.READ_CATALOG)
    newest = select(ProductImport.id).where(ProductImport.actor_id == actor.id)
    query = newest.order_by(ProductImport.created_at.desc(), ProductImport.id.desc()).limit(1)
    return (await session.execute(query)).scalar_one_or_none() or ""


async def list_unfinished_imports(session: AsyncSession, actor: Actor) -> list[UnfinishedImport]:
    """Return the newest running and stopped imports of all staff, and the actor's import that was not started yet."""
    actor.require(Right.READ_CATALOG)
    settled = (
        select(func.count())
        .where(ProductImportRow.import_id == ProductImport.id, ProductImportRow.state != RowState.WAITING)
        .correlate(ProductImport)
        .scalar_subquery()
    )
    is_started = ProductImport.status.in_([ImportStatus.RUNNING, ImportStatus.STOPPED])
    is_own_preview = (ProductImport.status == ImportStatus.CHECKED) & (ProductImport.actor_id == actor.id)
    query = (
        select(ProductImport.id, ProductImport.name, ProductImport.status, ProductImport.total, settled)
        .where(is_started | is_own_preview)
        .order_by(ProductImport.created_at.desc(), ProductImport.id.desc())
        .limit(MAX_UNFINISHED)
    )
    return [
        UnfinishedImport(import_id, name, ImportStatus(status), total, count)
        for import_id, name, status, total, count in await session.execute(query)
    ]
