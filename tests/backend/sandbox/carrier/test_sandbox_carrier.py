"""The embedded carrier over HTTP: refusals, responses and faults."""

import asyncio
import base64
import copy
import json
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from backend.core.config.settings import SANDBOX_CARRIER_KEY, Settings
from backend.core.db.database import Database
from backend.sandbox.carrier import Fault, SandboxCarrier, create_sandbox_carrier
from backend.sandbox.carrier.faults import Operation
from backend.sandbox.carrier.labels import TEST_ORDER_ID, TEST_TRACKER, Status, build_label_pdf
from backend.sandbox.carrier.ledger import find_courier, make_rate_number
from tests.backend.shipping.samples import DEPARTMENTS, EVERYWHERE
from tests.ports import find_free_port

HEADERS = {"Authorization": SANDBOX_CARRIER_KEY, "User-Agent": "Test/1.0"}

QUOTATION: dict[str, Any] = {
    "packages": [{"weight": 1, "height": 20, "width": 20, "length": 20}],
    "description": "Mercancía",
    "contentValue": 89_900,
    "origin": {"daneCode": "11001000", "address": "Calle 80 # 68-20"},
    "destination": {"daneCode": "05001000", "address": "Carrera 43A # 1-50"},
}
CONTACT = {
    "company": "Particular",
    "firstName": "Luz Marina",
    "lastName": "Peña",
    "email": "luz@correo.example",
    "phone": "3001234567",
    "suburb": "El Poblado",
    "crossStreet": "Carrera 43A",
    "reference": "Portería",
}
SHIPMENT: dict[str, Any] = {
    **QUOTATION,
    "idRate": 1,
    "myShipmentReference": "1042-1",
    "requestPickup": False,
    "pickupDate": "2026-11-23",
    "insurance": False,
    "origin": QUOTATION["origin"] | CONTACT,
    "destination": QUOTATION["destination"] | CONTACT,
}


@pytest.fixture
def carrier(database: Database) -> SandboxCarrier:
    return create_sandbox_carrier(Settings(), database, allow_control=True)


@pytest.fixture
async def http(carrier: SandboxCarrier) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(carrier.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://carrier", headers=HEADERS) as client:
        yield client


async def post(http: httpx.AsyncClient, path: str, body: object) -> httpx.Response:
    return await http.post(f"/api/v2{path}", json=body)


async def post_for_data(http: httpx.AsyncClient, path: str, body: object) -> Any:
    answer = await post(http, path, body)
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


async def request_rates(http: httpx.AsyncClient, body: dict[str, Any] = QUOTATION) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await post_for_data(http, "/quotation", body))["rates"]
    return found


async def ship(http: httpx.AsyncClient, path: str = "/shipment") -> dict[str, Any]:
    rate = (await request_rates(http))[0]
    made: dict[str, Any] = await post_for_data(http, path, SHIPMENT | {"idRate": rate["idRate"]})
    return made


def read_problem(answer: httpx.Response) -> Any:
    body = answer.json()
    assert body["status"] == "NOT OK"
    assert body["status_codes"] == [answer.status_code]
    return body["status_messages"][0]["error"]


