"""A reservation that has expired ends its payment, unless something happened to that at the last moment."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta

import pytest
from sqlalchemy import select

from backend.checkout.reservation_expiry import ReservationExpiry
from backend.edge.wire import sibling_id
from backend.inventory.models import Reservation
from backend.jobs import Worker
from backend.orders.models import Order
from backend.payment.models import PaymentSession
from backend.payment.payments import capture
from backend.payment.service import PaymentService
from backend.payment.sessions import RESERVATION_TIME
from backend.payment.states import SessionState
from backend.staff.rights import COMMAND_LINE
from tests.backend.checkout.paying_kit import Till

MANUAL = "pp_system_default"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


class SlowExpiry(ReservationExpiry):
    """One that is held up between finding what has expired and ending it."""

    meanwhile: Callable[[], Awaitable[object]] | None = None

    async def _expired(self, state: SessionState) -> Sequence[str]:
        found = await super()._expired(state)
        if found and self.meanwhile is not None:
            await self.meanwhile()
        return found


async def expire(till: Till, expiry: ReservationExpiry) -> None:
    worker = Worker(till.database, [expiry])
    await worker.schedule()
    assert await worker.run_due() == 1


async def manual_order(till: Till, variant: str) -> tuple[Order, PaymentSession]:
    """An order whose money staff have three days to confirm."""
    cart_id = await till.cart(variant)
    payment = await till.start(cart_id, MANUAL)
    return (await till.checkout.complete(cart_id)).order, payment


async def reserved_until(till: Till) -> list[object]:
    async with till.database.read() as session:
        return list((await session.execute(select(Reservation.expires_at))).scalars())


async def test_a_cart_that_is_completed_at_the_last_moment_stays_an_order(till: Till) -> None:
    trompo = await till.toy(stock=1)
    cart_id = await till.cart(trompo)
    payment = await till.start(cart_id, MANUAL)
    await till.pass_time(RESERVATION_TIME + timedelta(seconds=1))
    expiry = SlowExpiry(till.database, till.checkout.payments)
    expiry.meanwhile = lambda: till.checkout.complete(cart_id)
    await expire(till, expiry)
    (order,) = await till.orders()
    assert (order.status, await till.state(payment)) == ("pending", "authorized")
    assert await till.available(trompo) == 0


async def test_money_that_staff_confirm_at_the_last_moment_stays(till: Till) -> None:
    trompo = await till.toy(stock=1)
    order, payment = await manual_order(till, trompo)
    await till.pass_time(timedelta(days=3))
    expiry = SlowExpiry(till.database, till.checkout.payments)
    expiry.meanwhile = lambda: capture(
        till.database, COMMAND_LINE, till.checkout.payments, sibling_id("pay", payment.id)
    )
    await expire(till, expiry)
    assert (await till.read_order(order.id)).payment_status == "captured"
    assert (await till.state(payment), await till.available(trompo)) == ("captured", 0)


async def test_an_order_of_which_something_was_sent_is_left_to_staff(till: Till) -> None:
    trompo = await till.toy(stock=1)
    order, payment = await manual_order(till, trompo)
    await till.pack(order)
    await till.pass_time(timedelta(days=3))
    await expire(till, ReservationExpiry(till.database, till.checkout.payments))
    assert (await till.read_order(order.id)).status == "pending"
    assert (await till.session_of(order.cart_id)).expires_at is None
    assert (await till.state(payment), await reserved_until(till)) == ("authorized", [None])


async def test_a_payment_of_a_provider_that_the_shop_dropped_is_not_cancelled(till: Till) -> None:
    """Only its reservation ends."""
    trompo = await till.toy(stock=1)
    order, payment = await manual_order(till, trompo)
    await till.pass_time(timedelta(days=3))
    await expire(till, ReservationExpiry(till.database, PaymentService(till.database, {})))
    assert (await till.state(payment), (await till.read_order(order.id)).status) == ("authorized", "pending")
    assert await till.available(trompo) == 1
