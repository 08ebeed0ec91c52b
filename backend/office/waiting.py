"""Numbers next to the navigation links: the work that waits for the staff member."""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from backend.staff.rights import Actor, Right
from backend.staff_notices.waiting_work import read_waiting_work


@dataclass(frozen=True, slots=True)
class NavigationCounts:
    """Numbers next to the navigation links, and deadlines in words, both by the link's `count_key`.

    The key `more` has the sum of PQRS requests, returns and reviews: a phone has one link for all three.
    """

    numbers: dict[str, int]
    deadlines: dict[str, str]


async def read_navigation_counts(session: AsyncSession, actor: Actor) -> NavigationCounts:
    """Return the counts. For work that the actor may not see, the number is 0 or missing."""
    work = await read_waiting_work(session)
    pqrs, returns = work.pqrs, work.returns
    numbers = {"attention": work.attention if actor.may(Right.READ_ATTENTION) else 0}
    if not actor.may(Right.READ_ORDERS):
        return NavigationCounts(numbers, {})
    numbers |= {
        "pack": work.to_pack if actor.may(Right.FULFILL) else 0,
        "pqrs": pqrs.count,
        "returns": returns.count,
        "reviews": work.reviews,
        "more": pqrs.count + returns.count + work.reviews,
    }
    return NavigationCounts(numbers, {"pqrs": pqrs.deadline_label, "returns": returns.deadline_label})
