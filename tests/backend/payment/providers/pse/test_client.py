import asyncio
import json
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from backend.core.clock import now
from backend.core.config.settings import SANDBOX_CUST_ID, GatewayEnv, Settings
from backend.core.errors import InvalidData, OutcomeUnknown
from backend.core.web.http_client import RetryPolicy, ServiceUnavailable
from backend.payment.providers.pse import login as session_module
from backend.payment.providers.pse.client import GatewayClient, create_gateway_client, get_gateway_credentials
from backend.payment.providers.pse.reports import GatewayState
from backend.payment.providers.pse.requests import Bank, GatewayBases, GatewayCredentials
from backend.payment.providers.pse.responses import (
    KeysRefused,
    LoginFailed,
    PaymentRefused,
    RedirectUrlMissing,
    RefusalReason,
)
from backend.sandbox.gateway import FaultKind, Operation
from tests.gateway_kit import (
    FAST_RETRIES,
    PUBLIC_BASE,
    RETURN,
    GatewayPractice,
    bank_payment,
    set_retry_policy,
)

CREATE, BANKS, LOGIN = "/debitos.json", "/bancos.json", "/v1/auth/login"


async def test_list_of_banks_is_returned_unchanged_by_the_client(practice: GatewayPractice) -> None:
    banks = await practice.client.get_banks()
    assert banks[0] == Bank("0", "A continuaciÃ³n seleccione su banco")
    assert Bank("1022", "BANCO UNION COLOMBIANO") in banks
    assert Bank("1077", "BANKA") in banks  # a number on the wire
    assert all(bank.code.isdigit() for bank in banks)


async def test_created_payment_is_found_by_every_lookup(practice: GatewayPractice) -> None:
    created = await practice.client.create_bank_payment(bank_payment())
    assert created.redirect_url.startswith(f"{PUBLIC_BASE}/bank/")
    assert created.reference is not None
    assert created.ticket_id is not None
    assert int(created.ticket_id) > 2**53
    back = await practice.choose(created.redirect_url, "approve")
    carried = httpx.URL(back.headers["location"])
    assert str(carried).startswith(RETURN)

    by_reference = await practice.client.get_transaction_by_reference(created.reference)
    by_browser = await practice.client.get_transaction_by_reference(carried.params["ref_payco"])
    by_ticket = await practice.client.get_transaction(created.ticket_id)
    for report in (by_reference, by_browser, by_ticket):
        assert report.state is GatewayState.ACCEPTED
        assert (report.reference, report.ticket_id) == (created.reference, created.ticket_id)
        assert (report.invoice, report.amount, report.currency) == ("TR-1", Decimal(119_000), "COP")
        assert report.approval == created.transaction_id
        assert report.bank_name == "BANCO UNION COLOMBIANO"
        assert report.test
    assert (
        by_browser == by_reference
    )  # the public lookup only converts the reference for the lookup with a login
    assert await practice.client.list_references("TR-1") == [created.reference]
    assert await practice.client.list_references("TR-2") == []


async def test_concurrent_calls_share_one_login(practice: GatewayPractice) -> None:
    practice.sandbox.faults.add(Operation.LOGIN, FaultKind.SLOW, seconds=0.05)
    await asyncio.gather(*(practice.client.get_banks() for _ in range(8)))
    await practice.client.get_banks()
    assert practice.calls.count(LOGIN) == 1
    assert practice.calls.count(BANKS) == 9


async def test_gateway_token_is_used_no_longer_than_14_minutes(
    practice: GatewayPractice, monkeypatch: pytest.MonkeyPatch
) -> None:
    await practice.client.get_banks()
    started = now()
    monkeypatch.setattr(session_module, "now", lambda: started + timedelta(minutes=13, seconds=59))
    await practice.client.get_banks()
    assert practice.calls.count(LOGIN) == 1
    monkeypatch.setattr(session_module, "now", lambda: started + timedelta(minutes=14))
    await practice.client.get_banks()
    assert practice.calls.count(LOGIN) == 2


async def test_refused_gateway_token_is_replaced_once(practice: GatewayPractice) -> None:
    practice.sandbox.faults.add(Operation.CREATE, FaultKind.UNAUTHORIZED)
    await practice.client.create_bank_payment(bank_payment())
    assert practice.calls.count(LOGIN) == 2
    practice.sandbox.faults.add(Operation.BANKS, FaultKind.UNAUTHORIZED, times=2)
    with pytest.raises(KeysRefused):
        await practice.client.get_banks()
    assert practice.calls.count(LOGIN) == 3