def change_value(body: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """Return the body with the value at a dotted path replaced, or removed if the value is `...`."""
    body = copy.deepcopy(body)
    *parents, name = path.split(".")
    inner: Any = body
    for parent in parents:
        inner = inner[int(parent) if isinstance(inner, list) else parent]
    if value is ...:
        del inner[name]
    else:
        inner[name] = value
    return body


# access


@pytest.mark.parametrize(
    "key", ["", "wrong", f"Bearer {SANDBOX_CARRIER_KEY}", SANDBOX_CARRIER_KEY + " x", "ñ"]
)
async def test_quotation_with_a_wrong_api_key_returns_401(http: httpx.AsyncClient, key: str) -> None:
    answer = await http.post("/api/v2/quotation", json=QUOTATION, headers={b"Authorization": key.encode()})
    assert answer.status_code == 401
    assert read_problem(answer) == ["Unauthorized.", "API Key inválido o inactivo."]


async def test_sandbox_carrier_accepts_only_the_api_key_of_the_settings(database: Database) -> None:
    carrier = create_sandbox_carrier(Settings(carrier_api_key=SecretStr("my-own-key")), database)
    transport = httpx.ASGITransport(carrier.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://carrier", headers=HEADERS) as client:
        assert (await post(client, "/quotation", QUOTATION)).status_code == 401
        client.headers["Authorization"] = "my-own-key"
        assert (await post(client, "/quotation", QUOTATION)).status_code == 200


@pytest.mark.parametrize(
    "name", ["python-httpx/0.28.1", "python-requests/2", "curl/8", "Python-urllib/3.11", "axios/1", ""]
)
async def test_user_agents_of_libraries_are_blocked(http: httpx.AsyncClient, name: str) -> None:
    answer = await http.post("/api/v2/quotation", json=QUOTATION, headers={"User-Agent": name})
    assert (answer.status_code, answer.text) == (403, "error code: 1010")


async def test_unknown_route_is_answered_with_the_usual_error_body_of_the_carrier(
    http: httpx.AsyncClient,
) -> None:
    for answer, status in (
        (await http.get("/api/v2/quotation"), 405),
        (await http.post("/api/v1/quotation"), 404),
        (await http.post("/api/v2/nada"), 404),
    ):
        assert answer.status_code == status
        assert read_problem(answer)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"5", b"\xff"])
async def test_body_that_is_not_an_object_is_refused(http: httpx.AsyncClient, content: bytes) -> None:
    answer = await http.post("/api/v2/quotation", content=content)
    assert answer.status_code == 422
    assert read_problem(answer)[0] == "Unprocessed Entity."


# quotation


async def test_quotation_repeats_the_request_and_has_all_fields_of_every_rate(
    http: httpx.AsyncClient,
) -> None:
    body = (await post(http, "/quotation", QUOTATION)).json()
    quoted = body.pop("data")
    assert body == {
        "status": "OK",
        "status_codes": [200],
        "status_messages": [{"request": "Request processed."}],
    }
    assert {name: quoted[name] for name in QUOTATION} == QUOTATION
    assert quoted["idCarriersNoWsResult"] == []
    for rate in quoted["rates"]:
        assert list(rate) == [
            "idRate", "idProduct", "product", "idCarrier", "carrier", "flete", "minimumInsurance", "extraInsurance",
            "deliveryDays", "distance", "quotationType", "cod", "codDetails",
        ]  # fmt: skip
        assert rate["flete"] > 0
        assert rate["minimumInsurance"] == 899
    assert len({rate["idRate"] for rate in quoted["rates"]}) == len(quoted["rates"]) == 4


def numbers(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in rate.items() if name != "idRate"} for rate in found]


async def test_same_shipment_always_has_the_same_price(http: httpx.AsyncClient) -> None:
    assert numbers(await request_rates(http)) == numbers(await request_rates(http))


async def test_price_grows_with_weight_size_and_distance(http: httpx.AsyncClient) -> None:
    def least(found: list[dict[str, Any]]) -> float:
        return min(float(rate["flete"]) for rate in found)

    usual = least(await request_rates(http))
    assert least(await request_rates(http, change_value(QUOTATION, "packages.0.weight", 9))) > usual
    assert least(await request_rates(http, change_value(QUOTATION, "packages.0.height", 90))) > usual
    assert (
        least(await request_rates(http, change_value(QUOTATION, "destination.daneCode", "52001000"))) > usual
    )
    assert (
        least(await request_rates(http, change_value(QUOTATION, "destination.daneCode", "05360000"))) == usual
    )
    assert (
        least(await request_rates(http, change_value(QUOTATION, "destination.daneCode", "11001000"))) < usual
    )


async def test_only_some_couriers_deliver_to_the_department_of_amazonas(http: httpx.AsyncClient) -> None:
    quoted = await post_for_data(
        http, "/quotation", change_value(QUOTATION, "destination.daneCode", "91001000")
    )
    assert {rate["carrier"] for rate in quoted["rates"]} == {"Envía", "Interrapidísimo"}
    assert quoted["idCarriersNoWsResult"] == [2, 3]


