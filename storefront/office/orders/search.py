"""Orders in the office's search, by all that staff know of them."""

from backend.app import current_shop
from backend.office.orders.listing import orders_named
from backend.staff.rights import Actor, Right
from storefront.office.navigation import ORDERS
from storefront.office.search import Hit

MOST = 5


async def find_orders(actor: Actor, text: str) -> list[Hit]:
    """The newest orders that the text may mean; none for who may not see orders, or when nothing was typed."""
    if not text.strip() or not actor.may(Right.READ_ORDERS):
        return []
    async with current_shop().database.read() as session:
        rows = await orders_named(session, actor, text, MOST)
    return [
        Hit(
            f"#{row.number} {row.buyer}",
            f"{row.placed_label} · {row.total_label}",
            "receipt",
            f"{ORDERS}/{row.id}",
        )
        for row in rows
    ]
