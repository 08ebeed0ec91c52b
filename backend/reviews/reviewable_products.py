"""Which toys of an order its buyer may review now: those that arrived, were kept and are still sold."""

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

OPEN_FOR = timedelta(days=120)
"""From the day a toy arrives."""


@dataclass(frozen=True, slots=True)
class BoughtToy:
    """A toy that may be reviewed. `line_id` is the first of the order's lines with it; `until` is when that ends."""

    line_id: str
    product_id: str
    handle: str
    title: str
    until: datetime


async def bought_toys(session: AsyncSession, order: Order) -> list[BoughtToy]:
    """What of the order may be reviewed now, in the order of its lines; each toy once."""
    return (await bought_toys_of(session, [order]))[order.id]


async def bought_toys_of(session: AsyncSession, orders: Sequence[Order]) -> dict[str, list[BoughtToy]]:
    """The same of several orders, by the order's id."""
    paid = [
        order.id
        for order in orders
        if order.status != OrderStatus.CANCELED and order.payment_status in HAS_MONEY and not order.erased_at
    ]
    moment, arrived = await database_now(session), await _arrived(session, paid)
    query = select(OrderLine).where(OrderLine.order_id.in_(paid)).order_by(OrderLine.id)
    lines = [
        line
        for line in (await session.execute(query)).scalars()
        if line.id in arrived
        and line.quantity > line.withdrawn + line.returned
        and arrived[line.id] + OPEN_FOR > moment
    ]
    sold = await _sold(session, lines)
    found: dict[str, dict[str, BoughtToy]] = {order.id: {} for order in orders}
    for line in lines:
        if line.product_id in sold and line.product_id not in found[line.order_id]:
            handle, title = sold[line.product_id]
            until = arrived[line.id] + OPEN_FOR
            found[line.order_id][line.product_id] = BoughtToy(line.id, line.product_id, handle, title, until)
    return {order_id: list(toys.values()) for order_id, toys in found.items()}


async def line_with_order(session: AsyncSession, line_id: str) -> tuple[OrderLine, Order]:
    """The line of an order, and the order.

    Raises:
        NotFound: there is none.
    """
    query = (
        select(OrderLine, Order).join(Order, Order.id == OrderLine.order_id).where(OrderLine.id == line_id)
    )
    line, order = require_found((await session.execute(query)).first(), "Order line", line_id)
    return line, order


async def toy_of_line(session: AsyncSession, order: Order, line: OrderLine) -> BoughtToy | None:
    """The toy of this line of the order, if it may be reviewed now."""
    toys = await bought_toys(session, order)
    return next((toy for toy in toys if toy.product_id == line.product_id), None)


def shown_name(order: Order) -> str:
    """How the order's buyer signs: a first name and an initial."""
    address = order.billing_address or order.shipping_address
    first, last = (clean_name(address.get(name)) for name in ("first_name", "last_name"))
    if not first:
        return _("Alguien que lo compró")
    return f"{first.split()[0]} {last[0].upper()}." if last else first.split()[0]


async def _arrived(session: AsyncSession, order_ids: Sequence[str]) -> dict[str, datetime]:
    """When the last units of each line of these orders arrived, by the line's id."""
    moments: dict[str, datetime] = {}
    parcels = FULFILLMENTS.where(Fulfillment.order_id.in_(order_ids))
    for parcel in (await session.execute(parcels)).scalars():
        if parcel.delivered_at is None or parcel.canceled_at is not None:
            continue
        for item in parcel.items:
            line_id = str(item["line_item_id"])
            moments[line_id] = max(parcel.delivered_at, moments.get(line_id, parcel.delivered_at))
    return moments


async def _sold(session: AsyncSession, lines: Sequence[OrderLine]) -> dict[str, tuple[str, str]]:
    """Handle and title of the lines' products that have a page, by the product's id."""
    query = select(Product.id, Product.handle, Product.title).where(
        Product.id.in_({line.product_id for line in lines}), for_sale()
    )
    return {row.id: (row.handle, row.title) for row in await session.execute(query)}
