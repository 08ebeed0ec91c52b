"""An order of two toys that has arrived."""

import httpx
import pytest

from backend.app import Shop
from tests.backend.returns.steps import Sold, send, sold
from tests.backend.reviews.steps import arrived
from tests.store_defaults import Defaults, make_toy


@pytest.fixture
async def bought(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, shop_defaults: Defaults
) -> Sold:
    """Two of a toy, delivered."""
    async with shop.database.transaction() as session:
        toy = await make_toy(session, shop_defaults, "trompo", stock=5, price=40_000)
    order = await sold(shop, store, admin, toy)
    await arrived(shop, order, await send(admin, order))
    return order
