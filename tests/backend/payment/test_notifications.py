"""The webhook's inbox: stored before it is handled, always 200, no effect of forged ones (spec: Webhook; wire: 1.8)."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import select, text, update

from backend.cart.access import create_empty_cart
from backend.core.config.settings import SANDBOX_CUST_ID, SANDBOX_P_KEY, Settings
from backend.core.db.database import Database
from backend.jobs import Worker
from backend.jobs.models import Job
from backend.payment import notifications
from backend.payment.models import PaymentNotification, PaymentSession
from backend.payment.notifications import (
    ANSWER_TIMEOUT_S,
    MAX_BODY_BYTES,
    MAX_LAGGING_CHECKS,
    NOTIFICATION_JOB,
    handle_notification,
    store_notification,
)
from backend.payment.providers.base import (
    Notification,
    ProviderReport,
    ProviderState,
    StartedPayment,
    Verdict,
)
from backend.payment.providers.pse.reports import sign
from backend.payment.routes import router
from backend.payment.service import PaymentService
from backend.payment.sessions import open_session, upsert_collection
from tests.backend.checkout.scripted_bank import ScriptedBank
from tests.store_defaults import set_up_defaults

HOOK = "/hooks/payment/gateway_pse"
AMOUNT = 89_900
PAST = datetime(2026, 1, 1, tzinfo=UTC)


def notification(
    invoice: str, changes: dict[str, str] | None = None, *, state: int = 1, reference: str = "101767532"
) -> dict[str, str]:
    """Return a notification as the gateway sends it, signed with the sandbox's keys."""
    texts = {1: "Aceptada", 2: "Rechazada", 3: "Pendiente"}
    fields = {
        "x_cust_id_cliente": SANDBOX_CUST_ID,
        "x_ref_payco": reference,
        "x_id_invoice": invoice,
        "x_transaction_id": "48771874411906",
        "x_amount": str(AMOUNT),
        "x_currency_code": "COP",
        "x_cod_transaction_state": str(state),
        "x_response": texts[state],
        "x_franchise": "PSE",
    }
    fields["x_signature"] = _signature(reference)
    return fields | (changes or {})


def _signature(reference: str) -> str:
    return sign(
        SANDBOX_CUST_ID,
        SANDBOX_P_KEY,
        reference=reference,
        transaction_id="48771874411906",
        amount=str(AMOUNT),
        currency="COP",
    )


@pytest.fixture
def bank() -> ScriptedBank:
    return ScriptedBank()


@pytest.fixture
def lookups(bank: ScriptedBank, monkeypatch: pytest.MonkeyPatch) -> list[StartedPayment]:
    """Return a list that records every payment that the shop looks up at the bank."""
    looked_up: list[StartedPayment] = []
    look_up = bank.status

    async def record(started: StartedPayment) -> ProviderReport:
        looked_up.append(started)
        return await look_up(started)

    monkeypatch.setattr(bank, "status", record)
    return looked_up


@pytest.fixture
def payments(database: Database, bank: ScriptedBank) -> PaymentService:
    return PaymentService(database, {bank.id: bank})


@pytest.fixture
def worker(payments: PaymentService) -> Worker:
    """Return a worker that handles the inbox when the test runs it."""
    return Worker(payments.database, [payments])


@pytest.fixture
async def gateway(payments: PaymentService) -> AsyncIterator[httpx.AsyncClient]:
    """Return a client that calls the webhook like the gateway."""
    app = FastAPI()
    app.include_router(router)
    app.state.payments = payments
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://shop") as client:
        yield client


@pytest.fixture
async def invoice(database: Database, settings: Settings) -> str:
    """Return the invoice of a payment that waits at the bank."""
    await set_up_defaults(database, settings)
    async with database.transaction() as session:
        collection = await upsert_collection(session, None, await create_empty_cart(session), AMOUNT)
        payment = await open_session(session, collection, "gateway_pse", {})
        payment.state = "pending_authorization"
    return payment.invoice