async def test_sandbox_carrier_delivers_to_every_department(http: httpx.AsyncClient) -> None:
    for department in DEPARTMENTS:
        code = next(place.code for place in EVERYWHERE if place.department_code == department)
        assert await request_rates(http, change_value(QUOTATION, "destination.daneCode", code)), department


async def test_no_courier_delivers_to_an_unknown_department(http: httpx.AsyncClient) -> None:
    assert await request_rates(http, change_value(QUOTATION, "destination.daneCode", "00001000")) == []


BETWEEN_2_AND_50 = "El campo debe tener entre 2 y 50 caracteres."
REFUSED: list[tuple[str, object, str]] = [
    ("packages", [], "El campo debe ser una lista con al menos un elemento."),
    ("packages.0.weight", 0.9, "El campo debe ser un número entre 1 y 1000."),
    ("packages.0.weight", 1000.1, "El campo debe ser un número entre 1 y 1000."),
    ("packages.0.weight", "1", "El campo debe ser un número entre 1 y 1000."),
    ("packages.0.height", 0, "El campo debe ser un número entre 1 y 300."),
    ("packages.0.width", 301, "El campo debe ser un número entre 1 y 300."),
    ("packages.0.length", ..., "El campo length es obligatorio"),
    ("description", "x", "El campo debe tener entre 2 y 25 caracteres."),
    ("description", "x" * 26, "El campo debe tener entre 2 y 25 caracteres."),
    ("contentValue", -1, "El campo debe ser un número entre 0 y 3e+06."),
    ("contentValue", 3_000_001, "El campo debe ser un número entre 0 y 3e+06."),
    ("contentValue", True, "El campo debe ser un número entre 0 y 3e+06."),
    ("origin", ..., "El campo origin es obligatorio"),
    ("origin", "Bogotá", "El campo debe ser un objeto."),
    ("origin.daneCode", "5001000", "El campo debe tener 8 dígitos."),
    ("origin.daneCode", 11001000, "El campo debe tener 8 dígitos."),
    ("origin.address", "x", BETWEEN_2_AND_50),
    ("destination.address", "Cl 5", "El campo debe tener entre 8 y 50 caracteres."),
    ("destination.address", "x" * 51, "El campo debe tener entre 8 y 50 caracteres."),
]
REFUSED_TO_SHIP: list[tuple[str, object, str]] = [
    *REFUSED,
    ("idRate", "1", "El campo debe ser un número entre 1 y 9.0072e+15."),
    ("myShipmentReference", "x" * 29, "El campo debe tener entre 2 y 28 caracteres."),
    ("external_order_id", "x" * 36, "El campo debe tener entre 1 y 28 caracteres."),
    ("requestPickup", "no", "El campo debe ser de tipo booleano"),
    ("insurance", ..., "El campo insurance es obligatorio"),
    ("pickupDate", ..., "El campo pickupDate es obligatorio"),
    ("pickupDate", "23/11/2026", "el campo debe ser de tipo fecha AAAA-MM-DD"),
    ("pickupDate", "20261123", "el campo debe ser de tipo fecha AAAA-MM-DD"),
    ("destination.company", "x" * 29, "El campo debe tener entre 2 y 28 caracteres."),
    ("destination.firstName", "María Fernanda de", "El campo debe tener entre 2 y 14 caracteres."),
    ("origin.lastName", "", "El campo debe tener entre 2 y 14 caracteres."),
    ("destination.email", "sin arroba", "Dato inválido, el campo debe ser de tipo email"),
    ("destination.email", "a@b.co", "El campo debe tener entre 8 y 60 caracteres."),
    ("destination.phone", "+573001234567", "El campo debe tener entre 7 y 10 caracteres."),
    ("destination.suburb", "x" * 31, "El campo debe tener entre 2 y 30 caracteres."),
    ("destination.crossStreet", "x" * 36, "El campo debe tener entre 2 y 35 caracteres."),
    ("destination.reference", ..., "El campo reference es obligatorio"),
    ("codValue", 3_000_001, "El campo debe ser un número entre 0 y 3e+06."),
    ("codPaymentMethod", "bitcoin", "Dato inválido"),
]


