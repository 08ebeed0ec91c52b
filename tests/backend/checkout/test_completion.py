"""The order follows its payment session: started, authorized, failed."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from backend.core.errors import Conflict
from backend.inventory import service as inventory
from backend.inventory.models import Reservation
from backend.payment.providers.base import ProviderState
from backend.payment.sessions import RESERVATION_TIME
from tests.backend.checkout.paying_kit import PRICE, Till


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


async def test_cart_is_not_completed_while_its_payment_is_being_started(till: Till) -> None:
    cart_id = await till.cart(await till.make_variant())
    refusals: list[str] = []

    async def complete_meanwhile() -> None:
        with pytest.raises(Conflict) as refused:
            await till.checkout.complete(cart_id)
        refusals.append(refused.value.message)

    till.bank.on_call = complete_meanwhile
    await till.start(cart_id)
    assert refusals == ["The payment of this cart is being started"]
    assert await till.orders() == []
    assert (await till.checkout.complete(cart_id)).order.payment_status == "awaiting"


@pytest.mark.parametrize("completes_first", [True, False])
async def test_authorized_payment_creates_an_order_that_reserves_its_units(
    till: Till, completes_first: bool
) -> None:
    trompo = await till.make_variant(stock=3)
    cart_id = await till.cart(trompo, 2)
    payment = await till.start(cart_id)
    if completes_first:
        await till.checkout.complete(cart_id)
    assert await till.decide(payment, ProviderState.AUTHORIZED) == "authorized"
    (order,) = await till.orders()
    assert (order.status, order.payment_status, order.total) == ("pending", "authorized", 2 * PRICE)
    assert await till.sold(order.id) == {trompo: 2}
    assert await till.available(trompo) == 1


async def test_failure_of_a_closed_payment_does_not_cancel_the_order(till: Till) -> None:
    trompo = await till.make_variant(stock=3)
    cart_id = await till.cart(trompo)
    first = await till.start(cart_id)
    second = await till.start(cart_id, replace=True)
    order = (await till.checkout.complete(cart_id)).order
    assert await till.decide(first, ProviderState.REJECTED) == "rejected"
    assert (await till.read_order(order.id)).status == "pending"
    assert await till.available(trompo) == 2
    await till.decide(second, ProviderState.REJECTED)
    assert (await till.read_order(order.id)).status == "canceled"
    assert await till.available(trompo) == 3


async def test_completing_a_cart_reserves_nothing_for_a_payment_without_a_hold(till: Till) -> None:
    trompo = await till.make_variant(stock=20)
    await till.start(await till.cart(trompo, 10))  # all that this client may hold
    cart_id = await till.cart(trompo, 3)
    payment = await till.start(cart_id)
    assert not payment.holds_stock
    assert (await till.checkout.complete(cart_id)).order.payment_status == "awaiting"
    async with till.database.read() as session:
        assert await inventory.read_reserved_units(session, cart_id) == {}
    assert await till.available(trompo) == 10


async def test_paid_order_keeps_its_other_units_if_those_of_a_variant_are_sold_out(till: Till) -> None:
    """Let the order's reservation of two variants expire, and another cart reserve one of them."""
    trompo, yoyo = [await till.make_variant(handle, stock=1) for handle in ("trompo", "yoyo")]
    cart_id = await till.cart(trompo)
    await till.add(cart_id, yoyo)
    await till.ship(cart_id)
    payment = await till.start(cart_id)
    order = (await till.checkout.complete(cart_id)).order
    await till.pass_time(RESERVATION_TIME + timedelta(seconds=1))
    async with till.database.transaction() as session:
        await inventory.reserve(session, "cart_other", {yoyo: 1}, until=None)
    assert await till.decide(payment, ProviderState.CAPTURED) == "captured"
    async with till.database.read() as session:
        assert await inventory.read_reserved_units(session, cart_id) == {trompo: 1}
        ends = select(Reservation.expires_at).where(Reservation.holder == cart_id)
        assert (await session.execute(ends)).scalars().all() == [None]
    assert await till.attention() == [("stock_short", order.id, 2 * PRICE)]
