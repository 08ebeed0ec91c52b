"""Work that waits for staff: its numbers, and the nearest legal deadlines.

If an index contains only the rows with certain statuses, the query contains these statuses as literals, so that the
database uses the index.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, Subquery, func, select, true
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.models import Attention
from backend.core.db.database import db_now
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


@dataclass(frozen=True, slots=True)
class WaitingWork:
    """All work that waits for staff.

    Attributes:
        to_pack: number of orders to pack.
        oldest_paid_at: when the oldest of these orders was paid; None without one.
        attention: number of open attention rows.
        attention_late: number of open attention rows whose deadline has passed.
        reviews: number of reviews that wait for a decision.
        pqrs: PQRS requests without an answer.
        returns: returns in which a customer waits for the shop.
    """

    to_pack: int
    oldest_paid_at: datetime | None
    attention: int
    attention_late: int
    reviews: int
    pqrs: WorkWithDeadline
    returns: WorkWithDeadline

    @property
    def is_empty(self) -> bool:
        """True if no work of any kind waits."""
        values = [getattr(self, kind.name) for kind in fields(self)]
        return not any(value.count if isinstance(value, WorkWithDeadline) else value for value in values)


async def read_waiting_work(session: AsyncSession) -> WaitingWork:
    """Return the work that waits now. It is read with one statement, because each screen of the office needs it."""
    moment, to_pack, oldest, attention, late, reviews, *requests = (await session.execute(_COUNT_ALL)).one()
    return WaitingWork(
        to_pack=to_pack,
        oldest_paid_at=oldest,
        attention=attention,
        attention_late=late,
        reviews=reviews,
        pqrs=_summarize(requests[:3], moment),
        returns=_summarize(requests[3:], moment),
    )


def format_days_left(days: int) -> str:
    """Format the remaining days until a deadline, which are negative after it: «Quedan 3 días»."""
    if days < -1:
        return _("Pasó hace {n} días").format(n=-days)
    if days < 1:
        return _("Vence hoy") if days == 0 else _("Pasó ayer")
    return _("Queda 1 día") if days == 1 else _("Quedan {n} días").format(n=days)


def _summarize(requests: Sequence[Any], moment: datetime) -> WorkWithDeadline:
    """Return the summary of `requests`: their number, the number of late ones, and the nearest deadline."""
    count, late, nearest = requests
    if nearest is None:
        return WorkWithDeadline()
    days = count_days_left(nearest, moment)
    return WorkWithDeadline(count, late, format_days_left(days), days <= URGENT_DAYS)


def _count(condition: ColumnElement[bool], *others: ColumnElement[Any]) -> Subquery:
    """Return a subquery with one row: the number of rows that meet the condition, then their other aggregates."""
    return select(func.count(), *others).where(condition).subquery()


def _count_late(due_at: Any) -> ColumnElement[int]:
    return func.count().filter(due_at < db_now()).label("late")


def _count_all() -> Select[Any]:
    """Build the statement of `read_waiting_work`. Each part of the work is a subquery with one row."""
    to_pack = _count(TO_PACK, func.min(Order.paid_at))
    attention = _count(Attention.resolved_at.is_(None), _count_late(Attention.due_at))
    reviews = _count(is_one_of(Review.state, "waiting"))
    pqrs = _count(Pqrs.answered_at.is_(None), _count_late(Pqrs.due_at), func.min(Pqrs.due_at))
    returns = _count(Return.state.in_(OPEN), _count_late(Return.due_at), func.min(Return.due_at))
    joined = to_pack.join(attention, true()).join(reviews, true()).join(pqrs, true()).join(returns, true())
    return select(db_now(), to_pack, attention, reviews, pqrs, returns).select_from(joined)


_COUNT_ALL = _count_all()
