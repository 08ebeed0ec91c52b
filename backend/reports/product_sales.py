"""Products that were sold in a period: the best-selling ones, and their margins."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import BigInteger, cast, func, literal, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.tables import Json
from backend.core.money import Cop
from backend.orders.models import Order, OrderLine
from backend.orders.money.payment_allocation import sum_discounts_by_part
from backend.pricing import PricedLine, price_of_units
from backend.reports.figures import MAX_PRODUCTS, ProductFigures, sold_conditions
from backend.reports.margins import Margin, MarginFigures, ProductMargin, margin_of_price
from backend.reports.periods import Period, split_into_months


class ProductSales(NamedTuple):
    """Sold units of a product, and the price that was paid for them, IVA included.

    Attributes:
        costed_units: the units whose cost is known.
        margin: the margin of these units.
    """

    title: str
    units: int
    pesos: Cop
    costed_units: int = 0
    margin: Margin = Margin()

    def plus(self, other: "ProductSales") -> "ProductSales":
        """Return the sum of both products' sales, with the title of `other`."""
        return ProductSales(
            other.title,
            self.units + other.units,
            self.pesos + other.pesos,
            self.costed_units + other.costed_units,
            self.margin.plus(other.margin),
        )


_UNITS = OrderLine.quantity - OrderLine.withdrawn - OrderLine.returned


async def read_product_sales(session: AsyncSession, period: Period) -> list[ProductSales]:
    """Return each product's sales in the orders paid in the period, without returned and withdrawn units.

    For orders without discounts, the IVA is rounded once for all units of a product, not for each order, so a
    margin may differ from the invoices by some pesos.
    """
    found: dict[str, ProductSales] = {}

    def add(product_id: str, sold: ProductSales) -> None:
        found[product_id] = found[product_id].plus(sold) if product_id in found else sold

    is_whole = Order.adjustments == literal([], Json)
    for month in split_into_months(period):
        conditions = sold_conditions(month.begin, month.end)
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
            .group_by(OrderLine.product_id, OrderLine.tax_rate, OrderLine.unit_cost.is_(None))
        )
        for product_id, title, rate, units, pesos, cost in await session.execute(whole):
            add(
                product_id,
                _to_sales(title, int(units), int(pesos), rate, None if cost is None else int(cost)),
            )
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
            select(*columns, _UNITS.label("units"), Order.adjustments)
            .join(Order, Order.id == OrderLine.order_id)
            .where(*conditions, ~is_whole)
        )
        for line in await session.execute(reduced):
            priced = PricedLine(line.id, line.quantity, line.unit_price)
            paid = priced.amount - sum_discounts_by_part(line.adjustments).get(line.id, 0)
            pesos = price_of_units(paid, line.quantity, line.units)
            known_cost = None if line.unit_cost is None else line.unit_cost * line.units
            add(line.product_id, _to_sales(line.title, line.units, pesos, line.tax_rate, known_cost))
    return list(found.values())


def _to_sales(title: str, units: int, pesos: Cop, tax_rate: int, cost: Cop | None) -> ProductSales:
    if cost is None:
        return ProductSales(title, units, pesos)
    return ProductSales(title, units, pesos, units, margin_of_price(pesos, tax_rate, cost))


def list_best_sellers(sales: Sequence[ProductSales]) -> list[ProductFigures]:
    """Return the products with the most sold units, at most `MAX_PRODUCTS`."""
    ranked = sorted(sales, key=lambda product: (-product.units, -product.pesos, product.title))
    return [
        ProductFigures(product.title, product.units, product.pesos)
        for product in ranked[:MAX_PRODUCTS]
        if product.units > 0
    ]


def summarize_margins(sales: Sequence[ProductSales]) -> MarginFigures:
    """Return the margins of the sold units, and the products with the largest margins."""
    total = Margin()
    for product in sales:
        total = total.plus(product.margin)
    ranked = sorted(
        (
            ProductMargin(product.title, product.costed_units, product.margin)
            for product in sales
            if product.costed_units > 0
        ),
        key=lambda product: (-product.margin.pesos, product.title),
    )
    units = sum(product.costed_units for product in sales)
    return MarginFigures(total, units, sum(product.units for product in sales) - units, ranked[:MAX_PRODUCTS])
