"""The job that starts and ends sales, one transaction per batch of products.

The job finds due sales by the database's clock, and checks them again after locking the price list. So an
interrupted run continues where it stopped, and two replicas take turns. Before a price changes, its product is
locked, as for every other change of a price. If the price of a finished sale is not restored yet, the next sale of
that variant waits.
"""

import logging
from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, bindparam, exists, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.catalog.events import publish_product_changes
from backend.catalog.models import Variant
from backend.catalog.price_lists.models import IS_OVER, PriceList, PriceListPrice, PriceState
from backend.catalog.price_lists.price_plan import Problem
from backend.catalog.price_lists.service import JOB, find_sale
from backend.catalog.products.service import lock_products
from backend.core.clock import now
from backend.core.db.database import Database, database_now, db_now
from backend.core.db.tables import table_of
from backend.core.money import Cop, regular_price
from backend.core.outage import DatabaseUnavailable
from backend.jobs import JobRun, periodic
from backend.staff.rights import SHOP

log = logging.getLogger(__name__)

BATCH_SIZE = 50
"""Products per transaction: a purchase of one of them waits no longer than one batch takes."""
RUN_INTERVAL = timedelta(seconds=30)


class PricesNotChanged(Exception):
    """Some prices could not be changed. The job will try them again."""


