"""Start a payment, and close a waiting one: refusals, and unchanged states."""

from dataclasses import replace
from datetime import timedelta
from typing import NoReturn

import pytest
from sqlalchemy import select

from backend.alerts.models import Alert
from backend.checkout.payment import start as starting
from backend.checkout.payment.start import PaymentStarter
from backend.checkout.payment.stock_holds import HoldTooLarge
from backend.core.errors import Conflict, InvalidData, NotAllowed
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderState
from backend.payment.service import PaymentService
from backend.payment.sessions import PROVIDER_START_TIMEOUT, PaymentUnderWay
from tests.backend.checkout.paying_kit import Till


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
def starter(till: Till) -> PaymentStarter:
    return PaymentStarter(
        till.checkout.settings, till.database, till.checkout.payments, till.checkout.effective_settings
    )


async def test_closing_a_payment_does_nothing_if_none_is_waiting_at_the_bank(
    till: Till, starter: PaymentStarter
) -> None:
    cart_id = await till.cart(await till.make_variant())
    assert await starter.close_payment_at_bank(cart_id) is None
    rejected = await till.start(cart_id)
    await till.decide(rejected, ProviderState.REJECTED)
    asked = till.bank.asked
    assert await starter.close_payment_at_bank(cart_id) is None
    assert (await till.state(rejected), till.bank.asked) == ("rejected", asked)


async def test_closing_is_refused_while_the_payment_is_being_started(
    till: Till, starter: PaymentStarter
) -> None:
    cart_id = await till.cart(await till.make_variant())
    refused: list[PaymentUnderWay] = []

    async def close_meanwhile() -> None:
        till.bank.on_call = None
        with pytest.raises(PaymentUnderWay) as error:
            await starter.close_payment_at_bank(cart_id)
        refused.append(error.value)

    till.bank.on_call = close_meanwhile
    payment = await till.start(cart_id)
    assert [(one.session_id, one.is_starting) for one in refused] == [(payment.id, True)]
    assert payment.state == "pending_authorization"


async def test_payment_that_the_bank_rejected_before_its_closing_becomes_rejected(
    till: Till, starter: PaymentStarter
) -> None:
    cart_id = await till.cart(await till.make_variant())
    payment = await till.start(cart_id)
    till.bank.states[payment.invoice] = ProviderState.REJECTED
    ended = await starter.close_payment_at_bank(cart_id)
    assert ended is not None
    assert (ended.id, ended.state, ended.close_reason) == (payment.id, "rejected", None)
    assert "note" not in ended.data


async def test_payment_of_a_removed_provider_can_be_closed(till: Till, starter: PaymentStarter) -> None:
    cart_id = await till.cart(await till.make_variant())
    payment = await till.start(cart_id)
    without = replace(starter, payments=PaymentService(till.database, {}))
    closed = await without.close_payment_at_bank(cart_id)
    assert closed is not None
    assert (closed.id, closed.state, closed.close_reason) == (payment.id, "closed", "bank_changed")
    assert payment.invoice in closed.data["note"]


async def test_completed_order_with_a_manual_payment_cannot_be_paid_again(till: Till) -> None:
    cart_id = await till.cart(await till.make_variant())
    await till.start(cart_id, "pp_system_default")
    await till.checkout.complete(cart_id)
    with pytest.raises(NotAllowed, match=f"Cart {cart_id} is already completed"):
        await till.start(cart_id, replace=True)
    assert till.bank.started == []


async def test_payment_start_is_tried_a_limited_number_of_times(
    till: Till, monkeypatch: pytest.MonkeyPatch
) -> None:
    cart_id = await till.cart(await till.make_variant())
    first = await till.start(cart_id)
    monkeypatch.setattr(starting, "MAX_START_ATTEMPTS", 1)
    with pytest.raises(Conflict, match="try again"):
        await till.start(cart_id, replace=True)
    assert (await till.state(first), len(till.bank.started)) == ("pending_authorization", 1)


async def test_payment_that_a_concurrent_request_replaced_is_not_replaced_again(till: Till) -> None:
    cart_id = await till.cart(await till.make_variant())
    first = await till.start(cart_id)
    rivals: list[PaymentSession] = []

    async def replace_meanwhile() -> None:
        till.bank.on_call = None
        rivals.append(await till.start(cart_id, replace=True))

    till.bank.on_call = replace_meanwhile
    with pytest.raises(PaymentUnderWay) as refused:
        await till.start(cart_id, replace=True)
    (rival,) = rivals
    assert (refused.value.session_id, len(till.bank.started)) == (rival.id, 2)
    assert [await till.state(one) for one in (first, rival)] == ["closed", "pending_authorization"]


async def test_refused_purchase_of_a_client_that_already_holds_units_raises_an_alert(till: Till) -> None:
    trompo = await till.make_variant(stock=20)
    await till.start(await till.cart(trompo, 10))
    with pytest.raises(HoldTooLarge):
        await till.start(await till.cart(trompo, 4))
    async with till.database.read() as session:
        assert (await session.execute(select(Alert.kind))).scalars().all() == ["stock_held"]


@pytest.mark.parametrize("is_cut_off", [True, False])
async def test_wrong_payer_answers_start_no_payment_after_the_first_payment_ended(
    till: Till, monkeypatch: pytest.MonkeyPatch, is_cut_off: bool
) -> None:
    """Send wrong answers after the first payment was cut off, or while the bank rejects it."""
    cart_id = await till.cart(await till.make_variant())
    first = await till.start(cart_id)
    if is_cut_off:
        async with till.database.transaction() as session:
            (await session.get_one(PaymentSession, first.id)).state = "initiating"
        await till.pass_time(PROVIDER_START_TIMEOUT + timedelta(seconds=1))

    async def wrong(_answers: object) -> NoReturn:
        if not is_cut_off:
            await till.decide(first, ProviderState.REJECTED)
        raise InvalidData("Wrong", fields={"doc_number": "Mal"})

    with monkeypatch.context() as checked:
        checked.setattr(till.bank, "check_payer", wrong)
        with pytest.raises(InvalidData, match="Wrong"):
            await till.start(cart_id)
    assert len(till.bank.started) == 1
    async with till.database.read() as session:
        states = dict((await session.execute(select(PaymentSession.id, PaymentSession.state))).all())
    assert states == {first.id: "unknown" if is_cut_off else "rejected"}
    assert (await till.start(cart_id)).state == "pending_authorization"


async def test_payment_that_replaces_a_closed_one_belongs_to_the_same_order(till: Till) -> None:
    """Replace a payment twice: before and after the order is placed. Check that all have the order's total."""
    trompo = await till.make_variant()
    cart_id = await till.cart(trompo)
    payments: list[PaymentSession] = [await till.start(cart_id)]
    payments.append(await till.start(cart_id, replace=True))
    order = (await till.checkout.complete(cart_id)).order
    payments.append(await till.start(cart_id, replace=True))
    assert [await till.state(one) for one in payments] == ["closed", "closed", "pending_authorization"]
    assert [one.amount for one in payments] == [order.total] * 3
