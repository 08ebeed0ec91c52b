"""The client against the embedded carrier, and against answers that only a real one would give."""

import dataclasses
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import OutcomeUnknown, OutsideFailure
from backend.sandbox.carrier import Fault, SandboxCarrier, sandbox_carrier
from backend.sandbox.carrier.faults import Operation
from backend.sandbox.carrier.labels import TEST_ORDER_ID, TEST_TRACKER, Status
from backend.shipping.providers.base import TrackingStage
from backend.shipping.providers.carrier.client import CarrierClient, carrier_client
from backend.shipping.providers.carrier.requests import Shipment, quotation_for, shipment_for
from backend.shipping.providers.carrier.responses import CarrierError, cheapest
from tests.backend.shipping.samples import QUICK, number_of, quote_request, shipment_request

QUOTATION = quotation_for(quote_request())
SHIPMENT = shipment_for(shipment_request(), rate_id=7, pickup_date=date(2026, 11, 23))
KEY = "6f9619ff-8b86-d011-b42d-00c04fc964ff"

Answer = Callable[[httpx.Request], httpx.Response]


@asynccontextmanager
async def answered(answer: Answer, *, creates_test_labels: bool = False) -> AsyncIterator[CarrierClient]:
    """A client whose every request is answered so."""
    client = CarrierClient(
        "https://carrier.example/api/v2",
        SecretStr(KEY),
        creates_test_labels=creates_test_labels,
        transport=httpx.MockTransport(answer),
        policy=QUICK,
    )
    yield client
    await client.close()


def ok(data: object) -> Answer:
    return lambda _: httpx.Response(200, json={"status": "OK", "data": data})


def fails(error: Exception) -> Answer:
    def answer(_: httpx.Request) -> httpx.Response:
        raise error

    return answer


async def shipment_with_a_rate(client: CarrierClient) -> Shipment:
    offer = cheapest(await client.quotation(QUOTATION))
    assert offer is not None
    return SHIPMENT.model_copy(update={"id_rate": offer.id})


# what is sent


async def test_every_request_carries_the_bare_key_and_a_name_of_our_own() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return ok({"rates": []})(request)

    async with answered(answer) as client:
        await client.quotation(QUOTATION)
    request = seen[0]
    assert request.method == "POST"
    assert str(request.url) == "https://carrier.example/api/v2/quotation"
    assert request.headers["Authorization"] == KEY
    assert request.headers["User-Agent"] == "Trompo/1.0"
    assert request.headers["Content-Type"] == "application/json"
    assert json.loads(request.content) == QUOTATION.body()


@pytest.mark.parametrize(
    ("is_test", "path"), [(True, "/api/v2/shipment_sandbox"), (False, "/api/v2/shipment")]
)
async def test_the_setting_says_whether_the_label_is_real(is_test: bool, path: str) -> None:
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.url.path)
        return ok({"idOrder": 5})(request)

    async with answered(answer, creates_test_labels=is_test) as client:
        await client.shipment(SHIPMENT)
    assert seen == [path]


@pytest.mark.parametrize(("is_sandbox", "path"), [(True, "/shipment_sandbox"), (False, "/shipment")])
async def test_the_setting_selects_test_labels(carrier_memory: Database, is_sandbox: bool, path: str) -> None:
    settings = Settings(carrier_sandbox=is_sandbox)
    carrier = sandbox_carrier(settings, carrier_memory)
    client = carrier_client(settings, httpx.ASGITransport(carrier.app), QUICK)
    await client.shipment(await shipment_with_a_rate(client))
    assert carrier.requests[-1][1] == path
    await client.close()


def test_the_embedded_carrier_is_never_looked_for_on_the_internet() -> None:
    with pytest.raises(RuntimeError):
        carrier_client(Settings())


async def test_with_a_key_the_client_speaks_to_the_real_carrier() -> None:
    client = carrier_client(Settings(carrier_api_key=SecretStr(KEY)))
    assert str(client._http._http.base_url) == "https://api.envioclickpro.com.co/api/v2/"
    assert client._http._http.headers["Authorization"] == KEY
    await client.close()


# quotation