def find_message(messages: Any, path: str) -> Any:
    for name in path.split("."):
        messages = messages[name]
    return messages


@pytest.mark.parametrize(("path", "value", "message"), REFUSED)
async def test_invalid_quotation_returns_the_error_of_its_field(
    http: httpx.AsyncClient, path: str, value: object, message: str
) -> None:
    answer = await post(http, "/quotation", change_value(QUOTATION, path, value))
    assert answer.status_code == 422
    title, fields = read_problem(answer)
    assert title == "Unprocessed Entity."
    assert find_message(fields, path) == [message]


@pytest.mark.parametrize(("path", "value", "message"), REFUSED_TO_SHIP)
async def test_invalid_shipment_creates_no_label(
    http: httpx.AsyncClient, carrier: SandboxCarrier, path: str, value: object, message: str
) -> None:
    answer = await post(http, "/shipment", change_value(SHIPMENT, path, value))
    assert answer.status_code == 422
    assert find_message(read_problem(answer)[1], path) == [message]
    assert await carrier.ledger.list_labels() == []


# shipment


async def test_shipment_returns_a_label_and_unique_numbers(http: httpx.AsyncClient) -> None:
    first, second = await ship(http), await ship(http)
    assert first["idOrder"] != second["idOrder"]
    assert first["tracker"] != second["tracker"]
    assert first["myGuideReference"] == "1042-1"
    assert first["carrier"] == "Envía"
    assert first["idOrder"] < 2**53  # the maximum exact JSON number
    assert first["destination"]["firstName"] == "Luz Marina"


async def test_test_shipment_returns_the_documented_constant_numbers(http: httpx.AsyncClient) -> None:
    for _ in range(2):
        made = await ship(http, "/shipment_sandbox")
        assert (made["idOrder"], made["tracker"]) == (TEST_ORDER_ID, TEST_TRACKER)


async def test_shipment_with_an_unknown_rate_is_refused(http: httpx.AsyncClient) -> None:
    answer = await post(http, "/shipment", SHIPMENT)
    assert answer.status_code == 422
    assert "idRate" in read_problem(answer)[1]


async def test_label_is_a_pdf_with_a_correct_object_table(http: httpx.AsyncClient) -> None:
    made = await ship(http)
    pdf = base64.b64decode(made["guide"], validate=True)
    assert pdf.startswith(b"%PDF-1.4")
    assert pdf.endswith(b"%%EOF\n")
    assert made["tracker"].encode() in pdf
    table = int(re.findall(rb"startxref\n(\d+)", pdf)[0])
    assert pdf[table:].startswith(b"xref\n0 6\n")
    starts = [int(start) for start in re.findall(rb"(\d{10}) 00000 n ", pdf)]
    assert [pdf[start:].split(b" ")[0] for start in starts] == [b"1", b"2", b"3", b"4", b"5"]
    length = int(re.findall(rb"/Length (\d+)", pdf)[0])
    stream = pdf[pdf.index(b"\nstream\n") + 8 : pdf.index(b"\nendstream")]
    assert len(stream) == length
    label = await http.get(f"/labels/{made['idOrder']}.pdf")
    assert (label.headers["Content-Type"], label.content) == ("application/pdf", pdf)
    assert made["url"].endswith(f"/labels/{made['idOrder']}.pdf")
    assert (await http.get("/labels/5.pdf")).status_code == 404


def test_label_pdf_can_be_built_with_any_text() -> None:
    pdf = build_label_pdf([r"a\(b)", "Envía ñ", "日本"])
    assert rb"(a\\\(b\)) Tj" in pdf
    assert "(Envía ñ) Tj".encode("cp1252") in pdf
    assert b"(??) Tj" in pdf


# tracking


