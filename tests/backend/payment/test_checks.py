"""The checks of payment sessions: when they are made, when they end, and what a silent provider leads to."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.models import Attention
from backend.cart.models import Cart
from backend.core.db.database import Database
from backend.payment import checks
from backend.payment.checks import (
    LONGEST_GAP,
    SHORTEST_GAP,
    check,
    check_all,
    check_on_return,
    check_session,
    give_up_start,
)
from backend.payment.models import PaymentSession
from backend.payment.sessions import PaymentUnderWay
from backend.payment.states import FINAL, SessionState
from backend.payment.transitions import lock_session, move
from tests.backend.checkout.scripted_bank import ScriptedBank
from tests.backend.payment.conftest import AMOUNT, StartSession

LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
OVER = {"created_at": LONG_AGO, "expires_at": LONG_AGO + timedelta(minutes=40)}
"""The columns of a session whose reservation ended more than 48 hours ago."""


async def _read(database: Database, payment: PaymentSession) -> PaymentSession:
    async with database.read() as session:
        return await session.get_one(PaymentSession, payment.id)


async def _attention(database: Database) -> list[tuple[str, str | None, int | None]]:
    async with database.read() as session:
        rows = (await session.execute(select(Attention))).scalars()
        return [(row.kind, row.data.get("state"), row.amount) for row in rows]


async def test_a_provider_that_the_shop_no_longer_runs_with_changes_nothing(
    sqlite: Database, start_session: StartSession
) -> None:
    payment = await start_session()
    assert await check_session(sqlite, {}, payment) is SessionState.PENDING_AUTHORIZATION


async def test_a_decision_that_comes_while_the_session_is_being_closed_stands(
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
    assert (await _read(sqlite, payment)).close_reason is None


async def test_a_shopper_who_comes_back_twice_makes_one_check(
    sqlite: Database, scripted_bank: ScriptedBank, start_session: StartSession
) -> None:
    payment = await start_session()
    for _ in range(2):
        await check_on_return(sqlite, {scripted_bank.id: scripted_bank}, payment.id)
    assert scripted_bank.asked == 1


async def test_checking_all_leaves_out_what_was_checked_a_moment_ago_and_what_has_ended(
    sqlite: Database, scripted_bank: ScriptedBank, start_session: StartSession
) -> None:
    providers = {scripted_bank.id: scripted_bank}
    checked, _, ended = await start_session(), await start_session(), await start_session(state="rejected")
    await check_on_return(sqlite, providers, checked.id)
    await check_on_return(sqlite, providers, ended.id)
    assert scripted_bank.asked == 1
    assert await check_all(sqlite, providers) == 1
    assert scripted_bank.asked == 2


@pytest.mark.parametrize("state", sorted(FINAL))
async def test_a_session_with_a_final_state_is_not_checked_again(
    sqlite: Database, scripted_bank: ScriptedBank, start_session: StartSession, state: SessionState
) -> None:
    payment = await start_session(state=state)
    assert await check(sqlite, {scripted_bank.id: scripted_bank}, payment.id) is None
    assert scripted_bank.asked == 0


async def test_the_check_of_a_session_that_is_gone_does_nothing(
    sqlite: Database, scripted_bank: ScriptedBank
) -> None:
    assert await check(sqlite, {scripted_bank.id: scripted_bank}, "payses_nosuch") is None
    assert scripted_bank.asked == 0


async def test_a_session_that_is_still_being_started_is_left_to_its_start(
    sqlite: Database, scripted_bank: ScriptedBank, start_session: StartSession
) -> None:
    payment = await start_session(state="initiating")
    with pytest.raises(PaymentUnderWay) as under_way:
        await give_up_start(sqlite, payment.id)
    assert under_way.value.is_starting
    assert await check(sqlite, {scripted_bank.id: scripted_bank}, payment.id) == SHORTEST_GAP
    assert (await _read(sqlite, payment)).state == "initiating"


async def test_a_session_whose_start_was_cut_off_is_unknown_when_it_is_checked(
    sqlite: Database, scripted_bank: ScriptedBank, start_session: StartSession
) -> None:
    payment = await start_session(state="initiating", created_at=LONG_AGO)
    scripted_bank.is_down = True
    assert await check(sqlite, {scripted_bank.id: scripted_bank}, payment.id) is not None
    assert (await _read(sqlite, payment)).state == "unknown"


async def test_a_session_that_the_bank_leaves_open_is_closed_when_its_reservation_has_ended(
    sqlite: Database, scripted_bank: ScriptedBank, start_session: StartSession
) -> None:
    payment = await start_session(**OVER)
    state = await check_session(sqlite, {scripted_bank.id: scripted_bank}, payment)
    assert state is SessionState.CLOSED
    assert (await _read(sqlite, payment)).close_reason == "reservation_ended"


MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize(
    ("state", "age", "left", "gap"),
    [
        (SessionState.PENDING_AUTHORIZATION, 2 * MINUTE, 38 * MINUTE, SHORTEST_GAP),
        (SessionState.PENDING_AUTHORIZATION, 20 * MINUTE, 20 * MINUTE, 8 * MINUTE),
        (SessionState.PENDING_AUTHORIZATION, 35 * MINUTE, 5 * MINUTE, 5 * MINUTE),
        (SessionState.PENDING_AUTHORIZATION, 39 * MINUTE, MINUTE, SHORTEST_GAP),
        (SessionState.CLOSED, 50 * MINUTE, -10 * MINUTE, 20 * MINUTE),
        (SessionState.CLOSED, 50 * MINUTE, None, 20 * MINUTE),
        (SessionState.CLOSED, 600 * MINUTE, None, LONGEST_GAP),
        (SessionState.HELD, 2 * MINUTE, 38 * MINUTE, LONGEST_GAP),
    ],
)
def test_the_gap_grows_with_the_age_and_ends_with_the_reservation(
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
    assert checks._gap(payment, state, LONG_AGO + age) == gap


@pytest.mark.parametrize(
    ("state", "captured_amount", "left_in", "attention"),
    [
        ("pending_authorization", None, "closed", [("payment_unresolved", "closed", AMOUNT)]),
        ("closed", None, "closed", [("payment_unresolved", "closed", AMOUNT)]),
        ("held", None, "held", [("payment_unresolved", "held", AMOUNT)]),
        ("held", AMOUNT - 1, "held", []),  # a person was told when the money came
    ],
)
async def test_after_48_hours_a_person_is_told_of_what_nobody_decided(  # noqa: PLR0917 (fixtures)
    sqlite: Database,
    scripted_bank: ScriptedBank,
    start_session: StartSession,
    state: str,
    captured_amount: int | None,
    left_in: str,
    attention: list[tuple[str, str, int]],
) -> None:
    payment = await start_session(state=state, captured_amount=captured_amount, **OVER)
    scripted_bank.is_down = True
    assert await check(sqlite, {scripted_bank.id: scripted_bank}, payment.id) is None
    assert (await _read(sqlite, payment)).state == left_in
    assert await _attention(sqlite) == attention
