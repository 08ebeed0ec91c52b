"""Every client of an external service reads an answer of limited size, once.

client                                   answer over its limit
---------------------------------------  --------------------------------------------------------------------
gateway: banks, look-ups, references     `AnswerTooLarge`, requested once
gateway: login                           `LoginFailed`: the call that needed it was not sent
gateway: bank.create                     `OutcomeUnknown`: looked up, never sent again
carrier: quotation                       the fixed price, requested once
carrier: tracking, cancellation          `CarrierError` or `OutcomeUnknown`, requested once
carrier: shipment, over 16 MiB           `OutcomeUnknown`; a label of 9 MiB is accepted
invoices: over 16 MiB                    `AnswerTooLarge`; a document of 5 MiB is accepted
the owner's webhook, the storefront      `OutsideFailure`: called again later
Google: discovery, token, keys           `OutsideFailure`
"""

import base64
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import OutcomeUnknown, OutsideFailure, Unauthorized
from backend.core.web.http_client import AnswerTooLarge, NoAnswer, RetryPolicy
from backend.core.web.response_limits import LimitedClient
from backend.customers.auth.google import Google, SignInAttempt
from backend.invoices.providers.base import DocumentRejected, Issued
from backend.invoices.providers.ubl.client import UblClient
from backend.jobs import JobRun
from backend.operations.monitoring.alert_webhook import OwnersWebhook
from backend.outbox.models import OutboxEvent
from backend.outbox.publisher import REVALIDATE, OutboxPublisher
from backend.payment.providers.pse.client import GatewayClient, get_gateway_credentials
from backend.payment.providers.pse.requests import GatewayBases
from backend.payment.providers.pse.responses import LoginFailed
from backend.shipping.providers.carrier.client import CarrierClient, CarrierPolicy
from backend.shipping.providers.carrier.provider import CarrierStandard
from backend.shipping.providers.carrier.responses import CarrierError
from backend.shipping.providers.fallback import FALLBACK_PRICE
from tests.backend.shipping.samples import quote_request, shipment_request
from tests.gateway_kit import bank_payment
from tests.long_answers import BodyTransport, RepeatedChunks, chunked_body

QUICK = RetryPolicy(pause=0)
MIB = 2**20
TOKEN = b'{"token": "a.b.c"}'


class Service(httpx.AsyncBaseTransport):
    """A service that answers with `answers`, by the final part of the path. Its other answers never end."""

    def __init__(self, **answers: bytes) -> None:
        self.answers = answers
        self.paths: list[str] = []
        self._endless = BodyTransport(lambda: RepeatedChunks(b" " * 65_536))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        name = request.url.path.rpartition("/")[2]
        self.paths.append(name)
        if name in self.answers:
            return httpx.Response(200, stream=chunked_body(self.answers[name]))
        return await self._endless.handle_async_request(request)


def gateway(settings: Settings, service: Service) -> GatewayClient:
    bases = GatewayBases.at_url("http://gateway.test")
    return GatewayClient(
        get_gateway_credentials(settings), bases, test_mode=True, transport=service, policy=QUICK
    )


@pytest.mark.parametrize(
    ("path", "call"),
    [
        ("bancos.json", lambda client: client.get_banks()),
        ("transactioninfomation.json", lambda client: client.get_transaction("71")),
        ("response.json", lambda client: client.get_transaction_by_reference("101767532")),
        ("5f0c3b2a1d4e6f7a8b9c0d1e", lambda client: client.get_transaction_by_reference("5f0c3b2a1d4e6f7a8b9c0d1e")),
        ("detail", lambda client: client.list_references("TR-1")),
    ],
)  # fmt: skip
async def test_gateway_lookup_with_an_endless_answer_is_requested_once(
    settings: Settings, path: str, call: Callable[[GatewayClient], Awaitable[Any]]
) -> None:
    service = Service(login=TOKEN)
    async with gateway(settings, service) as client:
        with pytest.raises(AnswerTooLarge):
            await call(client)
    assert service.paths.count(path) == 1


async def test_payment_is_not_sent_if_the_login_answer_is_endless(settings: Settings) -> None:
    service = Service()
    async with gateway(settings, service) as client:
        with pytest.raises(LoginFailed):
            await client.create_bank_payment(bank_payment())
    assert service.paths == ["login"]