@pytest.mark.parametrize("status", list(Status))
async def test_tracking_returns_the_changed_status_of_a_shipment(
    http: httpx.AsyncClient, carrier: SandboxCarrier, status: Status
) -> None:
    made = await ship(http)
    await carrier.ledger.move_shipment(made["idOrder"], status)
    tracked = await post_for_data(http, "/track", {"trackingCode": made["tracker"]})
    assert tracked["status"] == status
    assert list(tracked) == [
        "status",
        "statusDetail",
        "arrivalDate",
        "realPickupDate",
        "realDeliveryDate",
        "receivedBy",
    ]
    by_order = await http.get(f"/api/v2/track-by-orders/{made['idOrder']}")
    assert by_order.json()["data"] == tracked
    assert await post_for_data(http, "/track-by-orders", {"orders": [made["idOrder"]]}) == {
        str(made["idOrder"]): tracked
    }


async def test_tracking_of_an_unknown_shipment_returns_a_text_instead_of_data(
    http: httpx.AsyncClient,
) -> None:
    assert isinstance(await post_for_data(http, "/track", {"trackingCode": "NADA"}), str)
    assert isinstance((await post_for_data(http, "/track-by-orders", {"orders": [1]}))["1"], str)
    assert isinstance((await http.get("/api/v2/track-by-orders/1")).json()["data"], str)
    assert (await post(http, "/track", {})).status_code == 422


# cancellation


async def test_paid_label_is_refunded_and_test_label_only_cancelled(http: httpx.AsyncClient) -> None:
    real, test = await ship(http), await ship(http, "/shipment_sandbox")
    lists = await post_for_data(
        http, "/cancellation/batch/order", {"idOrders": [real["idOrder"], test["idOrder"]]}
    )
    assert lists == {
        "not_valid_orders": [],
        "only_cancel_orders": [test["idOrder"]],
        "to_refund_orders": [real["idOrder"]],
    }
    assert (await post_for_data(http, "/track", {"trackingCode": real["tracker"]}))["status"] == "Cancelado"


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.PENDING])
async def test_only_uncollected_shipments_are_cancelled(
    http: httpx.AsyncClient, carrier: SandboxCarrier, status: Status
) -> None:
    made = await ship(http)
    await carrier.ledger.move_shipment(made["idOrder"], status)
    lists = await post_for_data(http, "/cancellation/batch/order", {"idOrders": [made["idOrder"]]})
    assert lists == {"not_valid_orders": [made["idOrder"]], "only_cancel_orders": [], "to_refund_orders": []}
    assert (await carrier.ledger.list_labels())[0].status == status


async def test_invalid_cancellation_is_refused(http: httpx.AsyncClient) -> None:
    unknown = await post(http, "/cancellation/batch/order", {"idOrders": [5]})
    misnamed = await post(http, "/cancellation/batch/order", {"orders": [5]})
    too_many = await post(http, "/cancellation/batch/order", {"idOrders": list(range(1, 52))})
    assert [answer.status_code for answer in (unknown, misnamed, too_many)] == [422, 422, 422]
    assert read_problem(unknown) == ["Unprocessed Entity.", "orders not found"]
    assert read_problem(misnamed)[1] == {"idOrders": ["El campo idOrders es obligatorio"]}