async def _list_stored(payments: PaymentService) -> list[PaymentNotification]:
    await payments.inbox.stop()  # on a busy machine the answer may come before the database is done
    async with payments.database.read() as session:
        return list((await session.execute(select(PaymentNotification))).scalars())


async def _read_state(database: Database, invoice: str) -> str:
    async with database.read() as session:
        return (
            await session.execute(select(PaymentSession.state).where(PaymentSession.invoice == invoice))
        ).scalar_one()


@pytest.mark.parametrize("form", ["form", "query", "json", "get"])
async def test_genuine_notification_in_each_format_captures_the_payment(  # noqa: PLR0917 (fixtures)
    gateway: httpx.AsyncClient,
    payments: PaymentService,
    worker: Worker,
    bank: ScriptedBank,
    invoice: str,
    form: str,
) -> None:
    bank.states[invoice] = ProviderState.CAPTURED
    fields = notification(invoice)
    answer = await {
        "form": lambda: gateway.post(HOOK, data=fields),
        "query": lambda: gateway.post(f"{HOOK}?{urlencode(fields)}"),
        "json": lambda: gateway.post(HOOK, json=fields),
        "get": lambda: gateway.get(HOOK, params=fields),
    }[form]()
    assert (answer.status_code, answer.text) == (200, "OK")
    assert [kept.verdict for kept in await _list_stored(payments)] == ["genuine"]
    await worker.run_due()
    assert await _read_state(payments.database, invoice) == "captured"
    assert (await _list_stored(payments))[0].handled_at is not None


async def test_payment_state_comes_from_the_lookup_and_not_from_the_notification(
    gateway: httpx.AsyncClient, payments: PaymentService, worker: Worker, invoice: str
) -> None:
    # a captured 'Pendiente' can be replayed as 'Aceptada': the signature does not cover the state
    await gateway.post(HOOK, data=notification(invoice, state=1))
    await worker.run_due()
    assert await _read_state(payments.database, invoice) == "pending_authorization"


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({"x_signature": "0" * 64}, "forged"),
        ({"x_amount": "89901"}, "forged"),
        ({"x_ref_payco": "101767533"}, "forged"),
        ({"x_transaction_id": "48771874411907"}, "forged"),
        ({"x_currency_code": "USD"}, "forged"),
        ({"x_cust_id_cliente": "12345"}, "foreign"),
        ({"x_signature": ""}, "malformed"),
        ({"x_ref_payco": ""}, "malformed"),
    ],
)
async def test_notification_that_is_not_genuine_is_stored_without_effect(  # noqa: PLR0917 (fixtures)
    gateway: httpx.AsyncClient,
    payments: PaymentService,
    worker: Worker,
    bank: ScriptedBank,
    invoice: str,
    changes: dict[str, str],
    verdict: str,
) -> None:
    bank.states[invoice] = ProviderState.CAPTURED
    answer = await gateway.post(HOOK, data=notification(invoice, changes))
    assert answer.status_code == 200
    assert await worker.run_due() == 0
    assert [kept.verdict for kept in await _list_stored(payments)] == [verdict]
    assert (await _read_state(payments.database, invoice), bank.asked) == ("pending_authorization", 0)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"x_ref_payco": {"a": [1]}}',
        b"\xff\xfe\x00",
        b"x_ref_payco=1&x_ref_payco=2",
        b"null",
        b'{"x_ref_payco":' * 2_000,
        b"[" * 1_900,
        b'{"x_ref_payco": "1", "x_signature": "1", "a": ' + b"[" * 900 + b"]" * 900 + b"}",
        b'{"x_ref_payco": ' + b"9" * 5_000 + b"}",
        '{"x_ref_payco": "1"}'.encode("utf-16"),
        gzip.compress(b'{"x_ref_payco": "1", "x_signature": "1"}', mtime=0),
    ],
)
async def test_notification_with_a_nonsense_body_is_answered_with_200(
    gateway: httpx.AsyncClient, payments: PaymentService, body: bytes
) -> None:
    assert (await gateway.post(HOOK, content=body)).status_code == 200
    assert [kept.verdict for kept in await _list_stored(payments)] == ["malformed"]


