"""Orders whose money goes back, and whose label is cancelled before it left."""

import httpx

from backend.app import Shop
from tests.backend.orders.paying import stands, stock
from tests.backend.returns.steps import Sold, approved, deliver, label_cancelled, opened, send, to_pack
from tests.store_steps import post


async def test_units_of_an_order_without_money_are_free_once_their_label_is_cancelled(
    shop: Shop, admin: httpx.AsyncClient, paid: Sold
) -> None:
    await send(admin, paid, 1)
    await deliver(shop, paid)
    packed = await send(admin, paid, 1)
    refund = {"amount": 80_000, "reference": "A-1"}
    await post(admin, f"/admin/orders/{paid.order_id}/refunds", refund)
    await label_cancelled(admin, paid, packed)
    assert await stock(shop) == (4, 0)
    assert await stands(shop, paid.order_id) == ("pending", "refunded")


async def test_an_order_without_money_is_cancelled_with_its_last_label(
    shop: Shop, admin: httpx.AsyncClient, paid: Sold
) -> None:
    parcels = [await send(admin, paid, 1) for _number in range(2)]
    await post(admin, f"/admin/orders/{paid.order_id}/refunds", {"amount": 80_000, "reference": "A-1"})
    for parcel, status in zip(parcels, ("pending", "canceled"), strict=True):
        await label_cancelled(admin, paid, parcel)
        assert await stands(shop, paid.order_id) == (status, "refunded")
    assert await stock(shop) == (5, 0)


async def test_what_is_to_be_paid_back_as_a_whole_is_not_packed_again(
    shop: Shop, admin: httpx.AsyncClient, paid: Sold
) -> None:
    parcel = await send(admin, paid)
    await approved(shop, await opened(shop, paid, "reversal", 0), 80_000)
    await label_cancelled(admin, paid, parcel)
    assert (await to_pack(admin), await stock(shop)) == (0, (5, 0))
    assert await stands(shop, paid.order_id) == ("canceled", "captured")
