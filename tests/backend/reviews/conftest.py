"""An order of two units that was delivered."""

import httpx
import pytest

from backend.app import Shop
from tests.backend.returns.steps import Sold, pack_units
from tests.backend.reviews.steps import deliver
from tests.sold_order import SoldOrder


@pytest.fixture
async def bought(shop: Shop, admin: httpx.AsyncClient, sold_order: SoldOrder) -> Sold:
    """Return a delivered order of two units of a product."""
    order = Sold(sold_order.order_id, sold_order.line_id)
    await deliver(shop, order, await pack_units(admin, order))
    return order