async def test_endless_answer_to_a_payment_raises_outcome_unknown(settings: Settings) -> None:
    service = Service(login=TOKEN)
    async with gateway(settings, service) as client:
        with pytest.raises(OutcomeUnknown):
            await client.create_bank_payment(bank_payment())
    assert service.paths == ["login", "debitos.json"]


def carrier(service: httpx.AsyncBaseTransport) -> CarrierClient:
    return CarrierClient(
        "http://carrier.test/api/v2",
        SecretStr("key"),
        creates_test_labels=False,
        transport=service,
        policy=CarrierPolicy(pause=0),
    )


async def test_endless_response_to_a_shipping_quote_gives_the_fixed_price_without_retry() -> None:
    service = Service()
    provider = CarrierStandard(carrier(service))
    quote = await provider.calculate_price(quote_request())
    await provider.close()
    assert (quote.amount, quote.is_fallback) == (FALLBACK_PRICE, True)
    assert service.paths == ["quotation"]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda client: client.track("240031234567"), CarrierError),
        (lambda client: client.track_by_orders([7]), CarrierError),
        (lambda client: client.cancel([7]), OutcomeUnknown),
    ],
)
async def test_carrier_request_with_an_endless_answer_is_sent_once(
    call: Callable[[CarrierClient], Awaitable[Any]], error: type[OutsideFailure]
) -> None:
    service = Service()
    client = carrier(service)
    with pytest.raises(error):
        await call(client)
    await client.close()
    assert len(service.paths) == 1


@pytest.mark.parametrize(("mebibytes", "is_taken"), [(9, True), (13, False)])
async def test_carrier_label_of_9_mib_is_accepted_and_of_13_mib_refused(
    mebibytes: int, is_taken: bool
) -> None:
    """Check labels within and over the limit: 13 MiB are more than 16 MiB in base64."""
    pdf = b"%PDF" + bytes(mebibytes * MIB)
    rate = {"idRate": 7, "flete": 9_000, "minimumInsurance": 500, "carrier": "TCC", "product": "a"}
    answers = {
        "quotation": {"rates": [rate]},
        "shipment": {"idOrder": 71, "tracker": "240", "guide": base64.b64encode(pdf).decode()},
    }
    service = Service(
        **{name: json.dumps({"status": "OK", "data": data}).encode() for name, data in answers.items()}
    )
    provider = CarrierStandard(carrier(service))
    if is_taken:
        assert (await provider.create_fulfillment(shipment_request())).label_pdf == pdf
    else:
        with pytest.raises(OutcomeUnknown):
            await provider.create_fulfillment(shipment_request())
    await provider.close()
    assert service.paths == ["quotation", "shipment"]


@pytest.mark.parametrize(("mebibytes", "is_taken"), [(5, True), (13, False)])
async def test_response_with_an_invoice_document_has_a_larger_size_limit(
    mebibytes: int, is_taken: bool
) -> None:
    xml = b"x" * (mebibytes * MIB)
    told = {"number": "T1", "code": "ab" * 48, "issued_at": "2026-11-27T10:00:00Z"}
    body = json.dumps({**told, "xml": base64.b64encode(xml).decode()}).encode()
    calls: dict[int, Callable[[UblClient], Awaitable[Issued | None]]] = {
        201: lambda client: client.send("T1", "invoice", b"<a/>"),
        200: lambda client: client.find("T1"),
    }
    for status, call in calls.items():
        transport = BodyTransport(lambda: chunked_body(body), status=status)
        client = UblClient("http://invoices.test", SecretStr("key"), transport, QUICK)
        if is_taken:
            made = await call(client)
            assert made is not None
            assert made.xml == xml
        else:
            with pytest.raises(AnswerTooLarge):
                await call(client)
        assert len(transport.requests) == 1
        await client.close()


async def test_endless_webhook_and_storefront_answers_raise_an_error(
    sqlite_url: str, settings: Settings
) -> None:
    database = Database(sqlite_url)
    service = Service()
    webhook = OwnersWebhook(database, settings, service)
    with pytest.raises(OutsideFailure):
        await webhook.send_test_call("http://hooks.test/hook")
    publisher = OutboxPublisher(database, LimitedClient(transport=service), "http://shop.test", "secret")
    async with database.transaction() as session:
        session.add(OutboxEvent(product_id="prod_1"))
    with pytest.raises(OutsideFailure):
        await publisher.publish(JobRun(1, REVALIDATE, "", {}, 1))
    await webhook.close()
    await publisher.close()
    await database.close()
    assert service.paths == ["hook", "revalidate"]


