"""A paid order of two units, and the same order delivered."""

import httpx
import pytest

from backend.app import Shop
from tests.backend.returns.steps import Sold, deliver_order, pack_units
from tests.sold_order import SoldOrder, read_sold_order
from tests.store_defaults import Defaults, add_product


@pytest.fixture
async def variant_id(request: pytest.FixtureRequest, shop: Shop, shop_defaults: Defaults) -> str:
    """Return a variant with 5 units: that of the fixture `paid` if the test uses it, else a new one."""
    if "paid" in request.fixturenames:
        return (await read_sold_order(shop)).variant_id
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)


@pytest.fixture
def paid(sold_order: SoldOrder) -> Sold:
    """Return a paid, unsent order: 5 units are stocked, 2 of them are reserved."""
    return Sold(sold_order.order_id, sold_order.line_id)


@pytest.fixture
async def delivered(shop: Shop, admin: httpx.AsyncClient, paid: Sold) -> Sold:
    """Return the order after both units were delivered: 3 units are stocked."""
    await pack_units(admin, paid)
    await deliver_order(shop, paid)
    return paid
