"""The job that begins sales and ends them: batch by batch, each in a transaction of its own.

What is due is found by the database's clock and asked again under the lock of the price list, so a program that ends in
between goes on where it was, and two replicas take turns. Prices change under their product's lock, as by anybody.
Where the price of a sale that is over has not been put back yet, that of the next one waits.
"""

import logging
from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, bindparam, exists, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.catalog.events import products_changed
from backend.catalog.models import Variant
from backend.catalog.price_lists.models import OVER, PriceList, PriceListPrice, PriceState
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

AT_ONCE = 50
"""Products that are changed in one transaction: a sale of one of them waits for no longer than that takes."""
EVERY = timedelta(seconds=30)


class SalesNotMoved(Exception):
    """Some prices were not changed; the job tries them again."""


class Sales:
    """Begins and ends the sales whose time has come."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @periodic(JOB, every=EVERY, timeout=timedelta(minutes=10))
    async def run(self, _run: JobRun) -> None:
        """Put back the prices of sales that are over, then lower those of sales that began.

        Raises:
            SalesNotMoved: a product could not be changed. All others were.
        """
        failed = 0
        for due, state in ((OVER, PriceState.ON), (_BEGUN, PriceState.WAITING)):
            for list_id in await self._due(due, state):
                failed += await self._move(list_id, state)
        if failed:
            raise SalesNotMoved(f"{failed} products")

    async def _due(self, due: ColumnElement[bool], state: PriceState) -> Sequence[str]:
        price = exists().where(PriceListPrice.price_list_id == PriceList.id, PriceListPrice.state == state)
        async with self._database.read() as session:
            query = select(PriceList.id).where(due, price).order_by(PriceList.starts_at, PriceList.id)
            return (await session.execute(query)).scalars().all()

    async def _move(self, list_id: str, state: PriceState) -> int:
        """Change all prices of the list that are in this state. How many products failed."""
        last, failed = "", 0
        while product_ids := await self._products(list_id, state, last):
            last = product_ids[-1]
            try:
                await self._batch(list_id, state, product_ids)
            except DatabaseUnavailable:
                raise
            except Exception:
                log.exception("a batch of a sale failed: its products are changed one by one")
                failed += await self._one_by_one(list_id, state, product_ids)
        return failed

    async def _one_by_one(self, list_id: str, state: PriceState, product_ids: Sequence[str]) -> int:
        failed = 0
        for product_id in product_ids:
            try:
                await self._batch(list_id, state, [product_id])
            except DatabaseUnavailable:
                raise
            except Exception:
                log.exception("the prices of product %s were not changed with the others", product_id)
                failed += 1
        return failed

    async def _products(self, list_id: str, state: PriceState, last: str) -> Sequence[str]:
        query = (
            select(PriceListPrice.product_id)
            .where(
                PriceListPrice.price_list_id == list_id,
                PriceListPrice.state == state,
                PriceListPrice.product_id > last,
            )
            .distinct()
            .order_by(PriceListPrice.product_id)
            .limit(AT_ONCE)
        )
        async with self._database.read() as session:
            return (await session.execute(query)).scalars().all()

    async def _batch(self, list_id: str, state: PriceState, product_ids: Sequence[str]) -> None:
        async with self._database.transaction() as session:
            sale = await find_sale(session, list_id)
            moment = await database_now(session)
            is_over = sale.is_over(moment)
            if is_over is not (state is PriceState.ON) or not sale.has_begun(moment):
                return  # somebody gave it another end meanwhile
            products = {one.id: one for one in await lock_products(session, product_ids)}
            prices = await _prices(session, list_id, state, product_ids)
            others = {} if is_over else await _others(session, prices)
            moves = defaultdict[str, list[Move]](list)
            for price, variant in prices:
                other = others.get(variant.id)
                if price.product_id not in products:
                    move = _gone(price, variant)
                elif is_over:
                    move = _ended(price, variant)
                elif other is not None and other.is_over(moment):
                    continue  # its price is not put back yet: this one waits for the next run
                else:
                    move = _begun(price, variant, other is not None)
                moves[price.product_id].append(move)
            changed = []
            for product_id, product in products.items():
                wanted = [(move.variant, move.wanted) for move in moves[product_id] if move.wanted]
                if wanted:
                    action = "sale over" if is_over else "sale began"
                    await record(session, SHOP, action, Subject(Thing.PRODUCT, product_id))
                    for variant, pair in wanted:
                        variant.price, variant.compare_at_price = pair
                    product.updated_at = now()
                    await session.flush()
                    changed.append(product_id)
            await products_changed(session, changed)
            rows = [move.row for each in moves.values() for move in each]
            if rows:
                await session.execute(_OUTCOME, rows)


class Move(NamedTuple):
    """What becomes of a variant.

    Attributes:
        wanted: its price, and the one that is struck through; None where both stay.
        row: what is written of its price in the list.
    """

    variant: Variant
    wanted: tuple[Cop, Cop | None] | None
    row: dict[str, Any]


def _begun(price: PriceListPrice, variant: Variant, is_taken: bool) -> Move:
    """The variant costs what the list says, unless it costs no more already, or another sale has it."""
    problem = Problem.OTHER_SALE if is_taken else Problem.NOT_LOWER if price.amount >= variant.price else None
    if problem is not None:
        return Move(variant, None, _row(price, PriceState.SKIPPED, None, None, problem))
    before = _row(price, PriceState.ON, variant.price, variant.compare_at_price)
    return Move(variant, (price.amount, variant.price), before)


def _ended(price: PriceListPrice, variant: Variant) -> Move:
    """The variant costs again what is struck through.

    If somebody changed that while the sale was on, it costs what they said; if they took it away, the sale was over for
    this variant, and its price stands.
    """
    row = _row(price, PriceState.OVER, price.before, price.compare_at_before)
    regular = regular_price(variant.price, variant.compare_at_price)
    if regular == variant.price:
        return Move(variant, None, row)
    return Move(variant, (regular, price.compare_at_before if regular == price.before else None), row)


def _gone(price: PriceListPrice, variant: Variant) -> Move:
    """The variant's product was deleted."""
    state = PriceState.OVER if price.state == PriceState.ON else PriceState.SKIPPED
    return Move(variant, None, _row(price, state, price.before, price.compare_at_before, Problem.GONE))


def _row(
    price: PriceListPrice, state: PriceState, before: Cop | None, compare_at: Cop | None, problem: str = ""
) -> dict[str, Any]:
    return {
        "of_price": price.id,
        "new_state": state,
        "new_before": before,
        "new_compare_at": compare_at,
        "new_problem": problem,
    }


async def _prices(
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


async def _others(
    session: AsyncSession, prices: Sequence[tuple[PriceListPrice, Variant]]
) -> dict[str, PriceList]:
    """The other lists by which these variants cost less now, by variant."""
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
"""A statement: what becomes of the rows is no part of the products' audit."""
_BEGUN = and_(
    PriceList.ended_at.is_(None),
    PriceList.starts_at <= db_now(),
    or_(PriceList.ends_at.is_(None), PriceList.ends_at > db_now()),
)
