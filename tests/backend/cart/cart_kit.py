"""A cart with a toy in it."""

from backend.cart.access import new_cart
from backend.cart.lines import add_to_cart
from backend.core.db.database import Database
from tests.store_defaults import Defaults, make_toy


async def cart_with(
    database: Database, defaults: Defaults, stock: int = 10, quantity: int = 2
) -> tuple[str, str]:
    """A cart and the variant that is in it."""
    async with database.transaction() as session:
        trompo = await make_toy(session, defaults, "trompo", stock=stock, price=30_000)
        cart_id = await new_cart(session)
        await add_to_cart(session, cart_id, trompo, quantity)
    return cart_id, trompo
