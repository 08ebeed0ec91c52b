"""The job that runs or undoes a bulk change, one transaction per batch.

A run that was interrupted continues where it stopped. A lock on the change's row ensures that only one worker at a
time processes a batch of it.
"""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy import bindparam, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Change as AuditChange
from backend.audit import Requester, Subject, SubjectType, record
from backend.catalog.bulk.changes import (
    PRICED,
    Action,
    Change,
    ChangedValue,
    CurrentValues,
    Problem,
    compute_changes,
)
from backend.catalog.bulk.events import BulkChangeMoved
from backend.catalog.bulk.models import BulkChange, BulkChangeRow, BulkStatus, RowState
from backend.catalog.bulk.service import JOB, has_target, read_current_values
from backend.catalog.events import publish_product_changes
from backend.catalog.models import Collection, Product, ProductCategory, Variant
from backend.catalog.products.service import lock_products
from backend.core.clock import now
from backend.core.db.database import Database, lock_rows
from backend.core.db.tables import table_of
from backend.core.events import publish
from backend.core.outage import DatabaseUnavailable
from backend.jobs import JobRun, RunAgain, job

log = logging.getLogger(__name__)

BATCH_SIZE = 50
"""Products per transaction. A purchase waits for the locks no longer than one batch takes."""
MAX_RUN_S = 20.0
"""Duration of one run of the job in seconds; then other jobs have their turn."""
NO_DELAY = timedelta(0)


class Outcome(NamedTuple):
    """Result of a bulk change for one product."""

    state: RowState
    values: Sequence[ChangedValue] = ()
    problem: str = ""


class BulkChangeJob:
    """The job that runs bulk changes of products, and undoes them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @job(JOB, concurrency=1)
    async def run(self, run: JobRun) -> RunAgain | None:
        """Continue a change until it is done, or for `MAX_RUN_S` seconds."""
        bulk_id, undone_by = run.payload["bulk_change_id"], run.payload.get("actor_id", "")
        clock = asyncio.get_running_loop()
        until = clock.time() + MAX_RUN_S
        while await self._run_step(bulk_id, undone_by):
            if clock.time() > until:
                return RunAgain(NO_DELAY, reset=True)
        return None

    async def _run_step(self, bulk_id: str, undone_by: str) -> bool:
        """Process one batch of products. Return True if more products may have to be processed.

        If the batch fails, process its products one by one.
        """
        try:
            return await self._run_batch(bulk_id, undone_by, BATCH_SIZE)
        except DatabaseUnavailable:
            raise
        except Exception:
            log.exception("a batch of a bulk change failed: its products are changed one by one")
        for _product in range(BATCH_SIZE):
            try:
                if not await self._run_batch(bulk_id, undone_by, 1):
                    return False
            except DatabaseUnavailable:
                raise
            except Exception:
                log.exception("a product was not changed with the others")
                async with self._database.transaction() as session:
                    await _give_up_first(session, bulk_id)
        return True

    async def _run_batch(self, bulk_id: str, undone_by: str, max_rows: int) -> bool:
        async with self._database.transaction() as session:
            bulk = await _lock_change(session, bulk_id)
            if bulk is None or bulk.status in {BulkStatus.DONE, BulkStatus.UNDONE}:
                return False
            is_undoing = bulk.status == BulkStatus.UNDOING
            rows = await _next_rows(session, bulk, max_rows)
            if not rows:
                status = BulkStatus.UNDONE if is_undoing else BulkStatus.DONE
                await session.execute(_STATUS, {"bulk_id": bulk_id, "new_status": status.value})
            elif is_undoing:
                await self._undo_change(session, bulk, Requester(undone_by or bulk.actor_id), rows)
            else:
                await self._apply_change(session, bulk, rows)
            await publish(session, BulkChangeMoved(bulk_id))
        return bool(rows)

    async def _apply_change(
        self, session: AsyncSession, bulk: BulkChange, rows: Sequence[BulkChangeRow]
    ) -> None:
        change, actor = parse_change(bulk), Requester(bulk.actor_id)
        ids = [row.product_id for row in rows]
        products = {product.id: product for product in await lock_products(session, ids)}
        facts = await read_current_values(session, change, ids)
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
                values = compute_changes(change, facts[product_id])
                if isinstance(values, Problem):
                    outcomes[product_id] = Outcome(RowState.REFUSED, problem=values)
                elif not values:
                    outcomes[product_id] = Outcome(RowState.UNCHANGED)
                else:
                    after = [(value, value.after) for value in values]
                    await _set_values(session, actor, change, product, after)
                    outcomes[product_id] = Outcome(RowState.CHANGED, values)
                    changed.append(product_id)
        await publish_product_changes(session, changed)
        await _write_outcomes(session, bulk.id, outcomes)

    async def _undo_change(
        self, session: AsyncSession, bulk: BulkChange, actor: Requester, rows: Sequence[BulkChangeRow]
    ) -> None:
        change = parse_change(bulk)
        ids = [row.product_id for row in rows]
        products = {product.id: product for product in await lock_products(session, ids)}
        facts = await read_current_values(session, change, ids)
        has_category = await has_target(session, change) or change.action is Action.COLLECTION
        before = {
            value["before"] for row in rows for value in row.values if value["field"] == "collection_id"
        }
        remaining = select(Collection.id).where(Collection.id.in_(before - {None}))
        collections = {None, *(await session.execute(remaining)).scalars()}
        outcomes: dict[str, Outcome] = {}
        changed = []
        for row in rows:
            values = [ChangedValue(**value) for value in row.values]
            product = products.get(row.product_id)
            if product is None or row.product_id not in facts:
                outcomes[row.product_id] = Outcome(RowState.KEPT, values, Problem.GONE)
                continue
            restored = [
                (value, value.before)
                for value in values
                if _get_current_value(value, facts[row.product_id]) == value.after
                and (value.field != "collection_id" or value.before in collections)
                and (value.field != "category" or has_category)
            ]
            if restored:
                await _set_values(session, actor, change, product, restored)
                changed.append(row.product_id)
            if len(restored) == len(values):
                outcomes[row.product_id] = Outcome(RowState.UNDONE, values)
            else:
                outcomes[row.product_id] = Outcome(RowState.KEPT, values, Problem.CHANGED_SINCE)
        await publish_product_changes(session, changed)
        await _write_outcomes(session, bulk.id, outcomes)


def _get_current_value(value: ChangedValue, facts: CurrentValues) -> Any:
    """Return the product's current value of the field that the bulk change set."""
    if value.field == "price":
        return next(([one.price, one.compare_at] for one in facts.variants if one.id == value.on), None)
    current = {
        "status": facts.status,
        "featured": facts.featured,
        "collection_id": facts.collection_id,
        "category": facts.is_in_target,
    }
    return current[value.field]


