"""An expired reservation ends its payment, unless the payment changes concurrently."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta

import pytest
from sqlalchemy import select

from backend.checkout.reservation_expiry import ReservationExpiry
from backend.edge.wire import derive_sibling_id
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
    """A job that pauses between finding the expired sessions and ending them."""

    on_call: Callable[[], Awaitable[object]] | None = None

    async def _list_expired(self, state: SessionState) -> Sequence[str]:
        found = await super()._list_expired(state)
        if found and self.on_call is not None:
            await self.on_call()
        return found


async def expire(till: Till, expiry: ReservationExpiry) -> None:
    worker = Worker(till.database, [expiry])
    await worker.schedule()
    assert await worker.run_due() == 1


async def manual_order(till: Till, variant: str) -> tuple[Order, PaymentSession]:
    """Return an order whose money staff must confirm within three days."""
    cart_id = await till.cart(variant)
    payment = await till.start(cart_id, MANUAL)
    return (await till.checkout.complete(cart_id)).order, payment


async def reserved_until(till: Till) -> list[object]:
    async with till.database.read() as session:
        return list((await session.execute(select(Reservation.expires_at))).scalars())


async def test_order_completed_while_its_reservation_expires_is_not_cancelled(till: Till) -> None:
    trompo = await till.make_variant(stock=1)
    cart_id = await till.cart(trompo)
    payment = await till.start(cart_id, MANUAL)
    await till.pass_time(RESERVATION_TIME + timedelta(seconds=1))
    expiry = SlowExpiry(till.database, till.checkout.payments)
    expiry.on_call = lambda: till.checkout.complete(cart_id)
    await expire(till, expiry)
    (order,) = await till.orders()
    assert (order.status, await till.state(payment)) == ("pending", "authorized")
    assert await till.available(trompo) == 0


async def test_payment_confirmed_while_its_reservation_expires_is_not_cancelled(till: Till) -> None:
    trompo = await till.make_variant(stock=1)
    order, payment = await manual_order(till, trompo)
    await till.pass_time(timedelta(days=3))
    expiry = SlowExpiry(till.database, till.checkout.payments)
    expiry.on_call = lambda: capture(
        till.database, COMMAND_LINE, till.checkout.payments, derive_sibling_id("pay", payment.id)
    )
    await expire(till, expiry)
    assert (await till.read_order(order.id)).payment_status == "captured"
    assert (await till.state(payment), await till.available(trompo)) == ("captured", 0)


async def test_packed_order_with_a_manual_payment_does_not_expire(till: Till) -> None:
    trompo = await till.make_variant(stock=1)
    order, payment = await manual_order(till, trompo)
    await till.pack(order)
    await till.pass_time(timedelta(days=3))
    await expire(till, ReservationExpiry(till.database, till.checkout.payments))
    assert (await till.read_order(order.id)).status == "pending"
    assert (await till.session_of(order.cart_id)).expires_at is None
    assert (await till.state(payment), await reserved_until(till)) == ("authorized", [None])


async def test_payment_of_a_removed_provider_is_not_cancelled(till: Till) -> None:
    """Check that only its reservation ends."""
    trompo = await till.make_variant(stock=1)
    order, payment = await manual_order(till, trompo)
    await till.pass_time(timedelta(days=3))
    await expire(till, ReservationExpiry(till.database, PaymentService(till.database, {})))
    assert (await till.state(payment), (await till.read_order(order.id)).status) == ("authorized", "pending")
    assert await till.available(trompo) == 1
