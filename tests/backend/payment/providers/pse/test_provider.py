import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from decimal import Decimal
from typing import Any, NoReturn

import pytest

from backend.cart.access import create_empty_cart
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import InvalidData, NotImplementedByProvider, OutcomeUnknown, OutsideFailure
from backend.payment.providers.base import (
    CheckedPayer,
    InitiationResult,
    PaymentProvider,
    PaymentRequest,
    ProviderState,
    StartedPayment,
    StartUnknown,
)
from backend.payment.providers.pse import provider as gateway_pse
from backend.payment.providers.pse.payer import parse_payer
from backend.payment.providers.pse.provider import GatewayPse, format_bank_description, to_bank_payment
from backend.payment.providers.pse.reports import PROVIDER_STATES, GatewayReport, GatewayState
from backend.payment.providers.pse.responses import PaymentRefused
from backend.payment.providers.system_default import SystemDefault
from backend.payment.sessions import open_session, upsert_collection
from backend.sandbox.gateway import FaultKind, Operation
from tests.gateway_kit import HOOK, MARIA, RETURN, GatewayPractice, open_practice
from tests.store_defaults import set_up_defaults

START = "/debitos.json"


@pytest.fixture
async def practice(sqlite_url: str, settings: Settings) -> AsyncIterator[GatewayPractice]:
    database = Database(sqlite_url)
    async with open_practice(database, settings) as parts:
        yield parts
    await database.close()


@pytest.fixture
async def pse(sqlite_url: str, practice: GatewayPractice) -> AsyncIterator[GatewayPse]:
    database = Database(sqlite_url)
    yield GatewayPse(practice.client, database)
    await database.close()


def request(**changes: Any) -> PaymentRequest:
    payer = parse_payer(MARIA, banks={"1022"}).model_dump()
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


def to_started(started: InitiationResult | None = None, **changes: Any) -> StartedPayment:
    known: dict[str, Any] = {"session_id": "payses_1", "invoice": "TR-1", "amount": 38_000}
    if started is not None:
        known |= {"reference": started.reference, "ticket_id": started.ticket_id}
    return StartedPayment(**{**known, **changes})


async def test_started_payment_sends_the_shopper_to_the_bank(pse: GatewayPse) -> None:
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
    report = await pse.status(to_started(started))
    assert report.state is ProviderState.PENDING
    assert report.transaction_id == started.transaction_id