@pytest.mark.parametrize("endless", ["openid-configuration", "token", "keys"])
async def test_endless_google_answer_raises_an_error(settings: Settings, endless: str) -> None:
    issuer = "http://google.test"
    answers = {
        "openid-configuration": {
            "issuer": issuer,
            "authorization_endpoint": f"{issuer}/authorize",
            "token_endpoint": f"{issuer}/token",
            "jwks_uri": f"{issuer}/keys",
        },
        "token": {"access_token": "a", "token_type": "Bearer", "id_token": "a.b.c"},
        "keys": {"keys": []},
    }
    service = Service(**{name: json.dumps(answers[name]).encode() for name in answers if name != endless})
    google = Google(settings.model_copy(update={"google_issuer": issuer, "google_client_id": "x"}), service)
    attempt = SignInAttempt("state", "nonce", "verifier" * 6)
    with pytest.raises(OutsideFailure):
        await google.finish("code", attempt.state, replace(attempt))
    assert service.paths[-1] == endless
    assert service.paths.count(endless) == 1


@pytest.mark.parametrize(
    "document",
    [
        [],
        "x",
        None,
        {"issuer": "http://google.test"},
        {
            "issuer": "http://google.test",
            "authorization_endpoint": 7,
            "token_endpoint": "a\n",
            "jwks_uri": [],
        },
        {
            "issuer": "http://google.test",
            "authorization_endpoint": "javascript:alert(1)",
            "token_endpoint": "http://google.test/token",
            "jwks_uri": "http://google.test/keys",
        },
    ],
)
async def test_malformed_google_discovery_document_raises_an_error(
    settings: Settings, document: object
) -> None:
    service = Service(**{"openid-configuration": json.dumps(document).encode()})
    answers = {"google_issuer": "http://google.test", "google_client_id": "x"}
    with pytest.raises(OutsideFailure):
        await Google(settings.model_copy(update=answers), service).begin()


@pytest.mark.parametrize("token", [[], "x", 7, {"error": None}, {"access_token": "a", "id_token": ["\0"]}])
async def test_malformed_google_token_raises_an_error(settings: Settings, token: object) -> None:
    issuer = "http://google.test"
    endpoints = {
        name: f"{issuer}/{name}" for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")
    }
    answers = {
        "openid-configuration": {"issuer": issuer, **endpoints},
        "token_endpoint": token,
        "jwks_uri": ["no keys"],
    }
    service = Service(**{name: json.dumps(document).encode() for name, document in answers.items()})
    google = Google(settings.model_copy(update={"google_issuer": issuer, "google_client_id": "x"}), service)
    with pytest.raises((OutsideFailure, Unauthorized)):
        await google.finish("code", "state", SignInAttempt("state", "nonce", "verifier" * 6))


async def test_refusal_of_an_invoice_is_cleaned_and_shortened_for_storage() -> None:
    errors = [{"rule": "FAD\0", "message": "Mal\ud83d " * 900}, 5, {"rule": {}, "message": None}] * 500
    transport = BodyTransport(lambda: chunked_body(json.dumps({"errors": errors}).encode()), status=422)
    client = UblClient("http://invoices.test", SecretStr("key"), transport, QUICK)
    with pytest.raises(DocumentRejected) as refused:
        await client.send("T1", "invoice", b"<a/>")
    await client.close()
    words = str(refused.value)
    words.encode()
    assert words.startswith("FAD\ufffd: Mal")
    assert "\0" not in words
    assert len(words) < 5_000


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
async def test_invoice_response_with_an_implausible_date_is_treated_as_no_answer(moment: str) -> None:
    made = {"number": "T1", "code": "ab" * 48, "issued_at": moment, "xml": ""}
    transport = BodyTransport(lambda: chunked_body(json.dumps(made).encode()), status=201)
    client = UblClient("http://invoices.test", SecretStr("key"), transport, QUICK)
    with pytest.raises(NoAnswer):
        await client.send("T1", "invoice", b"<a/>")
    await client.close()
