"""Figures of a period that the ledger does not contain: orders, products, stock and carts."""

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
    literal_column,
    or_,
    select,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from backend.cart.models import Cart, LineItem
from backend.catalog.models import Product, Variant
from backend.checkout.carts.abandoned_carts import CART_RETENTION
from backend.core.dates import today_in_colombia
from backend.core.money import Cop
from backend.inventory.models import InventoryLevel
from backend.orders.models import Order, OrderLine
from backend.payment.cash import sum_cash
from backend.reports.periods import Period, Piece

MAX_PRODUCTS = 10
"""Maximum number of products in a ranking."""
SLOW_STOCK_AGE = timedelta(days=90)
"""A product in stock that was not ordered for this time counts as slow-selling."""


class CashFlow(NamedTuple):
    """Captured and refunded pesos in a piece of the period."""

    piece: Piece
    captured: Cop
    refunded: Cop


class ProductFigures(NamedTuple):
    """A product's units, and the price of all of them including IVA."""

    title: str
    units: int
    pesos: Cop


@dataclass(frozen=True, slots=True)
class CartFigures:
    """Number of carts of a period that were not empty, and the number of these that were paid.

    `since` is the first counted day if carts of earlier days may have been deleted; None if all days are counted.
    """

    begun: int
    paid: int
    since: date | None = None


def sold_conditions(begin: datetime, end: datetime | None = None) -> list[ColumnElement[bool]]:
    """Return the SQL conditions for active orders that were paid in a range of time (index `ix_order_sold`)."""
    conditions = [Order.status == literal_column("'pending'"), Order.paid_at >= begin]
    return [*conditions, Order.paid_at < end] if end is not None else conditions


async def read_cash_flows(session: AsyncSession, pieces: list[Piece]) -> list[CashFlow]:
    """Return the captured and refunded pesos of each piece."""
    sums = await sum_cash(session, [(piece.begin, piece.end) for piece in pieces])
    return [CashFlow(piece, *found) for piece, found in zip(pieces, sums, strict=True)]


async def count_paid_orders(session: AsyncSession, period: Period) -> tuple[int, Cop]:
    """Return the number and the total of the orders that were paid in the period, without cancelled ones."""
    counted = select(func.count(), func.sum(_to_bigint(Order.total))).where(
        *sold_conditions(period.begin, period.end)
    )
    count, pesos = (await session.execute(counted)).one()
    return count, int(pesos or 0)


async def list_slow_stock(session: AsyncSession, moment: datetime) -> list[ProductFigures]:
    """Return at most `MAX_PRODUCTS` products in stock that were not sold for `SLOW_STOCK_AGE`.

    The products whose stock is worth most come first. Products created within that time are not included.
    """
    since = moment - SLOW_STOCK_AGE
    sold = (
        select(OrderLine.product_id)
        .join(Order, Order.id == OrderLine.order_id)
        .where(*sold_conditions(since))
    )
    units, pesos = (
        func.sum(InventoryLevel.stocked),
        func.sum(_to_bigint(InventoryLevel.stocked) * Variant.price),
    )
    slow = (
        select(Product.title, units, pesos)
        .join(Variant, Variant.product_id == Product.id)
        .join(InventoryLevel, InventoryLevel.variant_id == Variant.id)
        .where(InventoryLevel.stocked > 0, Product.deleted_at.is_(None), Product.created_at < since)
        .where(Product.id.not_in(sold))
        .group_by(Product.id, Product.title, Product.title_key)
        .order_by(pesos.desc(), Product.title_key, Product.id)
        .limit(MAX_PRODUCTS)
    )
    return [
        ProductFigures(title, int(count), int(worth)) for title, count, worth in await session.execute(slow)
    ]


async def read_stock_value(session: AsyncSession) -> tuple[int, Cop]:
    """Return the number of units in stock, and their total price including IVA."""
    value = (
        select(func.sum(InventoryLevel.stocked), func.sum(_to_bigint(InventoryLevel.stocked) * Variant.price))
        .join(Variant, Variant.id == InventoryLevel.variant_id)
        .join(Product, Product.id == Variant.product_id)
        .where(Product.deleted_at.is_(None))
    )
    units, pesos = (await session.execute(value)).one()
    return int(units or 0), int(pesos or 0)


async def count_carts(session: AsyncSession, period: Period, moment: datetime) -> CartFigures | None:
    """Count the carts of the period; return None if all of them may have been deleted already.

    A cart that was restored after a failed payment counts once, as the restored cart.
    """
    oldest = moment - CART_RETENTION
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
    return CartFigures(begun, int(paid or 0), since)


def _to_bigint(amount: Any) -> ColumnElement[int]:
    return cast(amount, BigInteger)
