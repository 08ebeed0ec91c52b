"""The refund that the office proposes for a return."""

import httpx

from backend.app import Shop
from backend.catalog.models import Variant
from backend.invoices.document_lines import build_invoice_lines
from tests.backend.orders.paying import order_row
from tests.backend.promotions.promo_kit import only, promotion
from tests.backend.returns.steps import (
    Sold,
    add_shipping,
    approve_return,
    deliver_order,
    pack_units,
    place_paid_order,
    read_proposal,
    receive_units,
    request_return,
)
from tests.store_defaults import Defaults, add_product


async def test_proposed_refund_covers_only_the_units_that_arrived(shop: Shop, delivered: Sold) -> None:
    row = await request_return(shop, delivered, units=2)
    assert await read_proposal(shop, row) == 80_000
    await receive_units(shop, row, delivered, good=0, damaged=1)
    assert await read_proposal(shop, row) == 40_000


async def test_proposed_refund_of_the_last_return_includes_the_shipping(shop: Shop, delivered: Sold) -> None:
    """Include the shipping when all units come back, as Ley 1480 of 2011, art. 47 requires."""
    await add_shipping(shop, 10_000)
    first, second = await request_return(shop, delivered), await request_return(shop, delivered)
    assert await read_proposal(shop, second) == 40_000
    await approve_return(shop, first, 40_000)
    assert await read_proposal(shop, second) == 50_000


async def test_proposed_refund_of_the_last_unit_returned_later_includes_the_shipping(
    shop: Shop, delivered: Sold
) -> None:
    await add_shipping(shop, 10_000)
    first = await request_return(shop, delivered, units=2)
    await receive_units(shop, first, delivered, good=1)
    await approve_return(shop, first, 40_000)
    second = await request_return(shop, delivered)
    assert await read_proposal(shop, second) == 50_000


async def test_refunds_of_single_units_of_a_two_for_one_add_up_to_the_paid_amount(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    """Return 3 units of 40.001 each, one by one. One of them is free."""
    async with shop.database.transaction() as session:
        variant_id = await add_product(session, shop_defaults, "trompo", stock=5, price=40_001)
        product_id = (await session.get_one(Variant, variant_id)).product_id
    rules = [only("items.product.id", product_id)]
    method = {
        "target_type": "items", "buy_rules_min_quantity": 1, "apply_to_quantity": 1, "buy_rules": rules,
        "target_rules": rules,
    }  # fmt: skip
    await promotion(admin, "DOS POR UNO", 100, type="buyget", is_automatic=True, method=method)
    sold = await place_paid_order(shop, store, admin, variant_id, units=3)
    order = await order_row(shop, sold.order_id)
    assert order.total == 80_002
    async with shop.database.read() as session:
        lines = await build_invoice_lines(session, order)
        assert [(line.quantity, line.total) for line in lines] == [(3, 80_002)]
    await pack_units(admin, sold, units=3)
    await deliver_order(shop, sold)
    refunded = []
    for _unit in range(3):
        row = await request_return(shop, sold)
        refunded.append(await read_proposal(shop, row))
        await receive_units(shop, row, sold, good=1)
        await approve_return(shop, row, refunded[-1])
    assert refunded == [26_667, 26_668, 26_667]
    assert sum(refunded) == order.total
