"""Orders in the office's search."""

from backend.app import current_shop
from backend.office.orders.listing import find_orders_by_text
from backend.staff.rights import Actor, Right
from storefront.office.navigation import ORDERS
from storefront.office.search import SearchHit

MAX_HITS = 5


async def find_orders(actor: Actor, text: str) -> list[SearchHit]:
    """Return the newest orders that match the text.

    The result is empty if the text is empty, or the actor may not see orders.
    """
    if not text.strip() or not actor.may(Right.READ_ORDERS):
        return []
    async with current_shop().database.read() as session:
        rows = await find_orders_by_text(session, actor, text, MAX_HITS)
    return [
        SearchHit(
            f"#{row.number} {row.customer_name}",
            f"{row.placed_label} · {row.total_label}",
            "receipt",
            f"{ORDERS}/{row.id}",
        )
        for row in rows
    ]
