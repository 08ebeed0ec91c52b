"""Refunded orders whose label is cancelled before the parcel left."""

import httpx

from backend.app import Shop
from tests.backend.orders.paying import read_order_status, read_stock
from tests.backend.returns.steps import (
    Sold,
    approve_return,
    cancel_label,
    count_to_pack,
    deliver_order,
    open_by_staff,
    pack_units,
)
from tests.store_steps import post


async def test_units_of_a_refunded_order_are_released_when_their_label_is_cancelled(
    shop: Shop, admin: httpx.AsyncClient, paid: Sold
) -> None:
    await pack_units(admin, paid, 1)
    await deliver_order(shop, paid)
    packed = await pack_units(admin, paid, 1)
    refund = {"amount": 80_000, "reference": "A-1"}
    await post(admin, f"/admin/orders/{paid.order_id}/refunds", refund)
    await cancel_label(admin, paid, packed)
    assert await read_stock(shop) == (4, 0)
    assert await read_order_status(shop, paid.order_id) == ("pending", "refunded")


async def test_refunded_order_is_cancelled_when_its_last_label_is_cancelled(
    shop: Shop, admin: httpx.AsyncClient, paid: Sold
) -> None:
    parcels = [await pack_units(admin, paid, 1) for _number in range(2)]
    await post(admin, f"/admin/orders/{paid.order_id}/refunds", {"amount": 80_000, "reference": "A-1"})
    for parcel, status in zip(parcels, ("pending", "canceled"), strict=True):
        await cancel_label(admin, paid, parcel)
        assert await read_order_status(shop, paid.order_id) == (status, "refunded")
    assert await read_stock(shop) == (5, 0)


async def test_order_whose_full_refund_is_approved_is_not_packed_again(
    shop: Shop, admin: httpx.AsyncClient, paid: Sold
) -> None:
    parcel = await pack_units(admin, paid)
    await approve_return(shop, await open_by_staff(shop, paid, "reversal", 0), 80_000)
    await cancel_label(admin, paid, parcel)
    assert (await count_to_pack(admin), await read_stock(shop)) == (0, (5, 0))
    assert await read_order_status(shop, paid.order_id) == ("canceled", "captured")
