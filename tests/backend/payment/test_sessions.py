"""Opening a payment session, and what becomes of its start when the bank or another payment is faster."""

from decimal import Decimal

import pytest
from sqlalchemy import select, update

from backend.channels.models import Region
from backend.core.db.database import Database
from backend.core.errors import Conflict, NotFound, OutsideFailure
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.providers.base import PaymentRequest, ProviderReport, ProviderState
from backend.payment.sessions import PaymentUnderWay, initiate, offered_providers, open_session
from backend.payment.states import SessionState
from backend.payment.transitions import apply_report, apply_second_report, lock_session, move
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


async def _read(database: Database, payment: PaymentSession) -> PaymentSession:
    async with database.read() as session:
        return await session.get_one(PaymentSession, payment.id)


async def test_a_region_offers_its_own_providers_and_no_region_those_of_all(
    sqlite: Database, start_session: StartSession
) -> None:
    async with sqlite.transaction() as session:
        (region_id,) = (await session.execute(select(Region.id))).scalars()
        session.add(Region(id="reg_other", name="Other", payment_providers=["pp_other"]))
        await session.execute(
            update(Region).where(Region.id == region_id).values(payment_providers=["gateway_pse"])
        )
    async with sqlite.read() as session:
        assert await offered_providers(session, region_id) == {"gateway_pse"}
        assert await offered_providers(session, "reg_nosuch") == frozenset()
        assert await offered_providers(session, None) == {"gateway_pse", "pp_other"}


@pytest.mark.parametrize(
    ("state", "refusal", "why"),
    [
        ("pending_authorization", PaymentUnderWay, "at the bank already"),
        ("held", Conflict, "looking into a payment"),
        ("captured", Conflict, "is paid already"),
        ("authorized", Conflict, "is paid already"),
    ],
)
async def test_no_second_session_is_opened_beside_one_that_pays_or_may_pay(
    sqlite: Database, start_session: StartSession, state: str, refusal: type[Conflict], why: str
) -> None:
    payment = await start_session(state=state)
    async with sqlite.transaction() as session:
        collection = await session.get_one(PaymentCollection, payment.collection_id)
        with pytest.raises(Conflict, match=why) as refused:
            await open_session(session, collection, "gateway_pse", {})
    assert type(refused.value) is refusal
    assert payment.invoice in refused.value.message
    async with sqlite.read() as session:
        assert (await session.execute(select(PaymentSession.state))).scalars().all() == [state]


async def test_a_refused_start_does_not_undo_a_payment_that_was_approved_meanwhile(
    sqlite: Database, scripted_bank: ScriptedBank, start_session: StartSession
) -> None:
    payment = await start_session(state="initiating")
    scripted_bank.states[payment.invoice] = ProviderState.CAPTURED
    scripted_bank.refusal = OutsideFailure("the gateway is down")

    async def approve() -> None:
        await apply_report(sqlite, payment.id, scripted_bank.report(payment.invoice, payment.amount))

    scripted_bank.meanwhile = approve
    with pytest.raises(OutsideFailure, match="the gateway is down"):
        await initiate(sqlite, scripted_bank, payment, REQUEST)
    assert (await _read(sqlite, payment)).state == "captured"


async def test_a_notification_that_is_faster_than_the_start_stands(
    sqlite: Database, scripted_bank: ScriptedBank, start_session: StartSession
) -> None:
    payment = await start_session(state="initiating")
    scripted_bank.states[payment.invoice] = ProviderState.REJECTED

    async def reject() -> None:
        await apply_report(sqlite, payment.id, scripted_bank.report(payment.invoice, payment.amount))

    scripted_bank.meanwhile = reject
    started = await initiate(sqlite, scripted_bank, payment, REQUEST)
    assert (started.state, started.transaction_id) == ("rejected", f"cus-{payment.invoice}")


@pytest.mark.parametrize("has_other_payment", [False, True])
async def test_a_start_that_is_answered_late_counts_only_while_the_cart_has_no_other_payment(
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

    scripted_bank.meanwhile = give_up
    if has_other_payment:
        with pytest.raises(Conflict, match=payment.invoice):
            await initiate(sqlite, scripted_bank, payment, REQUEST)
    else:
        await initiate(sqlite, scripted_bank, payment, REQUEST)
    kept = await _read(sqlite, payment)
    assert kept.state == ("unknown" if has_other_payment else "pending_authorization")
    assert kept.reference == f"ref-{payment.invoice}"  # it can be looked up all the same


async def test_a_second_approval_of_an_invoice_is_one_session_however_often_it_is_told(
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


async def test_a_report_of_a_session_that_is_gone_is_not_found(sqlite: Database) -> None:
    with pytest.raises(NotFound, match="payses_nosuch"):
        await apply_report(sqlite, "payses_nosuch", ProviderReport(state=ProviderState.CAPTURED))