# faults


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        (Fault.SERVER_ERROR, 500),
        (Fault.BAD_GATEWAY, 502),
        (Fault.UNAUTHORIZED, 401),
        (Fault.NO_CREDIT, 422),
        (Fault.MALFORMED, 200),
        (Fault.NO_RATES, 200),
        (Fault.SLOW, 200),
    ],
)
async def test_planned_fault_happens_the_given_number_of_times(
    http: httpx.AsyncClient, carrier: SandboxCarrier, fault: Fault, status: int
) -> None:
    good = numbers(await request_rates(http))
    carrier.faults.plan(fault, times=2)
    answers = [await post(http, "/quotation", QUOTATION) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [status, status]
    assert numbers(await request_rates(http)) == good


async def test_planned_fault_affects_only_its_operation(
    http: httpx.AsyncClient, carrier: SandboxCarrier
) -> None:
    carrier.faults.plan(Fault.BAD_GATEWAY, Operation.SHIPMENT)
    assert await request_rates(http)
    assert (await post(http, "/shipment", SHIPMENT)).status_code == 502
    carrier.faults.clear()
    assert (await post(http, "/shipment", SHIPMENT)).status_code == 422


async def test_planned_dropped_response_happens_after_the_label_was_created(
    http: httpx.AsyncClient, carrier: SandboxCarrier
) -> None:
    rate = (await request_rates(http))[0]
    carrier.faults.plan(Fault.DROP, Operation.SHIPMENT)
    answer = await post(http, "/shipment", SHIPMENT | {"idRate": rate["idRate"]})
    assert len(answer.content) < int(answer.headers["Content-Length"])
    assert len(await carrier.ledger.list_labels()) == 1


async def test_faults_can_be_planned_over_http(http: httpx.AsyncClient) -> None:
    planned = await http.post(
        "/_control/faults", json={"fault": "bad_gateway", "operation": "quotation", "times": 1}
    )
    assert planned.json() == {"quotation": {"fault": "bad_gateway", "times": 1, "seconds": 0.0}}
    assert (await post(http, "/quotation", QUOTATION)).status_code == 502
    assert (await http.get("/_control/faults")).json() == {}
    await http.post("/_control/faults", json={"fault": "slow", "seconds": 0})
    assert (await http.delete("/_control/faults")).json() == {}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"fault": "earthquake"},
        {"fault": "slow", "operation": "x"},
        {"fault": "slow", "times": "x"},
        {"fault": "slow", "seconds": []},
    ],
)
async def test_invalid_fault_is_not_planned(http: httpx.AsyncClient, body: dict[str, object]) -> None:
    assert (await http.post("/_control/faults", json=body)).status_code == 400
    assert (await http.get("/_control/faults")).json() == {}


async def test_status_of_a_shipment_can_be_changed_over_http(
    http: httpx.AsyncClient, carrier: SandboxCarrier
) -> None:
    made = await ship(http)
    path = f"/_control/parcels/{made['idOrder']}"
    assert (await http.post(path, json={"status": "Entregado"})).status_code == 200
    assert (await carrier.ledger.list_labels())[0].status == Status.DELIVERED
    assert (await http.post(path, json={"status": "Perdido"})).status_code == 400
    assert (await http.post("/_control/parcels/5", json={"status": "Entregado"})).status_code == 400


async def test_control_routes_exist_only_if_allowed(database: Database) -> None:
    transport = httpx.ASGITransport(create_sandbox_carrier(Settings(), database).app)
    async with httpx.AsyncClient(transport=transport, base_url="http://carrier", headers=HEADERS) as client:
        assert (await client.post("/_control/faults", json={"fault": "slow"})).status_code == 404
        assert (await client.post("/_control/parcels/1", json={"status": "Entregado"})).status_code == 404


# shared data of several processes, and its expiry


