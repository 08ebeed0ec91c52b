"""An order of two toys, paid, and the same on its way."""

import httpx
import pytest

from backend.app import Shop
from tests.backend.returns.steps import Sold, deliver, send, sold
from tests.store_defaults import Defaults, make_toy


@pytest.fixture
async def toy(shop: Shop, shop_defaults: Defaults) -> str:
    """Return the variant of a toy with 5 units."""
    async with shop.database.transaction() as session:
        return await make_toy(session, shop_defaults, "trompo", stock=5, price=40_000)


@pytest.fixture
async def paid(shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, toy: str) -> Sold:
    """Paid, and nothing of it is sent: 5 toys are stocked, 2 of them are promised."""
    return await sold(shop, store, admin, toy)


@pytest.fixture
async def delivered(shop: Shop, admin: httpx.AsyncClient, paid: Sold) -> Sold:
    """Both toys were sent and delivered: 3 are stocked."""
    await send(admin, paid)
    await deliver(shop, paid)
    return paid
