"""An order that waits at the bank."""

import pytest

from backend.app import Shop
from backend.cart.access import new_cart
from backend.cart.lines import add_to_cart
from backend.checkout.placed_orders import PlacedOrder
from tests.checkout_steps import TYPED, choose_pickup
from tests.store_defaults import Defaults, make_toy


@pytest.fixture
async def placed(shop: Shop, defaults: Defaults) -> PlacedOrder:
    async with shop.database.transaction() as session:
        toy = await make_toy(session, defaults, "trompo", stock=5, price=18_900)
        cart_id = await new_cart(session)
        await add_to_cart(session, cart_id, toy, 2)
    await choose_pickup(shop, cart_id)
    return await shop.checkout.place_order(cart_id, TYPED, expected_total=37_800, ip="190.24.1.1")
