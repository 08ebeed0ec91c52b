"""Margins: the price of sold units without IVA, minus the cost that the units had when they were sold."""

from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import BigInteger, cast, func, literal, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.tables import Json
from backend.core.money import Cop
from backend.orders.models import Order, OrderLine
from backend.orders.money.payment_allocation import sum_discounts_by_part
from backend.pricing import price_of_units, tax_inside
from backend.reports.figures import MAX_PRODUCTS, sold_conditions
from backend.reports.periods import Period, split_into_months


class Margin(NamedTuple):
    """Pesos that units were sold for, without IVA, and their cost."""

    net: Cop = 0
    cost: Cop = 0

    @property
    def pesos(self) -> Cop:
        """Return the pesos that remain; negative for units that were sold below their cost."""
        return self.net - self.cost

    @property
    def percent(self) -> int:
        """Return the margin in whole percent of the price without IVA; 0 for units that were given away."""
        return round(self.pesos * 100 / self.net) if self.net else 0

    def plus(self, other: "Margin") -> "Margin":
        """Return the sum of both margins."""
        return Margin(self.net + other.net, self.cost + other.cost)


def margin_of_price(price: Cop, tax_rate: int, cost: Cop) -> Margin:
    """Return the margin of units that are sold at this price, IVA included, and have this cost."""
    return Margin(price - tax_inside(price, tax_rate), cost)


class ProductMargin(NamedTuple):
    """The margin of a product's sold units whose cost is known."""

    title: str
    units: int
    margin: Margin


@dataclass(frozen=True, slots=True)
class MarginFigures:
    """The margins of a period.

    Attributes:
        total: the margin of all units whose cost is known.
        units: number of these units.
        unknown: number of sold units whose cost is unknown.
        products: the products with the largest margins.
    """

    total: Margin
    units: int
    unknown: int
    products: list[ProductMargin]


_UNITS = OrderLine.quantity - OrderLine.withdrawn - OrderLine.returned
_IS_KNOWN = OrderLine.unit_cost.is_not(None)


async def read_margins(session: AsyncSession, period: Period) -> MarginFigures:
    """Return the margins of the orders that were paid in the period, without returned and withdrawn units.

    The IVA of a product's units is rounded once for all units of an order without discounts, so a margin may differ
    from the invoices by some pesos.
    """
    found: dict[str, ProductMargin] = {}
    unknown = 0

    def add(product_id: str, sold: ProductMargin) -> None:
        known = found.get(product_id, ProductMargin(sold.title, 0, Margin()))
        found[product_id] = ProductMargin(
            sold.title, known.units + sold.units, known.margin.plus(sold.margin)
        )

    for month in split_into_months(period):
        conditions = [*sold_conditions(month.begin, month.end), _IS_KNOWN]
        is_whole = Order.adjustments == literal([], Json)
        whole = (
            select(
                OrderLine.product_id,
                func.max(OrderLine.title),
                OrderLine.tax_rate,
                func.sum(_UNITS),
                func.sum(cast(OrderLine.unit_price, BigInteger) * _UNITS),
                func.sum(cast(OrderLine.unit_cost, BigInteger) * _UNITS),
            )
            .join(Order, Order.id == OrderLine.order_id)
            .where(*conditions, is_whole)
            .group_by(OrderLine.product_id, OrderLine.tax_rate)
        )
        for product_id, title, rate, units, pesos, cost in await session.execute(whole):
            add(product_id, ProductMargin(title, int(units), margin_of_price(int(pesos), rate, int(cost))))
        columns = (
            OrderLine.id,
            OrderLine.product_id,
            OrderLine.title,
            OrderLine.tax_rate,
            OrderLine.quantity,
            OrderLine.unit_price,
            OrderLine.unit_cost,
        )
        reduced = (
            select(*columns, _UNITS, Order.adjustments)
            .join(Order, Order.id == OrderLine.order_id)
            .where(*conditions, ~is_whole)
        )
        for (
            id_,
            product_id,
            title,
            rate,
            quantity,
            price,
            unit_cost,
            units,
            adjustments,
        ) in await session.execute(reduced):
            paid = quantity * price - sum_discounts_by_part(adjustments).get(id_, 0)
            pesos = price_of_units(paid, quantity, units)
            add(
                product_id,
                ProductMargin(title, units, margin_of_price(pesos, rate, (unit_cost or 0) * units)),
            )
        missing = select(func.sum(_UNITS)).join(Order, Order.id == OrderLine.order_id)
        of_month = [*sold_conditions(month.begin, month.end), OrderLine.unit_cost.is_(None)]
        unknown += int((await session.execute(missing.where(*of_month))).scalar_one() or 0)
    total = Margin()
    for product in found.values():
        total = total.plus(product.margin)
    ranked = sorted(found.values(), key=lambda product: (-product.margin.pesos, product.title))
    return MarginFigures(
        total,
        sum(product.units for product in ranked),
        unknown,
        [product for product in ranked if product.units > 0][:MAX_PRODUCTS],
    )
