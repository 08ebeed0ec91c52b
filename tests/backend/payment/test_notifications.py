"""The webhook's inbox: stored before acted on, always 200, nothing forged has an effect (spec: Webhook; wire: 1.8)."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from urllib.parse import urlencode

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import select, text, update

from backend.cart.access import new_cart
from backend.core.config.settings import SANDBOX_CUST_ID, SANDBOX_P_KEY, Settings
from backend.core.db.database import Database
from backend.jobs import Worker
from backend.jobs.models import Job
from backend.payment import notifications
from backend.payment.models import PaymentNotification, PaymentSession
from backend.payment.notifications import (
    ANSWER_WITHIN,
    HANDLE,
    MAX_BODY_BYTES,
    MOST_CHECKS,
    handle_notification,
)
from backend.payment.providers.base import Notification, ProviderState
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
    """A notification as the gateway sends it, signed with the sandbox's keys."""
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
def payments(database: Database, bank: ScriptedBank) -> PaymentService:
    return PaymentService(database, {bank.id: bank})


@pytest.fixture
def worker(payments: PaymentService) -> Worker:
    """Acts on what waits in the inbox, when it is told to."""
    return Worker(payments.database, [payments])


@pytest.fixture
async def gateway(payments: PaymentService) -> AsyncIterator[httpx.AsyncClient]:
    """Calls the webhook as the gateway does."""
    app = FastAPI()
    app.include_router(router)
    app.state.payments = payments
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://shop") as client:
        yield client


@pytest.fixture
async def invoice(database: Database, settings: Settings) -> str:
    """The invoice of a payment that waits at the bank."""
    await set_up_defaults(database, settings)
    async with database.transaction() as session:
        collection = await upsert_collection(session, None, await new_cart(session), AMOUNT)
        payment = await open_session(session, collection, "gateway_pse", {})
        payment.state = "pending_authorization"
    return payment.invoice


async def _kept(payments: PaymentService) -> list[PaymentNotification]:
    await payments.inbox.stop()  # on a busy machine the answer may come before the database is done
    async with payments.database.read() as session:
        return list((await session.execute(select(PaymentNotification))).scalars())


async def _state(database: Database, invoice: str) -> str:
    async with database.read() as session:
        return (
            await session.execute(select(PaymentSession.state).where(PaymentSession.invoice == invoice))
        ).scalar_one()


