"""Fixture of an order whose payment is pending at the bank."""

import pytest

from backend.app import Shop
from backend.cart.access import create_empty_cart
from backend.cart.lines import add_to_cart
from backend.checkout.placed_orders import PlacedOrder
from tests.checkout_steps import CHECKOUT_INPUT, choose_pickup
from tests.store_defaults import Defaults, add_product


@pytest.fixture
async def placed(shop: Shop, defaults: Defaults) -> PlacedOrder:
    """Place an order of two units."""
    async with shop.database.transaction() as session:
        variant_id = await add_product(session, defaults, "trompo", stock=5, price=18_900)
        cart_id = await create_empty_cart(session)
        await add_to_cart(session, cart_id, variant_id, 2)
    await choose_pickup(shop, cart_id)
    return await shop.checkout.place_order(cart_id, CHECKOUT_INPUT, expected_total=37_800, ip="190.24.1.1")
