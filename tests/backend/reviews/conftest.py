"""An order of two units that was delivered."""

import httpx
import pytest

from backend.app import Shop
from tests.backend.returns.steps import Sold, pack_units, place_paid_order
from tests.backend.reviews.steps import deliver
from tests.store_defaults import Defaults, add_product


@pytest.fixture
async def bought(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, shop_defaults: Defaults
) -> Sold:
    """Return an order of two units of a product, delivered."""
    async with shop.database.transaction() as session:
        toy = await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)
    order = await place_paid_order(shop, store, admin, toy)
    await deliver(shop, order, await pack_units(admin, order))
    return order
