"""The refund that the office proposes for a return."""

from backend.app import Shop
from tests.backend.returns.steps import (
    Sold,
    add_shipping,
    approve_return,
    read_proposal,
    receive_units,
    request_return,
)


async def test_proposed_refund_covers_only_the_units_that_arrived(shop: Shop, delivered: Sold) -> None:
    row = await request_return(shop, delivered, units=2)
    assert await read_proposal(shop, row) == 80_000
    await receive_units(shop, row, delivered, good=0, damaged=1)
    assert await read_proposal(shop, row) == 40_000


async def test_proposed_refund_of_the_last_return_includes_the_shipping(shop: Shop, delivered: Sold) -> None:
    """Ley 1480 of 2011, art. 47."""
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