async def test_gateway_number_of_another_payment_is_not_stored(
    pse: GatewayPse,
    practice: GatewayPractice,
    sqlite_url: str,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Check that the start fails with an unknown outcome: the bank's page may belong to the other payment.

    The error has no number, so that the payment is later looked up by its invoice.
    """
    first = await pse.initiate(request())
    database = Database(sqlite_url)
    await set_up_defaults(database, settings)
    async with database.transaction() as session:
        collection = await upsert_collection(session, None, await create_empty_cart(session), 38_000)
        payment = await open_session(session, collection, "gateway_pse", {})
        payment.reference = first.reference
    await database.close()
    created = await practice.client.create_bank_payment(to_bank_payment(request(invoice="TR-2")))
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
async def test_decision_of_the_bank_is_found_by_any_known_gateway_number(
    pse: GatewayPse, practice: GatewayPractice, decision: str, state: ProviderState, known_by: tuple[str, ...]
) -> None:
    started = await pse.initiate(request())
    await practice.choose(started.redirect_url or "", decision)
    report = await pse.status(to_started(**{name: getattr(started, name) for name in known_by}))
    assert report.state is state
    assert (report.amount, report.currency, report.invoice) == (Decimal(38_000), "COP", "TR-1")
    assert (report.reference, report.ticket_id) == (started.reference, started.ticket_id)
    assert report.transaction_id == started.transaction_id
    assert report.bank_name == "BANCO UNION COLOMBIANO"
    assert report.occurred_at is not None
    assert report.text


async def test_invalid_answers_of_the_payer_are_reported_by_field(pse: GatewayPse) -> None:
    with pytest.raises(InvalidData) as refused:
        await pse.check_payer({**MARIA, "bank": "0", "phone": "1"})
    assert set(refused.value.fields) == {"bank", "phone"}


async def test_payment_with_an_unchecked_payer_is_not_sent_to_the_gateway(
    pse: GatewayPse, practice: GatewayPractice
) -> None:
    with pytest.raises(OutsideFailure, match="was not sent"):
        await pse.initiate(request(payer=CheckedPayer()))
    assert practice.calls.count("/debitos.json") == 0


async def test_payment_in_another_currency_than_pesos_is_refused(pse: GatewayPse) -> None:
    with pytest.raises(InvalidData):
        await pse.initiate(request(currency="USD"))
    assert (await pse.initiate(request(currency="cop"))).reference


@pytest.mark.parametrize(("amount", "tax"), [(1_600, 0), (38_000, 6_067), (99_999, 4_762), (119_000, 19_000)])
async def test_tax_base_and_tax_sent_to_the_gateway_add_up_to_the_total(
    pse: GatewayPse, practice: GatewayPractice, amount: int, tax: int
) -> None:
    started = await pse.initiate(request(amount=amount, tax=tax))
    raw = (await practice.client.get_transaction(started.ticket_id or "")).raw
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
def test_payment_description_is_cleaned_for_the_bank(text: str, sent: str) -> None:
    assert format_bank_description(text) == sent


async def test_refused_payment_raises_payment_refused(pse: GatewayPse) -> None:
    with pytest.raises(PaymentRefused):
        await pse.initiate(request(amount=1_000))


async def test_payment_with_a_lost_answer_is_unknown_and_later_found_by_its_invoice(
    pse: GatewayPse, practice: GatewayPractice
) -> None:
    practice.sandbox.faults.add(Operation.CREATE, FaultKind.DROP_RESPONSE)
    with pytest.raises(OutcomeUnknown):
        await pse.initiate(request())
    report = await pse.status(to_started())
    assert report.state is ProviderState.PENDING
    assert report.reference is not None
    assert report.ticket_id is not None


async def test_state_of_a_payment_that_was_never_started_is_unknown(pse: GatewayPse) -> None:
    assert (await pse.status(to_started())).state is ProviderState.UNKNOWN


async def test_lookup_by_receipt_number_is_used_if_that_by_gateway_number_fails(
    pse: GatewayPse, practice: GatewayPractice
) -> None:
    started = await pse.initiate(request())
    await practice.choose(started.redirect_url or "", "approve")
    for kind in (FaultKind.ERROR_ENVELOPE, FaultKind.BAD_GATEWAY):
        practice.sandbox.faults.add(Operation.BY_REFERENCE, kind, times=None)
        assert (await pse.status(to_started(started))).state is ProviderState.CAPTURED
        practice.sandbox.faults.clear()


async def test_state_is_unknown_if_every_lookup_returns_an_error_body(
    pse: GatewayPse, practice: GatewayPractice
) -> None:
    started = await pse.initiate(request())
    practice.sandbox.faults.add(Operation.ANY, FaultKind.ERROR_ENVELOPE, times=None)
    assert (await pse.status(to_started(started))).state is ProviderState.UNKNOWN


async def test_state_of_a_payment_at_an_unreachable_gateway_raises_an_error(
    pse: GatewayPse, practice: GatewayPractice
) -> None:
    started = await pse.initiate(request())
    practice.sandbox.faults.add(Operation.ANY, FaultKind.BAD_GATEWAY, times=None)
    with pytest.raises(OutsideFailure):
        await pse.status(to_started(started))


async def test_lookup_result_of_another_payment_is_not_used(
    pse: GatewayPse, practice: GatewayPractice
) -> None:
    ours = await pse.initiate(request())
    theirs = await pse.initiate(request(invoice="TR-2"))
    await practice.choose(theirs.redirect_url or "", "approve")
    report = await pse.status(to_started(reference=theirs.reference, ticket_id=ours.ticket_id))
    assert report.state is ProviderState.PENDING
    assert (await pse.status(to_started(reference=theirs.reference))).state is ProviderState.UNKNOWN


async def test_approved_test_payment_at_the_live_gateway_does_not_count_as_paid(
    pse: GatewayPse, practice: GatewayPractice
) -> None:
    started = await pse.initiate(request())
    await practice.choose(started.redirect_url or "", "approve")
    practice.client.test_mode = False
    assert (await pse.status(to_started(started))).state is ProviderState.UNKNOWN


async def test_payment_that_one_lookup_calls_a_test_does_not_count_as_paid(
    pse: GatewayPse, practice: GatewayPractice, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = await pse.initiate(request())
    await practice.choose(started.redirect_url or "", "approve")
    by_ticket = practice.client.get_transaction

    async def report_money(ticket_id: str) -> GatewayReport:
        return replace(await by_ticket(ticket_id), test=False)

    monkeypatch.setattr(practice.client, "get_transaction", report_money)
    practice.client.test_mode = False
    assert (await pse.status(to_started(ticket_id=started.ticket_id))).state is ProviderState.CAPTURED
    assert (await pse.status(to_started(started))).state is ProviderState.UNKNOWN


@pytest.mark.parametrize(
    ("statuses", "state"),
    [
        ([GatewayState.REJECTED, GatewayState.ACCEPTED], ProviderState.CAPTURED),
        ([GatewayState.REJECTED, GatewayState.PENDING], ProviderState.PENDING),
        ([GatewayState.REJECTED, None], ProviderState.UNKNOWN),
        ([GatewayState.REJECTED, OutsideFailure("it is down")], ProviderState.UNKNOWN),
        ([GatewayState.ABANDONED, GatewayState.REJECTED], ProviderState.CANCELED),
        ([], ProviderState.UNKNOWN),
    ],
)
async def test_approved_transaction_decides_among_several_for_one_invoice(
    pse: GatewayPse,
    practice: GatewayPractice,
    monkeypatch: pytest.MonkeyPatch,
    statuses: list[GatewayState | OutsideFailure | None],
    state: ProviderState,
) -> None:
    async def references_of(_: str) -> list[str]:
        return [str(number) for number in range(len(statuses))]

    async def transaction(reference: str) -> GatewayReport:
        what = statuses[int(reference)]
        if isinstance(what, OutsideFailure):
            raise what
        return GatewayReport(reference=reference, invoice="TR-1", state=what)

    monkeypatch.setattr(practice.client, "list_references", references_of)
    monkeypatch.setattr(practice.client, "get_transaction_by_reference", transaction)
    assert (await pse.status(to_started())).state is state


async def test_test_payment_found_by_invoice_does_not_count_as_paid(
    pse: GatewayPse, practice: GatewayPractice, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def references_of(_: str) -> list[str]:
        return ["1", "2"]

    async def transaction(reference: str) -> GatewayReport:
        return GatewayReport(
            reference=reference, invoice="TR-1", state=GatewayState.ACCEPTED, test=reference == "2"
        )

    monkeypatch.setattr(practice.client, "list_references", references_of)
    monkeypatch.setattr(practice.client, "get_transaction_by_reference", transaction)
    assert (await pse.status(to_started())).state is ProviderState.CAPTURED
    practice.client.test_mode = False
    assert (await pse.status(to_started())).state is ProviderState.UNKNOWN


@pytest.mark.parametrize(
    ("reference", "state"),
    [("77", ProviderState.CAPTURED), ("78", ProviderState.UNKNOWN), (None, ProviderState.UNKNOWN)],
)
async def test_answer_without_an_invoice_is_matched_by_the_gateway_number(
    pse: GatewayPse,
    practice: GatewayPractice,
    monkeypatch: pytest.MonkeyPatch,
    reference: str | None,
    state: ProviderState,
) -> None:
    async def transaction(_: str) -> GatewayReport:
        return GatewayReport(reference=reference, state=GatewayState.ACCEPTED)

    monkeypatch.setattr(practice.client, "get_transaction_by_reference", transaction)
    assert (await pse.status(to_started(reference="77"))).state is state


async def test_state_is_unknown_if_the_gateway_number_belongs_to_another_invoice(
    pse: GatewayPse, practice: GatewayPractice
) -> None:
    started = await pse.initiate(request())
    await practice.choose(started.redirect_url or "", "approve")
    report = await pse.status(to_started(invoice="TR-2", reference=started.reference))
    assert (report.state, report.invoice) == (ProviderState.UNKNOWN, "TR-1")


async def test_lookup_answer_without_a_state_is_reported_as_unknown(
    pse: GatewayPse, practice: GatewayPractice, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def transaction(reference: str) -> GatewayReport:
        return GatewayReport(reference=reference, invoice="TR-1")

    monkeypatch.setattr(practice.client, "get_transaction_by_reference", transaction)
    report = await pse.status(to_started(reference="77"))
    assert (report.state, report.invoice) == (ProviderState.UNKNOWN, None)


async def test_invalid_gateway_number_is_not_looked_up(pse: GatewayPse, practice: GatewayPractice) -> None:
    started = await pse.initiate(request())
    await practice.choose(started.redirect_url or "", "approve")
    odd = to_started(reference="not a number", ticket_id=started.ticket_id)
    assert (await pse.status(odd)).state is ProviderState.CAPTURED
    assert (await pse.status(to_started(reference="not a number"))).state is ProviderState.UNKNOWN


async def test_payment_start_without_a_bank_page_raises_start_unknown_with_its_numbers(
    pse: GatewayPse, practice: GatewayPractice
) -> None:
    practice.calls.answer(
        START, 200, b'{"success": true, "data": {"ref_payco": 77, "ticketId": 9007199254740993}}'
    )
    with pytest.raises(OutcomeUnknown, match="9007199254740993") as unknown:
        await pse.initiate(request())
    assert isinstance(unknown.value, StartUnknown)
    numbers = (unknown.value.reference, unknown.value.ticket_id, unknown.value.transaction_id)
    assert numbers == ("77", "9007199254740993", None)


@pytest.mark.parametrize(
    "body", [b"[" * 1_900, b'{"a":' * 1_900, b'{"success": false, "data": ' + b"[" * 900 + b"]" * 900 + b"}"]
)
async def test_unreadable_answer_to_a_payment_start_raises_outcome_unknown(
    pse: GatewayPse, practice: GatewayPractice, body: bytes
) -> None:
    practice.calls.answer(START, 200, body)
    with pytest.raises(OutcomeUnknown):
        await pse.initiate(request())


async def test_only_an_error_after_sending_a_payment_raises_outcome_unknown(
    pse: GatewayPse, practice: GatewayPractice, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> Any:
        raise RuntimeError("a bug")

    monkeypatch.setattr(practice.client, "create_bank_payment", fail)
    with pytest.raises(OutcomeUnknown, match="a bug"):
        await pse.initiate(request())

    def fail_to_build(_request: object) -> NoReturn:
        raise RuntimeError("a bug")

    monkeypatch.setattr(gateway_pse, "to_bank_payment", fail_to_build)
    with pytest.raises(OutsideFailure, match="a bug") as failed:
        await pse.initiate(request())
    assert not isinstance(failed.value, OutcomeUnknown)


async def test_payer_can_choose_a_listed_bank_and_its_name_is_stored(pse: GatewayPse) -> None:
    banks = {bank.code for bank in await pse.list_choices("bank")}
    assert "1022" in banks
    assert "0" not in banks
    assert await pse.list_choices("doc_number") == []
    payer = (await pse.check_payer({**MARIA, "bank": 1022})).answers
    assert (payer["bank"], payer["bank_name"]) == ("1022", "BANCO UNION COLOMBIANO")


async def test_cancel_and_capture_only_look_up_the_state_of_the_payment(
    pse: GatewayPse, practice: GatewayPractice
) -> None:
    started = await pse.initiate(request())
    await practice.choose(started.redirect_url or "", "approve")
    for ask in (pse.capture, pse.cancel):
        assert (await ask(to_started(started))).state is ProviderState.CAPTURED


async def test_refund_by_the_gateway_is_refused_as_not_implemented(pse: GatewayPse) -> None:
    with pytest.raises(NotImplementedByProvider, match="refundPayment is not implemented"):
        await pse.refund(to_started(), 38_000)


def test_every_gateway_state_has_a_provider_state() -> None:
    assert set(PROVIDER_STATES) == set(GatewayState)
    captured = [code for code, state in PROVIDER_STATES.items() if state is ProviderState.CAPTURED]
    assert captured == [GatewayState.ACCEPTED]


@pytest.mark.parametrize(("approval", "cus"), [("1234567", "1234567"), ("000000", None), (None, None)])
async def test_cus_number_is_the_approval_code_of_the_gateway(
    *,
    pse: GatewayPse,
    practice: GatewayPractice,
    monkeypatch: pytest.MonkeyPatch,
    approval: str | None,
    cus: str | None,
) -> None:
    started = await pse.initiate(request())
    await practice.choose(started.redirect_url or "", "approve")
    look_up = practice.client.get_transaction_by_reference

    async def look_up_with_approval(reference: str) -> GatewayReport:
        return replace(await look_up(reference), approval=approval)

    monkeypatch.setattr(practice.client, "get_transaction_by_reference", look_up_with_approval)
    assert (await pse.status(to_started(started))).transaction_id == cus


def test_gateway_request_contains_the_payer_answers() -> None:
    made = gateway_pse.to_bank_payment(request())
    assert (made.bank, made.doc_type, made.doc_number, made.ip) == ("1022", "CC", "1020304050", "190.1.2.3")
    assert made.phone == made.cell_phone == "3001234567"
    assert made.method_confirmation == "POST"
    assert (made.url_response, made.url_confirmation, made.extra1) == (RETURN, HOOK, "payses_1")


async def test_manual_provider_authorizes_immediately() -> None:
    manual: PaymentProvider = SystemDefault()
    assert manual.id == "pp_system_default"
    assert (await manual.initiate(request())).state is ProviderState.PENDING
    reports = await asyncio.gather(
        *(ask(to_started()) for ask in (manual.status, manual.capture, manual.cancel))
    )
    assert [report.state for report in reports] == [
        ProviderState.AUTHORIZED,
        ProviderState.CAPTURED,
        ProviderState.CANCELED,
    ]
    assert {(report.amount, report.currency) for report in reports} == {(Decimal(38_000), "COP")}
    with pytest.raises(NotImplementedByProvider, match="refundPayment is not implemented"):
        await manual.refund(to_started(), 38_000)


def test_pse_and_manual_provider_implement_the_payment_interface(pse: GatewayPse) -> None:
    providers: list[PaymentProvider] = [pse, SystemDefault()]
    assert [provider.id for provider in providers] == ["gateway_pse", "pp_system_default"]
