"""Bulk changes of products: selection, preview, start and undo."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, func, insert, literal, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.catalog.bulk.changes import (
    CATEGORIES,
    Action,
    Change,
    ChangedValue,
    CurrentValues,
    PricedVariant,
    Problem,
    compute_changes,
)
from backend.catalog.bulk.models import BulkChange, BulkChangeRow, BulkStatus, RowState
from backend.catalog.category_tree import find_category
from backend.catalog.collections import find_collection
from backend.catalog.models import Product, ProductCategory, Variant
from backend.catalog.search.staff_search import ProductFilter, filter_conditions
from backend.core.clock import now
from backend.core.db.database import lock_rows
from backend.core.db.tables import Json, table_of
from backend.core.errors import Conflict, InvalidData, NotFound
from backend.core.money import Cop
from backend.jobs import enqueue
from backend.staff.rights import Actor, Right

JOB = "catalog.bulk"
MAX_UNDOABLE_CHANGES = 10
"""Number of recent changes that can be undone."""
MAX_SELECTED_PRODUCTS = 1_000
PAGE_SIZE = 500
"""Products per query of a preview."""
MAX_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Selection:
    """The selected products: those with these `ids` or, if `ids` is None, all that match `product_filter`."""

    ids: Sequence[str] | None = None
    product_filter: ProductFilter = ProductFilter()  # noqa: RUF009 - frozen


@dataclass(frozen=True, slots=True)
class Example:
    """A product that would be changed or refused."""

    title: str
    value: ChangedValue | None = None
    problem: Problem | None = None


@dataclass(slots=True)
class Preview:
    """Expected result of a bulk change.

    Attributes:
        seen_at: the time of the preview.
        changed: the number of products that would change.
        unchanged: the number of products that already have the new values.
        refused: the number of products that would be refused, by reason.
        examples: some products that would change, and some that would be refused.
        before: the sum of all prices that would change, in pesos.
        after: the sum of the new prices, in pesos.
    """

    seen_at: datetime
    changed: int = 0
    unchanged: int = 0
    refused: Counter[Problem] = field(default_factory=Counter)
    examples: list[Example] = field(default_factory=list)
    before: Cop = 0
    after: Cop = 0


async def preview_bulk_change(
    session: AsyncSession, actor: Actor, change: Change, selection: Selection
) -> Preview:
    """Return the expected result of a change, without changing anything.

    Raises:
        InvalidData: the change is invalid, or more than `MAX_SELECTED_PRODUCTS` ids are selected.
        NotFound: the category or collection does not exist.
    """
    actor.require(Right.CHANGE_CATALOG)
    change.check()
    await _require_target(session, change)
    result = Preview(now())
    refused_count = 0
    async for facts in _read_in_pages(session, change, await _selection_conditions(session, selection)):
        for title, one in facts:
            values = compute_changes(change, one)
            if isinstance(values, Problem):
                result.refused[values] += 1
                if refused_count < MAX_EXAMPLES:
                    refused_count += 1
                    result.examples.append(Example(title, problem=values))
            elif not values:
                result.unchanged += 1
            else:
                result.changed += 1
                if result.changed <= MAX_EXAMPLES:
                    result.examples.append(Example(title, values[0]))
                prices = [(value.before[0], value.after[0]) for value in values if value.field == "price"]
                result.before += sum(before for before, _after in prices)
                result.after += sum(after for _before, after in prices)
    return result


async def start_bulk_change(
    session: AsyncSession, actor: Actor, change: Change, selection: Selection, seen_at: datetime
) -> str:
    """Start a bulk change; a job runs it after the commit. The products are selected now, not when the job runs.

    Args:
        actor: the staff member who starts it.
        change: the change.
        selection: the products to change.
        seen_at: the time of the preview that the staff member saw. A change of prices is refused for products that
            were changed after it.

    Returns:
        The id of the bulk change.

    Raises:
        InvalidData: the change is invalid, no product matches, or more than `MAX_SELECTED_PRODUCTS` ids are selected.
        NotFound: the category or collection does not exist.
    """
    actor.require(Right.CHANGE_CATALOG)
    change.check()
    await _require_target(session, change)
    conditions = await _selection_conditions(session, selection)
    if (await session.execute(select(Product.id).where(*conditions).limit(1))).first() is None:
        raise InvalidData("There are no such products")
    bulk = BulkChange(actor_id=actor.id, value=asdict(change), seen_at=seen_at)
    session.add(bulk)
    await session.flush()
    chosen = select(
        literal(bulk.id),
        Product.id,
        literal(RowState.WAITING.value),
        literal(""),
        literal([], Json),
    ).where(*conditions)
    rows = table_of(BulkChangeRow)
    names = ["bulk_change_id", "product_id", "state", "problem", "values"]
    await session.execute(insert(rows).from_select(names, chosen))
    counted = select(func.count()).where(BulkChangeRow.bulk_change_id == bulk.id)
    bulk.total = (await session.execute(counted)).scalar_one()
    await session.flush()
    changes = {
        **{name: (None, value) for name, value in bulk.value.items() if value},
        "products": (None, bulk.total),
    }
    await record(session, actor, "bulk change begun", Subject(SubjectType.CATALOG, bulk.id), changes)
    await _delete_old_rows(session)
    await enqueue(session, JOB, {"bulk_change_id": bulk.id}, key=bulk.id)
    return bulk.id


async def undo_bulk_change(session: AsyncSession, actor: Actor, bulk_id: str) -> None:
    """Start undoing a bulk change. A value that was changed again in the meantime is not restored.

    Raises:
        NotFound: the change does not exist, or is too old to be undone.
        Conflict: the change is still running, or was undone already.
    """
    actor.require(Right.CHANGE_CATALOG)
    query = select(BulkChange).where(BulkChange.id == bulk_id)
    bulk = (await session.execute(lock_rows(query))).scalar_one_or_none()
    if bulk is None or bulk_id not in await _list_undoable_ids(session):
        raise NotFound("There is no such change among the last ones")
    if bulk.status != BulkStatus.DONE:
        raise Conflict("It is not done yet, or was undone already")
    bulk.status = BulkStatus.UNDOING
    await session.flush()
    await record(session, actor, "bulk change undone", Subject(SubjectType.CATALOG, bulk.id))
    await enqueue(session, JOB, {"bulk_change_id": bulk.id, "actor_id": actor.id}, key=bulk.id)


async def read_current_values(
    session: AsyncSession, change: Change, product_ids: Sequence[str]
) -> dict[str, CurrentValues]:
    """Return, by product id, those values on which the change depends. Deleted products are left out."""
    columns = (Product.id, Product.status, Product.featured, Product.collection_id)
    of_these = select(*columns).where(Product.id.in_(product_ids), Product.deleted_at.is_(None))
    variants: dict[str, list[PricedVariant]] = defaultdict(list)
    priced = select(Variant.product_id, Variant.id, Variant.price, Variant.compare_at_price, Variant.is_free)
    priced = priced.where(Variant.product_id.in_(product_ids)).order_by(Variant.rank, Variant.id)
    for product_id, variant_id, price, before, is_free in await session.execute(priced):
        variants[product_id].append(PricedVariant(variant_id, price, before, is_free))
    inside: set[str] = set()
    if change.action in CATEGORIES:
        placed = select(ProductCategory.product_id).where(
            ProductCategory.category_id == change.target, ProductCategory.product_id.in_(product_ids)
        )
        inside = set((await session.execute(placed)).scalars())
    return {
        product_id: CurrentValues(status, featured, collection_id, product_id in inside, variants[product_id])
        for product_id, status, featured, collection_id in await session.execute(of_these)
    }


async def has_target(session: AsyncSession, change: Change) -> bool:
    """Return True if the category or collection of the change exists, or if the change needs none."""
    try:
        await _require_target(session, change)
    except NotFound:
        return False
    return True


async def _require_target(session: AsyncSession, change: Change) -> None:
    if change.action in CATEGORIES:
        await find_category(session, change.target)
    elif change.action is Action.COLLECTION and change.target:
        await find_collection(session, change.target)


async def _selection_conditions(session: AsyncSession, selection: Selection) -> list[ColumnElement[bool]]:
    if selection.ids is None:
        return await filter_conditions(session, selection.product_filter)
    if len(selection.ids) > MAX_SELECTED_PRODUCTS:
        raise InvalidData(f"At most {MAX_SELECTED_PRODUCTS} products are chosen one by one")
    return [Product.deleted_at.is_(None), Product.id.in_(selection.ids)]


async def _read_in_pages(
    session: AsyncSession, change: Change, conditions: Sequence[ColumnElement[bool]]
) -> AsyncIterator[list[tuple[str, CurrentValues]]]:
    """Yield the titles and current values of the products that meet the conditions, in batches."""
    last = ""
    while True:
        page = select(Product.id, Product.title).where(*conditions, Product.id > last)
        found = (await session.execute(page.order_by(Product.id).limit(PAGE_SIZE))).all()
        facts = await read_current_values(session, change, [product_id for product_id, _title in found])
        yield [(title, facts[product_id]) for product_id, title in found if product_id in facts]
        if len(found) < PAGE_SIZE:
            return
        last = found[-1][0]
        await asyncio.sleep(0)  # let other tasks run between the batches


async def _list_undoable_ids(session: AsyncSession) -> list[str]:
    newest = select(BulkChange.id).order_by(BulkChange.created_at.desc(), BulkChange.id.desc())
    return list((await session.execute(newest.limit(MAX_UNDOABLE_CHANGES))).scalars())


async def _delete_old_rows(session: AsyncSession) -> None:
    """Delete the product rows of bulk changes that are too old to be undone. The audit still records these changes."""
    old = select(BulkChange.id).where(
        BulkChange.id.not_in(await _list_undoable_ids(session)),
        BulkChange.status.in_([BulkStatus.DONE, BulkStatus.UNDONE]),
    )
    old_rows: Any = delete(BulkChangeRow).where(BulkChangeRow.bulk_change_id.in_(old))
    await session.execute(old_rows.execution_options(synchronize_session=False))
