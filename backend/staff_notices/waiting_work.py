"""Work that waits for staff: its numbers, and the nearest legal deadlines.

If an index contains only the rows with certain statuses, the query contains these statuses as literals, so that the
database uses the index.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.models import Attention
from backend.core.texts import _
from backend.orders.models import Order
from backend.orders.search import TO_PACK, is_one_of
from backend.pqrs.models import Pqrs
from backend.returns.deadlines import count_days_left
from backend.returns.models import Return
from backend.returns.states import OPEN
from backend.reviews.models import Review

URGENT_DAYS = 5
"""Number of remaining days from which a deadline is marked as urgent."""


@dataclass(frozen=True, slots=True)
class WorkWithDeadline:
    """Summary of the open requests of one kind, which must be answered within a legal deadline.

    Attributes:
        count: number of open requests.
        late: number of open requests whose deadline has passed.
        deadline_label: remaining days until the nearest deadline, in words; empty if no request is open.
        is_urgent: True if a deadline has passed or is at most `URGENT_DAYS` days away.
    """

    count: int = 0
    late: int = 0
    deadline_label: str = ""
    is_urgent: bool = False


async def read_open_pqrs(session: AsyncSession, moment: datetime) -> WorkWithDeadline:
    """Return the summary of the PQRS requests without an answer."""
    return await _read_open_work(session, Pqrs.due_at, Pqrs.answered_at.is_(None), moment)


async def read_open_returns(session: AsyncSession, moment: datetime) -> WorkWithDeadline:
    """Return the summary of the returns in which a customer waits for the shop."""
    return await _read_open_work(session, Return.due_at, Return.state.in_(OPEN), moment)


async def count_orders_to_pack(session: AsyncSession) -> tuple[int, datetime | None]:
    """Return the number of orders to pack, and when the oldest of them was paid."""
    found = (await session.execute(select(func.count(), func.min(Order.paid_at)).where(TO_PACK))).one()
    return found[0], found[1]


async def count_open_attention(session: AsyncSession) -> int:
    """Count the open attention rows."""
    query = select(func.count()).where(Attention.resolved_at.is_(None))
    return (await session.execute(query)).scalar_one()


async def count_waiting_reviews(session: AsyncSession) -> int:
    """Count the reviews that wait for a decision."""
    query = select(func.count()).select_from(Review).where(is_one_of(Review.state, "waiting"))
    return (await session.execute(query)).scalar_one()


def format_days_left(days: int) -> str:
    """Format the remaining days until a deadline, which are negative after it: «Quedan 3 días»."""
    if days < -1:
        return _("Pasó hace {n} días").format(n=-days)
    if days < 1:
        return _("Vence hoy") if days == 0 else _("Pasó ayer")
    return _("Queda 1 día") if days == 1 else _("Quedan {n} días").format(n=days)


async def _read_open_work(
    session: AsyncSession, due_at: Any, is_open: ColumnElement[bool], moment: datetime
) -> WorkWithDeadline:
    late = func.count().filter(due_at < moment)
    count, late_count, nearest = (
        await session.execute(select(func.count(), late, func.min(due_at)).where(is_open))
    ).one()
    if nearest is None:
        return WorkWithDeadline()
    days = count_days_left(nearest, moment)
    return WorkWithDeadline(count, late_count, format_days_left(days), days <= URGENT_DAYS)
