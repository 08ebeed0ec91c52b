"""Report on an import: counts of its rows, with the first problems and changes."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.tables import JsonObject
from backend.imports.lookup import find_import
from backend.imports.messages import format_problem
from backend.imports.models import ImportStatus, Plan, ProductImport, ProductImportRow, RowState
from backend.staff.rights import Actor, Right

MAX_PROBLEMS = 100
"""Maximum number of rows with problems in a report."""
MAX_CHANGES = 50


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
class CellProblem:
    """A problem to correct. `column` is the importer's column name; empty if the problem concerns the whole row."""

    line: int
    column: str
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class RowChanges:
    """A row that creates or changes a product."""

    line: int
    title: str
    is_new: bool
    changes: Sequence[JsonObject]


@dataclass(frozen=True, slots=True)
class ImportReport:
    """State of an import. `problems` and `changes` list only the first rows that have any."""

    id: str
    name: str
    status: ImportStatus
    total: int
    makes_places: bool
    ignored: Sequence[str]
    counts: RowCounts
    problems: Sequence[CellProblem]
    changes: Sequence[RowChanges]


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
        ProductImportRow.changes,
    )  # fmt: skip
    of_this = select(*columns).where(ProductImportRow.import_id == import_id).order_by(ProductImportRow.line)
    wrong = (await session.execute(of_this.where(bad).limit(MAX_PROBLEMS))).all()
    moving = of_this.where(
        ProductImportRow.plan.in_([Plan.NEW, Plan.CHANGED]), ProductImportRow.state != RowState.REFUSED
    )
    changed = (await session.execute(moving.limit(MAX_CHANGES))).all()
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
            CellProblem(row.line, one["column"], one["code"], format_problem(one))
            for row in wrong
            for one in row.problems
        ],
        changes=[RowChanges(row.line, row.title, row.plan == Plan.NEW, row.changes) for row in changed],
    )


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