@pytest.mark.parametrize("kind", [FaultKind.BAD_GATEWAY, FaultKind.MALFORMED])
@pytest.mark.parametrize("operation", [Operation.LOGIN, Operation.BANKS])
async def test_read_only_gateway_call_is_tried_three_times(
    practice: GatewayPractice, operation: Operation, kind: FaultKind
) -> None:
    practice.sandbox.faults.add(operation, kind, times=2)
    assert await practice.client.get_banks()
    practice.sandbox.faults.add(Operation.BANKS, kind, times=3)
    with pytest.raises(ServiceUnavailable):
        await practice.client.get_banks()
    assert practice.sandbox.faults.describe_faults() == []


async def test_answer_without_a_list_of_banks_raises_service_unavailable(practice: GatewayPractice) -> None:
    practice.sandbox.faults.add(Operation.BANKS, FaultKind.ERROR_ENVELOPE)
    with pytest.raises(ServiceUnavailable, match="holds no list of banks"):
        await practice.client.get_banks()


@pytest.mark.parametrize("operation", [Operation.LOGIN, Operation.BANKS])
async def test_hanging_gateway_is_not_called_a_second_time(
    practice: GatewayPractice, operation: Operation
) -> None:
    set_retry_policy(practice.client, RetryPolicy(connect=1, read=0.1, write=1, pause=0))
    practice.sandbox.faults.add(operation, FaultKind.HANG, times=None)
    with pytest.raises(ServiceUnavailable, match="did not answer"):
        await practice.client.get_banks()
    assert practice.calls.count(LOGIN) == 1


@pytest.mark.parametrize(
    ("changes", "reason", "codes"),
    [
        ({"value": 1_599, "tax": 0, "tax_base": 0}, RefusalReason.BELOW_MINIMUM, ("E014",)),
        ({"bank": "9999"}, RefusalReason.BANK_UNAVAILABLE, ("FAIL_BANKNOTEXISTSORDISABLED",)),
        ({"bank": "0"}, RefusalReason.BANK_UNAVAILABLE, ("FAIL_BANKNOTEXISTSORDISABLED",)),
        ({"value": 200_000_001, "tax": 0, "tax_base": 0}, RefusalReason.LIMIT, ("FAIL_EXCEEDEDLIMIT",)),
        ({"email": "nadie"}, RefusalReason.INVALID_DATA, ("E001",)),
        ({"tax": 1}, RefusalReason.INVALID_DATA, ("E004",)),
        ({"type_person": "1"}, RefusalReason.INVALID_DATA, ("E002",)),
        ({"doc_number": "12"}, RefusalReason.INVALID_DATA, ("E003",)),
        ({"url_confirmation": ""}, RefusalReason.INVALID_DATA, ("E001",)),
    ],
)
async def test_error_of_a_refused_payment_has_reason_and_codes(
    practice: GatewayPractice, changes: dict[str, str], reason: RefusalReason, codes: tuple[str, ...]
) -> None:
    with pytest.raises(PaymentRefused) as refused:
        await practice.client.create_bank_payment(bank_payment(**changes))
    assert refused.value.reason is reason
    assert refused.value.codes == codes
    assert refused.value.shopper_text == reason.shopper_text


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("FAIL_EXCEEDEDLIMIT", RefusalReason.LIMIT),
        ("FAIL_BANKUNREACHEABLE", RefusalReason.BANK_UNAVAILABLE),
        ("FAIL_TIMEOUT", RefusalReason.BANK_UNAVAILABLE),
        ("FAIL_INVALIDPARAMETERS", RefusalReason.INVALID_DATA),
        ("FAIL_GENERICERROR", RefusalReason.OTHER),
    ],
)
async def test_error_code_of_the_bank_network_is_converted_to_a_refusal_reason(
    practice: GatewayPractice, code: str, reason: RefusalReason
) -> None:
    practice.sandbox.faults.add(Operation.CREATE, FaultKind.REFUSAL, code=code)
    with pytest.raises(PaymentRefused, match=code) as refused:
        await practice.client.create_bank_payment(bank_payment())
    assert refused.value.reason is reason


async def test_second_payment_with_the_same_invoice_is_refused(practice: GatewayPractice) -> None:
    await practice.client.create_bank_payment(bank_payment())
    with pytest.raises(PaymentRefused, match="La factura ya existe") as refused:
        await practice.client.create_bank_payment(bank_payment())
    assert refused.value.codes == ("E035",)