@pytest.mark.parametrize("name", ["x_ref_payco", "x_transaction_id", "x_amount", "x_signature", "x_extra1"])
async def test_notification_with_unstorable_text_is_answered_with_200_and_stored(
    gateway: httpx.AsyncClient, payments: PaymentService, invoice: str, name: str
) -> None:
    body = json.dumps({**notification(invoice), name: "\ud800\0"})
    assert (await gateway.post(HOOK, content=body)).status_code == 200
    assert len(await _list_stored(payments)) == 1


async def test_notification_that_the_provider_fails_to_parse_is_answered_with_200(
    gateway: httpx.AsyncClient, payments: PaymentService, bank: ScriptedBank, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Notification:
        raise ValueError("a bug")

    monkeypatch.setattr(bank, "read_notification", fail)
    assert (await gateway.post(HOOK, content=b"x_ref_payco=1")).status_code == 200
    assert [kept.verdict for kept in await _list_stored(payments)] == ["malformed"]


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH"])
@pytest.mark.parametrize("slash", ["", "/"])
async def test_notification_is_accepted_with_any_method_and_a_trailing_slash(  # noqa: PLR0917 (fixtures)
    gateway: httpx.AsyncClient,
    payments: PaymentService,
    worker: Worker,
    bank: ScriptedBank,
    invoice: str,
    method: str,
    slash: str,
) -> None:
    bank.states[invoice] = ProviderState.CAPTURED
    fields = notification(invoice)
    sent = {"params": fields} if method == "GET" else {"data": fields}
    answer = await gateway.request(method, HOOK + slash, **sent)  # type: ignore[arg-type]
    assert (answer.status_code, answer.text) == (200, "OK")
    await worker.run_due()
    assert await _read_state(payments.database, invoice) == "captured"


@pytest.mark.parametrize("slash", ["", "/"])
async def test_head_request_to_the_notification_url_stores_nothing(
    gateway: httpx.AsyncClient, payments: PaymentService, invoice: str, slash: str
) -> None:
    answer = await gateway.head(HOOK + slash, params=notification(invoice))
    assert (answer.status_code, await _list_stored(payments)) == (200, [])


async def test_too_large_notification_is_recorded_without_its_content(
    gateway: httpx.AsyncClient, payments: PaymentService
) -> None:
    huge = json.dumps({"x_ref_payco": "1", "x_signature": "1", "padding": "x" * MAX_BODY_BYTES}).encode()
    assert (await gateway.post(HOOK, content=huge)).status_code == 200
    assert [(kept.verdict, kept.fields) for kept in await _list_stored(payments)] == [("oversized", {})]


async def test_long_texts_of_a_genuine_notification_are_shortened(payments: PaymentService) -> None:
    long = "x" * 1_000
    sent = Notification(
        verdict=Verdict.GENUINE,
        dedupe_key=long,
        session_id=long,
        reference=long,
        invoice=long,
        fields={long: long},
    )
    await store_notification(payments.database, long, sent, "digest")
    (kept,) = await _list_stored(payments)
    names = ("provider_id", "dedupe_key", "session_id", "reference", "invoice")
    lengths = {name: len(getattr(kept, name)) for name in names}
    assert lengths == {**dict.fromkeys(names, 80), "dedupe_key": 200}
    assert kept.fields == {"x" * 80: "x" * 500}


async def test_twenty_concurrent_copies_of_a_notification_are_stored_once(
    gateway: httpx.AsyncClient, payments: PaymentService, worker: Worker, bank: ScriptedBank, invoice: str
) -> None:
    bank.states[invoice] = ProviderState.CAPTURED
    answers = await asyncio.gather(*(gateway.post(HOOK, data=notification(invoice)) for _ in range(20)))
    assert {answer.status_code for answer in answers} == {200}
    await asyncio.gather(*(worker.run_due() for _ in range(4)))
    kept = await _list_stored(payments)
    assert [row.times_received for row in kept] == [20]
    assert bank.asked == 1


async def test_notifications_of_different_states_of_a_transaction_are_stored_separately(
    gateway: httpx.AsyncClient, payments: PaymentService, worker: Worker, bank: ScriptedBank, invoice: str
) -> None:
    await gateway.post(HOOK, data=notification(invoice, state=3))
    await worker.run_due()
    bank.states[invoice] = ProviderState.CAPTURED
    await gateway.post(HOOK, data=notification(invoice, state=1))
    await worker.run_due()
    assert len(await _list_stored(payments)) == 2
    assert await _read_state(payments.database, invoice) == "captured"


async def test_lookup_that_does_not_yet_report_the_notified_state_is_repeated(
    gateway: httpx.AsyncClient, payments: PaymentService, worker: Worker, bank: ScriptedBank, invoice: str
) -> None:
    await gateway.post(HOOK, data=notification(invoice))
    await worker.run_due()
    assert (await _list_stored(payments))[0].handled_at is None
    bank.states[invoice] = ProviderState.CAPTURED
    async with payments.database.transaction() as session:  # it is due again
        await session.execute(update(Job).values(run_at=PAST))
    await worker.run_due()
    assert await _read_state(payments.database, invoice) == "captured"


@pytest.mark.parametrize(
    ("reported", "numbers"),
    [(ProviderState.CAPTURED, ["101767532"]), (ProviderState.PENDING, ["101767532", None])],
)
async def test_lookup_uses_the_notified_number_if_the_payment_has_none(  # noqa: PLR0917 (fixtures)
    gateway: httpx.AsyncClient,
    payments: PaymentService,
    worker: Worker,
    bank: ScriptedBank,
    lookups: list[StartedPayment],
    invoice: str,
    reported: ProviderState,
    numbers: list[str | None],
) -> None:
    """Check a payment whose gateway number is unknown, because the gateway's answer was lost.

    The notified number may belong to another payment. If its state is not final, the invoice is looked up, too.
    """
    bank.states[invoice] = reported
    await gateway.post(HOOK, data=notification(invoice))
    await payments.inbox.stop()
    await worker.run_due(NOTIFICATION_JOB)
    assert [(one.invoice, one.reference) for one in lookups] == [(invoice, number) for number in numbers]


@pytest.mark.parametrize("found_by", ["invoice", "id", "reference"])
async def test_notification_is_matched_by_invoice_then_by_session_id_then_by_number(
    payments: PaymentService, lookups: list[StartedPayment], invoice: str, found_by: str
) -> None:
    """Check notifications that name up to three payments: one by its invoice, one by its id, one by its number."""
    ids = {"invoice": "", "id": "", "reference": ""}
    async with payments.database.transaction() as session:
        for name in sorted(ids, key=lambda name: name == found_by):
            collection = await upsert_collection(session, None, await create_empty_cart(session), AMOUNT)
            payment = await open_session(session, collection, "gateway_pse", {})
            payment.state, payment.invoice = "pending_authorization", f"TR-{name}"
            payment.reference = "101767532" if name == "reference" else None
            payment.created_at = PAST + timedelta(minutes=name == found_by)
            ids[name] = payment.id
        known = list(ids)[list(ids).index(found_by) :]
        stored = PaymentNotification(
            provider_id="gateway_pse",
            dedupe_key="1",
            verdict="genuine",
            invoice="TR-invoice" if "invoice" in known else "TR-unknown",
            session_id=ids["id"] if "id" in known else None,
            reference="101767532",
        )
        session.add(stored)
        await session.flush()
        stored_id = stored.id
    await handle_notification(payments.database, payments.providers, stored_id, 1)
    assert lookups[0].session_id == ids[found_by]


async def test_lookup_that_never_reports_the_final_state_is_repeated_a_limited_time(
    gateway: httpx.AsyncClient, payments: PaymentService, worker: Worker, bank: ScriptedBank, invoice: str
) -> None:
    async with payments.database.transaction() as session:
        await session.execute(update(PaymentSession).values(reference="101767532"))
    await gateway.post(HOOK, data=notification(invoice))
    for _ in range(MAX_LAGGING_CHECKS):
        assert (await _list_stored(payments))[0].handled_at is None
        assert await worker.run_due(NOTIFICATION_JOB) == 1
        async with payments.database.transaction() as session:
            await session.execute(update(Job).values(run_at=PAST))
    assert await worker.run_due(NOTIFICATION_JOB) == 0
    assert (await _list_stored(payments))[0].handled_at is not None
    assert bank.asked == MAX_LAGGING_CHECKS


async def test_lookup_is_not_repeated_for_a_notification_without_a_final_state(
    gateway: httpx.AsyncClient, payments: PaymentService, worker: Worker, invoice: str
) -> None:
    await gateway.post(HOOK, data=notification(invoice, state=3))
    assert await worker.run_due() == 1
    assert (await _list_stored(payments))[0].handled_at is not None


async def test_notification_of_another_provider_does_not_match_a_payment(
    gateway: httpx.AsyncClient, payments: PaymentService, worker: Worker, bank: ScriptedBank, invoice: str
) -> None:
    async with payments.database.transaction() as session:
        await session.execute(update(PaymentSession).values(provider_id="another"))
    await gateway.post(HOOK, data=notification(invoice))
    assert await worker.run_due() == 1
    assert bank.asked == 0


async def test_notification_of_a_second_transaction_does_not_change_the_first(
    gateway: httpx.AsyncClient, payments: PaymentService, worker: Worker, bank: ScriptedBank, invoice: str
) -> None:
    async with payments.database.transaction() as session:
        await session.execute(update(PaymentSession).values(reference="101767532"))
    bank.states[invoice] = ProviderState.REJECTED
    fields = notification(invoice, state=2, reference="999")
    fields["x_signature"] = _signature("999")
    await gateway.post(HOOK, data=fields)
    await worker.run_due()
    assert await _read_state(payments.database, invoice) == "pending_authorization"


async def test_notification_for_an_unknown_provider_is_stored_and_answered_with_200(
    gateway: httpx.AsyncClient, payments: PaymentService, invoice: str
) -> None:
    hook = f"/hooks/payment/{'nosuch' * 50}"
    assert (await gateway.post(hook, data=notification(invoice))).status_code == 200
    assert [(kept.verdict, len(kept.provider_id)) for kept in await _list_stored(payments)] == [
        ("malformed", 80)
    ]


async def test_hanging_database_does_not_delay_the_answer_to_a_notification(
    gateway: httpx.AsyncClient, payments: PaymentService, invoice: str
) -> None:
    async with payments.database.transaction() as session:
        stored = select(PaymentNotification)
        await session.execute(stored)
        if not payments.database.is_sqlite:
            await session.execute(text("LOCK TABLE payment_notification IN ACCESS EXCLUSIVE MODE"))
        assert ANSWER_TIMEOUT_S < 1  # second
        answer = await gateway.post(HOOK, data=notification(invoice))
        assert answer.status_code == 200
        assert (await session.execute(stored)).all() == []
    assert len(await _list_stored(payments)) == 1


async def test_oldest_tenth_of_too_many_ineffective_notifications_is_deleted(
    gateway: httpx.AsyncClient, payments: PaymentService, invoice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifications, "MAX_INEFFECTIVE_NOTIFICATIONS", 20)
    await gateway.post(HOOK, data=notification(invoice))
    left = []
    for number in range(21):
        await gateway.post(HOOK, content=f"x_ref_payco={number}".encode())
        left.append(sorted(kept.reference or "" for kept in await _list_stored(payments)))
    assert len(left[19]) == 21
    assert left[20] == sorted(["101767532", *map(str, range(2, 21))])


async def test_job_about_a_deleted_notification_does_nothing(payments: PaymentService) -> None:
    assert await handle_notification(payments.database, payments.providers, "paynot_nosuch", 1) is None
