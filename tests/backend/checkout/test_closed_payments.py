"""A missing answer does not end a payment; only its reservation ends (spec: States and transitions; wire: checkout)."""

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import select

from backend.cart.access import read_cart
from backend.core import clock
from backend.core.errors import Conflict, NotAllowed, OutcomeUnknown, OutsideFailure
from backend.edge.wire import derive_sibling_id
from backend.jobs.models import Job
from backend.payment.checks import CHECK_PERIOD
from backend.payment.models import PaymentSession
from backend.payment.payments import capture
from backend.payment.providers.base import ProviderState
from backend.payment.sessions import PROVIDER_START_TIMEOUT, RESERVATION_TIME, PaymentUnderWay
from backend.staff.rights import COMMAND_LINE
from tests.backend.checkout.paying_kit import PRICE, Till

SECOND = timedelta(seconds=1)


async def _jobs(till: Till) -> list[str | None]:
    async with till.database.read() as session:
        return list((await session.execute(select(Job.key).where(Job.kind == "payment.check"))).scalars())


async def test_undecided_payment_is_still_checked_after_its_reservation_has_ended(till: Till) -> None:
    trompo = await till.make_variant(stock=1)
    order, payment = await till.order(trompo)
    await till.work()
    assert till.bank.asked == 0  # not before minute seven
    await till.pass_time(RESERVATION_TIME + SECOND)
    await till.work()
    assert (await till.state(payment), await till.available(trompo)) == ("closed", 1)
    assert (await till.read_order(order.id)).status == "canceled"
    assert "order_lost" not in await till.mails()
    assert "order_unconfirmed" in await till.mails()
    assert await _jobs(till) == [payment.id]
    till.bank.states[payment.invoice] = ProviderState.CAPTURED
    await till.pass_time(timedelta(hours=1))
    await till.work()
    paid = await till.read_order(order.id)
    assert (paid.status, paid.payment_status, await _jobs(till)) == ("pending", "captured", [])
    assert await till.available(trompo) == 0


async def test_mail_that_nothing_was_charged_waits_for_the_report_of_the_provider(till: Till) -> None:
    trompo = await till.make_variant(stock=1)
    _, payment = await till.order(trompo)
    await till.pass_time(RESERVATION_TIME + SECOND)
    await till.work()
    assert "order_lost" not in await till.mails()
    assert await till.decide(payment, ProviderState.EXPIRED) == "expired"
    assert "order_lost" in await till.mails()


@pytest.mark.parametrize("is_down", [True, False])
async def test_gateway_that_is_unreachable_or_reports_unknown_does_not_end_a_payment(
    till: Till, is_down: bool
) -> None:
    trompo = await till.make_variant(stock=1)
    order, payment = await till.order(trompo)
    till.bank.is_down = is_down
    till.bank.states[payment.invoice] = ProviderState.UNKNOWN
    await till.pass_time(RESERVATION_TIME + SECOND)
    await till.work()
    assert await till.state(payment) == "pending_authorization"
    assert (await till.read_order(order.id)).status == "pending"
    assert await till.available(trompo) == 1  # the stock is released anyway
    till.bank.is_down = False
    assert await till.decide(payment, ProviderState.CAPTURED) == "captured"
    assert await till.available(trompo) == 0


async def test_payment_without_a_bank_report_raises_attention_after_48_hours(till: Till) -> None:
    trompo = await till.make_variant(stock=1)
    order, payment = await till.order(trompo)
    till.bank.is_down = True
    await till.pass_time(RESERVATION_TIME + CHECK_PERIOD + SECOND)
    await till.work()
    assert (await till.state(payment), await _jobs(till)) == ("closed", [])
    assert (await till.read_order(order.id)).status == "canceled"
    assert "order_lost" not in await till.mails()
    assert await till.attention() == [("payment_unresolved", payment.id, PRICE)]
    till.bank.is_down = False
    assert await till.decide(payment, ProviderState.CAPTURED) == "captured"


async def test_check_of_all_payments_includes_closed_payments(till: Till) -> None:
    trompo = await till.make_variant()
    order, payment = await till.order(trompo)
    await till.placed_orders.change_bank(order.id, till.token(order))
    till.bank.states[payment.invoice] = ProviderState.CAPTURED
    assert await till.checkout.payments.check_all() == 1
    assert await till.state(payment) == "captured"


async def test_manual_payment_is_cancelled_when_its_reservation_expires(till: Till) -> None:
    trompo = await till.make_variant(stock=1)
    payment = await till.start(await till.cart(trompo), "pp_system_default")
    assert await till.available(trompo) == 0
    await till.pass_time(RESERVATION_TIME + SECOND)
    await till.work()
    assert (await till.state(payment), await till.available(trompo)) == ("canceled", 1)


async def test_manual_payment_is_cancelled_if_another_cart_takes_its_expired_units(till: Till) -> None:
    trompo = await till.make_variant(stock=1)
    first, second = await till.cart(trompo), await till.cart(trompo)
    payment = await till.start(first, "pp_system_default")
    await till.pass_time(RESERVATION_TIME + SECOND)
    await till.start(second)
    await till.work()
    assert (await till.state(payment), await till.available(trompo)) == ("canceled", 0)


