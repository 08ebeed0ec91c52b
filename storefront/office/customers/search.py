"""Customers in the office's search."""

from backend.app import current_shop
from backend.office.customers.listing import customers_named
from backend.staff.rights import Actor, Right
from storefront.office.navigation import CUSTOMERS
from storefront.office.search import Hit

MOST = 3


async def find_customers(actor: Actor, text: str) -> list[Hit]:
    """The newest customers that the text may mean; none for who may not see them, or when nothing was typed."""
    if not text.strip() or not actor.may(Right.READ_CUSTOMERS):
        return []
    async with current_shop().database.read() as session:
        rows = await customers_named(session, actor, text, MOST)
    return [Hit(row.name, row.email, "customers", f"{CUSTOMERS}/{row.id}") for row in rows]
