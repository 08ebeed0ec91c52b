"""The tables of the carrier's API, row by row, over a real socket. A test's id is its row.

Requests of the client are checked twice: our own models refuse values outside a row's limits before they are sent,
and the embedded carrier, which shares no code with them, accepts values at the limits.
"""

import copy
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from pydantic import SecretStr, ValidationError

from backend.core.config.settings import SANDBOX_CARRIER_KEY, Settings
from backend.core.db.database import Database
from backend.core.errors import OutcomeUnknown, OutsideFailure
from backend.sandbox.carrier import Fault, SandboxCarrier, create_sandbox_carrier
from backend.sandbox.carrier.faults import Operation
from backend.sandbox.carrier.labels import TEST_ORDER_ID, TEST_TRACKER, Status
from backend.shipping.municipalities import find_municipality_by_code
from backend.shipping.providers.base import TrackingUpdate
from backend.shipping.providers.carrier.client import (
    USER_AGENT,
    CarrierClient,
    CarrierPolicy,
    create_carrier_client,
)
from backend.shipping.providers.carrier.provider import CarrierStandard
from backend.shipping.providers.carrier.requests import Quotation, Shipment, to_quotation, to_shipment
from backend.shipping.providers.carrier.responses import CarrierError, find_cheapest_rate, parse_tracking
from backend.shipping.providers.carrier.statuses import parse_stage
from tests.backend.shipping.samples import (
    EVERYWHERE,
    IMPATIENT,
    QUICK,
    get_label_number,
    make_rate,
    quote_request,
    shipment_request,
)
from tests.backend.shipping.serving import served

PICKUP = datetime(2026, 11, 23, tzinfo=UTC).date()
LABEL_COUNT = 120

SETTINGS = Settings(carrier_sandbox=False)


@pytest.fixture
def wire(carrier_memory: Database) -> SandboxCarrier:
    """Return an embedded carrier without sandbox mode, so that each label has its own number."""
    return create_sandbox_carrier(SETTINGS, carrier_memory)


@pytest.fixture
def address(wire: SandboxCarrier) -> Iterator[str]:
    with served(wire.app) as url:
        yield f"{url}/api/v2"


def client_at(address: str, policy: CarrierPolicy = QUICK) -> CarrierClient:
    settings = SETTINGS.model_copy(update={"carrier_api_url": address})
    return create_carrier_client(settings, httpx.AsyncHTTPTransport(), policy)


@pytest.fixture
async def networked(address: str) -> AsyncIterator[CarrierClient]:
    client = client_at(address)
    yield client
    await client.close()


@pytest.fixture
async def hurried(address: str) -> AsyncIterator[CarrierClient]:
    client = client_at(address, IMPATIENT)
    yield client
    await client.close()


def quotation() -> dict[str, Any]:
    return to_quotation(quote_request()).body()


async def shipment(client: CarrierClient, number: int = 1) -> Shipment:
    offer = find_cheapest_rate(await client.request_quotation(to_quotation(quote_request())))
    assert offer is not None
    return to_shipment(shipment_request(reference=f"1042-{number}"), rate_id=offer.id, pickup_date=PICKUP)


