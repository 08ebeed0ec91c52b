"""How much the office proposes to give back for a return."""

from backend.app import Shop
from tests.backend.returns.steps import Sold, approved, asked, proposed_for, received, with_shipping


async def test_what_is_proposed_is_for_the_units_that_arrived(shop: Shop, delivered: Sold) -> None:
    row = await asked(shop, delivered, units=2)
    assert await proposed_for(shop, row) == 80_000
    await received(shop, row, delivered, good=0, damaged=1)
    assert await proposed_for(shop, row) == 40_000


async def test_with_the_last_of_several_returns_its_shipping_is_proposed(shop: Shop, delivered: Sold) -> None:
    """Ley 1480 of 2011, art. 47."""
    await with_shipping(shop, 10_000)
    first, second = await asked(shop, delivered), await asked(shop, delivered)
    assert await proposed_for(shop, second) == 40_000
    await approved(shop, first, 40_000)
    assert await proposed_for(shop, second) == 50_000


async def test_what_was_not_sent_back_at_first_is_the_last_of_the_order(shop: Shop, delivered: Sold) -> None:
    await with_shipping(shop, 10_000)
    first = await asked(shop, delivered, units=2)
    await received(shop, first, delivered, good=1)
    await approved(shop, first, 40_000)
    second = await asked(shop, delivered)
    assert await proposed_for(shop, second) == 50_000
