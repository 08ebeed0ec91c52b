"""The office's start screen: pending work and today's sales. Its queries stay fast with 100,000 orders.

If an index contains only the rows with certain statuses (`Order.__table_args__`), the query must contain these
statuses as literals, so that the database uses the index.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.low_stock import select_low_stock
from backend.catalog.models import Product
from backend.core.config.settings import Settings
from backend.core.dates import TIME_ZONE, day_label
from backend.core.db.database import database_now
from backend.core.money import Cop, format_cop
from backend.office.opening_steps import Step, read_opening_steps
from backend.orders.models import Order
from backend.orders.search import AWAITING_BANK, is_one_of
from backend.orders.service import count_orders_paid_between
from backend.payment.cash import sum_cash
from backend.staff.rights import Actor, Right
from backend.staff_notices.waiting_work import WorkWithDeadline, read_waiting_work

MAX_LOW_PRODUCTS = 5
"""Maximum number of products with low stock that are named."""
WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class LowStockProduct:
    """A product with few units left."""

    product_id: str
    title: str
    units: int


@dataclass(frozen=True, slots=True)
class TodayView:
    """Pending work and today's sales.

    Attributes:
        day: today, in words.
        reviews: number of unread reviews.
        pqrs: number of PQRS requests without an answer, and their nearest deadline.
        returns: number of returns in which a customer waits for the shop, and their nearest deadline.
        waits_since: day on which the order that waits longest for packing was paid; empty if none waits.
        attention_late: number of open attention rows whose deadline has passed.
        change: today's sales compared with the same time a week ago, in percent; None if nothing was sold then.
        is_quiet: True if no work is pending.
        steps: steps to complete before the shop opens; empty if all are done, or if the actor may not change
            settings.
    """

    day: str
    to_pack: int
    waits_since: str
    awaiting_bank: int
    attention: int
    attention_late: int
    low_stock: int
    reviews: int
    pqrs: WorkWithDeadline
    returns: WorkWithDeadline
    low_products: list[LowStockProduct]
    sold_label: str
    orders: int
    sold_last_week_label: str
    orders_last_week: int
    change: int | None
    is_quiet: bool
    steps: list[Step]


async def today_view(session: AsyncSession, actor: Actor, settings: Settings) -> TodayView:
    """Return the pending work and today's sales.

    Raises:
        Forbidden: the actor may not see orders.
    """
    actor.require(Right.READ_ORDERS)
    moment = await database_now(session)
    begin = moment.astimezone(TIME_ZONE).replace(hour=0, minute=0, second=0, microsecond=0)
    work = await read_waiting_work(session)
    waits = AWAITING_BANK & is_one_of(Order.status, "pending")
    awaiting = (await session.execute(select(func.count()).where(waits))).scalar_one()
    low_count, low = await _low_stock(session)
    sold, orders = await _sales_between(session, begin, moment)
    sold_before, orders_before = await _sales_between(session, begin - WEEK, moment - WEEK)
    return TodayView(
        day=day_label(moment),
        to_pack=work.to_pack,
        waits_since=day_label(work.oldest_paid_at) if work.oldest_paid_at else "",
        awaiting_bank=awaiting,
        attention=work.attention,
        attention_late=work.attention_late,
        low_stock=low_count,
        reviews=work.reviews,
        pqrs=work.pqrs,
        returns=work.returns,
        low_products=low,
        sold_label=format_cop(sold),
        orders=orders,
        sold_last_week_label=format_cop(sold_before),
        orders_last_week=orders_before,
        change=round((sold - sold_before) * 100 / sold_before) if sold_before > 0 else None,
        is_quiet=work.is_empty and not awaiting and not low_count,
        steps=await read_opening_steps(session, actor, settings) if actor.may(Right.CHANGE_SETTINGS) else [],
    )


async def _sales_between(session: AsyncSession, begin: datetime, end: datetime) -> tuple[Cop, int]:
    """Return the captured minus the refunded money of this time range, and the number of orders paid."""
    (cash,) = await sum_cash(session, [(begin, end)])
    return cash.captured - cash.refunded, await count_orders_paid_between(session, begin, end)


async def _low_stock(session: AsyncSession) -> tuple[int, list[LowStockProduct]]:
    """Return the number of products for sale with low stock, and some of them, the fewest units first."""
    few = await select_low_stock(session)
    count = (await session.execute(select(func.count()).select_from(few.subquery()))).scalar_one()
    if not count:
        return 0, []
    rows = await session.execute(few.order_by("units", Product.title).limit(MAX_LOW_PRODUCTS))
    return count, [LowStockProduct(row.id, row.title, row.units) for row in rows]
