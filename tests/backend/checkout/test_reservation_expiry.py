"""An expired reservation ends its payment, unless the payment changes concurrently."""

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
from backend.staff.rights import COMMAND_LINE
from tests.backend.checkout.paying_kit import Till
from tests.statements import run_after_query

MANUAL = "pp_system_default"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


async def expire(till: Till, payments: PaymentService | None = None) -> None:
    worker = Worker(till.database, [ReservationExpiry(till.database, payments or till.checkout.payments)])
    await worker.schedule()
    assert await worker.run_due() == 1


async def manual_order(till: Till, variant: str) -> tuple[Order, PaymentSession]:
    """Return an order whose money staff must confirm within three days, and its payment."""
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
    with run_after_query("payment_session.expires_at <=", lambda: till.checkout.complete(cart_id)):
        await expire(till)
    (order,) = await till.orders()
    assert (order.status, await till.state(payment)) == ("pending", "authorized")
    assert await till.available(trompo) == 0


async def test_payment_confirmed_while_its_reservation_expires_is_not_cancelled(till: Till) -> None:
    trompo = await till.make_variant(stock=1)
    order, payment = await manual_order(till, trompo)
    await till.pass_time(timedelta(days=3))

    async def confirm() -> None:
        sibling = derive_sibling_id("pay", payment.id)
        await capture(till.database, COMMAND_LINE, till.checkout.payments, sibling)

    with run_after_query("payment_session.expires_at <=", confirm, number=2):
        await expire(till)
    assert (await till.read_order(order.id)).payment_status == "captured"
    assert (await till.state(payment), await till.available(trompo)) == ("captured", 0)


async def test_packed_order_with_a_manual_payment_does_not_expire(till: Till) -> None:
    trompo = await till.make_variant(stock=1)
    order, payment = await manual_order(till, trompo)
    await till.pack(order)
    await till.pass_time(timedelta(days=3))
    await expire(till)
    assert (await till.read_order(order.id)).status == "pending"
    assert (await till.session_of(order.cart_id)).expires_at is None
    assert (await till.state(payment), await reserved_until(till)) == ("authorized", [None])


async def test_payment_of_a_removed_provider_is_not_cancelled(till: Till) -> None:
    """Check that the reservation of such a payment ends, and that the payment and its order stay."""
    trompo = await till.make_variant(stock=1)
    order, payment = await manual_order(till, trompo)
    await till.pass_time(timedelta(days=3))
    await expire(till, PaymentService(till.database, {}))
    assert (await till.state(payment), (await till.read_order(order.id)).status) == ("authorized", "pending")
    assert await till.available(trompo) == 1
