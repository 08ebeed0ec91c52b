"""Work that waits for staff: the numbers of the start screen and of the navigation, with the nearest deadlines.

If an index contains only the rows with certain statuses, the query contains these statuses as literals, so that the
database uses the index.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import database_now
from backend.core.texts import _
from backend.office.attention import count_open
from backend.office.reviews import count_waiting_reviews
from backend.orders.models import Order
from backend.orders.search import TO_PACK
from backend.pqrs.models import Pqrs
from backend.returns.deadlines import count_days_left
from backend.returns.models import Return
from backend.returns.states import OPEN
from backend.staff.rights import Actor, Right

URGENT_DAYS = 5
"""Number of remaining days from which a deadline is marked as urgent."""


@dataclass(frozen=True, slots=True)
class WorkWithDeadline:
    """Open requests of a kind that the law gives a deadline.

    Attributes:
        count: number of open requests.
        late: number of those whose deadline has passed.
        deadline_label: remaining days until the nearest deadline, in words; empty if none is open.
        is_urgent: True if a deadline has passed or is at most `URGENT_DAYS` days away.
    """

    count: int = 0
    late: int = 0
    deadline_label: str = ""
    is_urgent: bool = False


@dataclass(frozen=True, slots=True)
class NavigationCounts:
    """Numbers next to the places of the navigation, and deadlines in words, by the place's `count_key`.

    The key `more` has the sum of the places that a phone's navigation bar does not show.
    """

    numbers: dict[str, int]
    deadlines: dict[str, str]


async def read_open_pqrs(session: AsyncSession, moment: datetime) -> WorkWithDeadline:
    """Return the PQRS requests without an answer."""
    return await _read_open_work(session, Pqrs.due_at, Pqrs.answered_at.is_(None), moment)


async def read_open_returns(session: AsyncSession, moment: datetime) -> WorkWithDeadline:
    """Return the returns in which a customer waits for the shop."""
    return await _read_open_work(session, Return.due_at, Return.state.in_(OPEN), moment)


async def count_orders_to_pack(session: AsyncSession) -> tuple[int, datetime | None]:
    """Return the number of orders to pack, and when the oldest of them was paid."""
    found = (await session.execute(select(func.count(), func.min(Order.paid_at)).where(TO_PACK))).one()
    return found[0], found[1]


async def read_navigation_counts(session: AsyncSession, actor: Actor) -> NavigationCounts:
    """Return the numbers next to the places of the navigation that the actor may open."""
    numbers = {"attention": await count_open(session, actor)}
    if not actor.may(Right.READ_ORDERS):
        return NavigationCounts(numbers, {})
    moment = await database_now(session)
    pqrs, returns = await read_open_pqrs(session, moment), await read_open_returns(session, moment)
    numbers["pqrs"], numbers["returns"] = pqrs.count, returns.count
    numbers["reviews"] = await count_waiting_reviews(session)
    numbers["more"] = numbers["pqrs"] + numbers["returns"] + numbers["reviews"]
    numbers["pack"] = (await count_orders_to_pack(session))[0] if actor.may(Right.FULFILL) else 0
    return NavigationCounts(numbers, {"pqrs": pqrs.deadline_label, "returns": returns.deadline_label})


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