@pytest.mark.parametrize("form", ["form", "query", "json", "get"])
async def test_a_genuine_notification_settles_the_payment_in_whatever_form_it_comes(  # noqa: PLR0917 (fixtures)
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
    assert [kept.verdict for kept in await _kept(payments)] == ["genuine"]
    await worker.run_due()
    assert await _state(payments.database, invoice) == "captured"
    assert (await _kept(payments))[0].handled_at is not None


async def test_the_state_is_the_gateways_word_and_not_the_notifications(
    gateway: httpx.AsyncClient, payments: PaymentService, worker: Worker, invoice: str
) -> None:
    # a captured 'Pendiente' can be replayed as 'Aceptada': the signature does not cover the state
    await gateway.post(HOOK, data=notification(invoice, state=1))
    await worker.run_due()
    assert await _state(payments.database, invoice) == "pending_authorization"


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
async def test_what_is_not_the_gateways_is_recorded_and_changes_nothing(  # noqa: PLR0917 (fixtures)
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
    assert [kept.verdict for kept in await _kept(payments)] == [verdict]
    assert (await _state(payments.database, invoice), bank.asked) == ("pending_authorization", 0)


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
async def test_nonsense_is_answered_with_200(
    gateway: httpx.AsyncClient, payments: PaymentService, body: bytes
) -> None:
    assert (await gateway.post(HOOK, content=body)).status_code == 200
    assert [kept.verdict for kept in await _kept(payments)] == ["malformed"]


@pytest.mark.parametrize("name", ["x_ref_payco", "x_transaction_id", "x_amount", "x_signature", "x_extra1"])
async def test_text_that_no_database_takes_is_answered_with_200_and_kept(
    gateway: httpx.AsyncClient, payments: PaymentService, invoice: str, name: str
) -> None:
    body = json.dumps({**notification(invoice), name: "\ud800\0"})
    assert (await gateway.post(HOOK, content=body)).status_code == 200
    assert len(await _kept(payments)) == 1


async def test_a_provider_that_cannot_read_it_does_not_keep_the_gateway_from_its_200(
    gateway: httpx.AsyncClient, payments: PaymentService, bank: ScriptedBank, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Notification:
        raise ValueError("a bug")

    monkeypatch.setattr(bank, "read_notification", fail)
    assert (await gateway.post(HOOK, content=b"x_ref_payco=1")).status_code == 200
    assert [kept.verdict for kept in await _kept(payments)] == ["malformed"]


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH"])
@pytest.mark.parametrize("slash", ["", "/"])
async def test_neither_the_method_nor_a_slash_at_the_end_makes_a_difference(  # noqa: PLR0917 (fixtures)
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
    assert await _state(payments.database, invoice) == "captured"


@pytest.mark.parametrize("slash", ["", "/"])
async def test_whoever_asks_whether_the_webhook_is_there_tells_nothing(
    gateway: httpx.AsyncClient, payments: PaymentService, invoice: str, slash: str
) -> None:
    answer = await gateway.head(HOOK + slash, params=notification(invoice))
    assert (answer.status_code, await _kept(payments)) == (200, [])


async def test_an_oversized_body_is_recorded_without_its_content(
    gateway: httpx.AsyncClient, payments: PaymentService
) -> None:
    huge = json.dumps({"x_ref_payco": "1", "x_signature": "1", "padding": "x" * MAX_BODY_BYTES}).encode()
    assert (await gateway.post(HOOK, content=huge)).status_code == 200
    assert [(kept.verdict, kept.fields) for kept in await _kept(payments)] == [("oversized", {})]


async def test_the_same_notification_twenty_times_at_once_is_one(
    gateway: httpx.AsyncClient, payments: PaymentService, worker: Worker, bank: ScriptedBank, invoice: str
) -> None:
    bank.states[invoice] = ProviderState.CAPTURED
    answers = await asyncio.gather(*(gateway.post(HOOK, data=notification(invoice)) for _ in range(20)))
    assert {answer.status_code for answer in answers} == {200}
    await asyncio.gather(*(worker.run_due() for _ in range(4)))
    kept = await _kept(payments)
    assert [row.times_received for row in kept] == [20]
    assert bank.asked == 1


async def test_each_state_of_a_transaction_is_its_own_notification(
    gateway: httpx.AsyncClient, payments: PaymentService, worker: Worker, bank: ScriptedBank, invoice: str
) -> None:
    await gateway.post(HOOK, data=notification(invoice, state=3))
    await worker.run_due()
    bank.states[invoice] = ProviderState.CAPTURED
    await gateway.post(HOOK, data=notification(invoice, state=1))
    await worker.run_due()
    assert len(await _kept(payments)) == 2
    assert await _state(payments.database, invoice) == "captured"


async def test_a_lookup_that_lags_behind_the_notification_is_asked_again(
    gateway: httpx.AsyncClient, payments: PaymentService, worker: Worker, bank: ScriptedBank, invoice: str
) -> None:
    await gateway.post(HOOK, data=notification(invoice))
    await worker.run_due()
    assert (await _kept(payments))[0].handled_at is None
    bank.states[invoice] = ProviderState.CAPTURED
    async with payments.database.transaction() as session:  # its time has come again
        await session.execute(update(Job).values(run_at=PAST))
    await worker.run_due()
    assert await _state(payments.database, invoice) == "captured"


async def test_a_lookup_that_never_catches_up_is_asked_for_a_bounded_time(
    gateway: httpx.AsyncClient, payments: PaymentService, worker: Worker, bank: ScriptedBank, invoice: str
) -> None:
    async with payments.database.transaction() as session:
        await session.execute(update(PaymentSession).values(reference="101767532"))
    await gateway.post(HOOK, data=notification(invoice))
    for _ in range(MOST_CHECKS):
        assert (await _kept(payments))[0].handled_at is None
        assert await worker.run_due(HANDLE) == 1
        async with payments.database.transaction() as session:
            await session.execute(update(Job).values(run_at=PAST))
    assert await worker.run_due(HANDLE) == 0
    assert (await _kept(payments))[0].handled_at is not None
    assert bank.asked == MOST_CHECKS


async def test_an_end_that_is_not_told_is_not_waited_for(
    gateway: httpx.AsyncClient, payments: PaymentService, worker: Worker, invoice: str
) -> None:
    await gateway.post(HOOK, data=notification(invoice, state=3))
    assert await worker.run_due() == 1
    assert (await _kept(payments))[0].handled_at is not None


async def test_a_notification_of_another_provider_names_no_payment_of_this_one(
    gateway: httpx.AsyncClient, payments: PaymentService, worker: Worker, bank: ScriptedBank, invoice: str
) -> None:
    async with payments.database.transaction() as session:
        await session.execute(update(PaymentSession).values(provider_id="another"))
    await gateway.post(HOOK, data=notification(invoice))
    assert await worker.run_due() == 1
    assert bank.asked == 0


async def test_the_refusal_of_a_second_transaction_says_nothing_of_the_first(
    gateway: httpx.AsyncClient, payments: PaymentService, worker: Worker, bank: ScriptedBank, invoice: str
) -> None:
    async with payments.database.transaction() as session:
        await session.execute(update(PaymentSession).values(reference="101767532"))
    bank.states[invoice] = ProviderState.REJECTED
    fields = notification(invoice, state=2, reference="999")
    fields["x_signature"] = _signature("999")
    await gateway.post(HOOK, data=fields)
    await worker.run_due()
    assert await _state(payments.database, invoice) == "pending_authorization"


async def test_an_unknown_provider_is_recorded_and_answered_with_200(
    gateway: httpx.AsyncClient, payments: PaymentService, invoice: str
) -> None:
    hook = f"/hooks/payment/{'nosuch' * 50}"
    assert (await gateway.post(hook, data=notification(invoice))).status_code == 200
    assert [(kept.verdict, len(kept.provider_id)) for kept in await _kept(payments)] == [("malformed", 80)]


async def test_a_database_that_hangs_does_not_keep_the_gateway_waiting(
    gateway: httpx.AsyncClient, payments: PaymentService, invoice: str
) -> None:
    async with payments.database.transaction() as session:
        stored = select(PaymentNotification)
        await session.execute(stored)
        if not payments.database.is_sqlite:
            await session.execute(text("LOCK TABLE payment_notification IN ACCESS EXCLUSIVE MODE"))
        assert ANSWER_WITHIN < 1  # second
        answer = await gateway.post(HOOK, data=notification(invoice))
        assert answer.status_code == 200
        assert (await session.execute(stored)).all() == []
    assert len(await _kept(payments)) == 1


async def test_of_too_many_without_effect_the_oldest_tenth_is_deleted_and_nothing_genuine(
    gateway: httpx.AsyncClient, payments: PaymentService, invoice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifications, "MAX_WITHOUT_EFFECT", 20)
    await gateway.post(HOOK, data=notification(invoice))
    left = []
    for number in range(21):
        await gateway.post(HOOK, content=f"x_ref_payco={number}".encode())
        left.append(sorted(kept.reference or "" for kept in await _kept(payments)))
    assert len(left[19]) == 21
    assert left[20] == sorted(["101767532", *map(str, range(2, 21))])


async def test_a_notification_that_is_gone_by_now_is_done(payments: PaymentService) -> None:
    assert await handle_notification(payments.database, payments.providers, "paynot_nosuch", 1) is None