async def test_a_quotation_gives_the_rates_as_they_came(client: CarrierClient) -> None:
    rates = await client.quotation(QUOTATION)
    assert {rate["carrier"] for rate in rates} == {"Envía", "Coordinadora", "TCC", "Interrapidísimo"}  # type: ignore[index]


@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b'{"status": "OK", "data": ' + b"[" * 40 + b"]" * 40 + b"}", b"\xff\xfe", b""]
)
async def test_a_document_that_cannot_be_read_is_an_error(body: bytes) -> None:
    async with answered(lambda _: httpx.Response(200, content=body)) as client:
        with pytest.raises(CarrierError):
            await client.quotation(QUOTATION)
        with pytest.raises(OutcomeUnknown):
            await client.shipment(SHIPMENT)


async def test_a_refusal_in_endless_and_odd_words_can_be_stored() -> None:
    words = [f"Campo {number} \0\ud83d" for number in range(2_000)]
    body = {"status": "NOT OK", "status_messages": [{"error": ["Mal.", dict.fromkeys(words[:50], words)]}]}
    async with answered(lambda _: httpx.Response(422, content=json.dumps(body).encode())) as client:
        with pytest.raises(CarrierError) as refused:
            await client.quotation(QUOTATION)
    texts = [
        refused.value.message,
        refused.value.staff_text,
        *refused.value.fields,
        *refused.value.fields.values(),
    ]
    assert len(texts) < 100
    assert all(len(text) < 1_200 and "\0" not in text and text.encode() for text in texts)


async def test_no_rates_is_an_answer() -> None:
    async with answered(ok({"rates": []})) as client:
        assert await client.quotation(QUOTATION) == []


@pytest.mark.parametrize("data", [None, [], "x", {}, {"rates": None}, {"rates": {"1": {}}}])
async def test_an_answer_without_a_list_of_rates_is_an_error(data: object) -> None:
    async with answered(ok(data)) as client:
        with pytest.raises(CarrierError):
            await client.quotation(QUOTATION)


# errors


def error_body(error: object) -> dict[str, Any]:
    return {"status": "NOT OK", "status_codes": [422], "status_messages": [{"error": error}]}


async def test_a_refusal_tells_the_fields() -> None:
    body = error_body(
        ["Unprocessed Entity.", {"destination": {"phone": ["El campo debe tener entre 7 y 10 caracteres."]}}]
    )
    async with answered(lambda _: httpx.Response(422, json=body)) as client:
        with pytest.raises(CarrierError) as refused:
            await client.shipment(SHIPMENT)
    assert refused.value.http_status == 422
    assert refused.value.fields == {"destination.phone": "El campo debe tener entre 7 y 10 caracteres."}
    assert "answered 422: Unprocessed Entity." in refused.value.message
    assert isinstance(refused.value, OutsideFailure)
    assert not isinstance(refused.value, OutcomeUnknown)


async def test_not_ok_is_a_refusal_even_with_status_200() -> None:
    body = error_body(["Unprocessed Entity.", "No tiene suficiente crédito disponible en su cuenta"])
    async with answered(lambda _: httpx.Response(200, json=body)) as client:
        with pytest.raises(CarrierError, match="suficiente crédito"):
            await client.shipment(SHIPMENT)


async def test_the_key_is_in_no_error_and_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    body = error_body(["Unauthorized.", {"Authorization": [f"API Key inválido: {KEY}"]}])
    caplog.set_level(logging.DEBUG)
    async with answered(lambda _: httpx.Response(401, json=body)) as client:
        with pytest.raises(CarrierError) as refused:
            await client.quotation(QUOTATION)
        assert KEY not in repr(client)
    assert refused.value.http_status == 401
    assert "API Key inválido" in refused.value.message
    assert refused.value.staff_text == "La transportadora dice: Authorization: API Key inválido: •••"
    assert KEY not in refused.value.message + str(refused.value.fields) + repr(refused.value)
    assert KEY not in caplog.text


async def test_the_doorkeeper_is_told_apart_by_its_status() -> None:
    async with answered(lambda _: httpx.Response(403, text="error code: 1010")) as client:
        with pytest.raises(CarrierError) as refused:
            await client.quotation(QUOTATION)
    assert refused.value.http_status == 403
    assert refused.value.message == "the carrier answered 403: nothing that can be understood"


