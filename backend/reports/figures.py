"""Figures of a period that are not money in the till: orders, toys, stock and carts."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    cast,
    exists,
    func,
    literal,
    literal_column,
    or_,
    select,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from backend.cart.models import Cart, LineItem
from backend.catalog.models import Product, Variant
from backend.checkout.carts.abandoned_carts import CART_KEPT_FOR
from backend.core.dates import today_in_colombia
from backend.core.db.tables import Json
from backend.core.money import Cop
from backend.inventory.models import InventoryLevel
from backend.orders.models import Order, OrderLine
from backend.orders.money.payment_allocation import taken_by_part
from backend.payment.models import PaymentSession, Refund
from backend.pricing import price_of_units
from backend.reports.periods import Period, Piece, months

MOST_TOYS = 10
"""Toys that are named."""
SLOW_FOR = timedelta(days=90)
"""A toy of which nothing was sold for so long is slow."""


class Flow(NamedTuple):
    """Pesos that were captured in a piece of the period, and that were refunded."""

    piece: Piece
    captured: Cop
    refunded: Cop


class Toys(NamedTuple):
    """Units of a toy, and what they cost with IVA."""

    title: str
    units: int
    pesos: Cop


@dataclass(frozen=True, slots=True)
class Carts:
    """How many carts with something in them were begun, and how many of those were paid.

    `since` is the first day that was counted, where carts of earlier ones may have been deleted.
    """

    begun: int
    paid: int
    since: date | None = None


def _sold(begin: datetime, end: datetime | None = None) -> list[ColumnElement[bool]]:
    """Orders that stand and were paid from one moment to another: `ix_order_sold`."""
    conditions = [Order.status == literal_column("'pending'"), Order.paid_at >= begin]
    return [*conditions, Order.paid_at < end] if end is not None else conditions


async def flows(session: AsyncSession, pieces: list[Piece]) -> list[Flow]:
    """What was captured and refunded in each of these pieces."""
    sums: list[Any] = []
    for piece in pieces:
        captured = select(func.sum(PaymentSession.captured_amount)).where(
            PaymentSession.captured_at >= piece.begin, PaymentSession.captured_at < piece.end
        )
        refunded = select(func.sum(Refund.amount)).where(
            Refund.created_at >= piece.begin, Refund.created_at < piece.end
        )
        sums += [captured.scalar_subquery(), refunded.scalar_subquery()]
    found = [int(one or 0) for one in (await session.execute(select(*sums))).one()]
    return [Flow(piece, found[2 * n], found[2 * n + 1]) for n, piece in enumerate(pieces)]


async def orders_paid(session: AsyncSession, period: Period) -> tuple[int, Cop]:
    """How many orders were paid, and what they cost together. Those that were cancelled do not count."""
    counted = select(func.count(), func.sum(_big(Order.total))).where(*_sold(period.begin, period.end))
    count, pesos = (await session.execute(counted)).one()
    return count, int(pesos or 0)


async def best_sellers(session: AsyncSession, period: Period) -> list[Toys]:
    """The toys of which most units were sold, without those that came back; in pesos as they were paid."""
    kept = OrderLine.quantity - OrderLine.withdrawn - OrderLine.returned
    found: dict[str, Toys] = {}

    def add(product_id: str, title: str, units: int, pesos: Cop) -> None:
        known = found.get(product_id, Toys(title, 0, 0))
        found[product_id] = Toys(title, known.units + units, known.pesos + pesos)

    for month in months(period):
        whole = Order.adjustments == literal([], Json)
        lines = (
            select(
                OrderLine.product_id,
                func.max(OrderLine.title),
                func.sum(kept),
                func.sum(_big(OrderLine.unit_price) * kept),
            )
            .join(Order, Order.id == OrderLine.order_id)
            .where(*_sold(month.begin, month.end), whole)
            .group_by(OrderLine.product_id)
        )
        for product_id, title, units, pesos in await session.execute(lines):
            add(product_id, title, int(units), int(pesos))
        columns = (
            OrderLine.id,
            OrderLine.product_id,
            OrderLine.title,
            OrderLine.quantity,
            OrderLine.unit_price,
        )
        reduced = (
            select(*columns, kept, Order.adjustments)
            .join(Order, Order.id == OrderLine.order_id)
            .where(*_sold(month.begin, month.end), ~whole)
        )
        for id_, product_id, title, quantity, price, units, adjustments in await session.execute(reduced):
            total = quantity * price - taken_by_part(adjustments).get(id_, 0)
            add(product_id, title, units, price_of_units(total, quantity, units))
    ranked = sorted(found.values(), key=lambda toys: (-toys.units, -toys.pesos, toys.title))
    return [toys for toys in ranked if toys.units > 0][:MOST_TOYS]


async def slow_stock(session: AsyncSession, moment: datetime) -> list[Toys]:
    """The toys that are in stock although nothing of them was sold for `SLOW_FOR`, the dearest stock first.

    Toys that are newer than that are left out.
    """
    since = moment - SLOW_FOR
    sold = select(OrderLine.product_id).join(Order, Order.id == OrderLine.order_id).where(*_sold(since))
    units, pesos = func.sum(InventoryLevel.stocked), func.sum(_big(InventoryLevel.stocked) * Variant.price)
    slow = (
        select(Product.title, units, pesos)
        .join(Variant, Variant.product_id == Product.id)
        .join(InventoryLevel, InventoryLevel.variant_id == Variant.id)
        .where(InventoryLevel.stocked > 0, Product.deleted_at.is_(None), Product.created_at < since)
        .where(Product.id.not_in(sold))
        .group_by(Product.id, Product.title, Product.title_key)
        .order_by(pesos.desc(), Product.title_key, Product.id)
        .limit(MOST_TOYS)
    )
    return [Toys(title, int(count), int(worth)) for title, count, worth in await session.execute(slow)]


async def stock_value(session: AsyncSession) -> tuple[int, Cop]:
    """How many units are stocked in the shop, and what they would be sold for, IVA included."""
    value = (
        select(func.sum(InventoryLevel.stocked), func.sum(_big(InventoryLevel.stocked) * Variant.price))
        .join(Variant, Variant.id == InventoryLevel.variant_id)
        .join(Product, Product.id == Variant.product_id)
        .where(Product.deleted_at.is_(None))
    )
    units, pesos = (await session.execute(value)).one()
    return int(units or 0), int(pesos or 0)


async def carts_begun(session: AsyncSession, period: Period, moment: datetime) -> Carts | None:
    """Carts of the period; None where all of them may have been deleted by now.

    A cart that was restored after a payment failed counts once, as the one that it became.
    """
    oldest = moment - CART_KEPT_FOR
    if period.end <= oldest:
        return None
    later = aliased(Cart)
    is_paid = exists().where(Order.cart_id == Cart.id, Order.paid_at.is_not(None))
    counted = select(func.count(), func.sum(cast(is_paid, Integer))).where(
        Cart.created_at >= max(period.begin, oldest),
        Cart.created_at < period.end,
        or_(Cart.completed_at.is_not(None), exists().where(LineItem.cart_id == Cart.id)),
        ~exists().where(later.replaces_cart_id == Cart.id),
    )
    begun, paid = (await session.execute(counted)).one()
    since = today_in_colombia(oldest) if period.begin < oldest else None
    return Carts(begun, int(paid or 0), since)


def _big(amount: Any) -> ColumnElement[int]:
    return cast(amount, BigInteger)
