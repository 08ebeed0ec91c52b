"""A cart with a product."""

from backend.cart.access import create_empty_cart
from backend.cart.lines import add_to_cart
from backend.core.db.database import Database
from tests.store_defaults import Defaults, add_product


async def cart_with(
    database: Database, defaults: Defaults, stock: int = 10, quantity: int = 2
) -> tuple[str, str]:
    """Create a product and a cart with `quantity` units of it. Return the ids of the cart and the variant."""
    async with database.transaction() as session:
        trompo = await add_product(session, defaults, "trompo", stock=stock, price=30_000)
        cart_id = await create_empty_cart(session)
        await add_to_cart(session, cart_id, trompo, quantity)
    return cart_id, trompo
