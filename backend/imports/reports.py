"""How an import stands: what it would do or has done, counted, with the first of each."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.tables import JsonObject
from backend.imports.lookup import find_import
from backend.imports.messages import problem_text
from backend.imports.models import ImportStatus, Plan, ProductImport, ProductImportRow, RowState
from backend.staff.rights import Actor, Right

MOST_PROBLEMS = 100
"""Rows with problems that are shown."""
MOST_CHANGES = 50


@dataclass(frozen=True, slots=True)
class Counts:
    """How many rows.

    Attributes:
        new: that make a product.
        changed: that change one.
        same: that change nothing.
        wrong: that cannot be imported as they are.
        settled: that were written or refused.
        refused: that were refused.
    """

    new: int
    changed: int
    same: int
    wrong: int
    settled: int
    refused: int


@dataclass(frozen=True, slots=True)
class CellProblem:
    """Something to be mended. `column` is the importer's name; empty where it is about the whole row."""

    line: int
    column: str
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class RowChanges:
    """A row that makes a product or changes it."""

    line: int
    title: str
    is_new: bool
    changes: Sequence[JsonObject]


@dataclass(frozen=True, slots=True)
class ImportReport:
    """How an import stands; `problems` and `changes` are the first of each."""

    id: str
    name: str
    status: ImportStatus
    total: int
    makes_places: bool
    ignored: Sequence[str]
    counts: Counts
    problems: Sequence[CellProblem]
    changes: Sequence[RowChanges]


async def report(session: AsyncSession, actor: Actor, import_id: str) -> ImportReport:
    """How an import stands.

    Raises:
        NotFound: there is no such import.
    """
    actor.require(Right.READ_CATALOG)
    found = await find_import(session, import_id)
    counts = await _counts_of(session, import_id)
    of_plan = {plan: sum(n for (one, _s), n in counts.items() if one == plan) for plan in Plan}
    of_state = {state: sum(n for (_p, one), n in counts.items() if one == state) for state in RowState}
    is_begun = found.status != ImportStatus.CHECKED
    bad = ProductImportRow.state == RowState.REFUSED if is_begun else ProductImportRow.plan == Plan.WRONG
    columns = (
        ProductImportRow.line, ProductImportRow.title, ProductImportRow.plan, ProductImportRow.problems,
        ProductImportRow.changes,
    )  # fmt: skip
    of_this = select(*columns).where(ProductImportRow.import_id == import_id).order_by(ProductImportRow.line)
    wrong = (await session.execute(of_this.where(bad).limit(MOST_PROBLEMS))).all()
    moving = of_this.where(
        ProductImportRow.plan.in_([Plan.NEW, Plan.CHANGED]), ProductImportRow.state != RowState.REFUSED
    )
    changed = (await session.execute(moving.limit(MOST_CHANGES))).all()
    return ImportReport(
        id=found.id,
        name=found.name,
        status=ImportStatus(found.status),
        total=found.total,
        makes_places=found.makes_places,
        ignored=found.ignored,
        counts=Counts(
            new=of_plan[Plan.NEW],
            changed=of_plan[Plan.CHANGED],
            same=of_plan[Plan.SAME],
            wrong=of_plan[Plan.WRONG],
            settled=of_state[RowState.DONE] + of_state[RowState.REFUSED],
            refused=of_state[RowState.REFUSED],
        ),
        problems=[
            CellProblem(row.line, one["column"], one["code"], problem_text(one))
            for row in wrong
            for one in row.problems
        ],
        changes=[RowChanges(row.line, row.title, row.plan == Plan.NEW, row.changes) for row in changed],
    )


async def _counts_of(session: AsyncSession, import_id: str) -> dict[tuple[str, str], int]:
    """How many rows there are, by their plan and their state."""
    query = (
        select(ProductImportRow.plan, ProductImportRow.state, func.count())
        .where(ProductImportRow.import_id == import_id)
        .group_by(ProductImportRow.plan, ProductImportRow.state)
    )
    return {(plan, state): count for plan, state, count in await session.execute(query)}


async def last_import(session: AsyncSession, actor: Actor) -> str:
    """The id of the actor's newest import; empty when there is none."""
    actor.require(Right.READ_CATALOG)
    newest = select(ProductImport.id).where(ProductImport.actor_id == actor.id)
    query = newest.order_by(ProductImport.created_at.desc(), ProductImport.id.desc()).limit(1)
    return (await session.execute(query)).scalar_one_or_none() or ""
