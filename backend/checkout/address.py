"""Where a cart goes, and what a move makes void."""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.models import Cart
from backend.cart.service import changed
from backend.shipping.destination import place_of
from backend.tables import JsonObject


async def send_to(session: AsyncSession, cart: Cart, address: JsonObject) -> None:
    """Keep the address as it was sent; another street or municipality voids the shipping price."""
    before = place_of(cart.shipping_address)
    cart.shipping_address = address
    if place_of(address) != before:
        await changed(session, cart.id)