@pytest.fixture
async def elsewhere(database: Database) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a client of a second embedded carrier, which shares only the database, as in another process."""
    other = Database(database.url.render_as_string(hide_password=False))
    transport = httpx.ASGITransport(create_sandbox_carrier(Settings(), other).app)
    async with httpx.AsyncClient(transport=transport, base_url="http://carrier", headers=HEADERS) as client:
        yield client
    await other.close()


async def test_rate_and_label_of_one_carrier_process_are_known_to_another(
    http: httpx.AsyncClient, elsewhere: httpx.AsyncClient
) -> None:
    rate = (await request_rates(http))[0]
    made = await post_for_data(elsewhere, "/shipment", SHIPMENT | {"idRate": rate["idRate"]})
    assert made["carrier"] == rate["carrier"]
    label = await http.get(f"/labels/{made['idOrder']}.pdf")
    assert base64.b64decode(made["guide"]) == label.content
    cancelled = await post_for_data(http, "/cancellation/batch/order", {"idOrders": [made["idOrder"]]})
    assert cancelled["to_refund_orders"] == [made["idOrder"]]
    assert (await post_for_data(elsewhere, "/track", {"trackingCode": made["tracker"]}))[
        "status"
    ] == "Cancelado"


async def test_simultaneous_cancellations_cancel_a_label_once(
    http: httpx.AsyncClient, elsewhere: httpx.AsyncClient
) -> None:
    made = await ship(http)
    body = {"idOrders": [made["idOrder"]]}
    answers = await asyncio.gather(
        *(post_for_data(client, "/cancellation/batch/order", body) for client in (http, elsewhere) * 3)
    )
    assert sum(len(answer["to_refund_orders"]) for answer in answers) == 1
    assert sum(len(answer["not_valid_orders"]) for answer in answers) == 5


async def test_simultaneously_requested_test_labels_are_stored_as_one_label(
    http: httpx.AsyncClient, elsewhere: httpx.AsyncClient, carrier: SandboxCarrier
) -> None:
    made = await asyncio.gather(*(ship(client, "/shipment_sandbox") for client in (http, elsewhere) * 3))
    assert {each["idOrder"] for each in made} == {TEST_ORDER_ID}
    assert len(await carrier.ledger.list_labels()) == 1


async def test_new_test_label_replaces_the_previous_one(
    http: httpx.AsyncClient, carrier: SandboxCarrier
) -> None:
    await ship(http, "/shipment_sandbox")
    await carrier.ledger.move_shipment(TEST_ORDER_ID, Status.DELIVERED)
    await ship(http, "/shipment_sandbox")
    tracked = await post_for_data(http, "/track", {"trackingCode": TEST_TRACKER})
    assert (tracked["status"], tracked["realDeliveryDate"]) == ("Pendiente de recolección", None)


async def test_shipment_numbers_too_large_for_the_database_are_not_found(http: httpx.AsyncClient) -> None:
    huge = 10**30
    assert (await http.get(f"/labels/{huge}.pdf")).status_code == 404
    assert isinstance((await http.get(f"/api/v2/track-by-orders/{huge}")).json()["data"], str)


@pytest.mark.parametrize("text", ["\0\0", "\ud800x"])
async def test_text_that_the_database_cannot_store_is_refused(http: httpx.AsyncClient, text: str) -> None:
    rate = (await request_rates(http))[0]
    for path, body in (
        ("/track", {"trackingCode": text}),
        ("/shipment", SHIPMENT | {"idRate": rate["idRate"], "myShipmentReference": text}),
    ):
        answer = await http.post(f"/api/v2{path}", content=json.dumps(body))
        assert answer.status_code == 422


async def test_embedded_carrier_without_a_database_answers_with_retry_after() -> None:
    carrier = create_sandbox_carrier(
        Settings(), Database(f"postgresql+asyncpg://shop@127.0.0.1:{find_free_port()}/shop")
    )
    transport = httpx.ASGITransport(carrier.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://carrier", headers=HEADERS) as client:
        answer = await post(client, "/track", {"trackingCode": "TRM1"})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")


@pytest.mark.parametrize(
    ("passed", "is_good"), [(-301, False), (-300, True), (0, True), (86_400, True), (86_401, False)]
)
def test_rate_of_a_quotation_is_valid_for_a_day(
    monkeypatch: pytest.MonkeyPatch, passed: int, is_good: bool
) -> None:
    moment = datetime(2026, 11, 23, tzinfo=UTC)
    monkeypatch.setattr("backend.sandbox.carrier.ledger.now", lambda: moment)
    number = make_rate_number(2)
    monkeypatch.setattr("backend.sandbox.carrier.ledger.now", lambda: moment + timedelta(seconds=passed))
    assert find_courier(number) == ("Coordinadora" if is_good else None)
    assert find_courier(number + 7) is None  # there is no courier 9


async def test_oldest_labels_of_the_embedded_carrier_are_deleted(
    carrier: SandboxCarrier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.sandbox.carrier.ledger.MAX_LABELS", 3)
    made = [await carrier.ledger.create_label("Envía", str(number), is_test=False) for number in range(5)]
    assert [label.order_id for label in await carrier.ledger.list_labels()] == [
        label.order_id for label in made[2:]
    ]
