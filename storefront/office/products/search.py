"""Products in the office's search, by title, code or handle."""

from backend.app import current_shop
from backend.office.products.listing import products_named
from backend.staff.rights import Actor, Right
from storefront.office.navigation import PRODUCTS
from storefront.office.search import Hit

MOST = 5


async def find_products(actor: Actor, text: str) -> list[Hit]:
    """The products that the text may mean; none for who may not see them, or when nothing was typed."""
    if not text.strip() or not actor.may(Right.READ_CATALOG):
        return []
    async with current_shop().database.read() as session:
        rows = await products_named(session, actor, text, MOST)
    return [
        Hit(row.title, f"{row.price_label} · {row.detail}", "blocks", f"{PRODUCTS}/{row.id}") for row in rows
    ]