@pytest.mark.parametrize(
    ("kind", "was_created"),
    [
        (FaultKind.HANG, False),
        (FaultKind.DROP_RESPONSE, True),
        (FaultKind.BAD_GATEWAY, False),
        (FaultKind.MALFORMED, False),
    ],
)
async def test_unclear_answer_to_a_payment_raises_outcome_unknown_without_a_retry(
    practice: GatewayPractice, kind: FaultKind, was_created: bool
) -> None:
    set_retry_policy(practice.client, RetryPolicy(read=20, write=0.2, pause=0))
    practice.sandbox.faults.add(Operation.CREATE, kind)
    with pytest.raises(OutcomeUnknown, match="TR-1"):
        await practice.client.create_bank_payment(bank_payment())
    assert practice.calls.count(CREATE) == 1
    # a lookup by our own invoice shows which one
    references = await practice.client.list_references("TR-1")
    assert bool(references) is was_created


async def test_no_payment_is_sent_if_the_gateway_login_fails(practice: GatewayPractice) -> None:
    practice.sandbox.faults.add(Operation.LOGIN, FaultKind.BAD_GATEWAY, times=None)
    with pytest.raises(ServiceUnavailable):
        await practice.client.create_bank_payment(bank_payment())
    assert practice.calls.count(CREATE) == 0
    assert practice.calls.count(LOGIN) == FAST_RETRIES.attempts


async def test_error_about_a_missing_bank_url_contains_the_whole_answer(practice: GatewayPractice) -> None:
    practice.sandbox.faults.add(Operation.CREATE, FaultKind.MISSING_REDIRECT)
    with pytest.raises(RedirectUrlMissing) as missing:
        await practice.client.create_bank_payment(bank_payment())
    assert missing.value.payload["data"]["factura"] == "TR-1"
    assert "Transaccion Creada Exitosamente" in str(missing.value)
    assert missing.value.payload["data"]["ticketId"] in str(missing.value)


@pytest.mark.parametrize("reference", ["", "12a", "../../v1", "1" * 21, "g" * 24, "ab" * 13, "１２"])
async def test_invalid_transaction_reference_is_refused_without_a_lookup(
    practice: GatewayPractice, reference: str
) -> None:
    with pytest.raises(InvalidData):
        await practice.client.get_transaction_by_reference(reference)
    assert practice.calls.paths == []


@pytest.mark.parametrize("reference", ["404", "a" * 24])
async def test_transaction_missing_at_the_gateway_has_no_state(
    practice: GatewayPractice, reference: str
) -> None:
    report = await practice.client.get_transaction_by_reference(reference)
    assert report.state is None
    assert report.reference is None


async def test_lookup_with_an_error_body_and_status_200_has_no_state(practice: GatewayPractice) -> None:
    created = await practice.client.create_bank_payment(bank_payment())
    practice.sandbox.faults.add(Operation.BY_TICKET, FaultKind.ERROR_ENVELOPE)
    assert (await practice.client.get_transaction(created.ticket_id or "")).state is None
    assert (await practice.client.get_transaction(created.ticket_id or "")).state is GatewayState.PENDING


def change_merchant(credentials: GatewayCredentials) -> GatewayCredentials:
    return GatewayCredentials(credentials.public_key, credentials.private_key, "11111", credentials.p_key)


async def test_transaction_of_another_merchant_is_ignored(practice: GatewayPractice) -> None:
    created = await practice.client.create_bank_payment(bank_payment())
    async with GatewayClient(
        change_merchant(practice.client.credentials),
        practice.client.bases,
        test_mode=True,
        transport=practice.calls,
    ) as other:
        report = await other.get_transaction_by_reference(created.reference or "")
    assert report.reference is None
    assert report.state is None


async def test_payment_at_an_unreachable_gateway_raises_service_unavailable(
    practice: GatewayPractice, unused_tcp_port: int
) -> None:
    bases = GatewayBases.at_url(f"http://127.0.0.1:{unused_tcp_port}")
    async with set_retry_policy(GatewayClient(practice.client.credentials, bases, test_mode=True)) as nowhere:
        with pytest.raises(ServiceUnavailable, match="cannot be reached"):
            await nowhere.create_bank_payment(bank_payment())


OURS = {
    "p_cust_id_cliente": "424242",
    "p_key": SecretStr("p-key"),
    "public_key": "public",
    "private_key": SecretStr("ffeeddccbbaa99887766554433221100"),
}


def settings(tmp_path: Path, **given: object) -> Settings:
    return Settings.model_validate({"data_dir": tmp_path, **given})


async def test_client_without_keys_calls_the_embedded_gateway(tmp_path: Path) -> None:
    embedded = settings(tmp_path, public_url="https://shop.example")
    async with create_gateway_client(embedded) as client:
        assert client.bases == GatewayBases.at_url("https://shop.example/sandbox/gateway")
        assert client.test_mode
    assert get_gateway_credentials(embedded).cust_id == SANDBOX_CUST_ID


