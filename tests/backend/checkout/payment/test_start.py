"""Starting a payment, and closing one that waits: what is refused, and what is left as it is."""

from dataclasses import replace
from datetime import timedelta
from typing import NoReturn

import pytest
from sqlalchemy import select

from backend.checkout.payment import start as starting
from backend.checkout.payment.start import PaymentStarter
from backend.core.errors import Conflict, InvalidData, NotAllowed
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderState
from backend.payment.service import PaymentService
from backend.payment.sessions import CREATE_LIMIT, PaymentUnderWay
from tests.backend.checkout.paying_kit import Till


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
def starter(till: Till) -> PaymentStarter:
    return PaymentStarter(
        till.checkout.settings, till.database, till.checkout.payments, till.checkout.effective_settings
    )


async def test_where_nothing_waits_nothing_is_closed(till: Till, starter: PaymentStarter) -> None:
    cart_id = await till.cart(await till.toy())
    assert await starter.close_waiting(cart_id) is None
    rejected = await till.start(cart_id)
    await till.decide(rejected, ProviderState.REJECTED)
    asked = till.bank.asked
    assert await starter.close_waiting(cart_id) is None
    assert (await till.state(rejected), till.bank.asked) == ("rejected", asked)


async def test_a_payment_that_is_being_started_is_not_closed(till: Till, starter: PaymentStarter) -> None:
    cart_id = await till.cart(await till.toy())
    refused: list[PaymentUnderWay] = []

    async def close_meanwhile() -> None:
        till.bank.meanwhile = None
        with pytest.raises(PaymentUnderWay) as error:
            await starter.close_waiting(cart_id)
        refused.append(error.value)

    till.bank.meanwhile = close_meanwhile
    payment = await till.start(cart_id)
    assert [(one.session_id, one.is_starting) for one in refused] == [(payment.id, True)]
    assert payment.state == "pending_authorization"


async def test_a_payment_that_has_just_failed_is_not_closed_as_well(
    till: Till, starter: PaymentStarter
) -> None:
    cart_id = await till.cart(await till.toy())
    payment = await till.start(cart_id)
    till.bank.states[payment.invoice] = ProviderState.REJECTED
    ended = await starter.close_waiting(cart_id)
    assert ended is not None
    assert (ended.id, ended.state, ended.close_reason) == (payment.id, "rejected", None)
    assert "note" not in ended.data


async def test_a_payment_of_a_provider_that_the_shop_dropped_can_be_closed(
    till: Till, starter: PaymentStarter
) -> None:
    cart_id = await till.cart(await till.toy())
    payment = await till.start(cart_id)
    without = replace(starter, payments=PaymentService(till.database, {}))
    closed = await without.close_waiting(cart_id)
    assert closed is not None
    assert (closed.id, closed.state, closed.close_reason) == (payment.id, "closed", "bank_changed")
    assert payment.invoice in closed.data["note"]


async def test_an_order_that_waits_for_no_bank_is_not_paid_anew(till: Till) -> None:
    cart_id = await till.cart(await till.toy())
    await till.start(cart_id, "pp_system_default")
    await till.checkout.complete(cart_id)
    with pytest.raises(NotAllowed, match=f"Cart {cart_id} is already completed"):
        await till.start(cart_id, replace=True)
    assert till.bank.started == []


async def test_a_start_is_tried_so_many_times_only(till: Till, monkeypatch: pytest.MonkeyPatch) -> None:
    cart_id = await till.cart(await till.toy())
    first = await till.start(cart_id)
    monkeypatch.setattr(starting, "MAX_STARTS", 1)
    with pytest.raises(Conflict, match="try again"):
        await till.start(cart_id, replace=True)
    assert (await till.state(first), len(till.bank.started)) == ("pending_authorization", 1)


@pytest.mark.parametrize("is_cut_off", [True, False])
async def test_wrong_answers_start_nothing_though_what_was_in_their_way_has_ended(
    till: Till, monkeypatch: pytest.MonkeyPatch, is_cut_off: bool
) -> None:
    """A process died while it started the payment; or the bank refused it while the answers were checked."""
    cart_id = await till.cart(await till.toy())
    first = await till.start(cart_id)
    if is_cut_off:
        async with till.database.transaction() as session:
            (await session.get_one(PaymentSession, first.id)).state = "initiating"
        await till.pass_time(CREATE_LIMIT + timedelta(seconds=1))

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


async def test_what_was_ordered_is_paid_anew_as_it_was(till: Till) -> None:
    """A payment that was given up before is not what the order waits for."""
    trompo = await till.toy()
    cart_id = await till.cart(trompo)
    payments: list[PaymentSession] = [await till.start(cart_id)]
    payments.append(await till.start(cart_id, replace=True))
    order = (await till.checkout.complete(cart_id)).order
    payments.append(await till.start(cart_id, replace=True))
    assert [await till.state(one) for one in payments] == ["closed", "closed", "pending_authorization"]
    assert [one.amount for one in payments] == [order.total] * 3
