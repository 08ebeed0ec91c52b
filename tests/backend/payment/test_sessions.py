"""Open payment sessions, and start them while the bank or another payment is faster."""

from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import select, update

from backend.channels.models import Region
from backend.core.db.database import Database
from backend.core.errors import Conflict, NotFound, OutsideFailure, ShopError
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.providers.base import PaymentRequest, ProviderReport, ProviderState
from backend.payment.providers.pse.responses import PaymentRefused, RefusalReason
from backend.payment.sessions import (
    PaymentUnderWay,
    find_decisive_session,
    initiate,
    list_offered_providers,
    open_session,
)
from backend.payment.states import SessionState
from backend.payment.transitions import GIVEN_BACK, apply_report, apply_second_report, lock_session, move
from tests.backend.checkout.scripted_bank import ScriptedBank
from tests.backend.payment.conftest import AMOUNT, StartSession

REQUEST = PaymentRequest(
    session_id="",
    invoice="",
    amount=AMOUNT,
    tax=0,
    description="Trompo",
    return_url="https://shop.example/order",
    notification_url="https://shop.example/hooks",
    ip="190.24.1.1",
)


async def _read_session(database: Database, payment: PaymentSession) -> PaymentSession:
    async with database.read() as session:
        return await session.get_one(PaymentSession, payment.id)


async def test_offered_providers_are_those_of_the_region_or_of_all_regions(
    sqlite: Database, start_session: StartSession
) -> None:
    async with sqlite.transaction() as session:
        (region_id,) = (await session.execute(select(Region.id))).scalars()
        session.add(Region(id="reg_other", name="Other", payment_providers=["pp_other"]))
        await session.execute(
            update(Region).where(Region.id == region_id).values(payment_providers=["gateway_pse"])
        )
    async with sqlite.read() as session:
        assert await list_offered_providers(session, region_id) == {"gateway_pse"}
        assert await list_offered_providers(session, "reg_nosuch") == frozenset()
        assert await list_offered_providers(session, None) == {"gateway_pse", "pp_other"}


@pytest.mark.parametrize(
    ("state", "refusal", "reason"),
    [
        ("pending_authorization", PaymentUnderWay, "already at the bank"),
        ("held", Conflict, "reviewing a payment"),
        ("captured", Conflict, "is already paid"),
        ("authorized", Conflict, "is already paid"),
    ],
)
async def test_second_session_is_refused_while_another_has_or_may_have_money(
    sqlite: Database, start_session: StartSession, state: str, refusal: type[Conflict], reason: str
) -> None:
    payment = await start_session(state=state)
    async with sqlite.transaction() as session:
        collection = await session.get_one(PaymentCollection, payment.collection_id)
        with pytest.raises(Conflict, match=reason) as refused:
            await open_session(session, collection, "gateway_pse", {})
    assert type(refused.value) is refusal
    assert payment.invoice in refused.value.message
    async with sqlite.read() as session:
        assert (await session.execute(select(PaymentSession.state))).scalars().all() == [state]


async def test_refused_payment_start_does_not_undo_a_concurrent_approval(
    sqlite: Database, scripted_bank: ScriptedBank, start_session: StartSession
) -> None:
    payment = await start_session(state="initiating")
    scripted_bank.states[payment.invoice] = ProviderState.CAPTURED
    scripted_bank.refusal = OutsideFailure("the gateway is down")

    async def approve() -> None:
        await apply_report(sqlite, payment.id, scripted_bank.report(payment.invoice, payment.amount))

    scripted_bank.on_call = approve
    with pytest.raises(OutsideFailure, match="the gateway is down"):
        await initiate(sqlite, scripted_bank, payment, REQUEST)
    assert (await _read_session(sqlite, payment)).state == "captured"


@pytest.mark.parametrize(
    ("refusal", "reason"),
    [
        (
            PaymentRefused("The gateway refused to start the payment: E014", RefusalReason.LIMIT),
            RefusalReason.LIMIT.shopper_text,
        ),
        (OutsideFailure("the gateway is down"), None),
    ],
)
async def test_refused_payment_start_stores_the_reason_shown_to_customers(
    sqlite: Database,
    scripted_bank: ScriptedBank,
    start_session: StartSession,
    refusal: ShopError,
    reason: str | None,
) -> None:
    payment = await start_session(state="initiating")
    scripted_bank.refusal = refusal
    with pytest.raises(type(refusal)):
        await initiate(sqlite, scripted_bank, payment, REQUEST)
    assert (await _read_session(sqlite, payment)).data.get("reason") == reason