async def test_client_with_a_given_transport_calls_the_embedded_gateway(tmp_path: Path) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200))
    async with create_gateway_client(settings(tmp_path), transport) as client:
        assert client.bases == GatewayBases.at_url("http://gateway.sandbox")


async def test_client_with_keys_calls_the_official_urls_in_test_mode(tmp_path: Path) -> None:
    async with create_gateway_client(settings(tmp_path, **OURS)) as client:
        assert client.bases == GatewayBases()
        assert client.test_mode
        assert client.credentials.cust_id == "424242"
        assert client.credentials.private_key.get_secret_value() == "ffeeddccbbaa99887766554433221100"


async def test_gateway_url_replaces_all_official_urls(tmp_path: Path) -> None:
    async with create_gateway_client(
        settings(tmp_path, gateway_url="http://127.0.0.1:9/gw/", **OURS)
    ) as client:
        assert client.bases == GatewayBases.at_url("http://127.0.0.1:9/gw")


async def test_client_in_production_uses_live_mode(tmp_path: Path) -> None:
    live = settings(
        tmp_path,
        gateway_env=GatewayEnv.PRODUCTION,
        public_url="https://shop.example",
        secret_key="FLqPVu1WwY0dJ8aT-9sBxkZ3mCeRnHgOi5y_2tQ7lKo",
        carrier_api_key="carrier",
        carrier_sandbox=True,
        smtp_host="mail.example",
        **OURS,
    )
    async with create_gateway_client(live) as client:
        assert not client.test_mode
        assert client.source == "https://secure.payco.co live"


@pytest.mark.parametrize("body", [b"", b"<html>Request Entity Too Large</html>", b"[]"])
async def test_refusal_without_a_body_raises_payment_refused(practice: GatewayPractice, body: bytes) -> None:
    practice.calls.answer(CREATE, 413, body)
    with pytest.raises(PaymentRefused, match="invoice TR-1 with HTTP 413") as refused:
        await practice.client.create_bank_payment(bank_payment())
    assert (refused.value.reason, refused.value.codes) == (RefusalReason.OTHER, ())


@pytest.mark.parametrize("token", ["a.b\r\nx-evil: 1", "a b", "ñ", "a\0b", "a" * 9_000, ""])
async def test_malformed_gateway_token_is_not_stored(practice: GatewayPractice, token: str) -> None:
    """Check a token that no header can hold: the client logs in again before it starts the payment.

    An answer without a token means that the gateway refuses our keys.
    """
    answers = [{"bearer_token": token}]
    inner = practice.calls.inner

    async def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith(LOGIN) and answers:
            return httpx.Response(200, json=answers.pop())
        return await inner.handle_async_request(request)

    client = practice.client
    practice.calls.inner = httpx.MockTransport(answer)
    if token:
        assert (await client.create_bank_payment(bank_payment())).reference
    else:  # an answer without a token means that our keys are refused
        with pytest.raises(KeysRefused):
            await client.create_bank_payment(bank_payment())
    answers += [{"bearer_token": "x\ny"}] * 3
    restarted = GatewayClient(
        client.credentials, client.bases, test_mode=True, transport=practice.calls, policy=FAST_RETRIES
    )
    with pytest.raises(LoginFailed):
        await restarted.create_bank_payment(bank_payment(invoice="TR-2"))
    assert (await restarted.create_bank_payment(bank_payment(invoice="TR-2"))).reference


async def test_answer_about_another_payment_raises_outcome_unknown(practice: GatewayPractice) -> None:
    inner = practice.calls.inner

    async def answer(request: httpx.Request) -> httpx.Response:
        response = await inner.handle_async_request(request)
        if not request.url.path.endswith(CREATE):
            return response
        body = json.loads(await response.aread())
        body["data"]["factura"] = "TR-9"
        return httpx.Response(200, json=body)

    practice.calls.inner = httpx.MockTransport(answer)
    with pytest.raises(OutcomeUnknown, match="another payment") as unknown:
        await practice.client.create_bank_payment(bank_payment())
    assert not hasattr(unknown.value, "reference")


async def test_number_of_transactions_looked_up_by_invoice_is_limited(
    practice: GatewayPractice,
) -> None:
    rows = [{"referencePayco": number} for number in range(1, 5_000)] + [{"referencePayco": "a\0"}, None, {}]
    login = httpx.Response(200, json={"token": "t"})

    def answer(request: httpx.Request) -> httpx.Response:
        return login if request.url.path.endswith("/login") else httpx.Response(200, json={"data": rows})

    practice.calls.inner = httpx.MockTransport(answer)
    assert await practice.client.list_references("TR-1") == [str(number) for number in range(1, 21)]