async def test_order_with_a_manual_payment_is_cancelled_unless_staff_confirm_the_money(till: Till) -> None:
    trompo = await till.make_variant(stock=2)
    orders = []
    for _ in range(2):
        cart_id = await till.cart(trompo)
        payment = await till.start(cart_id, "pp_system_default")
        orders.append(((await till.checkout.complete(cart_id)).order, payment))
    (paid, money), (unpaid, _) = orders
    await till.pass_time(timedelta(days=2))
    await till.work()
    assert await till.available(trompo) == 0
    await capture(till.database, COMMAND_LINE, till.checkout.payments, derive_sibling_id("pay", money.id))
    await till.pass_time(timedelta(days=1))
    await till.work()
    assert (await till.read_order(paid.id)).payment_status == "captured"
    assert (await till.read_order(unpaid.id)).status == "canceled"
    assert await till.available(trompo) == 1
    assert "order_lost" not in await till.mails()


async def _interrupt_start(till: Till) -> str:
    """Return a cart whose payment was being started when the process stopped."""
    trompo = await till.make_variant(stock=3)
    cart_id = await till.cart(trompo)
    till.bank.refusal = asyncio.CancelledError()
    with pytest.raises(asyncio.CancelledError):
        await till.start(cart_id)
    till.bank.refusal = None
    async with till.database.transaction() as session:  # a killed process runs no further code
        payment = (await session.execute(select(PaymentSession))).scalar_one()
        payment.state = "initiating"
        cart = await read_cart(session, cart_id)
        cart.payment_session_id = payment.id
    return cart_id


async def test_retry_after_a_killed_payment_start_checks_the_gateway_immediately(till: Till) -> None:
    cart_id = await _interrupt_start(till)
    with pytest.raises(PaymentUnderWay) as refused:
        await till.start(cart_id)
    asked = till.bank.asked
    assert asked >= 1  # repeated if the machine is so busy that the start takes seconds
    assert 0 < int(refused.value.headers["Retry-After"]) <= PROVIDER_START_TIMEOUT.total_seconds()
    async with (
        till.database.transaction() as session
    ):  # the twenty requests are sent within seconds, on a busy machine too
        (await session.execute(select(PaymentSession))).scalar_one().checked_at = clock.now() + 60 * SECOND
    for _ in range(20):  # a conflict is not counted
        with pytest.raises(PaymentUnderWay):
            await till.start(cart_id)
    assert till.bank.asked == asked  # and the gateway is not asked repeatedly
    await till.pass_time(PROVIDER_START_TIMEOUT + SECOND)
    second = await till.start(cart_id)
    assert second.state == "pending_authorization"


async def test_retry_after_a_killed_payment_start_finds_the_approved_payment(till: Till) -> None:
    cart_id = await _interrupt_start(till)
    payment = await till.session_of(cart_id)
    till.bank.states[payment.invoice] = ProviderState.CAPTURED
    with pytest.raises(NotAllowed, match="completed"):
        await till.start(cart_id)
    (order,) = await till.orders()
    assert order.payment_status == "captured"


@pytest.mark.parametrize("error", [RuntimeError("a bug"), OutcomeUnknown("no answer")])
async def test_payment_start_that_raised_an_error_does_not_block_the_next_start(
    till: Till, error: Exception
) -> None:
    trompo = await till.make_variant()
    cart_id = await till.cart(trompo)
    till.bank.refusal = error
    with pytest.raises(type(error)):
        await till.start(cart_id)
    assert (await till.session_of(cart_id)).state == "unknown"
    till.bank.refusal = None
    assert (await till.start(cart_id)).state == "pending_authorization"


async def test_payment_start_at_an_unreachable_gateway_fails_and_frees_the_stock(till: Till) -> None:
    trompo = await till.make_variant(stock=1)
    cart_id = await till.cart(trompo)
    till.bank.refusal = OutsideFailure("no connection")
    with pytest.raises(OutsideFailure):
        await till.start(cart_id)
    assert ((await till.session_of(cart_id)).state, await till.available(trompo)) == ("failed", 1)


@pytest.mark.parametrize("minutes", [-2, 2])
async def test_replicas_with_different_clocks_start_one_payment(
    till: Till, monkeypatch: pytest.MonkeyPatch, minutes: int
) -> None:
    trompo = await till.make_variant()
    cart_id = await till.cart(trompo)
    real = clock.now
    refusals: list[BaseException] = []

    async def second_press() -> None:
        """Start the payment again on a replica with a wrong clock, while the first replica waits for the bank."""
        till.bank.on_call = None
        for name in (
            "backend.rate_limit.limiter",
            "backend.cart.shipping_method",
            "backend.payment.transitions",
        ):
            monkeypatch.setattr(f"{name}.now", lambda: real() + timedelta(minutes=minutes))
        try:
            await till.start(cart_id)
        except Conflict as error:
            refusals.append(error)

    till.bank.on_call = second_press
    await till.start(cart_id)
    assert (len(till.bank.started), len(refusals)) == (1, 1)
