"""The job that does a change of many products, or undoes it: batch by batch, each in a transaction of its own.

A program that ends in between goes on where it was. Two workers with the same change take turns by its row's lock.
"""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy import bindparam, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Change as Noted
from backend.audit import Requester, Subject, Thing, record
from backend.catalog.bulk.changes import PRICED, Action, Change, Facts, Problem, Value, values_of
from backend.catalog.bulk.events import BulkChangeMoved
from backend.catalog.bulk.models import BulkChange, BulkChangeRow, BulkStatus, RowState
from backend.catalog.bulk.service import JOB, facts_of, has_target
from backend.catalog.events import products_changed
from backend.catalog.models import Collection, Product, ProductCategory, Variant
from backend.catalog.products.service import lock_products
from backend.core.clock import now
from backend.core.db.database import Database, locked
from backend.core.db.tables import table_of
from backend.core.events import publish
from backend.core.outage import DatabaseUnavailable
from backend.jobs import JobRun, RunAgain, job

log = logging.getLogger(__name__)

AT_ONCE = 50
"""Products that are changed in one transaction: a sale waits for no longer than that takes."""
WITHIN = 20.0
"""Seconds that one run of the job takes; then others have their turn."""
SOON = timedelta(0)


class Outcome(NamedTuple):
    """What came of a product."""

    state: RowState
    values: Sequence[Value] = ()
    problem: str = ""


