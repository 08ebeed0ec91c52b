"""The client with the embedded carrier, and with responses that only the real carrier sends."""

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
from backend.core.config.version import VERSION
from backend.core.db.database import Database
from backend.core.errors import OutcomeUnknown, OutsideFailure
from backend.sandbox.carrier import Fault, SandboxCarrier, create_sandbox_carrier
from backend.sandbox.carrier.faults import Operation
from backend.sandbox.carrier.labels import TEST_ORDER_ID, TEST_TRACKER, Status
from backend.shipping.providers.base import TrackingStage
from backend.shipping.providers.carrier.client import CarrierClient, create_carrier_client
from backend.shipping.providers.carrier.requests import Shipment, to_quotation, to_shipment
from backend.shipping.providers.carrier.responses import CarrierError, find_cheapest_rate
from tests.backend.shipping.samples import QUICK, get_label_number, quote_request, shipment_request

QUOTATION = to_quotation(quote_request())
SHIPMENT = to_shipment(shipment_request(), rate_id=7, pickup_date=date(2026, 11, 23))
KEY = "6f9619ff-8b86-d011-b42d-00c04fc964ff"

Answer = Callable[[httpx.Request], httpx.Response]


@asynccontextmanager
async def client_with_response(
    answer: Answer, *, creates_test_labels: bool = False
) -> AsyncIterator[CarrierClient]:
    """Return a client whose requests all get this response."""
    client = CarrierClient(
        "https://carrier.example/api/v2",
        SecretStr(KEY),
        creates_test_labels=creates_test_labels,
        transport=httpx.MockTransport(answer),
        policy=QUICK,
    )
    yield client
    await client.close()


def ok_response(data: object) -> Answer:
    return lambda _: httpx.Response(200, json={"status": "OK", "data": data})


def failing_response(error: Exception) -> Answer:
    def answer(_: httpx.Request) -> httpx.Response:
        raise error

    return answer


async def shipment_with_a_rate(client: CarrierClient) -> Shipment:
    offer = find_cheapest_rate(await client.request_quotation(QUOTATION))
    assert offer is not None
    return SHIPMENT.model_copy(update={"id_rate": offer.id})


# requests


async def test_request_sends_the_api_key_without_a_prefix_and_our_user_agent() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return ok_response({"rates": []})(request)

    async with client_with_response(answer) as client:
        await client.request_quotation(QUOTATION)
    request = seen[0]
    assert request.method == "POST"
    assert str(request.url) == "https://carrier.example/api/v2/quotation"
    assert request.headers["Authorization"] == KEY
    assert request.headers["User-Agent"] == f"Trompo/{VERSION}"
    assert request.headers["Content-Type"] == "application/json"
    assert json.loads(request.content) == QUOTATION.body()


@pytest.mark.parametrize(
    ("is_test", "path"), [(True, "/api/v2/shipment_sandbox"), (False, "/api/v2/shipment")]
)
async def test_client_creates_test_and_real_labels_at_different_paths(is_test: bool, path: str) -> None:
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.url.path)
        return ok_response({"idOrder": 5})(request)

    async with client_with_response(answer, creates_test_labels=is_test) as client:
        await client.create_shipment(SHIPMENT)
    assert seen == [path]


@pytest.mark.parametrize(("is_sandbox", "path"), [(True, "/shipment_sandbox"), (False, "/shipment")])
async def test_settings_select_between_test_and_real_labels(
    carrier_memory: Database, is_sandbox: bool, path: str
) -> None:
    settings = Settings(carrier_sandbox=is_sandbox)
    carrier = create_sandbox_carrier(settings, carrier_memory)
    client = create_carrier_client(settings, httpx.ASGITransport(carrier.app), QUICK)
    await client.create_shipment(await shipment_with_a_rate(client))
    assert carrier.requests[-1][1] == path
    await client.close()


def test_embedded_carrier_requires_a_transport() -> None:
    with pytest.raises(RuntimeError):
        create_carrier_client(Settings())


async def test_api_key_selects_the_real_carrier() -> None:
    requests: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(404)

    settings = Settings(carrier_api_key=SecretStr(KEY))
    client = create_carrier_client(settings, httpx.MockTransport(answer), QUICK)
    with pytest.raises(CarrierError):
        await client.request_quotation(QUOTATION)
    await client.close()
    (request,) = requests
    assert str(request.url) == "https://api.envioclickpro.com.co/api/v2/quotation"
    assert request.headers["Authorization"] == KEY