# asking again


@pytest.mark.parametrize(
    "passing", [httpx.Response(502, text="<html>"), httpx.Response(500, json=error_body("no"))]
)
async def test_what_only_reads_is_asked_again(passing: httpx.Response) -> None:
    answers = [passing, passing, ok({"rates": [1]})(httpx.Request("POST", "/"))]
    async with answered(lambda _: answers.pop(0)) as client:
        assert await client.quotation(QUOTATION) == [1]


@pytest.mark.parametrize(
    "error", [httpx.ConnectError("no"), httpx.ReadError("no"), httpx.RemoteProtocolError("no")]
)
async def test_a_broken_connection_is_tried_three_times_in_all(error: Exception) -> None:
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        raise error

    async with answered(answer) as client:
        with pytest.raises(CarrierError):
            await client.track("TRM1")
    assert len(asked) == 3


@pytest.mark.parametrize("status", [401, 403, 404, 422, 429])
async def test_a_refusal_is_not_asked_again(status: int) -> None:
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(status, json=error_body("no"))

    async with answered(answer) as client:
        with pytest.raises(CarrierError):
            await client.track("TRM1")
    assert len(asked) == 1


# shipment: made, certainly not made, or unknown


@pytest.mark.parametrize(
    "answer",
    [
        fails(httpx.ReadTimeout("late")),
        fails(httpx.WriteTimeout("late")),
        fails(httpx.ReadError("reset")),
        fails(httpx.RemoteProtocolError("closed")),
        lambda _: httpx.Response(500, json=error_body("No se pudo generar la guía")),
        lambda _: httpx.Response(502, text="<html>Bad Gateway</html>"),
        lambda _: httpx.Response(504),
        lambda _: httpx.Response(200, text='{"status": "OK", "data": {"idOr'),
        lambda _: httpx.Response(200, json={"unexpected": True}),
        ok("Guía generada"),
        ok({"tracker": "TRM1"}),
        ok({"idOrder": None}),
    ],
)
async def test_a_lost_answer_is_an_unknown_outcome_and_is_never_repeated(answer: Answer) -> None:
    asked: list[httpx.Request] = []

    def counted(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return answer(request)

    async with answered(counted) as client:
        with pytest.raises(OutcomeUnknown):
            await client.shipment(SHIPMENT)
    assert len(asked) == 1


@pytest.mark.parametrize(
    "answer",
    [
        fails(httpx.ConnectError("refused")),
        fails(httpx.ConnectTimeout("late")),
        fails(httpx.PoolTimeout("busy")),
        lambda _: httpx.Response(401, json=error_body("no")),
        lambda _: httpx.Response(422, json=error_body("No tiene suficiente crédito disponible en su cuenta")),
        lambda _: httpx.Response(429),
        lambda _: httpx.Response(302, headers={"Location": "https://elsewhere.example"}),
    ],
)
async def test_what_never_arrived_or_was_refused_made_no_label(answer: Answer) -> None:
    asked: list[httpx.Request] = []

    def counted(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return answer(request)

    async with answered(counted) as client:
        with pytest.raises(CarrierError):
            await client.shipment(SHIPMENT)
    assert len(asked) == 1


async def test_a_label_with_its_label(client: CarrierClient) -> None:
    made = await client.shipment(await shipment_with_a_rate(client))
    assert (number_of(made), made.tracking_number) == (TEST_ORDER_ID, TEST_TRACKER)
    assert made.label_pdf is not None
    assert made.label_pdf.startswith(b"%PDF-")
    assert made.label_url == "http://localhost:3000/sandbox/carrier/labels/132456.pdf"
    assert made.data["carrier"] == "Envía"


@pytest.mark.parametrize("label", [None, 5, "no es base64", "aG9sYQ=="])
async def test_a_spoilt_label_does_not_lose_the_label(label: object) -> None:
    async with answered(ok({"idOrder": "77", "tracker": " T1 ", "guide": label, "url": ""})) as client:
        made = await client.shipment(SHIPMENT)
    assert (number_of(made), made.tracking_number, made.label_pdf, made.label_url) == (
        77,
        "T1",
        None,
        None,
    )


# tracking


async def test_tracking_by_code_and_by_orders(client: CarrierClient, carrier: SandboxCarrier) -> None:
    made = await client.shipment(await shipment_with_a_rate(client))
    await carrier.ledger.move(number_of(made), Status.DELIVERED)
    by_code = await client.track(TEST_TRACKER)
    by_orders = await client.track_by_orders([number_of(made), 999])
    assert by_code == by_orders[number_of(made)]
    assert list(by_orders) == [number_of(made)]
    assert by_code is not None
    assert (by_code.stage, by_code.received_by) == (TrackingStage.DELIVERED, "Portería")


async def test_an_unknown_shipment_is_a_sentence_and_so_none(client: CarrierClient) -> None:
    assert await client.track("NADA") is None
    assert await client.track_by_orders([1, 2]) == {}


async def test_times_are_colombian_and_become_utc() -> None:
    data = {
        "status": "ENTREGADO",
        "realDeliveryDate": "2026-11-20 21:30:00",
        "arrivalDate": None,
        "realPickupDate": "pronto",
    }
    async with answered(ok(data)) as client:
        tracking = await client.track("T1")
    assert tracking is not None
    assert tracking.delivered_at == datetime(2026, 11, 21, 2, 30, tzinfo=UTC)
    assert (tracking.expected_at, tracking.picked_up_at, tracking.words) == (None, None, "ENTREGADO")


@pytest.mark.parametrize("status", ["Cancelado", "CANCELADO", "cancelada por el cliente"])
async def test_cancelled_is_recognised_in_any_capitals(status: str) -> None:
    async with answered(ok({"status": status})) as client:
        tracking = await client.track("T1")
    assert tracking is not None
    assert tracking.stage is TrackingStage.CANCELED


# cancellation


async def test_cancelled_is_only_what_a_list_of_the_cancelled_names() -> None:
    lists = {"not_valid_orders": [1], "only_cancel_orders": [2, "3", None], "to_refund_orders": [4, 99]}
    async with answered(ok(lists)) as client:
        assert await client.cancel([1, 2, 3, 4, 5]) == {2, 3, 4}


@pytest.mark.parametrize(
    "lists",
    [
        {},
        {"not_valid_orders": [], "only_cancel_orders": [], "to_refund_orders": []},
        {"to_refund_orders": None},
    ],
)
async def test_empty_lists_mean_not_cancelled(lists: dict[str, object]) -> None:
    async with answered(ok(lists)) as client:
        assert await client.cancel([1]) == frozenset()


async def test_at_most_fifty_labels_go_in_a_batch() -> None:
    batches: list[list[int]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url.path == "/api/v2/cancellation/batch/order"
        batches.append(json.loads(request.content)["idOrders"])
        return ok({"to_refund_orders": batches[-1]})(request)

    async with answered(answer) as client:
        assert await client.cancel([*range(1, 121), 1, 2]) == set(range(1, 121))
        assert await client.cancel([]) == frozenset()
    assert [len(batch) for batch in batches] == [50, 50, 20]


async def test_a_lost_answer_to_a_cancellation_is_unknown() -> None:
    async with answered(fails(httpx.ReadTimeout("late"))) as client:
        with pytest.raises(OutcomeUnknown):
            await client.cancel([1])


async def test_an_unknown_label_is_refused(client: CarrierClient) -> None:
    with pytest.raises(CarrierError, match="orders not found"):
        await client.cancel([999])


# policy


async def test_an_answer_that_never_comes_is_given_up(settings: Settings, carrier: SandboxCarrier) -> None:
    policy = dataclasses.replace(QUICK, quotation=0.05, write=0.05)
    client = carrier_client(settings, httpx.ASGITransport(carrier.app), policy)
    carrier.faults.plan(Fault.HANG, Operation.QUOTATION)
    with pytest.raises(CarrierError, match=r"within 0\.05 s") as late:
        await client.quotation(QUOTATION)
    assert late.value.may_have_acted
    await client.close()
