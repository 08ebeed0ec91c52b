"""Orders of a preorder: they keep the day on which the units arrive, and are packed after the units were received."""

from datetime import timedelta

import pytest
from sqlalchemy import select, update

from backend.catalog.models import Product
from backend.core.clock import now
from backend.core.dates import today_in_colombia
from backend.fulfillment.commands import CreateFulfillment
from backend.fulfillment.parcels import PreorderNotArrived, build_parcel
from backend.inventory.models import InventoryLevel
from backend.inventory.movements import MovementDetails, Reason, move_stock
from backend.orders.models import OrderLine
from backend.orders.preorders import describe_preorder
from backend.orders.service import format_line_detail
from backend.payment.providers.base import ProviderState
from backend.shipping.delivery_promise import READY_ON
from tests.backend.checkout.paying_kit import Till

DAY = today_in_colombia(now()) + timedelta(days=20)


async def test_order_of_a_preorder_waits_for_its_units(till: Till) -> None:
    trompo = await till.make_variant(stock=0)
    async with till.database.transaction() as session:
        await session.execute(update(Product).values(preorder_day=DAY, preorder_units=5))
        await session.execute(update(InventoryLevel).values(incoming=5))
    await till.decide(await till.start(await till.cart(trompo, 2)), ProviderState.CAPTURED)
    (order,) = await till.orders()
    async with till.database.transaction() as session:
        line = (await session.execute(select(OrderLine))).scalar_one()
        level = (await session.execute(select(InventoryLevel))).scalar_one()
        await session.execute(update(Product).values(preorder_day=None, preorder_units=None))
    assert describe_preorder(line).startswith("Preventa: llega a la tienda el ")
    assert describe_preorder(line) in format_line_detail(line)
    assert order.shipping_data[READY_ON] == DAY.isoformat()
    new = CreateFulfillment(units={line.id: 2})
    with pytest.raises(PreorderNotArrived):
        async with till.database.transaction() as session:
            await build_parcel(session, order, new)
    async with till.database.transaction() as session:
        await move_stock(session, trompo, level.location_id, 2, MovementDetails(Reason.RECEIVED))
    async with till.database.transaction() as session:
        assert (await build_parcel(session, order, new)).units == {trompo: 2}
    assert await till.available(trompo) == 3