# quotation


async def test_quotation_returns_the_rates_of_all_couriers(client: CarrierClient) -> None:
    rates = await client.request_quotation(QUOTATION)
    assert {rate["carrier"] for rate in rates} == {"Envía", "Coordinadora", "TCC", "Interrapidísimo"}  # type: ignore[index]


@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b'{"status": "OK", "data": ' + b"[" * 40 + b"]" * 40 + b"}", b"\xff\xfe", b""]
)
async def test_unreadable_response_raises_an_error(body: bytes) -> None:
    async with client_with_response(lambda _: httpx.Response(200, content=body)) as client:
        with pytest.raises(CarrierError):
            await client.request_quotation(QUOTATION)
        with pytest.raises(OutcomeUnknown):
            await client.create_shipment(SHIPMENT)


async def test_very_long_refusal_with_invalid_characters_can_be_stored() -> None:
    words = [f"Campo {number} \0\ud83d" for number in range(2_000)]
    body = {"status": "NOT OK", "status_messages": [{"error": ["Mal.", dict.fromkeys(words[:50], words)]}]}
    async with client_with_response(
        lambda _: httpx.Response(422, content=json.dumps(body).encode())
    ) as client:
        with pytest.raises(CarrierError) as refused:
            await client.request_quotation(QUOTATION)
    texts = [
        refused.value.message,
        refused.value.staff_text,
        *refused.value.fields,
        *refused.value.fields.values(),
    ]
    assert len(texts) < 100
    assert all(len(text) < 1_200 and "\0" not in text and text.encode() for text in texts)


async def test_empty_list_of_rates_raises_no_error() -> None:
    async with client_with_response(ok_response({"rates": []})) as client:
        assert await client.request_quotation(QUOTATION) == []


@pytest.mark.parametrize("data", [None, [], "x", {}, {"rates": None}, {"rates": {"1": {}}}])
async def test_response_without_a_list_of_rates_raises_an_error(data: object) -> None:
    async with client_with_response(ok_response(data)) as client:
        with pytest.raises(CarrierError):
            await client.request_quotation(QUOTATION)


# errors


def error_body(error: object) -> dict[str, Any]:
    return {"status": "NOT OK", "status_codes": [422], "status_messages": [{"error": error}]}


async def test_error_of_a_refused_shipment_contains_the_refused_fields() -> None:
    body = error_body(
        ["Unprocessed Entity.", {"destination": {"phone": ["El campo debe tener entre 7 y 10 caracteres."]}}]
    )
    async with client_with_response(lambda _: httpx.Response(422, json=body)) as client:
        with pytest.raises(CarrierError) as refused:
            await client.create_shipment(SHIPMENT)
    assert refused.value.http_status == 422
    assert refused.value.fields == {"destination.phone": "El campo debe tener entre 7 y 10 caracteres."}
    assert "answered 422: Unprocessed Entity." in refused.value.message
    assert isinstance(refused.value, OutsideFailure)
    assert not isinstance(refused.value, OutcomeUnknown)


async def test_response_200_with_an_error_body_raises_carrier_error() -> None:
    body = error_body(["Unprocessed Entity.", "No tiene suficiente crédito disponible en su cuenta"])
    async with client_with_response(lambda _: httpx.Response(200, json=body)) as client:
        with pytest.raises(CarrierError, match="suficiente crédito"):
            await client.create_shipment(SHIPMENT)


async def test_key_is_in_no_error_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    body = error_body(["Unauthorized.", {"Authorization": [f"API Key inválido: {KEY}"]}])
    caplog.set_level(logging.DEBUG)
    async with client_with_response(lambda _: httpx.Response(401, json=body)) as client:
        with pytest.raises(CarrierError) as refused:
            await client.request_quotation(QUOTATION)
        assert KEY not in repr(client)
    assert refused.value.http_status == 401
    assert "API Key inválido" in refused.value.message
    assert refused.value.staff_text == "La transportadora dice: Authorization: API Key inválido: •••"
    assert KEY not in refused.value.message + str(refused.value.fields) + repr(refused.value)
    assert KEY not in caplog.text