class SalesJob:
    """The job that starts and ends the sales that are due."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @periodic(JOB, every=RUN_INTERVAL, timeout=timedelta(minutes=10))
    async def run(self, _run: JobRun) -> None:
        """Restore the prices of finished sales, then lower the prices of started sales.

        Raises:
            PricesNotChanged: some products could not be changed; all others were.
        """
        failed = 0
        for due, state in ((IS_OVER, PriceState.ON), (_IS_ACTIVE, PriceState.WAITING)):
            for list_id in await self._due_list_ids(due, state):
                failed += await self._change_prices(list_id, state)
        if failed:
            raise PricesNotChanged(f"{failed} products")

    async def _due_list_ids(self, due: ColumnElement[bool], state: PriceState) -> Sequence[str]:
        price = exists().where(PriceListPrice.price_list_id == PriceList.id, PriceListPrice.state == state)
        async with self._database.read() as session:
            query = select(PriceList.id).where(due, price).order_by(PriceList.starts_at, PriceList.id)
            return (await session.execute(query)).scalars().all()

    async def _change_prices(self, list_id: str, state: PriceState) -> int:
        """Start or end the sale for all prices in this state. Return the number of products that failed."""
        last, failed = "", 0
        while product_ids := await self._next_product_ids(list_id, state, last):
            last = product_ids[-1]
            try:
                await self._change_batch(list_id, state, product_ids)
            except DatabaseUnavailable:
                raise
            except Exception:
                log.exception("a batch of a sale failed: its products are changed one by one")
                failed += await self._change_one_by_one(list_id, state, product_ids)
        return failed

    async def _change_one_by_one(self, list_id: str, state: PriceState, product_ids: Sequence[str]) -> int:
        failed = 0
        for product_id in product_ids:
            try:
                await self._change_batch(list_id, state, [product_id])
            except DatabaseUnavailable:
                raise
            except Exception:
                log.exception("the prices of product %s could not be changed", product_id)
                failed += 1
        return failed

    async def _next_product_ids(self, list_id: str, state: PriceState, last: str) -> Sequence[str]:
        query = (
            select(PriceListPrice.product_id)
            .where(
                PriceListPrice.price_list_id == list_id,
                PriceListPrice.state == state,
                PriceListPrice.product_id > last,
            )
            .distinct()
            .order_by(PriceListPrice.product_id)
            .limit(BATCH_SIZE)
        )
        async with self._database.read() as session:
            return (await session.execute(query)).scalars().all()

    async def _change_batch(self, list_id: str, state: PriceState, product_ids: Sequence[str]) -> None:
        async with self._database.transaction() as session:
            sale = await find_sale(session, list_id)
            moment = await database_now(session)
            is_over = sale.is_over(moment)
            if is_over is not (state is PriceState.ON) or not sale.has_begun(moment):
                return  # its end was changed in the meantime
            products = {one.id: one for one in await lock_products(session, product_ids)}
            prices = await _read_prices(session, list_id, state, product_ids)
            others = {} if is_over else await _other_active_lists(session, prices)
            moves = defaultdict[str, list[PriceMove]](list)
            for price, variant in prices:
                other = others.get(variant.id)
                if price.product_id not in products:
                    move = _deleted_move(price, variant)
                elif is_over:
                    move = _end_move(price, variant)
                elif other is not None and other.is_over(moment):
                    continue  # that list's price is not restored yet: this one waits for the next run
                else:
                    move = _start_move(price, variant, other is not None)
                moves[price.product_id].append(move)
            changed = []
            for product_id, product in products.items():
                new_prices_by_variant = [
                    (move.variant, move.new_prices) for move in moves[product_id] if move.new_prices
                ]
                if new_prices_by_variant:
                    action = "sale over" if is_over else "sale began"
                    await record(session, SHOP, action, Subject(SubjectType.PRODUCT, product_id))
                    for variant, pair in new_prices_by_variant:
                        variant.price, variant.compare_at_price = pair
                    product.updated_at = now()
                    await session.flush()
                    changed.append(product_id)
            await publish_product_changes(session, changed)
            rows = [move.row for each in moves.values() for move in each]
            if rows:
                await session.execute(_OUTCOME, rows)


class PriceMove(NamedTuple):
    """A price change of a variant.

    Attributes:
        new_prices: the new price and the new struck-through price; None if both stay.
        row: the values to write to the price's row in the list.
    """

    variant: Variant
    new_prices: tuple[Cop, Cop | None] | None
    row: dict[str, Any]


def _start_move(price: PriceListPrice, variant: Variant, is_taken: bool) -> PriceMove:
    """Return the change from the variant's current price to the list's price.

    It has no new prices if the current price is not higher than the list's price, or if the variant is in another
    active sale.
    """
    problem = Problem.OTHER_SALE if is_taken else Problem.NOT_LOWER if price.amount >= variant.price else None
    if problem is not None:
        return PriceMove(variant, None, _outcome_row(price, PriceState.SKIPPED, None, None, problem))
    before = _outcome_row(price, PriceState.ON, variant.price, variant.compare_at_price)
    return PriceMove(variant, (price.amount, variant.price), before)


def _end_move(price: PriceListPrice, variant: Variant) -> PriceMove:
    """Return the change from the sale price back to the struck-through price.

    If a staff member changed the struck-through price during the sale, the changed price is used. If a staff member
    removed the struck-through price, the sale had already ended for this variant, and its current price stays.
    """
    row = _outcome_row(price, PriceState.OVER, price.before, price.compare_at_before)
    regular = regular_price(variant.price, variant.compare_at_price)
    if regular == variant.price:
        return PriceMove(variant, None, row)
    return PriceMove(variant, (regular, price.compare_at_before if regular == price.before else None), row)


def _deleted_move(price: PriceListPrice, variant: Variant) -> PriceMove:
    """Return the change for a variant whose product was deleted: the prices stay, only the state changes."""
    state = PriceState.OVER if price.state == PriceState.ON else PriceState.SKIPPED
    return PriceMove(
        variant, None, _outcome_row(price, state, price.before, price.compare_at_before, Problem.GONE)
    )


def _outcome_row(
    price: PriceListPrice, state: PriceState, before: Cop | None, compare_at: Cop | None, problem: str = ""
) -> dict[str, Any]:
    return {
        "of_price": price.id,
        "new_state": state,
        "new_before": before,
        "new_compare_at": compare_at,
        "new_problem": problem,
    }


async def _read_prices(
    session: AsyncSession, list_id: str, state: PriceState, product_ids: Sequence[str]
) -> list[tuple[PriceListPrice, Variant]]:
    query = (
        select(PriceListPrice, Variant)
        .join(Variant, Variant.id == PriceListPrice.variant_id)
        .where(
            PriceListPrice.price_list_id == list_id,
            PriceListPrice.state == state,
            PriceListPrice.product_id.in_(product_ids),
        )
    )
    return [(price, variant) for price, variant in await session.execute(query)]


async def _other_active_lists(
    session: AsyncSession, prices: Sequence[tuple[PriceListPrice, Variant]]
) -> dict[str, PriceList]:
    """Return the other lists that lower the price of these variants now, by variant id."""
    ids = [variant.id for _price, variant in prices]
    query = (
        select(PriceListPrice.variant_id, PriceList)
        .join(PriceList, PriceList.id == PriceListPrice.price_list_id)
        .where(PriceListPrice.variant_id.in_(ids), PriceListPrice.state == PriceState.ON)
    )
    return dict((await session.execute(query)).all())


_PRICE = table_of(PriceListPrice)
_OUTCOME = (
    update(_PRICE)
    .where(_PRICE.c.id == bindparam("of_price"))
    .values(
        state=bindparam("new_state"),
        before=bindparam("new_before"),
        compare_at_before=bindparam("new_compare_at"),
        problem=bindparam("new_problem"),
    )
)
"""SQL UPDATE of a price's row. Unlike changes of the session's objects, it is not part of the products' audit."""
_IS_ACTIVE = and_(
    PriceList.ended_at.is_(None),
    PriceList.starts_at <= db_now(),
    or_(PriceList.ends_at.is_(None), PriceList.ends_at > db_now()),
)