async def test_notified_state_is_kept_when_the_answer_to_the_payment_start_is_later(
    sqlite: Database, scripted_bank: ScriptedBank, start_session: StartSession
) -> None:
    payment = await start_session(state="initiating")
    scripted_bank.states[payment.invoice] = ProviderState.REJECTED

    async def reject() -> None:
        await apply_report(sqlite, payment.id, scripted_bank.report(payment.invoice, payment.amount))

    scripted_bank.on_call = reject
    started = await initiate(sqlite, scripted_bank, payment, REQUEST)
    assert (started.state, started.transaction_id) == ("rejected", f"cus-{payment.invoice}")


@pytest.mark.parametrize("has_other_payment", [False, True])
async def test_late_answer_to_a_payment_start_is_applied_only_if_no_other_payment_began(
    sqlite: Database, scripted_bank: ScriptedBank, start_session: StartSession, *, has_other_payment: bool
) -> None:
    payment = await start_session(state="initiating")

    async def give_up() -> None:
        async with sqlite.transaction() as session:
            late, cart = await lock_session(session, payment.id)
            await move(session, late, cart, SessionState.UNKNOWN)
            if has_other_payment:
                collection = await session.get_one(PaymentCollection, payment.collection_id)
                await open_session(session, collection, "gateway_pse", {})

    scripted_bank.on_call = give_up
    if has_other_payment:
        with pytest.raises(Conflict, match=payment.invoice):
            await initiate(sqlite, scripted_bank, payment, REQUEST)
    else:
        await initiate(sqlite, scripted_bank, payment, REQUEST)
    kept = await _read_session(sqlite, payment)
    assert kept.state == ("unknown" if has_other_payment else "pending_authorization")
    assert kept.reference == f"ref-{payment.invoice}"  # it can still be looked up


async def test_repeated_approval_of_a_second_transaction_creates_one_session(
    sqlite: Database, start_session: StartSession
) -> None:
    payment = await start_session(state="rejected")
    report = ProviderReport(
        state=ProviderState.CAPTURED, amount=Decimal(AMOUNT), currency="COP", reference="999"
    )
    for _ in range(2):
        assert await apply_second_report(sqlite, payment.id, report) is SessionState.CAPTURED
    async with sqlite.read() as session:
        rows = await session.execute(select(PaymentSession.invoice, PaymentSession.state))
    assert dict(rows.all()) == {payment.invoice: "rejected", f"{payment.invoice}/999": "captured"}


async def test_report_of_a_deleted_session_raises_not_found(sqlite: Database) -> None:
    with pytest.raises(NotFound, match="payses_nosuch"):
        await apply_report(sqlite, "payses_nosuch", ProviderReport(state=ProviderState.CAPTURED))


@pytest.mark.parametrize(
    ("older", "newer", "decisive"),
    [
        ("captured", "pending_authorization", "older"),
        ("authorized", "held", "older"),
        ("pending_authorization", "rejected", "older"),
        ("refunded", "pending_authorization", "newer"),
        ("refunded", "rejected", "older"),
        ("rejected", "refunded", "newer"),
        ("rejected", "expired", "newer"),
    ],
)
async def test_session_that_paid_or_may_pay_is_chosen_before_a_newer_one(
    sqlite: Database, start_session: StartSession, older: str, newer: str, decisive: str
) -> None:
    """Check which of a cart's two sessions decides. `refunded` is a captured session that staff refunded."""
    first = await start_session(state="expired")
    async with sqlite.transaction() as session:
        collection = await session.get_one(PaymentCollection, first.collection_id)
        second = await open_session(session, collection, "gateway_pse", {})
        first = await session.get_one(PaymentSession, first.id)
        second.created_at = first.created_at + timedelta(seconds=1)
        for payment, state in ((second, newer), (first, older)):
            payment.state = "captured" if state == "refunded" else state
            payment.data = {GIVEN_BACK: True} if state == "refunded" else {}
            await session.flush()
    async with sqlite.read() as session:
        found = await find_decisive_session(session, collection.cart_id)
    assert found is not None
    assert found.id == (first if decisive == "older" else second).id