async def test_error_of_a_request_refused_by_the_firewall_has_its_status() -> None:
    async with client_with_response(lambda _: httpx.Response(403, text="error code: 1010")) as client:
        with pytest.raises(CarrierError) as refused:
            await client.request_quotation(QUOTATION)
    assert refused.value.http_status == 403
    assert refused.value.message == "the carrier answered 403: without a readable message"


# retries


@pytest.mark.parametrize(
    "passing", [httpx.Response(502, text="<html>"), httpx.Response(500, json=error_body("no"))]
)
async def test_failed_read_only_request_is_repeated(passing: httpx.Response) -> None:
    answers = [passing, passing, ok_response({"rates": [1]})(httpx.Request("POST", "/"))]
    async with client_with_response(lambda _: answers.pop(0)) as client:
        assert await client.request_quotation(QUOTATION) == [1]


@pytest.mark.parametrize(
    "error", [httpx.ConnectError("no"), httpx.ReadError("no"), httpx.RemoteProtocolError("no")]
)
async def test_broken_connection_is_tried_three_times(error: Exception) -> None:
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        raise error

    async with client_with_response(answer) as client:
        with pytest.raises(CarrierError):
            await client.track("TRM1")
    assert len(asked) == 3


@pytest.mark.parametrize("status", [401, 403, 404, 422, 429])
async def test_refused_request_is_not_repeated(status: int) -> None:
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(status, json=error_body("no"))

    async with client_with_response(answer) as client:
        with pytest.raises(CarrierError):
            await client.track("TRM1")
    assert len(asked) == 1


# shipment: created, certainly not created, or unknown


