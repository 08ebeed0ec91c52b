"""Services that change units of an order lock all its levels first, so that no deadlock is possible."""

from typing import Any

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.inventory import service as inventory
from backend.inventory import stock_fulfillment
from backend.inventory.levels import change_level
from backend.inventory.models import InventoryLevel
from backend.orders.models import OrderLine
from tests.backend.returns.steps import (
    Sold,
    approve_return,
    deliver_order,
    pack_units,
    receive_units,
    request_return,
)
from tests.store_steps import post


@pytest.mark.parametrize("act", ["cancel", "approve", "refund"])
async def test_all_stock_levels_of_an_order_are_locked_before_the_first_change(
    *, shop: Shop, admin: httpx.AsyncClient, paid: Sold, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    async with shop.database.transaction() as session:
        variant_id = (await session.execute(select(OrderLine.variant_id))).scalar_one()
        await inventory.set_stock(session, variant_id, "sloc_far", 1)
    parcel = await pack_units(admin, paid, 1)
    free: list[Any] = []

    async def look_and_change(*args: Any, **changes: Any) -> None:
        if not shop.database.is_sqlite:  # SQLite has only one writer
            others = select(InventoryLevel.location_id).with_for_update(skip_locked=True)
            async with shop.database.transaction() as rival:
                free.append((await rival.execute(others)).scalars().all())
        await change_level(*args, **changes)

    path = f"/admin/orders/{paid.order_id}"
    match act:
        case "cancel":
            monkeypatch.setattr(stock_fulfillment, "change_level", look_and_change)
            await post(admin, f"{path}/fulfillments/{parcel}/cancel")
        case "approve":
            await deliver_order(shop, paid)
            row = await request_return(shop, paid)
            await receive_units(shop, row, paid, good=1)
            monkeypatch.setattr(stock_fulfillment, "change_level", look_and_change)
            await approve_return(shop, row, 40_000)
        case _:
            lines = [{"line_id": paid.line_id, "quantity": 2, "restock": True}]
            monkeypatch.setattr(stock_fulfillment, "change_level", look_and_change)
            await post(admin, f"{path}/refunds", {"amount": 1_000, "reference": "A-1", "lines": lines})
    assert bool(free) is not shop.database.is_sqlite
    assert not any(free)
