"""A paid order of two units, and the same order delivered."""

import httpx
import pytest

from backend.app import Shop
from tests.backend.returns.steps import Sold, deliver_order, pack_units, place_paid_order
from tests.store_defaults import Defaults, add_product


@pytest.fixture
async def variant_id(shop: Shop, shop_defaults: Defaults) -> str:
    """Return a variant with 5 units."""
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)


@pytest.fixture
async def paid(shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, variant_id: str) -> Sold:
    """Return a paid, unsent order: 5 units are stocked, 2 of them are reserved."""
    return await place_paid_order(shop, store, admin, variant_id)


@pytest.fixture
async def delivered(shop: Shop, admin: httpx.AsyncClient, paid: Sold) -> Sold:
    """Return the order after both units were delivered: 3 units are stocked."""
    await pack_units(admin, paid)
    await deliver_order(shop, paid)
    return paid
