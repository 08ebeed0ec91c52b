"""Numbers next to the places of the navigation: the work that waits for the staff member."""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import database_now
from backend.staff.rights import Actor, Right
from backend.staff_notices.waiting_work import (
    count_open_attention,
    count_orders_to_pack,
    count_waiting_reviews,
    read_open_pqrs,
    read_open_returns,
)


@dataclass(frozen=True, slots=True)
class NavigationCounts:
    """Numbers next to the places of the navigation, and deadlines in words, by the place's `count_key`.

    The key `more` has the sum of the places that a phone's navigation bar does not show.
    """

    numbers: dict[str, int]
    deadlines: dict[str, str]


async def read_navigation_counts(session: AsyncSession, actor: Actor) -> NavigationCounts:
    """Return the numbers next to the places of the navigation that the actor may open."""
    numbers = {"attention": await count_open_attention(session) if actor.may(Right.READ_ATTENTION) else 0}
    if not actor.may(Right.READ_ORDERS):
        return NavigationCounts(numbers, {})
    moment = await database_now(session)
    pqrs, returns = await read_open_pqrs(session, moment), await read_open_returns(session, moment)
    numbers["pqrs"], numbers["returns"] = pqrs.count, returns.count
    numbers["reviews"] = await count_waiting_reviews(session)
    numbers["more"] = numbers["pqrs"] + numbers["returns"] + numbers["reviews"]
    numbers["pack"] = (await count_orders_to_pack(session))[0] if actor.may(Right.FULFILL) else 0
    return NavigationCounts(numbers, {"pqrs": pqrs.deadline_label, "returns": returns.deadline_label})
