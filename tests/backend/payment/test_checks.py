"""Checks of payment sessions: when they are made, when they end, and the effects of a provider without an answer."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.models import Attention
from backend.cart.models import Cart
from backend.core.db.database import Database, database_now
from backend.payment import checks
from backend.payment.checks import (
    MIN_CHECK_INTERVAL,
    check,
    check_all,
    check_on_return,
    check_session,
    claim_check,
    give_up_start,
)
from backend.payment.models import PaymentSession
from backend.payment.sessions import PaymentUnderWay
from backend.payment.states import FINAL_STATES, SessionState
from backend.payment.transitions import APPROVED, lock_session, move
from tests.backend.checkout.scripted_bank import ScriptedBank
from tests.backend.payment.conftest import AMOUNT, StartSession

LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
OVER = {"created_at": LONG_AGO, "expires_at": LONG_AGO + timedelta(minutes=40)}
"""Columns of a session whose reservation ended more than 48 hours ago."""


async def _read_session(database: Database, payment: PaymentSession) -> PaymentSession:
    async with database.read() as session:
        return await session.get_one(PaymentSession, payment.id)


async def _list_attention(database: Database) -> list[tuple[str, str | None, int | None]]:
    async with database.read() as session:
        rows = (await session.execute(select(Attention))).scalars()
        return [(row.kind, row.data.get("state"), row.amount) for row in rows]


async def test_check_of_a_session_whose_provider_was_removed_changes_nothing(
    sqlite: Database, start_session: StartSession
) -> None:
    payment = await start_session()
    assert await check_session(sqlite, {}, payment) is SessionState.PENDING_AUTHORIZATION


async def test_bank_decision_while_the_session_is_being_closed_is_kept(
    sqlite: Database,
    scripted_bank: ScriptedBank,
    start_session: StartSession,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    payment = await start_session(**OVER)

    async def lock_rejected(session: AsyncSession, session_id: str) -> tuple[PaymentSession, Cart]:
        found, cart = await lock_session(session, session_id)
        await move(session, found, cart, SessionState.REJECTED)
        return found, cart

    monkeypatch.setattr(checks, "lock_session", lock_rejected)
    state = await check_session(sqlite, {scripted_bank.id: scripted_bank}, payment)
    assert state is SessionState.REJECTED
    assert (await _read_session(sqlite, payment)).close_reason is None


async def test_shopper_who_comes_back_twice_causes_one_check_at_the_bank(
    sqlite: Database, scripted_bank: ScriptedBank, start_session: StartSession
) -> None:
    payment = await start_session()
    for _ in range(2):
        await check_on_return(sqlite, {scripted_bank.id: scripted_bank}, payment.id)
    assert scripted_bank.asked == 1


async def _claim_check(
    database: Database, payment: PaymentSession, since_latest: timedelta
) -> tuple[bool, timedelta]:
    """Claim a check of a payment whose latest check was `since_latest` ago.

    Return whether it was claimed, and the time since the latest check, measured after the claim.
    """
    async with database.transaction() as session:
        checked_at = await database_now(session) - since_latest
        (await session.get_one(PaymentSession, payment.id)).checked_at = checked_at
    is_claimed = await claim_check(database, payment.id) is not None
    async with database.read() as session:
        return is_claimed, await database_now(session) - checked_at


async def test_payment_is_not_checked_again_within_the_pause_after_a_check(
    sqlite: Database, start_session: StartSession
) -> None:
    payment, pause = await start_session(), timedelta(seconds=3)
    assert (await _claim_check(sqlite, payment, pause))[0]
    is_claimed, passed = True, pause
    while passed >= pause:  # again if the machine is so busy that the claim took a second
        is_claimed, passed = await _claim_check(sqlite, payment, timedelta(seconds=2))
    assert not is_claimed


async def test_check_of_all_sessions_skips_those_checked_recently_or_ended(
    sqlite: Database, scripted_bank: ScriptedBank, start_session: StartSession
) -> None:
    providers = {scripted_bank.id: scripted_bank}
    checked, _, ended = await start_session(), await start_session(), await start_session(state="rejected")
    await check_on_return(sqlite, providers, checked.id)
    await check_on_return(sqlite, providers, ended.id)
    assert scripted_bank.asked == 1
    assert await check_all(sqlite, providers) == 1
    assert scripted_bank.asked == 2


@pytest.mark.parametrize("state", sorted(FINAL_STATES))
async def test_payment_session_with_a_final_state_is_not_checked_again(
    sqlite: Database, scripted_bank: ScriptedBank, start_session: StartSession, state: SessionState
) -> None:
    payment = await start_session(state=state)
    assert await check(sqlite, {scripted_bank.id: scripted_bank}, payment.id) is None
    assert scripted_bank.asked == 0


async def test_check_of_a_deleted_session_does_nothing(sqlite: Database, scripted_bank: ScriptedBank) -> None:
    assert await check(sqlite, {scripted_bank.id: scripted_bank}, "payses_nosuch") is None
    assert scripted_bank.asked == 0


async def test_check_does_not_change_a_session_that_is_being_started(
    sqlite: Database, scripted_bank: ScriptedBank, start_session: StartSession
) -> None:
    payment = await start_session(state="initiating")
    with pytest.raises(PaymentUnderWay) as under_way:
        await give_up_start(sqlite, payment.id)
    assert under_way.value.is_starting
    assert await check(sqlite, {scripted_bank.id: scripted_bank}, payment.id) == MIN_CHECK_INTERVAL
    assert (await _read_session(sqlite, payment)).state == "initiating"


async def test_check_of_an_interrupted_start_sets_the_state_unknown(
    sqlite: Database, scripted_bank: ScriptedBank, start_session: StartSession
) -> None:
    payment = await start_session(state="initiating", created_at=LONG_AGO)
    scripted_bank.is_down = True
    assert await check(sqlite, {scripted_bank.id: scripted_bank}, payment.id) is not None
    assert (await _read_session(sqlite, payment)).state == "unknown"


async def test_pending_session_is_closed_when_its_reservation_has_ended(
    sqlite: Database, scripted_bank: ScriptedBank, start_session: StartSession
) -> None:
    payment = await start_session(**OVER)
    state = await check_session(sqlite, {scripted_bank.id: scripted_bank}, payment)
    assert state is SessionState.CLOSED
    assert (await _read_session(sqlite, payment)).close_reason == "reservation_ended"


MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize(
    ("state", "age", "left", "gap"),
    [
        (SessionState.PENDING_AUTHORIZATION, 2 * MINUTE, 38 * MINUTE, 3 * MINUTE),
        (SessionState.PENDING_AUTHORIZATION, 20 * MINUTE, 20 * MINUTE, 8 * MINUTE),
        (SessionState.PENDING_AUTHORIZATION, 35 * MINUTE, 5 * MINUTE, 5 * MINUTE),
        (SessionState.PENDING_AUTHORIZATION, 39 * MINUTE, MINUTE, 3 * MINUTE),
        (SessionState.CLOSED, 50 * MINUTE, -10 * MINUTE, 20 * MINUTE),
        (SessionState.CLOSED, 50 * MINUTE, None, 20 * MINUTE),
        (SessionState.CLOSED, 600 * MINUTE, None, 180 * MINUTE),
        (SessionState.HELD, 2 * MINUTE, 38 * MINUTE, 180 * MINUTE),
    ],
)
def test_check_interval_grows_with_the_age_and_ends_with_the_reservation(
    state: SessionState, age: timedelta, left: timedelta | None, gap: timedelta
) -> None:
    payment = PaymentSession(
        collection_id="pay_col_1",
        provider_id="gateway_pse",
        amount=AMOUNT,
        invoice="TR-1",
        created_at=LONG_AGO,
        expires_at=LONG_AGO + age + left if left is not None else None,
    )
    assert checks.compute_check_interval(payment, state, LONG_AGO + age) == gap


@pytest.mark.parametrize(
    ("state", "money", "left_in", "attention"),
    [
        ("pending_authorization", {}, "closed", [("payment_unresolved", "closed", AMOUNT)]),
        ("closed", {}, "closed", [("payment_unresolved", "closed", AMOUNT)]),
        ("held", {}, "held", [("payment_unresolved", "held", AMOUNT)]),
        # staff were notified when the money was approved
        ("held", {"captured_amount": AMOUNT - 1, "data": {APPROVED: True}}, "held", []),
        ("held", {"data": {APPROVED: True}}, "held", []),  # in another currency
    ],
)
async def test_undecided_session_raises_attention_after_48_hours(  # noqa: PLR0917 (fixtures)
    sqlite: Database,
    scripted_bank: ScriptedBank,
    start_session: StartSession,
    state: str,
    money: dict[str, Any],
    left_in: str,
    attention: list[tuple[str, str, int]],
) -> None:
    payment = await start_session(state=state, **money, **OVER)
    scripted_bank.is_down = True
    assert await check(sqlite, {scripted_bank.id: scripted_bank}, payment.id) is None
    assert (await _read_session(sqlite, payment)).state == left_in
    assert await _list_attention(sqlite) == attention
