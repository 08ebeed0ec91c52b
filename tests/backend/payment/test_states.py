"""States of a payment session: `move` follows the table, and a provider's report moves only along it."""

from decimal import Decimal
from itertools import product

import pytest

from backend.cart.access import create_empty_cart
from backend.cart.models import Cart
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import NotAllowed
from backend.core.transitions import StepNotAllowed
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderReport, ProviderState
from backend.payment.sessions import open_session, upsert_collection
from backend.payment.states import FINAL_STATES, OPEN_STATES, STEPS, SessionState
from backend.payment.transitions import CloseReason, apply_report, close, honor, lock_session, move
from tests.store_defaults import set_up_defaults

S = SessionState
AMOUNT = 89_900

BY_THE_PROVIDER = {
    (source, target)
    for source in (*OPEN_STATES, S.CLOSED)
    for target in (S.CAPTURED, S.REJECTED, S.CANCELED, S.EXPIRED, S.HELD)
    if source is not target
} | {(source, S.AUTHORIZED) for source in (S.INITIATING, S.UNKNOWN, S.PENDING_AUTHORIZATION)}
"""`apply_report`: the notification, the return page, the job."""
BY_THE_START = {
    *product([S.INITIATING], [S.PENDING_AUTHORIZATION, S.PENDING, S.FAILED, S.UNKNOWN]),
    *product([S.UNKNOWN], [S.PENDING_AUTHORIZATION, S.FAILED]),
    (S.PENDING, S.FAILED),
}
"""`initiate`, and giving up a start without an answer."""
BY_THE_SHOP = {
    (S.PENDING, S.AUTHORIZED),
    (S.PENDING, S.CANCELED),
    *product([S.AUTHORIZED], [S.CAPTURED, S.CANCELED, S.HELD]),
    *product([S.UNKNOWN, S.PENDING_AUTHORIZATION], [S.CLOSED]),
}
"""Completing and changing the cart; staff, who capture or cancel; closing a payment, by the shopper or by time."""
BY_A_PERSON = set(product([S.REJECTED, S.CANCELED, S.EXPIRED, S.FAILED], [S.CAPTURED]))
"""`honor`."""


def test_every_session_transition_has_an_expected_actor_and_none_is_missing() -> None:
    assert set(STEPS) == BY_THE_PROVIDER | BY_THE_START | BY_THE_SHOP | BY_A_PERSON


@pytest.fixture
async def payment(database: Database, settings: Settings) -> PaymentSession:
    """Return a payment session of an empty cart without an order."""
    await set_up_defaults(database, settings)
    async with database.transaction() as session:
        collection = await upsert_collection(session, None, await create_empty_cart(session), AMOUNT)
        return await open_session(session, collection, "gateway_pse", {})


async def _put(database: Database, payment: PaymentSession, state: SessionState) -> None:
    async with database.transaction() as session:
        (await session.get_one(PaymentSession, payment.id)).state = state


async def _move(database: Database, payment: PaymentSession, state: SessionState) -> None:
    async with database.transaction() as session:
        locked, cart = await lock_session(session, payment.id)
        await move(session, locked, cart, state)


async def _state(database: Database, payment: PaymentSession) -> str:
    async with database.read() as session:
        return (await session.get_one(PaymentSession, payment.id)).state


async def _report(
    database: Database, payment: PaymentSession, state: ProviderState, amount: int = AMOUNT
) -> str:
    report = ProviderReport(state=state, amount=Decimal(amount), currency="COP", invoice=payment.invoice)
    await apply_report(database, payment.id, report)
    return await _state(database, payment)


async def test_transition_that_is_not_listed_raises_an_error_and_changes_nothing(
    database: Database, payment: PaymentSession
) -> None:
    refused = [(source, target) for source, target in product(S, S) if (source, target) not in set(STEPS)]
    for source, target in refused:
        await _put(database, payment, source)
        with pytest.raises(StepNotAllowed):
            await _move(database, payment, target)
        assert await _state(database, payment) == source


async def test_provider_report_changes_a_session_only_along_listed_transitions(
    database: Database, payment: PaymentSession
) -> None:
    words = {
        ProviderState.CAPTURED: S.CAPTURED,
        ProviderState.REJECTED: S.REJECTED,
        ProviderState.CANCELED: S.CANCELED,
        ProviderState.EXPIRED: S.EXPIRED,
        ProviderState.HELD: S.HELD,
        ProviderState.AUTHORIZED: S.AUTHORIZED,
        ProviderState.PENDING: None,
        ProviderState.UNKNOWN: None,
    }
    for source, (word, target) in product((*OPEN_STATES, S.CLOSED, *FINAL_STATES), words.items()):
        await _put(database, payment, source)
        leads = target is not None and (source, target) in BY_THE_PROVIDER
        assert await _report(database, payment, word) == (target if leads else source), (source, word)


@pytest.mark.parametrize("source", sorted({*OPEN_STATES, S.CLOSED, S.AUTHORIZED}))
async def test_approved_payment_of_a_lower_amount_is_held_and_not_captured(
    database: Database, payment: PaymentSession, source: SessionState
) -> None:
    await _put(database, payment, source)
    assert await _report(database, payment, ProviderState.CAPTURED, AMOUNT - 1) == "held"
    async with database.read() as session:
        assert (await session.get_one(PaymentSession, payment.id)).captured_amount == AMOUNT - 1


async def test_payment_without_captured_money_cannot_be_accepted_by_staff(
    database: Database, payment: PaymentSession
) -> None:
    await _put(database, payment, S.REJECTED)
    for has_money in (False, True):
        if has_money:
            await _report(database, payment, ProviderState.CAPTURED)
            assert await _state(database, payment) == "rejected"
        async with database.transaction() as session:
            locked, cart = await lock_session(session, payment.id)
            if has_money:
                await honor(session, locked, cart)
            else:
                with pytest.raises(NotAllowed):
                    await honor(session, locked, cart)
    assert await _state(database, payment) == "captured"


async def test_cart_stores_its_session_at_the_bank_until_the_session_is_closed(
    database: Database, payment: PaymentSession
) -> None:
    async def bound() -> str | None:
        async with database.read() as session:
            cart = await session.get_one(Cart, (await lock_session(session, payment.id))[1].id)
            return cart.payment_session_id

    assert await bound() == payment.id
    await _move(database, payment, S.PENDING_AUTHORIZATION)
    assert await bound() == payment.id
    async with database.transaction() as session:
        locked, cart = await lock_session(session, payment.id)
        await close(session, locked, cart, CloseReason.REPLACED)
    assert await bound() is None
