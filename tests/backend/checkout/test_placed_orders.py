"""Access to a placed order: its token opens it, but not for another customer."""

import pytest

from backend.cart.access import Caller
from backend.core.errors import NotFound
from backend.orders.models import Order
from tests.backend.checkout.paying_kit import Till


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


GUEST, ANA, LUIS = Caller(None), Caller("cus_ana"), Caller("cus_luis")


@pytest.mark.parametrize(
    ("owner", "callers", "strangers"),
    [(None, [None, GUEST, ANA], []), ("cus_ana", [None, ANA], [GUEST, LUIS])],
)
async def test_order_token_opens_its_order_except_for_other_customers(
    till: Till, owner: str | None, callers: list[Caller | None], strangers: list[Caller]
) -> None:
    order, payment = await till.order(await till.make_variant())
    async with till.database.transaction() as session:
        (await session.get_one(Order, order.number)).customer_id = owner
    token, missing = till.token(order), f"Order with id: {order.id} was not found"
    for caller in callers:
        placed = await till.placed_orders.get_placed_order(order.id, token, caller)
        assert (placed.order_id, placed.token, placed.redirect_url) == (order.id, token, payment.redirect_url)
        with pytest.raises(NotFound, match=missing):
            await till.placed_orders.get_placed_order(order.id, "forged", caller)
    for caller in strangers:
        with pytest.raises(NotFound, match=missing):
            await till.placed_orders.get_placed_order(order.id, token, caller)
