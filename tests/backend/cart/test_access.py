"""Carts that cannot be changed or read."""

import pytest
from sqlalchemy import update

from backend.cart.lines import add_to_cart
from backend.cart.models import Cart
from backend.cart.views import read_cart_view
from backend.core.clock import now
from backend.core.db.database import Database
from backend.core.errors import NotAllowed, NotFound
from tests.backend.cart.cart_kit import cart_with
from tests.store_defaults import Defaults


async def test_completed_cart_cannot_be_changed(database: Database, defaults: Defaults) -> None:
    cart_id, trompo = await cart_with(database, defaults)
    async with database.transaction() as session:
        await session.execute(update(Cart).where(Cart.id == cart_id).values(completed_at=now()))
    async with database.transaction() as session:
        with pytest.raises(NotAllowed, match="already completed"):
            await add_to_cart(session, cart_id, trompo, 1)
        with pytest.raises(NotFound):
            await read_cart_view(session, cart_id)
