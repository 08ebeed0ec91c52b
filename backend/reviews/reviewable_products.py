"""Products of an order that its customer may review: delivered, not returned, and still for sale."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product, for_sale
from backend.core.db.database import database_now
from backend.core.errors import require_found
from backend.core.texts import _
from backend.core.web.contact import clean_name
from backend.orders.fulfillments import FULFILLMENTS
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.states import HAS_MONEY, OrderStatus

REVIEW_PERIOD = timedelta(days=120)
"""Time after the delivery in which a product can be reviewed."""


@dataclass(frozen=True, slots=True)
class ReviewableProduct:
    """A product that can be reviewed. `line_id` is its first order line; `until` is the end of the review period."""

    line_id: str
    product_id: str
    handle: str
    title: str
    until: datetime


async def list_reviewable_products(session: AsyncSession, order: Order) -> list[ReviewableProduct]:
    """Return the products of the order that can be reviewed now, each once, in the sequence of the order lines."""
    return (await reviewable_products_by_order(session, [order]))[order.id]


async def reviewable_products_by_order(
    session: AsyncSession, orders: Sequence[Order]
) -> dict[str, list[ReviewableProduct]]:
    """Return the products of several orders that can be reviewed now, by order id."""
    paid = [
        order.id
        for order in orders
        if order.status != OrderStatus.CANCELED and order.payment_status in HAS_MONEY and not order.erased_at
    ]
    moment, arrived = await database_now(session), await _delivery_times(session, paid)
    query = select(OrderLine).where(OrderLine.order_id.in_(paid)).order_by(OrderLine.id)
    lines = [
        line
        for line in (await session.execute(query)).scalars()
        if line.id in arrived
        and line.quantity > line.withdrawn + line.returned
        and arrived[line.id] + REVIEW_PERIOD > moment
    ]
    sold = await _products_for_sale(session, lines)
    found: dict[str, dict[str, ReviewableProduct]] = {order.id: {} for order in orders}
    for line in lines:
        if line.product_id in sold and line.product_id not in found[line.order_id]:
            handle, title = sold[line.product_id]
            until = arrived[line.id] + REVIEW_PERIOD
            found[line.order_id][line.product_id] = ReviewableProduct(
                line.id, line.product_id, handle, title, until
            )
    return {order_id: list(products.values()) for order_id, products in found.items()}


async def line_with_order(session: AsyncSession, line_id: str) -> tuple[OrderLine, Order]:
    """Return an order line and its order.

    Raises:
        NotFound: the line does not exist.
    """
    query = (
        select(OrderLine, Order).join(Order, Order.id == OrderLine.order_id).where(OrderLine.id == line_id)
    )
    line, order = require_found((await session.execute(query)).first(), "Order line", line_id)
    return line, order


async def find_reviewable_product(
    session: AsyncSession, order: Order, line: OrderLine
) -> ReviewableProduct | None:
    """Return the product of this order line, or None if it cannot be reviewed now."""
    products = await list_reviewable_products(session, order)
    return next((product for product in products if product.product_id == line.product_id), None)


def format_reviewer_name(order: Order) -> str:
    """Return the name to show with a review: first name and initial of the surname.

    If the name is missing, return a phrase instead.
    """
    address = order.billing_address or order.shipping_address
    first, last = (clean_name(address.get(name)) for name in ("first_name", "last_name"))
    if not first:
        return _("Alguien que lo compró")
    return f"{first.split()[0]} {last[0].upper()}." if last else first.split()[0]


async def _delivery_times(session: AsyncSession, order_ids: Sequence[str]) -> dict[str, datetime]:
    """Return the time of the latest delivery of each line of these orders, by line id."""
    moments: dict[str, datetime] = {}
    parcels = FULFILLMENTS.where(Fulfillment.order_id.in_(order_ids))
    for parcel in (await session.execute(parcels)).scalars():
        if parcel.delivered_at is None or parcel.canceled_at is not None:
            continue
        for item in parcel.items:
            line_id = str(item["line_item_id"])
            moments[line_id] = max(parcel.delivered_at, moments.get(line_id, parcel.delivered_at))
    return moments


async def _products_for_sale(session: AsyncSession, lines: Sequence[OrderLine]) -> dict[str, tuple[str, str]]:
    """Return handle and title of the lines' products by id. Products that are not for sale are left out."""
    query = select(Product.id, Product.handle, Product.title).where(
        Product.id.in_({line.product_id for line in lines}), for_sale()
    )
    return {row.id: (row.handle, row.title) for row in await session.execute(query)}