def with_field(body: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """Return the body with one field changed, by a path such as `packages.0.weight`."""
    changed = copy.deepcopy(body)
    *way, last = path.split(".")
    place: Any = changed
    for step in way:
        place = place[int(step)] if isinstance(place, list) else place[step]
    place[last] = value
    return changed


def letters(count: int) -> str:
    return "x" * count


def mail(length: int) -> str:
    return f"{letters(length - 5)}@a.co"


Row = tuple[str, str, tuple[object, ...], tuple[object, ...]]
"""A row's name, the field it is about, values at its limits and values beyond them."""

CONTENT_ROWS: list[Row] = [
    ("2.2 weight", "packages.0.weight", (1.0, 1000), (0.99, 1000.01)),
    ("2.2 height", "packages.0.height", (1, 300), (0, 301)),
    ("2.2 width", "packages.0.width", (1, 300), (0, 301)),
    ("2.2 length", "packages.0.length", (1, 300), (0, 301)),
    ("2.2 description", "description", (letters(3), letters(25)), (letters(1), letters(26))),
    ("2.2 contentValue", "contentValue", (0, 3_000_000), (-1, 3_000_001)),
    ("2.2 daneCode", "destination.daneCode", ("05001000", "11001000"), ("5001000", "050010000")),
    ("2.2 address", "destination.address", (letters(8), letters(50)), (letters(1), letters(51))),
]
SHIPMENT_ROWS: list[Row] = [
    *((row.replace("2.2", "2.3"), path, fits, breaks) for row, path, fits, breaks in CONTENT_ROWS),
    ("2.3 myShipmentReference", "myShipmentReference", (letters(2), letters(28)), (letters(1), letters(29))),
    ("2.3 company", "destination.company", (letters(2), letters(28)), (letters(1), letters(29))),
    ("2.3 firstName", "destination.firstName", (letters(2), letters(14)), (letters(1), letters(15))),
    ("2.3 lastName", "destination.lastName", (letters(2), letters(14)), (letters(1), letters(15))),
    ("2.3 email", "destination.email", (mail(8), mail(60)), (mail(7), mail(61), "sin-arroba.example")),
    ("2.3 phone", "destination.phone", ("3001234567",), ("300123456", "30012345678", "+573001234")),
    ("2.3 suburb", "destination.suburb", (letters(2), letters(30)), (letters(1), letters(31))),
    ("2.3 crossStreet", "destination.crossStreet", (letters(2), letters(35)), (letters(1), letters(36))),
    ("2.3 reference", "destination.reference", (letters(2), letters(25)), (letters(1), letters(26), "")),
    ("2.3 pickupDate", "pickupDate", ("2026-11-23",), ("", "mañana", "2026-13-01", None)),
    ("2.3 insurance", "insurance", (False, True), (None, "tal vez")),
]


@pytest.mark.parametrize(
    ("path", "fits", "breaks"), [rest for _, *rest in CONTENT_ROWS], ids=[row for row, *_ in CONTENT_ROWS]
)
async def test_quotation_field_is_accepted_up_to_its_limits_and_refused_beyond(
    networked: CarrierClient, path: str, fits: tuple[object, ...], breaks: tuple[object, ...]
) -> None:
    for value in fits:
        body = with_field(quotation(), path, value)
        assert isinstance(await networked.request_quotation(Quotation.model_validate(body)), list)
    for value in breaks:
        with pytest.raises(ValidationError):
            Quotation.model_validate(with_field(quotation(), path, value))


@pytest.mark.parametrize(
    ("path", "fits", "breaks"), [rest for _, *rest in SHIPMENT_ROWS], ids=[row for row, *_ in SHIPMENT_ROWS]
)
async def test_shipment_field_is_accepted_up_to_its_limits_and_refused_beyond(
    networked: CarrierClient, path: str, fits: tuple[object, ...], breaks: tuple[object, ...]
) -> None:
    body = (await shipment(networked)).body()
    for value in fits:
        made = await networked.create_shipment(Shipment.model_validate(with_field(body, path, value)))
        assert get_label_number(made)
    for value in breaks:
        with pytest.raises(ValidationError):
            Shipment.model_validate(with_field(body, path, value))


async def test_optional_request_fields_are_not_sent(networked: CarrierClient, wire: SandboxCarrier) -> None:
    """Check that no request has cash on delivery, our id or a thermal label (wire: carrier 2.2, 2.3)."""
    await networked.create_shipment(await shipment(networked))
    for _, path, body in wire.requests:
        names = json.dumps(body)
        for name in ("cod", "includeGuideCost", "external_order_id", "thermalLabel"):
            assert f'"{name}' not in names, (path, name)
        assert len(body["packages"]) == 1


async def test_requests_with_a_wrong_user_agent_or_key_prefix_are_refused(
    networked: CarrierClient, address: str
) -> None:
    """Check a library's `User-Agent`, and a key with the prefix `Bearer` (wire: carrier 2.1)."""
    assert await networked.request_quotation(to_quotation(quote_request()))
    async with httpx.AsyncClient() as library:
        turned_away = await library.post(f"{address}/quotation", json=quotation())
        named = {"User-Agent": "Otro/1", "Authorization": "Bearer 1234"}
        prefixed = await library.post(f"{address}/quotation", json=quotation(), headers=named)
    assert (turned_away.status_code, turned_away.text) == (403, "error code: 1010")
    assert prefixed.status_code == 401


def test_default_base_url_of_the_carrier_is_the_colombian_one() -> None:
    """Check the base URL, because the Mexican one refuses Colombian keys (wire: carrier 2.1)."""
    assert Settings().carrier_api_url == "https://api.envioclickpro.com.co/api/v2"


def test_timeouts_cover_the_usual_latency() -> None:
    """Check that every timeout is longer than 8 s, because answers take 5 to 8 s (wire: carrier 2.1)."""
    policy = CarrierPolicy()
    assert 8 < policy.quotation == Settings().carrier_timeout <= 30
    assert 15 <= policy.read <= 30
    assert policy.write >= 30


@pytest.mark.parametrize(
    "text",
    [
        "El campo debe tener entre 2 y 50 caracteres.",
        "Dato inválido, el campo debe ser de tipo email",
        "No tiene suficiente crédito disponible en su cuenta para generar la guía.",
        "No se pudo generar la guía",
        "El campo pickupDate es obligatorio",
        "el campo debe ser de tipo fecha AAAA-MM-DD",
    ],
)
@pytest.mark.parametrize("shape", ["sentence", "by field", "nested", "older"])
async def test_error_contains_the_documented_message_and_field_of_the_carrier(text: str, shape: str) -> None:
    """Check the texts that the real carrier has sent, in each known shape of the body (wire: carrier 2.1)."""
    problem: object = text
    if shape == "by field":
        problem = {"address": [text]}
    elif shape == "nested":
        problem = {"destination": {"address": [text]}}
    messages: Any = {"error": ["Unprocessed Entity.", problem]}
    body = {
        "status": "NOT OK",
        "status_codes": [422],
        "status_messages": messages if shape == "older" else [messages],
    }
    client = CarrierClient(
        "https://carrier.example/api/v2",
        SecretStr("key"),
        creates_test_labels=False,
        transport=httpx.MockTransport(lambda _: httpx.Response(422, json=body)),
        policy=QUICK,
    )
    with pytest.raises(CarrierError, match="answered 422") as refused:
        await client.request_quotation(to_quotation(quote_request()))
    assert text in refused.value.message
    assert set(refused.value.fields) == (
        {"address"} if shape == "by field" else {"destination.address"} if shape == "nested" else set()
    )
    await client.close()


async def test_rate_of_the_live_sample_is_parsed(networked: CarrierClient) -> None:
    """Check every field of a rate. Its price is `flete` plus `minimumInsurance` (wire: carrier 2.2)."""
    rates = await networked.request_quotation(to_quotation(quote_request()))
    for offered in rates:
        assert isinstance(offered, dict)
        assert offered.keys() == make_rate().keys()
    sample = [
        make_rate(idRate=1, flete=14_696),
        make_rate(idRate=2, flete=17_682),
        make_rate(idRate=3, flete=19_261),
    ]
    offer = find_cheapest_rate(sample)
    assert offer is not None
    assert (offer.id, offer.price) == (1, 14_696 + 899)


async def test_quotation_for_a_place_without_coverage_returns_an_empty_list(
    networked: CarrierClient, wire: SandboxCarrier
) -> None:
    """Check that the carrier answers 200 without rates where it does not deliver (wire: carrier 2.2)."""
    wire.faults.plan(Fault.NO_RATES, Operation.QUOTATION)
    assert await networked.request_quotation(to_quotation(quote_request())) == []


async def test_creating_a_label_requests_a_new_quotation_first(
    networked: CarrierClient, wire: SandboxCarrier
) -> None:
    """Check that rates, which change, are quoted again right before the shipment (wire: carrier 2.2)."""
    provider = CarrierStandard(networked)
    await provider.calculate_price(quote_request())
    await provider.create_fulfillment(shipment_request())
    assert [path for _, path, _ in wire.requests] == ["/quotation", "/quotation", "/shipment"]
    sent = wire.requests[-1][2]["idRate"]
    assert sent > 0


async def test_response_to_a_shipment_has_label_and_numbers(networked: CarrierClient) -> None:
    """Check that the label as PDF and URL, both numbers and the courier are read (wire: carrier 2.3)."""
    made = await networked.create_shipment(await shipment(networked))
    assert made.label_pdf
    assert made.label_pdf.startswith(b"%PDF")
    assert made.label_url
    assert made.label_url.endswith(f"/{get_label_number(made)}.pdf")
    assert made.tracking_number == f"TRM{get_label_number(made)}"
    assert made.data["carrier"] == "Envía"


async def test_test_labels_have_constant_numbers(address: str) -> None:
    """Check that the sandbox gives every test label the same numbers (wire: carrier 2.3)."""
    settings = Settings(carrier_api_url=address)
    client = create_carrier_client(settings, httpx.AsyncHTTPTransport(), QUICK)
    made = [await client.create_shipment(await shipment(client, number)) for number in (1, 2)]
    assert {(label.carrier_order_id, label.tracking_number) for label in made} == {
        (TEST_ORDER_ID, TEST_TRACKER)
    }
    await client.close()


async def test_missing_credit_creates_no_label(networked: CarrierClient, wire: SandboxCarrier) -> None:
    """Check the carrier's refusal, which it sends with the status 422 (wire: carrier 2.3)."""
    wire.faults.plan(Fault.NO_CREDIT, Operation.SHIPMENT)
    with pytest.raises(CarrierError, match="No tiene suficiente crédito"):
        await networked.create_shipment(await shipment(networked))
    assert await wire.ledger.list_labels() == []


NOT_DONE, UNKNOWN = CarrierError, OutcomeUnknown
FAILURES = [
    (Fault.SERVER_ERROR, UNKNOWN),
    (Fault.BAD_GATEWAY, UNKNOWN),
    (Fault.MALFORMED, UNKNOWN),
    (Fault.DROP, UNKNOWN),
    (Fault.HANG, UNKNOWN),
    (Fault.SLOW, UNKNOWN),
    (Fault.UNAUTHORIZED, NOT_DONE),
    (Fault.NO_CREDIT, NOT_DONE),
]


@pytest.mark.parametrize(("fault", "kind"), FAILURES)
async def test_failed_shipment_request_is_not_repeated(
    *,
    networked: CarrierClient,
    hurried: CarrierClient,
    wire: SandboxCarrier,
    fault: Fault,
    kind: type[OutsideFailure],
) -> None:
    """Check that no request is repeated: it would create a second paid label (wire: carrier 2.3)."""
    body = await shipment(networked)
    wire.faults.plan(fault, Operation.SHIPMENT, seconds=0.5)
    with pytest.raises(OutsideFailure) as failed:
        await (hurried if fault in {Fault.HANG, Fault.SLOW} else networked).create_shipment(body)
    assert type(failed.value) is kind
    assert sum(path == "/shipment" for _, path, _ in wire.requests) == 1


@pytest.mark.parametrize(("fault", "kind"), FAILURES)
async def test_failed_cancellation_raises_the_exact_error(
    *,
    networked: CarrierClient,
    hurried: CarrierClient,
    wire: SandboxCarrier,
    fault: Fault,
    kind: type[OutsideFailure],
) -> None:
    """Check each failure of a cancellation (wire: carrier 2.5)."""
    made = await networked.create_shipment(await shipment(networked))
    wire.faults.plan(fault, Operation.CANCELLATION, seconds=0.5)
    with pytest.raises(OutsideFailure) as failed:
        await (hurried if fault in {Fault.HANG, Fault.SLOW} else networked).cancel([get_label_number(made)])
    assert type(failed.value) is kind


async def track_order(address: str, number: int) -> TrackingUpdate | None:
    """Track a label with the request for single labels, which the shop does not use."""
    headers = {"Authorization": SANDBOX_CARRIER_KEY, "User-Agent": USER_AGENT}
    async with httpx.AsyncClient(headers=headers) as http:
        return parse_tracking((await http.get(f"{address}/track-by-orders/{number}")).json()["data"])


@pytest.mark.parametrize("fault", [fault for fault, _ in FAILURES])
async def test_failed_tracking_raises_an_error(
    *, networked: CarrierClient, hurried: CarrierClient, wire: SandboxCarrier, fault: Fault
) -> None:
    """Check each failure of both tracking requests (wire: carrier 2.4)."""
    made = await networked.create_shipment(await shipment(networked))
    wire.faults.plan(fault, Operation.TRACK, seconds=0.5)
    client = hurried if fault in {Fault.HANG, Fault.SLOW} else networked
    for question in (
        client.track(made.tracking_number or ""),
        client.track_by_orders([get_label_number(made)]),
    ):
        with pytest.raises(CarrierError):
            await question


@pytest.mark.parametrize("status", list(Status))
async def test_all_three_tracking_requests_return_the_same_result(
    networked: CarrierClient, wire: SandboxCarrier, address: str, status: Status
) -> None:
    """Check all three tracking requests with every status (wire: carrier 2.4)."""
    made = await networked.create_shipment(await shipment(networked))
    await wire.ledger.move_shipment(get_label_number(made), status)
    tracking = await networked.track(made.tracking_number or "")
    assert tracking is not None
    assert tracking.stage is parse_stage(status)
    assert await track_order(address, get_label_number(made)) == tracking
    assert await networked.track_by_orders([get_label_number(made), 5]) == {get_label_number(made): tracking}


async def test_number_that_the_carrier_refuses_to_track_does_not_affect_the_others(
    networked: CarrierClient,
) -> None:
    """Let the carrier refuse requests with an unknown number (wire: carrier 2.4)."""
    made = await networked.create_shipment(await shipment(networked))

    async def strict(order_ids: Any) -> Any:
        if 5 in order_ids:
            raise CarrierError("orders not found", http_status=422)
        return await CarrierClient.track_by_orders(networked, order_ids)

    provider = CarrierStandard(networked)
    networked.track_by_orders = strict  # type: ignore[method-assign]
    unknown = [replace(made, carrier_order_id=number) for number in (1, 2, 5, 3)]
    found = await provider.track([*unknown, made])
    assert [update is not None for update in found] == [False] * 4 + [True]


async def test_more_than_fifty_labels_are_cancelled_in_batches(
    networked: CarrierClient, wire: SandboxCarrier
) -> None:
    """Check batches of 50 ids, because the embedded carrier refuses more (wire: carrier 2.5)."""
    one = await shipment(networked)
    made = [get_label_number(await networked.create_shipment(one)) for _ in range(LABEL_COUNT)]
    kept = made[60]
    await wire.ledger.move_shipment(kept, Status.COLLECTED)
    wire.requests.clear()
    assert await networked.cancel(made) == set(made) - {kept}
    assert [len(body["idOrders"]) for _, _, body in wire.requests] == [50, 50, 20]
    statuses = {label.order_id: label.status for label in await wire.ledger.list_labels()}
    assert {number for number, status in statuses.items() if status != Status.CANCELLED} == {kept}


async def test_label_missing_from_the_cancellation_response_is_not_cancelled(
    networked: CarrierClient, wire: SandboxCarrier
) -> None:
    """Check that an answer 200 with empty lists counts as a failure (wire: carrier 2.5)."""
    made = await networked.create_shipment(await shipment(networked))
    wire.faults.plan(Fault.IGNORED, Operation.CANCELLATION, times=1)
    assert await networked.cancel([get_label_number(made)]) == frozenset()
    assert await networked.cancel([get_label_number(made)]) == {get_label_number(made)}


async def test_unknown_label_is_refused_and_labels_are_sent_under_their_field_name(
    networked: CarrierClient, wire: SandboxCarrier
) -> None:
    """Check that an unknown id gets 422, and that the ids are sent as `idOrders` (wire: carrier 2.5)."""
    with pytest.raises(CarrierError, match="orders not found") as unknown:
        await networked.cancel([5])
    assert unknown.value.http_status == 422
    assert wire.requests[-1][2] == {"idOrders": [5]}


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.PENDING])
async def test_shipment_that_does_not_wait_for_collection_is_not_cancelled(
    networked: CarrierClient, wire: SandboxCarrier, status: Status
) -> None:
    """Check each status other than "Pendiente de recolección" (wire: carrier 2.5)."""
    made = await networked.create_shipment(await shipment(networked))
    await wire.ledger.move_shipment(get_label_number(made), status)
    assert await networked.cancel([get_label_number(made)]) == frozenset()


@pytest.mark.parametrize("code", ["11001000", "05001000", "76001000", "08001000", "27493000"])
def test_municipality_code_is_a_text_of_eight_digits(code: str) -> None:
    """Check all 1,122 codes, some with leading zeros. 27493000 is among them (wire: carrier 2.6)."""
    assert find_municipality_by_code(code)
    assert len({town.code for town in EVERYWHERE}) == len(EVERYWHERE) == 1_122
    assert {len(town.code) for town in EVERYWHERE} == {8}
