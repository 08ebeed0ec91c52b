"""Products in the office's search, by title, code or handle."""

from backend.app import current_shop
from backend.office.products.listing import find_products_by_text
from backend.staff.rights import Actor, Right
from storefront.office.navigation import PRODUCTS
from storefront.office.search import SearchHit

MAX_HITS = 5


async def find_products(actor: Actor, text: str) -> list[SearchHit]:
    """Return the products that match the text.

    The result is empty if the text is empty, or the actor may not see products.
    """
    if not text.strip() or not actor.may(Right.READ_CATALOG):
        return []
    async with current_shop().database.read() as session:
        rows = await find_products_by_text(session, actor, text, MAX_HITS)
    return [
        SearchHit(row.title, f"{row.price_label} · {row.detail}", "blocks", f"{PRODUCTS}/{row.id}")
        for row in rows
    ]
