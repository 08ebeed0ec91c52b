import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from decimal import Decimal
from typing import Any, NoReturn

import httpx
import pytest

from backend.cart.access import new_cart
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import InvalidData, NotImplementedByProvider, OutcomeUnknown, OutsideFailure
from backend.payment.providers.base import (
    CheckedPayer,
    Initiated,
    PaymentProvider,
    PaymentRequest,
    ProviderState,
    StartedPayment,
    StartUnknown,
)
from backend.payment.providers.pse import provider as gateway_pse
from backend.payment.providers.pse.payer import read_payer
from backend.payment.providers.pse.provider import GatewayPse, bank_description, bank_payment
from backend.payment.providers.pse.reports import PROVIDER_STATES, GatewayReport, GatewayState
from backend.payment.providers.pse.responses import PaymentRefused
from backend.payment.providers.system_default import SystemDefault
from backend.payment.sessions import open_session, upsert_collection
from backend.sandbox.gateway import Kind, Operation
from tests.gateway_kit import HOOK, MARIA, RETURN, Practice, open_practice
from tests.store_defaults import set_up_defaults


@pytest.fixture
async def practice(sqlite_url: str, settings: Settings) -> AsyncIterator[Practice]:
    database = Database(sqlite_url)
    async with open_practice(database, settings) as parts:
        yield parts
    await database.close()


@pytest.fixture
async def pse(sqlite_url: str, practice: Practice) -> AsyncIterator[GatewayPse]:
    database = Database(sqlite_url)
    yield GatewayPse(practice.client, database)
    await database.close()


def request(**changes: Any) -> PaymentRequest:
    payer = read_payer(MARIA, banks={"1022"}).model_dump()
    given: dict[str, Any] = {
        "session_id": "payses_1",
        "invoice": "TR-1",
        "amount": 38_000,
        "tax": 6_067,
        "description": "Trompo de madera",
        "return_url": RETURN,
        "notification_url": HOOK,
        "ip": "190.1.2.3",
        "payer": CheckedPayer({**payer, "bank_name": "BANCO UNION COLOMBIANO"}),
    }
    return PaymentRequest(**{**given, **changes})


def facts(started: Initiated | None = None, **changes: Any) -> StartedPayment:
    known: dict[str, Any] = {"session_id": "payses_1", "invoice": "TR-1", "amount": 38_000}
    if started is not None:
        known |= {"reference": started.reference, "ticket_id": started.ticket_id}
    return StartedPayment(**{**known, **changes})


async def test_a_payment_is_started_and_the_shopper_sent_to_the_bank(pse: GatewayPse) -> None:
    started = await pse.initiate(request())
    assert started.state is ProviderState.PENDING_AUTHORIZATION
    assert started.redirect_url is not None
    assert "/bank/" in started.redirect_url
    assert started.reference is not None
    assert started.transaction_id is not None
    assert started.ticket_id is not None
    assert started.data == {
        "bank_code": "1022",
        "bank_name": "BANCO UNION COLOMBIANO",
        "payer_ip": "190.1.2.3",
    }
    report = await pse.status(facts(started))
    assert report.state is ProviderState.PENDING
    assert report.transaction_id == started.transaction_id


