"""What a change of many products would do, and having it done: which products, and the first half of a preview."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, func, insert, literal, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.catalog.bulk.changes import (
    CATEGORIES,
    Action,
    Change,
    Facts,
    Priced,
    Problem,
    Value,
    values_of,
)
from backend.catalog.bulk.models import BulkChange, BulkChangeRow, BulkStatus, RowState
from backend.catalog.category_tree import find_category
from backend.catalog.collections import find_collection
from backend.catalog.models import Product, ProductCategory, Variant
from backend.catalog.search.staff_search import ProductFilter, conditions_of
from backend.core.clock import now
from backend.core.db.database import locked
from backend.core.db.tables import Json, table_of
from backend.core.errors import Conflict, InvalidData, NotFound
from backend.core.money import Cop
from backend.jobs import enqueue
from backend.staff.rights import Actor, Right

JOB = "catalog.bulk"
MOST_KEPT = 10
"""So many changes can be undone: the last ones."""
MOST_CHOSEN = 1_000
AT_ONCE = 500
"""Products that are read at a time for a preview."""
MOST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Selection:
    """Which products: these by their ids, or with None all that meet the filter."""

    ids: Sequence[str] | None = None
    wanted: ProductFilter = ProductFilter()  # noqa: RUF009 - frozen


@dataclass(frozen=True, slots=True)
class Example:
    """A product that would be changed, or refused."""

    title: str
    value: Value | None = None
    problem: Problem | None = None


@dataclass(slots=True)
class Preview:
    """What a change would do.

    Attributes:
        seen_at: of which moment this is.
        changed: how many products it would change.
        unchanged: how many are as wished.
        refused: how many it would not change, by why.
        examples: some that it would change, and some that it would not.
        before: what all variants whose price it changes cost together; `after`: what they would cost.
    """

    seen_at: datetime
    changed: int = 0
    unchanged: int = 0
    refused: Counter[Problem] = field(default_factory=Counter)
    examples: list[Example] = field(default_factory=list)
    before: Cop = 0
    after: Cop = 0


async def preview(session: AsyncSession, actor: Actor, change: Change, selection: Selection) -> Preview:
    """What the change would do now. Nothing is changed.

    Raises:
        InvalidData: what is asked for cannot be done.
        NotFound: there is no such category or collection.
    """
    actor.require(Right.CHANGE_CATALOG)
    change.check()
    await _require_target(session, change)
    result = Preview(now())
    wrong = 0
    async for facts in _facts(session, change, await _conditions(session, selection)):
        for title, one in facts:
            values = values_of(change, one)
            if isinstance(values, Problem):
                result.refused[values] += 1
                if wrong < MOST_SHOWN:
                    wrong += 1
                    result.examples.append(Example(title, problem=values))
            elif not values:
                result.unchanged += 1
            else:
                result.changed += 1
                if result.changed <= MOST_SHOWN:
                    result.examples.append(Example(title, values[0]))
                prices = [(value.before[0], value.after[0]) for value in values if value.field == "price"]
                result.before += sum(before for before, _after in prices)
                result.after += sum(after for _before, after in prices)
    return result


async def begin(
    session: AsyncSession, actor: Actor, change: Change, selection: Selection, seen_at: datetime
) -> str:
    """Have it done: a job does it after the commit. Products that meet the filter now are those it is for.

    Args:
        actor: who has it done.
        change: what.
        selection: with which products.
        seen_at: of which moment the preview was.

    Returns:
        The id of the change.

    Raises:
        InvalidData: what is asked for cannot be done, or there are no products.
        NotFound: there is no such category or collection.
    """
    actor.require(Right.CHANGE_CATALOG)
    change.check()
    await _require_target(session, change)
    conditions = await _conditions(session, selection)
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
    await record(session, actor, "bulk change begun", Subject(Thing.CATALOG, bulk.id), changes)
    await _forget_old(session)
    await enqueue(session, JOB, {"bulk_change_id": bulk.id}, key=bulk.id)
    return bulk.id


async def undo(session: AsyncSession, actor: Actor, bulk_id: str) -> None:
    """Have it undone: each value that still is as the change left it is put back.

    Raises:
        NotFound: there is no such change, or it is not one of the last.
        Conflict: it is not done yet, or was undone already.
    """
    actor.require(Right.CHANGE_CATALOG)
    query = select(BulkChange).where(BulkChange.id == bulk_id)
    bulk = (await session.execute(locked(query))).scalar_one_or_none()
    if bulk is None or bulk_id not in await _last(session):
        raise NotFound("There is no such change among the last ones")
    if bulk.status != BulkStatus.DONE:
        raise Conflict("It is not done yet, or was undone already")
    bulk.status = BulkStatus.UNDOING
    await session.flush()
    await record(session, actor, "bulk change undone", Subject(Thing.CATALOG, bulk.id))
    await enqueue(session, JOB, {"bulk_change_id": bulk.id, "actor_id": actor.id}, key=bulk.id)


async def facts_of(session: AsyncSession, change: Change, product_ids: Sequence[str]) -> dict[str, Facts]:
    """What there is to know of these products, by id; those that are deleted are left out."""
    columns = (Product.id, Product.status, Product.featured, Product.collection_id)
    of_these = select(*columns).where(Product.id.in_(product_ids), Product.deleted_at.is_(None))
    variants: dict[str, list[Priced]] = defaultdict(list)
    priced = select(Variant.product_id, Variant.id, Variant.price, Variant.compare_at_price, Variant.is_free)
    priced = priced.where(Variant.product_id.in_(product_ids)).order_by(Variant.rank, Variant.id)
    for product_id, variant_id, price, before, is_free in await session.execute(priced):
        variants[product_id].append(Priced(variant_id, price, before, is_free))
    inside: set[str] = set()
    if change.action in CATEGORIES:
        placed = select(ProductCategory.product_id).where(
            ProductCategory.category_id == change.target, ProductCategory.product_id.in_(product_ids)
        )
        inside = set((await session.execute(placed)).scalars())
    return {
        product_id: Facts(status, featured, collection_id, product_id in inside, variants[product_id])
        for product_id, status, featured, collection_id in await session.execute(of_these)
    }


async def has_target(session: AsyncSession, change: Change) -> bool:
    """Whether the category or the collection is there, if there is to be one."""
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


async def _conditions(session: AsyncSession, selection: Selection) -> list[ColumnElement[bool]]:
    if selection.ids is None:
        return await conditions_of(session, selection.wanted)
    if len(selection.ids) > MOST_CHOSEN:
        raise InvalidData(f"At most {MOST_CHOSEN} products are chosen one by one")
    return [Product.deleted_at.is_(None), Product.id.in_(selection.ids)]


async def _facts(
    session: AsyncSession, change: Change, conditions: Sequence[ColumnElement[bool]]
) -> AsyncIterator[list[tuple[str, Facts]]]:
    """The products' titles and what there is to know of them, some at a time."""
    last = ""
    while True:
        some = select(Product.id, Product.title).where(*conditions, Product.id > last)
        found = (await session.execute(some.order_by(Product.id).limit(AT_ONCE))).all()
        facts = await facts_of(session, change, [product_id for product_id, _title in found])
        yield [(title, facts[product_id]) for product_id, title in found if product_id in facts]
        if len(found) < AT_ONCE:
            return
        last = found[-1][0]
        await asyncio.sleep(0)  # others are served in between


async def _last(session: AsyncSession) -> list[str]:
    newest = select(BulkChange.id).order_by(BulkChange.created_at.desc(), BulkChange.id.desc())
    return list((await session.execute(newest.limit(MOST_KEPT))).scalars())


async def _forget_old(session: AsyncSession) -> None:
    """Forget the products of changes that cannot be undone any more. What was done stays in the audit."""
    old = select(BulkChange.id).where(
        BulkChange.id.not_in(await _last(session)),
        BulkChange.status.in_([BulkStatus.DONE, BulkStatus.UNDONE]),
    )
    gone: Any = delete(BulkChangeRow).where(BulkChangeRow.bulk_change_id.in_(old))
    await session.execute(gone.execution_options(synchronize_session=False))