@pytest.mark.parametrize(
    "answer",
    [
        failing_response(httpx.ReadTimeout("late")),
        failing_response(httpx.WriteTimeout("late")),
        failing_response(httpx.ReadError("reset")),
        failing_response(httpx.RemoteProtocolError("closed")),
        lambda _: httpx.Response(500, json=error_body("No se pudo generar la guía")),
        lambda _: httpx.Response(502, text="<html>Bad Gateway</html>"),
        lambda _: httpx.Response(504),
        lambda _: httpx.Response(200, text='{"status": "OK", "data": {"idOr'),
        lambda _: httpx.Response(200, json={"unexpected": True}),
        ok_response("Guía generada"),
        ok_response({"tracker": "TRM1"}),
        ok_response({"idOrder": None}),
    ],
)
async def test_shipment_with_a_lost_response_raises_outcome_unknown_and_is_not_repeated(
    answer: Answer,
) -> None:
    asked: list[httpx.Request] = []

    def counted(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return answer(request)

    async with client_with_response(counted) as client:
        with pytest.raises(OutcomeUnknown):
            await client.create_shipment(SHIPMENT)
    assert len(asked) == 1


@pytest.mark.parametrize(
    "answer",
    [
        failing_response(httpx.ConnectError("refused")),
        failing_response(httpx.ConnectTimeout("late")),
        failing_response(httpx.PoolTimeout("busy")),
        lambda _: httpx.Response(401, json=error_body("no")),
        lambda _: httpx.Response(422, json=error_body("No tiene suficiente crédito disponible en su cuenta")),
        lambda _: httpx.Response(429),
        lambda _: httpx.Response(302, headers={"Location": "https://elsewhere.example"}),
    ],
)
async def test_unsent_or_refused_shipment_raises_carrier_error(answer: Answer) -> None:
    asked: list[httpx.Request] = []

    def counted(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return answer(request)

    async with client_with_response(counted) as client:
        with pytest.raises(CarrierError):
            await client.create_shipment(SHIPMENT)
    assert len(asked) == 1


async def test_shipment_returns_its_label(client: CarrierClient) -> None:
    made = await client.create_shipment(await shipment_with_a_rate(client))
    assert (get_label_number(made), made.tracking_number) == (TEST_ORDER_ID, TEST_TRACKER)
    assert made.label_pdf is not None
    assert made.label_pdf.startswith(b"%PDF-")
    assert made.label_url == "http://localhost:3000/sandbox/carrier/labels/132456.pdf"
    assert made.data["carrier"] == "Envía"


@pytest.mark.parametrize("label", [None, 5, "no es base64", "aG9sYQ=="])
async def test_shipment_with_a_damaged_label_file_is_returned_without_the_file(label: object) -> None:
    async with client_with_response(
        ok_response({"idOrder": "77", "tracker": " T1 ", "guide": label, "url": ""})
    ) as client:
        made = await client.create_shipment(SHIPMENT)
    assert (get_label_number(made), made.tracking_number, made.label_pdf, made.label_url) == (
        77,
        "T1",
        None,
        None,
    )


# tracking


async def test_tracking_by_code_and_by_order_number_gives_the_same_result(
    client: CarrierClient, carrier: SandboxCarrier
) -> None:
    made = await client.create_shipment(await shipment_with_a_rate(client))
    await carrier.ledger.move_shipment(get_label_number(made), Status.DELIVERED)
    by_code = await client.track(TEST_TRACKER)
    by_orders = await client.track_by_orders([get_label_number(made), 999])
    assert by_code == by_orders[get_label_number(made)]
    assert list(by_orders) == [get_label_number(made)]
    assert by_code is not None
    assert (by_code.stage, by_code.received_by) == (TrackingStage.DELIVERED, "Portería")


async def test_tracking_of_an_unknown_shipment_returns_none(client: CarrierClient) -> None:
    assert await client.track("NADA") is None
    assert await client.track_by_orders([1, 2]) == {}


async def test_colombian_times_are_converted_to_utc() -> None:
    data = {
        "status": "ENTREGADO",
        "realDeliveryDate": "2026-11-20 21:30:00",
        "arrivalDate": None,
        "realPickupDate": "pronto",
    }
    async with client_with_response(ok_response(data)) as client:
        tracking = await client.track("T1")
    assert tracking is not None
    assert tracking.delivered_at == datetime(2026, 11, 21, 2, 30, tzinfo=UTC)
    assert (tracking.expected_at, tracking.picked_up_at, tracking.words) == (None, None, "ENTREGADO")


@pytest.mark.parametrize("status", ["Cancelado", "CANCELADO", "cancelada por el cliente"])
async def test_cancelled_status_is_recognised_in_upper_and_lower_case(status: str) -> None:
    async with client_with_response(ok_response({"status": status})) as client:
        tracking = await client.track("T1")
    assert tracking is not None
    assert tracking.stage is TrackingStage.CANCELED


# cancellation


async def test_only_labels_listed_in_the_response_count_as_cancelled() -> None:
    lists = {"not_valid_orders": [1], "only_cancel_orders": [2, "3", None], "to_refund_orders": [4, 99]}
    async with client_with_response(ok_response(lists)) as client:
        assert await client.cancel([1, 2, 3, 4, 5]) == {2, 3, 4}


@pytest.mark.parametrize(
    "lists",
    [
        {},
        {"not_valid_orders": [], "only_cancel_orders": [], "to_refund_orders": []},
        {"to_refund_orders": None},
    ],
)
async def test_response_with_empty_lists_cancels_no_label(lists: dict[str, object]) -> None:
    async with client_with_response(ok_response(lists)) as client:
        assert await client.cancel([1]) == frozenset()


async def test_cancellation_batches_have_at_most_fifty_labels() -> None:
    batches: list[list[int]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url.path == "/api/v2/cancellation/batch/order"
        batches.append(json.loads(request.content)["idOrders"])
        return ok_response({"to_refund_orders": batches[-1]})(request)

    async with client_with_response(answer) as client:
        assert await client.cancel([*range(1, 121), 1, 2]) == set(range(1, 121))
        assert await client.cancel([]) == frozenset()
    assert [len(batch) for batch in batches] == [50, 50, 20]


async def test_cancellation_with_a_lost_response_raises_outcome_unknown() -> None:
    async with client_with_response(failing_response(httpx.ReadTimeout("late"))) as client:
        with pytest.raises(OutcomeUnknown):
            await client.cancel([1])


async def test_cancellation_of_unknown_label_is_refused(client: CarrierClient) -> None:
    with pytest.raises(CarrierError, match="orders not found"):
        await client.cancel([999])


# policy


async def test_request_without_a_response_times_out(settings: Settings, carrier: SandboxCarrier) -> None:
    policy = dataclasses.replace(QUICK, quotation=0.05, write=0.05)
    client = create_carrier_client(settings, httpx.ASGITransport(carrier.app), policy)
    carrier.faults.plan(Fault.HANG, Operation.QUOTATION)
    with pytest.raises(CarrierError, match=r"within 0\.05 s") as late:
        await client.request_quotation(QUOTATION)
    assert late.value.may_have_acted
    await client.close()