def parse_change(bulk: BulkChange) -> Change:
    """Parse the change from its stored row."""
    return Change(**{**bulk.value, "action": Action(bulk.value["action"])})


async def _set_values(
    session: AsyncSession,
    actor: Requester,
    change: Change,
    product: Product,
    values: Sequence[tuple[ChangedValue, Any]],
) -> None:
    """Set these values of the (locked) product, and record the change in the audit."""
    audit_changes: dict[str, AuditChange] = {}
    for value, new_value in values:
        if value.field == "category":
            audit_changes["category"] = (None, change.target) if new_value else (change.target, None)
    await record(session, actor, "changed", Subject(SubjectType.PRODUCT, product.id), audit_changes)
    for value, new_value in values:
        if value.field == "category":
            place = {"product_id": product.id, "category_id": change.target}
            await session.execute(_ENTER if new_value else _LEAVE, place)
        elif value.field == "price":
            variant = await session.get_one(Variant, value.on)
            variant.price, variant.compare_at_price = new_value
        else:
            setattr(product, value.field, new_value)
    product.updated_at = now()
    await session.flush()


async def _lock_change(session: AsyncSession, bulk_id: str) -> BulkChange | None:
    query = select(BulkChange).where(BulkChange.id == bulk_id)
    return (await session.execute(lock_rows(query))).scalar_one_or_none()


async def _next_rows(session: AsyncSession, bulk: BulkChange, max_rows: int) -> Sequence[BulkChangeRow]:
    new_value = RowState.CHANGED if bulk.status == BulkStatus.UNDOING else RowState.WAITING
    query = select(BulkChangeRow).where(
        BulkChangeRow.bulk_change_id == bulk.id, BulkChangeRow.state == new_value
    )
    return (await session.execute(query.order_by(BulkChangeRow.product_id).limit(max_rows))).scalars().all()


async def _give_up_first(session: AsyncSession, bulk_id: str) -> None:
    """Mark the next product of the change as failed, so that the job continues with those after it."""
    bulk = await _lock_change(session, bulk_id)
    rows = await _next_rows(session, bulk, 1) if bulk is not None else []
    state = RowState.KEPT if bulk is not None and bulk.status == BulkStatus.UNDOING else RowState.REFUSED
    await _write_outcomes(
        session,
        bulk_id,
        {
            row.product_id: Outcome(state, [ChangedValue(**one) for one in row.values], Problem.FAILED)
            for row in rows
        },
    )


async def _write_outcomes(session: AsyncSession, bulk_id: str, outcomes: dict[str, Outcome]) -> None:
    """Store each product's result of the bulk change.

    The rows are written by SQL statements: rows written through the session would appear in the products'
    audit.
    """
    if outcomes:
        await session.execute(_OUTCOME, list(_outcome_rows(bulk_id, outcomes)))


def _outcome_rows(bulk_id: str, outcomes: dict[str, Outcome]) -> Iterable[dict[str, Any]]:
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