async def test_a_number_of_another_payment_is_not_taken(
    pse: GatewayPse, practice: Practice, sqlite_url: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bank's address may be the other payment's, too: nobody is sent there, and the look-up goes by our invoice."""
    first = await pse.initiate(request())
    database = Database(sqlite_url)
    await set_up_defaults(database, settings)
    async with database.transaction() as session:
        collection = await upsert_collection(session, None, await new_cart(session), 38_000)
        payment = await open_session(session, collection, "gateway_pse", {})
        payment.reference = first.reference
    await database.close()
    created = await practice.client.create_bank_payment(bank_payment(request(invoice="TR-2")))
    again = replace(created, reference=first.reference)

    async def create(_asked: object) -> object:
        return again

    monkeypatch.setattr(practice.client, "create_bank_payment", create)
    with pytest.raises(StartUnknown, match=f"number {first.reference} of payment") as unknown:
        await pse.initiate(request(session_id="payses_2", invoice="TR-3"))
    assert (unknown.value.reference, unknown.value.ticket_id) == (None, None)
    again = created
    assert (await pse.initiate(request(session_id="payses_2", invoice="TR-3"))).reference == created.reference


@pytest.mark.parametrize(
    ("decision", "state"),
    [
        ("approve", ProviderState.CAPTURED),
        ("reject", ProviderState.REJECTED),
        ("cancel", ProviderState.CANCELED),
        ("pending", ProviderState.PENDING),
    ],
)
@pytest.mark.parametrize("known_by", [("reference",), ("ticket_id",), ("reference", "ticket_id"), ()])
async def test_the_banks_decision_is_found_by_whatever_is_known(
    pse: GatewayPse, practice: Practice, decision: str, state: ProviderState, known_by: tuple[str, ...]
) -> None:
    started = await pse.initiate(request())
    await practice.choose(started.redirect_url or "", decision)
    report = await pse.status(facts(**{name: getattr(started, name) for name in known_by}))
    assert report.state is state
    assert (report.amount, report.currency, report.invoice) == (Decimal(38_000), "COP", "TR-1")
    assert (report.reference, report.ticket_id) == (started.reference, started.ticket_id)
    assert report.transaction_id == started.transaction_id
    assert report.bank_name == "BANCO UNION COLOMBIANO"
    assert report.occurred_at is not None
    assert report.text


async def test_the_payers_mistakes_come_back_by_field(pse: GatewayPse) -> None:
    with pytest.raises(InvalidData) as refused:
        await pse.check_payer({**MARIA, "bank": "0", "phone": "1"})
    assert set(refused.value.fields) == {"bank", "phone"}


async def test_a_payer_that_was_not_checked_is_not_sent(pse: GatewayPse, practice: Practice) -> None:
    with pytest.raises(OutsideFailure, match="was not sent"):
        await pse.initiate(request(payer=CheckedPayer()))
    assert practice.calls.count("/debitos.json") == 0


async def test_only_pesos_are_paid(pse: GatewayPse) -> None:
    with pytest.raises(InvalidData):
        await pse.initiate(request(currency="USD"))
    assert (await pse.initiate(request(currency="cop"))).reference


@pytest.mark.parametrize(("amount", "tax"), [(1_600, 0), (38_000, 6_067), (99_999, 4_762), (119_000, 19_000)])
async def test_base_and_tax_add_up_to_the_total(
    pse: GatewayPse, practice: Practice, amount: int, tax: int
) -> None:
    started = await pse.initiate(request(amount=amount, tax=tax))
    raw = (await practice.client.transaction(started.ticket_id or "")).raw
    assert raw["valor"] == str(amount)
    assert (raw["iva"], raw["baseiva"]) == (str(tax), str(amount - tax))


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ('Trompo | "el rey"\n grande', "Trompo el rey grande"),
        ("ñ" * 100, "ñ" * 80),
        ("x" * 79 + " y", "x" * 79),
    ],
)
def test_a_description_is_made_fit_for_the_bank(text: str, sent: str) -> None:
    assert bank_description(text) == sent


async def test_a_refusal_is_passed_on(pse: GatewayPse) -> None:
    with pytest.raises(PaymentRefused):
        await pse.initiate(request(amount=1_000))


async def test_a_lost_answer_is_unknown_and_then_found_by_our_invoice(
    pse: GatewayPse, practice: Practice
) -> None:
    practice.sandbox.faults.add(Operation.CREATE, Kind.DROP_RESPONSE)
    with pytest.raises(OutcomeUnknown):
        await pse.initiate(request())
    report = await pse.status(facts())
    assert report.state is ProviderState.PENDING
    assert report.reference is not None
    assert report.ticket_id is not None


async def test_a_payment_that_was_never_started_stays_unknown(pse: GatewayPse) -> None:
    assert (await pse.status(facts())).state is ProviderState.UNKNOWN


async def test_the_second_lookup_answers_when_the_first_fails(pse: GatewayPse, practice: Practice) -> None:
    started = await pse.initiate(request())
    await practice.choose(started.redirect_url or "", "approve")
    for kind in (Kind.ERROR_ENVELOPE, Kind.BAD_GATEWAY):
        practice.sandbox.faults.add(Operation.BY_REFERENCE, kind, times=None)
        assert (await pse.status(facts(started))).state is ProviderState.CAPTURED
        practice.sandbox.faults.clear()


async def test_an_error_envelope_from_everywhere_is_unknown(pse: GatewayPse, practice: Practice) -> None:
    started = await pse.initiate(request())
    practice.sandbox.faults.add(Operation.ANY, Kind.ERROR_ENVELOPE, times=None)
    assert (await pse.status(facts(started))).state is ProviderState.UNKNOWN


async def test_a_gateway_that_is_down_is_an_error(pse: GatewayPse, practice: Practice) -> None:
    started = await pse.initiate(request())
    practice.sandbox.faults.add(Operation.ANY, Kind.BAD_GATEWAY, times=None)
    with pytest.raises(OutsideFailure):
        await pse.status(facts(started))


async def test_another_payments_outcome_is_not_ours(pse: GatewayPse, practice: Practice) -> None:
    ours = await pse.initiate(request())
    theirs = await pse.initiate(request(invoice="TR-2"))
    await practice.choose(theirs.redirect_url or "", "approve")
    report = await pse.status(facts(reference=theirs.reference, ticket_id=ours.ticket_id))
    assert report.state is ProviderState.PENDING
    assert (await pse.status(facts(reference=theirs.reference))).state is ProviderState.UNKNOWN


async def test_a_test_at_the_live_gateway_is_no_money(pse: GatewayPse, practice: Practice) -> None:
    started = await pse.initiate(request())
    await practice.choose(started.redirect_url or "", "approve")
    practice.client.test_mode = False
    assert (await pse.status(facts(started))).state is ProviderState.UNKNOWN


async def test_a_test_that_one_lookup_tells_of_is_no_money_whatever_the_other_says(
    pse: GatewayPse, practice: Practice, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = await pse.initiate(request())
    await practice.choose(started.redirect_url or "", "approve")
    by_ticket = practice.client.transaction

    async def tells_of_money(ticket_id: str) -> GatewayReport:
        return replace(await by_ticket(ticket_id), test=False)

    monkeypatch.setattr(practice.client, "transaction", tells_of_money)
    practice.client.test_mode = False
    assert (await pse.status(facts(ticket_id=started.ticket_id))).state is ProviderState.CAPTURED
    assert (await pse.status(facts(started))).state is ProviderState.UNKNOWN


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ([GatewayState.REJECTED, GatewayState.ACCEPTED], ProviderState.CAPTURED),
        ([GatewayState.REJECTED, GatewayState.PENDING], ProviderState.PENDING),
        ([GatewayState.REJECTED, None], ProviderState.UNKNOWN),
        ([GatewayState.REJECTED, OutsideFailure("it is down")], ProviderState.UNKNOWN),
        ([GatewayState.ABANDONED, GatewayState.REJECTED], ProviderState.CANCELED),
        ([], ProviderState.UNKNOWN),
    ],
)
async def test_of_several_transactions_of_an_invoice_the_paid_one_counts(
    pse: GatewayPse,
    practice: Practice,
    monkeypatch: pytest.MonkeyPatch,
    said: list[GatewayState | OutsideFailure | None],
    state: ProviderState,
) -> None:
    async def references_of(_: str) -> list[str]:
        return [str(number) for number in range(len(said))]

    async def transaction(reference: str) -> GatewayReport:
        what = said[int(reference)]
        if isinstance(what, OutsideFailure):
            raise what
        return GatewayReport(reference=reference, invoice="TR-1", state=what)

    monkeypatch.setattr(practice.client, "references_of", references_of)
    monkeypatch.setattr(practice.client, "transaction_by_reference", transaction)
    assert (await pse.status(facts())).state is state


async def test_a_test_found_by_our_invoice_is_no_money_whatever_came_before(
    pse: GatewayPse, practice: Practice, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def references_of(_: str) -> list[str]:
        return ["1", "2"]

    async def transaction(reference: str) -> GatewayReport:
        return GatewayReport(
            reference=reference, invoice="TR-1", state=GatewayState.ACCEPTED, test=reference == "2"
        )

    monkeypatch.setattr(practice.client, "references_of", references_of)
    monkeypatch.setattr(practice.client, "transaction_by_reference", transaction)
    assert (await pse.status(facts())).state is ProviderState.CAPTURED
    practice.client.test_mode = False
    assert (await pse.status(facts())).state is ProviderState.UNKNOWN


@pytest.mark.parametrize(
    ("reference", "state"),
    [("77", ProviderState.CAPTURED), ("78", ProviderState.UNKNOWN), (None, ProviderState.UNKNOWN)],
)
async def test_an_answer_without_an_invoice_counts_by_the_gateways_number_alone(
    pse: GatewayPse,
    practice: Practice,
    monkeypatch: pytest.MonkeyPatch,
    reference: str | None,
    state: ProviderState,
) -> None:
    async def transaction(_: str) -> GatewayReport:
        return GatewayReport(reference=reference, state=GatewayState.ACCEPTED)

    monkeypatch.setattr(practice.client, "transaction_by_reference", transaction)
    assert (await pse.status(facts(reference="77"))).state is state


async def test_a_number_of_another_invoice_is_unknown_and_names_that_invoice(
    pse: GatewayPse, practice: Practice
) -> None:
    started = await pse.initiate(request())
    await practice.choose(started.redirect_url or "", "approve")
    report = await pse.status(facts(invoice="TR-2", reference=started.reference))
    assert (report.state, report.invoice) == (ProviderState.UNKNOWN, "TR-1")


async def test_an_answer_without_a_state_is_unknown_and_names_no_other_invoice(
    pse: GatewayPse, practice: Practice, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def transaction(reference: str) -> GatewayReport:
        return GatewayReport(reference=reference, invoice="TR-1")

    monkeypatch.setattr(practice.client, "transaction_by_reference", transaction)
    report = await pse.status(facts(reference="77"))
    assert (report.state, report.invoice) == (ProviderState.UNKNOWN, None)


async def test_a_number_that_is_none_of_the_gateways_is_passed_over(
    pse: GatewayPse, practice: Practice
) -> None:
    started = await pse.initiate(request())
    await practice.choose(started.redirect_url or "", "approve")
    odd = facts(reference="not a number", ticket_id=started.ticket_id)
    assert (await pse.status(odd)).state is ProviderState.CAPTURED
    assert (await pse.status(facts(reference="not a number"))).state is ProviderState.UNKNOWN


async def test_a_missing_bank_page_is_unknown_and_keeps_the_gateways_numbers(
    pse: GatewayPse, practice: Practice, monkeypatch: pytest.MonkeyPatch
) -> None:
    _answering(
        practice, monkeypatch, b'{"success": true, "data": {"ref_payco": 77, "ticketId": 9007199254740993}}'
    )
    with pytest.raises(OutcomeUnknown, match="9007199254740993") as unknown:
        await pse.initiate(request())
    assert isinstance(unknown.value, StartUnknown)
    numbers = (unknown.value.reference, unknown.value.ticket_id, unknown.value.transaction_id)
    assert numbers == ("77", "9007199254740993", None)


@pytest.mark.parametrize(
    "body", [b"[" * 1_900, b'{"a":' * 1_900, b'{"success": false, "data": ' + b"[" * 900 + b"]" * 900 + b"}"]
)
async def test_an_answer_that_cannot_be_read_leaves_the_payment_unknown(
    pse: GatewayPse, practice: Practice, monkeypatch: pytest.MonkeyPatch, body: bytes
) -> None:
    _answering(practice, monkeypatch, body)
    with pytest.raises(OutcomeUnknown):
        await pse.initiate(request())


async def test_a_bug_after_sending_is_unknown_and_one_before_it_started_nothing(
    pse: GatewayPse, practice: Practice, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> Any:
        raise RuntimeError("a bug")

    monkeypatch.setattr(practice.client, "create_bank_payment", fail)
    with pytest.raises(OutcomeUnknown, match="a bug"):
        await pse.initiate(request())

    def fail_to_build(_request: object) -> NoReturn:
        raise RuntimeError("a bug")

    monkeypatch.setattr(gateway_pse, "bank_payment", fail_to_build)
    with pytest.raises(OutsideFailure, match="a bug") as failed:
        await pse.initiate(request())
    assert not isinstance(failed.value, OutcomeUnknown)


def _answering(practice: Practice, monkeypatch: pytest.MonkeyPatch, body: bytes) -> None:
    """Have the gateway answer the start of a payment with these bytes."""
    send = practice.client._channel.send_authorized

    async def send_authorized(method: str, url: str, *given: Any, **named: Any) -> httpx.Response:
        if url.endswith("/debitos.json"):
            return httpx.Response(200, content=body)
        return await send(method, url, *given, **named)

    monkeypatch.setattr(practice.client._channel, "send_authorized", send_authorized)


async def test_the_payer_is_asked_what_the_gateway_wants_to_know(pse: GatewayPse) -> None:
    banks = {bank.code for bank in await pse.choices("bank")}
    assert "1022" in banks
    assert "0" not in banks
    assert await pse.choices("doc_number") == []
    payer = (await pse.check_payer({**MARIA, "bank": 1022})).answers
    assert (payer["bank"], payer["bank_name"]) == ("1022", "BANCO UNION COLOMBIANO")


async def test_canceling_and_capturing_only_ask_how_it_stands(pse: GatewayPse, practice: Practice) -> None:
    started = await pse.initiate(request())
    await practice.choose(started.redirect_url or "", "approve")
    for ask in (pse.capture, pse.cancel):
        assert (await ask(facts(started))).state is ProviderState.CAPTURED


async def test_a_refund_is_refused_in_plain_words(pse: GatewayPse) -> None:
    with pytest.raises(NotImplementedByProvider, match="refundPayment is not implemented"):
        await pse.refund(facts(), 38_000)


def test_every_state_of_the_gateway_means_something() -> None:
    assert set(PROVIDER_STATES) == set(GatewayState)
    captured = [code for code, state in PROVIDER_STATES.items() if state is ProviderState.CAPTURED]
    assert captured == [GatewayState.ACCEPTED]


@pytest.mark.parametrize(("approval", "cus"), [("1234567", "1234567"), ("000000", None), (None, None)])
def test_the_cus_is_the_approval_code(approval: str | None, cus: str | None) -> None:
    assert gateway_pse._cus(GatewayReport(approval=approval)) == cus


def test_the_gateways_request_is_made_of_the_payers_words() -> None:
    made = gateway_pse.bank_payment(request())
    assert (made.bank, made.doc_type, made.doc_number, made.ip) == ("1022", "CC", "1020304050", "190.1.2.3")
    assert made.phone == made.cell_phone == "3001234567"
    assert made.method_confirmation == "POST"
    assert (made.url_response, made.url_confirmation, made.extra1) == (RETURN, HOOK, "payses_1")


async def test_the_manual_provider_authorizes_at_once() -> None:
    manual: PaymentProvider = SystemDefault()
    assert manual.id == "pp_system_default"
    assert (await manual.initiate(request())).state is ProviderState.PENDING
    reports = await asyncio.gather(*(ask(facts()) for ask in (manual.status, manual.capture, manual.cancel)))
    assert [report.state for report in reports] == [
        ProviderState.AUTHORIZED,
        ProviderState.CAPTURED,
        ProviderState.CANCELED,
    ]
    assert {(report.amount, report.currency) for report in reports} == {(Decimal(38_000), "COP")}
    with pytest.raises(NotImplementedByProvider, match="refundPayment is not implemented"):
        await manual.refund(facts(), 38_000)


def test_both_are_payment_providers(pse: GatewayPse) -> None:
    providers: list[PaymentProvider] = [pse, SystemDefault()]
    assert [provider.id for provider in providers] == ["gateway_pse", "pp_system_default"]