class BulkChanges:
    """Does changes of many products, and undoes them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @job(JOB, at_once=1)
    async def run(self, run: JobRun) -> RunAgain | None:
        """Go on with a change until it is done, or for `WITHIN` seconds."""
        bulk_id, undone_by = run.payload["bulk_change_id"], run.payload.get("actor_id", "")
        clock = asyncio.get_running_loop()
        until = clock.time() + WITHIN
        while await self._step(bulk_id, undone_by):
            if clock.time() > until:
                return RunAgain(SOON, reset=True)
        return None

    async def _step(self, bulk_id: str, undone_by: str) -> bool:
        """One batch. Whether there may be more."""
        try:
            return await self._batch(bulk_id, undone_by, AT_ONCE)
        except DatabaseUnavailable:
            raise
        except Exception:
            log.exception("a batch of a change of many products failed: its products are changed one by one")
        for _product in range(AT_ONCE):
            try:
                if not await self._batch(bulk_id, undone_by, 1):
                    return False
            except DatabaseUnavailable:
                raise
            except Exception:
                log.exception("a product was not changed with the others")
                async with self._database.transaction() as session:
                    await _give_up_first(session, bulk_id)
        return True

    async def _batch(self, bulk_id: str, undone_by: str, most: int) -> bool:
        async with self._database.transaction() as session:
            bulk = await _lock(session, bulk_id)
            if bulk is None or bulk.status in {BulkStatus.DONE, BulkStatus.UNDONE}:
                return False
            is_undoing = bulk.status == BulkStatus.UNDOING
            rows = await _next_rows(session, bulk, most)
            if not rows:
                status = BulkStatus.UNDONE if is_undoing else BulkStatus.DONE
                await session.execute(_STATUS, {"bulk_id": bulk_id, "new_status": status.value})
            elif is_undoing:
                await self._undo(session, bulk, Requester(undone_by or bulk.actor_id), rows)
            else:
                await self._do(session, bulk, rows)
            await publish(session, BulkChangeMoved(bulk_id))
        return bool(rows)

    async def _do(self, session: AsyncSession, bulk: BulkChange, rows: Sequence[BulkChangeRow]) -> None:
        change, who = change_of(bulk), Requester(bulk.actor_id)
        ids = [row.product_id for row in rows]
        products = {product.id: product for product in await lock_products(session, ids)}
        facts = await facts_of(session, change, ids)
        is_possible = await has_target(session, change)
        outcomes: dict[str, Outcome] = {}
        changed = []
        for product_id in ids:
            product = products.get(product_id)
            if product is None or product_id not in facts:
                outcomes[product_id] = Outcome(RowState.REFUSED, problem=Problem.GONE)
            elif not is_possible:
                outcomes[product_id] = Outcome(RowState.REFUSED, problem=Problem.NO_TARGET)
            elif change.action in PRICED and product.updated_at > bulk.seen_at:
                outcomes[product_id] = Outcome(RowState.REFUSED, problem=Problem.CHANGED_SINCE)
            else:
                values = values_of(change, facts[product_id])
                if isinstance(values, Problem):
                    outcomes[product_id] = Outcome(RowState.REFUSED, problem=values)
                elif not values:
                    outcomes[product_id] = Outcome(RowState.UNCHANGED)
                else:
                    after = [(value, value.after) for value in values]
                    await _set(session, who, change, product, after)
                    outcomes[product_id] = Outcome(RowState.CHANGED, values)
                    changed.append(product_id)
        await products_changed(session, changed)
        await _write(session, bulk.id, outcomes)

    async def _undo(
        self, session: AsyncSession, bulk: BulkChange, who: Requester, rows: Sequence[BulkChangeRow]
    ) -> None:
        change = change_of(bulk)
        ids = [row.product_id for row in rows]
        products = {product.id: product for product in await lock_products(session, ids)}
        facts = await facts_of(session, change, ids)
        has_category = await has_target(session, change) or change.action is Action.COLLECTION
        before = {
            value["before"] for row in rows for value in row.values if value["field"] == "collection_id"
        }
        still = select(Collection.id).where(Collection.id.in_(before - {None}))
        collections = {None, *(await session.execute(still)).scalars()}
        outcomes: dict[str, Outcome] = {}
        changed = []
        for row in rows:
            values = [Value(**value) for value in row.values]
            product = products.get(row.product_id)
            if product is None or row.product_id not in facts:
                outcomes[row.product_id] = Outcome(RowState.KEPT, values, Problem.GONE)
                continue
            back = [
                (value, value.before)
                for value in values
                if _current(value, facts[row.product_id]) == value.after
                and (value.field != "collection_id" or value.before in collections)
                and (value.field != "category" or has_category)
            ]
            if back:
                await _set(session, who, change, product, back)
                changed.append(row.product_id)
            if len(back) == len(values):
                outcomes[row.product_id] = Outcome(RowState.UNDONE, values)
            else:
                outcomes[row.product_id] = Outcome(RowState.KEPT, values, Problem.CHANGED_SINCE)
        await products_changed(session, changed)
        await _write(session, bulk.id, outcomes)


def _current(value: Value, facts: Facts) -> Any:
    """The value that is there now where one was set."""
    if value.field == "price":
        return next(([one.price, one.before] for one in facts.variants if one.id == value.on), None)
    current = {
        "status": facts.status,
        "featured": facts.featured,
        "collection_id": facts.collection_id,
        "category": facts.is_in_target,
    }
    return current[value.field]


def change_of(bulk: BulkChange) -> Change:
    """What it was asked for."""
    return Change(**{**bulk.value, "action": Action(bulk.value["action"])})


async def _set(
    session: AsyncSession,
    who: Requester,
    change: Change,
    product: Product,
    values: Sequence[tuple[Value, Any]],
) -> None:
    """Set these values of the (locked) product, and record it."""
    noted: dict[str, Noted] = {}
    for value, wanted in values:
        if value.field == "category":
            noted["category"] = (None, change.target) if wanted else (change.target, None)
    await record(session, who, "changed", Subject(Thing.PRODUCT, product.id), noted)
    for value, wanted in values:
        if value.field == "category":
            place = {"product_id": product.id, "category_id": change.target}
            await session.execute(_ENTER if wanted else _LEAVE, place)
        elif value.field == "price":
            variant = await session.get_one(Variant, value.on)
            variant.price, variant.compare_at_price = wanted
        else:
            setattr(product, value.field, wanted)
    product.updated_at = now()
    await session.flush()


async def _lock(session: AsyncSession, bulk_id: str) -> BulkChange | None:
    query = select(BulkChange).where(BulkChange.id == bulk_id)
    return (await session.execute(locked(query))).scalar_one_or_none()


async def _next_rows(session: AsyncSession, bulk: BulkChange, most: int) -> Sequence[BulkChangeRow]:
    wanted = RowState.CHANGED if bulk.status == BulkStatus.UNDOING else RowState.WAITING
    query = select(BulkChangeRow).where(
        BulkChangeRow.bulk_change_id == bulk.id, BulkChangeRow.state == wanted
    )
    return (await session.execute(query.order_by(BulkChangeRow.product_id).limit(most))).scalars().all()


async def _give_up_first(session: AsyncSession, bulk_id: str) -> None:
    """Let the product that comes next be one that failed, so that the others go on."""
    bulk = await _lock(session, bulk_id)
    rows = await _next_rows(session, bulk, 1) if bulk is not None else []
    state = RowState.KEPT if bulk is not None and bulk.status == BulkStatus.UNDOING else RowState.REFUSED
    await _write(
        session,
        bulk_id,
        {
            row.product_id: Outcome(state, [Value(**one) for one in row.values], Problem.FAILED)
            for row in rows
        },
    )


async def _write(session: AsyncSession, bulk_id: str, outcomes: dict[str, Outcome]) -> None:
    """By statements: what becomes of the rows is no part of the products' audit."""
    if outcomes:
        await session.execute(_OUTCOME, list(_rows(bulk_id, outcomes)))


def _rows(bulk_id: str, outcomes: dict[str, Outcome]) -> Iterable[dict[str, Any]]:
    for product_id, outcome in outcomes.items():
        yield {
            "bulk_id": bulk_id,
            "of_product": product_id,
            "new_state": outcome.state.value,
            "new_problem": str(outcome.problem),
            "new_values": [value._asdict() for value in outcome.values],
        }


_BULK, _ROW, _IN = table_of(BulkChange), table_of(BulkChangeRow), table_of(ProductCategory)
_STATUS = update(_BULK).where(_BULK.c.id == bindparam("bulk_id")).values(status=bindparam("new_status"))
_OUTCOME = (
    update(_ROW)
    .where(_ROW.c.bulk_change_id == bindparam("bulk_id"), _ROW.c.product_id == bindparam("of_product"))
    .values(
        {
            "state": bindparam("new_state"),
            "problem": bindparam("new_problem"),
            "values": bindparam("new_values", type_=_ROW.c["values"].type),
        }
    )
)
_ENTER = insert(_IN)
_LEAVE = delete(_IN).where(
    _IN.c.product_id == bindparam("product_id"), _IN.c.category_id == bindparam("category_id")
)
