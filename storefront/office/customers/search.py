"""Customers in the office's search."""

from backend.app import current_shop
from backend.office.customers.listing import find_customers_by_text
from backend.staff.rights import Actor, Right
from storefront.office.navigation import CUSTOMERS
from storefront.office.search import SearchHit

MAX_HITS = 3


async def find_customers(actor: Actor, text: str) -> list[SearchHit]:
    """Return the newest customers that match the text.

    The result is empty if the text is empty, or the actor may not see customers.
    """
    if not text.strip() or not actor.may(Right.READ_CUSTOMERS):
        return []
    async with current_shop().database.read() as session:
        rows = await find_customers_by_text(session, actor, text, MAX_HITS)
    return [SearchHit(row.name, row.email, "customers", f"{CUSTOMERS}/{row.id}") for row in rows]
