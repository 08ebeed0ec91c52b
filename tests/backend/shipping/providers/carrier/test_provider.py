import asyncio
import dataclasses
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import date

import httpx
import pytest
from pydantic import SecretStr

from backend.core.config.modules import CARRIER
from backend.core.config.settings import SANDBOX_CARRIER_KEY, Settings
from backend.core.db.database import Database
from backend.core.errors import InvalidData, OutcomeUnknown
from backend.sandbox.carrier import Fault, SandboxCarrier, create_sandbox_carrier
from backend.sandbox.carrier.faults import Operation
from backend.sandbox.carrier.labels import TEST_ORDER_ID, TEST_TRACKER, Status
from backend.shipping.packages import Item, pack_items
from backend.shipping.providers import registry
from backend.shipping.providers.base import Label, Quote, ShippingPlace
from backend.shipping.providers.carrier.client import CarrierClient, CarrierPolicy, create_carrier_client
from backend.shipping.providers.carrier.provider import CarrierStandard
from backend.shipping.providers.carrier.quotes import LiveQuotes
from backend.shipping.providers.carrier.requests import Quotation
from backend.shipping.providers.carrier.responses import CarrierError
from backend.shipping.providers.fallback import FALLBACK_PRICE
from tests.backend.shipping.samples import (
    BOGOTA,
    IMPATIENT,
    LETICIA,
    QUICK,
    SHOPPER,
    place_in,
    quote_request,
    shipment_request,
)


def count_quotations(carrier: SandboxCarrier) -> int:
    return sum(path == "/quotation" for _, path, _ in carrier.requests)


# the price


async def test_price_is_that_of_the_cheapest_courier(provider: CarrierStandard) -> None:
    quote = await provider.calculate_price(quote_request())
    assert quote == Quote(
        amount=quote.amount,
        carrier="Envía",
        delivery_days=2,
        data={**quote.data, "carrier": "Envía", "product": "Terrestre", "price": quote.amount},
    )
    assert quote.amount == quote.data["flete"] + quote.data["minimumInsurance"]
    assert 10_000 < quote.amount < 30_000
    assert not quote.is_fallback


async def test_price_depends_on_weight_and_distance(provider: CarrierStandard) -> None:
    async def price(**changes: object) -> int:
        return (await provider.calculate_price(quote_request(**changes))).amount

    near, usual, far = [await price(destination=place_in(code)) for code in (BOGOTA, "05001000", LETICIA)]
    assert near < usual < far
    assert usual < await price(packages=pack_items([Item(10, weight=2)]))
    assert await price() == usual  # equal packages have the same price


async def test_every_price_calculation_requests_a_quotation(
    provider: CarrierStandard, carrier: SandboxCarrier
) -> None:
    for _ in range(3):
        await provider.calculate_price(quote_request())
    assert count_quotations(carrier) == 3


async def test_concurrent_calls_for_the_same_packages_share_one_request(
    provider: CarrierStandard, carrier: SandboxCarrier
) -> None:
    quotes = await asyncio.gather(*(provider.calculate_price(quote_request()) for _ in range(25)))
    assert len(set(map(repr, quotes))) == 1
    assert count_quotations(carrier) == 1


async def test_concurrent_calls_for_different_packages_or_places_send_separate_requests(
    provider: CarrierStandard, carrier: SandboxCarrier
) -> None:
    requests = [quote_request(), quote_request(content_value=1), quote_request(destination=place_in(LETICIA))]
    await asyncio.gather(*map(provider.calculate_price, requests))
    assert count_quotations(carrier) == 3


async def test_cancelled_call_does_not_cancel_the_shared_request(
    provider: CarrierStandard, carrier: SandboxCarrier
) -> None:
    leaving, staying = (asyncio.create_task(provider.calculate_price(quote_request())) for _ in range(2))
    await asyncio.sleep(0)
    leaving.cancel()
    assert not (await staying).is_fallback
    assert leaving.cancelled()
    assert count_quotations(carrier) == 1


@pytest.mark.parametrize(
    "fault",
    [
        Fault.SERVER_ERROR,
        Fault.BAD_GATEWAY,
        Fault.UNAUTHORIZED,
        Fault.NO_CREDIT,
        Fault.MALFORMED,
        Fault.DROP,
        Fault.NO_RATES,
        Fault.NEGATIVE_RATES,
        Fault.ABSURD_RATES,
        Fault.IGNORED,
    ],
)
async def test_failure_of_the_carrier_gives_the_fixed_price_of_15000(
    fault: Fault, provider: CarrierStandard, carrier: SandboxCarrier, caplog: pytest.LogCaptureFixture
) -> None:
    carrier.faults.plan(fault, Operation.QUOTATION)
    quote = await provider.calculate_price(quote_request())
    assert (quote.amount, quote.is_fallback, quote.carrier, quote.delivery_days) == (15_000, True, None, None)
    assert quote.data["fallback"] in caplog.text
    assert "charging 15000" in caplog.text


async def test_temporary_failure_is_retried(provider: CarrierStandard, carrier: SandboxCarrier) -> None:
    carrier.faults.plan(Fault.BAD_GATEWAY, Operation.QUOTATION, times=1)
    assert not (await provider.calculate_price(quote_request())).is_fallback


async def test_invalid_destination_is_refused_without_a_request(
    provider: CarrierStandard, carrier: SandboxCarrier
) -> None:
    with pytest.raises(InvalidData) as refused:
        await provider.calculate_price(quote_request(destination=ShippingPlace("Medellín", "Calle 1")))
    assert list(refused.value.fields) == ["destination.daneCode"]
    assert carrier.requests == []


async def test_invalid_warehouse_gives_the_fixed_price_without_a_request(
    provider: CarrierStandard, carrier: SandboxCarrier, caplog: pytest.LogCaptureFixture
) -> None:
    quote = await provider.calculate_price(quote_request(origin=ShippingPlace("Bogotá", "Calle 1")))
    assert (quote.amount, quote.is_fallback) == (FALLBACK_PRICE, True)
    assert carrier.requests == []
    assert "origin.daneCode" in caplog.text


async def test_quotation_is_repeated_without_a_street_that_the_carrier_refused(
    settings: Settings, carrier: SandboxCarrier
) -> None:
    """Let the carrier's firewall refuse words of the street: the quotation is requested again without the street."""
    streets: list[str] = []

    class Doorkeeper(httpx.ASGITransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            streets.append(json.loads(request.content)["destination"]["address"])
            if "UNION SELECT" in streets[-1]:
                return httpx.Response(403, text="error code: 1020")
            return await super().handle_async_request(request)

    client = create_carrier_client(settings, Doorkeeper(carrier.app), QUICK)
    far = quote_request(destination=ShippingPlace(LETICIA, "Calle 1 UNION SELECT 1"))
    quote = await CarrierStandard(client).calculate_price(far)
    await client.close()
    assert not quote.is_fallback
    assert quote.amount > FALLBACK_PRICE
    assert streets == ["Calle 1 UNION SELECT 1", "Sin dirección"]


async def test_unexpected_error_gives_the_fixed_price(caplog: pytest.LogCaptureFixture) -> None:
    def explode(_: httpx.Request) -> httpx.Response:
        raise ZeroDivisionError

    client = create_carrier_client(Settings(), httpx.MockTransport(explode), QUICK)
    quote = await CarrierStandard(client).calculate_price(quote_request())
    await client.close()
    assert quote.is_fallback
    assert "ZeroDivisionError" in caplog.text
    assert "Traceback" in caplog.text


async def test_fixed_price_after_a_failure_is_not_cached(
    provider: CarrierStandard, carrier: SandboxCarrier
) -> None:
    carrier.faults.plan(Fault.UNAUTHORIZED, Operation.QUOTATION, times=1)
    quotes = [await provider.calculate_price(quote_request()) for _ in range(2)]
    assert [quote.is_fallback for quote in quotes] == [True, False]


# failures over a real socket


@asynccontextmanager
async def over_network(url: str, policy: CarrierPolicy = QUICK) -> AsyncIterator[CarrierStandard]:
    """Return the provider with a real socket to the carrier."""
    client = create_carrier_client(Settings(carrier_api_url=url), httpx.AsyncHTTPTransport(), policy)
    yield CarrierStandard(client)
    await client.close()


async def test_price_over_the_network_equals_the_embedded_price(
    provider: CarrierStandard, carrier_url: str
) -> None:
    async with over_network(carrier_url) as networked:
        quote = await networked.calculate_price(quote_request())
    assert quote.amount == (await provider.calculate_price(quote_request())).amount
    assert not quote.is_fallback


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (Fault.HANG, "within 0.15 s"),
        (Fault.SLOW, "within 0.15 s"),
        (Fault.SERVER_ERROR, "answered 500: Server Error. No se pudo generar la guía"),
        (Fault.BAD_GATEWAY, "answered 502: without a readable message"),
        (Fault.MALFORMED, "answered 200: without a readable message"),
        (Fault.DROP, "the carrier did not answer (RemoteProtocolError)"),
        (Fault.NO_RATES, "no courier offers a valid rate"),
        (Fault.NEGATIVE_RATES, "no courier offers a valid rate"),
        (Fault.ABSURD_RATES, "no courier offers a valid rate"),
        (Fault.UNAUTHORIZED, "answered 401: Unauthorized. API Key inválido"),
    ],
)
async def test_network_failure_gives_the_price_of_15000(
    fault: Fault, cause: str, carrier_url: str, carrier: SandboxCarrier
) -> None:
    carrier.faults.plan(fault, Operation.QUOTATION, seconds=0.5)
    async with over_network(
        carrier_url, IMPATIENT if fault in {Fault.HANG, Fault.SLOW} else QUICK
    ) as networked:
        quote = await networked.calculate_price(quote_request())
    assert (quote.amount, quote.is_fallback) == (15_000, True)
    assert cause in quote.data["fallback"]


async def test_quotations_wait_less_while_the_carrier_hangs_and_as_usual_after_it_answers(
    carrier_url: str, carrier: SandboxCarrier
) -> None:
    settings = Settings(carrier_api_url=carrier_url)
    client = create_carrier_client(
        settings, httpx.AsyncHTTPTransport(), dataclasses.replace(QUICK, quotation=0.3)
    )
    quotes = LiveQuotes(client, short_wait=0.1)
    carrier.faults.plan(Fault.HANG, Operation.QUOTATION)
    first = await quotes.get_price(quote_request())
    assert "within 0.3 s" in first.data["fallback"]
    second, third = [await quotes.get_price(quote_request()) for _ in range(2)]
    assert "after 0.1 s" in second.data["fallback"]
    assert "after 0.1 s" in third.data["fallback"]
    while count_quotations(carrier) < 3:  # noqa: ASYNC110 - every look asks; a busy machine does so after the short wait
        await asyncio.sleep(0)
    carrier.faults.clear()
    while (await quotes.get_price(quote_request())).is_fallback:
        pass  # a busy machine may take longer than the short wait
    carrier.faults.plan(Fault.HANG, Operation.QUOTATION)
    assert (
        "within 0.3 s" in (await quotes.get_price(quote_request())).data["fallback"]
    )  # the usual wait is restored
    await quotes.close()
    await client.close()


async def test_quotations_wait_as_usual_again_after_the_carrier_answered_late(
    client: CarrierClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    come, answered = asyncio.Event(), asyncio.Event()
    quotation, quotes = client.request_quotation, LiveQuotes(client, short_wait=0)

    async def hang(_: Quotation) -> Sequence[object]:
        await asyncio.sleep(0.01)
        raise CarrierError("the carrier did not answer in time")

    async def slow(asked: Quotation) -> Sequence[object]:
        await come.wait()
        rates = await quotation(asked)
        asyncio.get_running_loop().call_soon(answered.set)
        return rates

    monkeypatch.setattr(client, "request_quotation", hang)
    assert (await quotes.get_price(quote_request())).is_fallback
    monkeypatch.setattr(client, "request_quotation", slow)
    assert (await quotes.get_price(quote_request())).is_fallback
    come.set()
    await answered.wait()
    assert not (await quotes.get_price(quote_request())).is_fallback
    await quotes.close()


async def test_timeout_of_an_older_quotation_does_not_shorten_the_wait_of_later_ones(
    client: CarrierClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    quotation, quotes = client.request_quotation, LiveQuotes(client, short_wait=0)
    asked, give_up = asyncio.Event(), asyncio.Event()

    async def hang(_: Quotation) -> Sequence[object]:
        asked.set()
        await give_up.wait()
        raise CarrierError("the carrier did not answer in time")

    monkeypatch.setattr(client, "request_quotation", hang)
    old = asyncio.create_task(quotes.get_price(quote_request(content_value=1)))
    await asked.wait()
    monkeypatch.setattr(client, "request_quotation", quotation)
    assert not (await quotes.get_price(quote_request())).is_fallback
    give_up.set()
    assert (await old).is_fallback
    assert not (await quotes.get_price(quote_request())).is_fallback
    await quotes.close()


async def test_quotation_that_fails_immediately_does_not_shorten_the_wait_of_the_next(
    provider: CarrierStandard, carrier: SandboxCarrier, monkeypatch: pytest.MonkeyPatch
) -> None:
    carrier.faults.plan(Fault.UNAUTHORIZED, Operation.QUOTATION, times=1)
    assert (await provider.calculate_price(quote_request())).is_fallback
    monkeypatch.setattr(asyncio, "wait", None)  # the short wait is not used
    assert not (await provider.calculate_price(quote_request())).is_fallback


async def test_closing_the_provider_cancels_running_quotations(
    client: CarrierClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    quotes, ended = LiveQuotes(client, short_wait=0), []

    async def hang(_: Quotation) -> Sequence[object]:
        await asyncio.sleep(0.01)
        raise CarrierError("the carrier did not answer in time")

    async def forever(_: Quotation) -> Sequence[object]:
        try:
            return await asyncio.Future()
        finally:
            ended.append(True)

    monkeypatch.setattr(client, "request_quotation", hang)
    await quotes.get_price(quote_request())
    monkeypatch.setattr(client, "request_quotation", forever)
    await quotes.get_price(quote_request())
    await asyncio.sleep(0)
    await quotes.close()
    assert ended == [True]


async def test_unreachable_carrier_gives_the_price_of_15000() -> None:
    async with over_network("http://127.0.0.1:9/api/v2") as networked:
        quote = await networked.calculate_price(quote_request())
    assert (quote.amount, quote.is_fallback) == (15_000, True)
    assert quote.data["fallback"] == "the carrier cannot be reached (ConnectError)"


# labels


async def test_label_uses_the_cheapest_courier(provider: CarrierStandard, carrier: SandboxCarrier) -> None:
    label = await provider.create_fulfillment(shipment_request(pickup_date=date(2026, 11, 23)))
    assert (label.carrier_order_id, label.tracking_number) == (TEST_ORDER_ID, TEST_TRACKER)
    assert label.label_pdf is not None
    assert label.data["carrier"] == "Envía"
    assert label.data["pickupDate"] == "2026-11-23"
    (_, quoted, _), (_, shipped, body) = carrier.requests
    assert (quoted, shipped) == ("/quotation", "/shipment_sandbox")
    assert body["idRate"] == label.data["idRate"]
    assert body["pickupDate"] == "2026-11-23"


async def test_label_is_created_while_quotations_use_all_their_connections(
    carrier_url: str, carrier: SandboxCarrier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "MAX_QUOTATION_CONNECTIONS", 1)
    settings = Settings(carrier_api_url=carrier_url, carrier_api_key=SecretStr(SANDBOX_CARRIER_KEY))
    provider = registry.create_fulfillment_providers({CARRIER: ""}, settings)[CARRIER]
    carrier.faults.plan(Fault.HANG, Operation.QUOTATION, times=1)
    hanging = asyncio.create_task(provider.calculate_price(quote_request()))
    while not count_quotations(carrier):  # noqa: ASYNC110 - another thread serves it
        await asyncio.sleep(0)
    waiting = asyncio.create_task(provider.calculate_price(quote_request(destination=place_in(LETICIA))))
    await asyncio.sleep(0)
    assert (await provider.create_fulfillment(shipment_request())).tracking_number
    assert count_quotations(carrier) == 2  # the hanging quotation, and the one for the label
    for question in (hanging, waiting):
        question.cancel()
    await asyncio.gather(hanging, waiting, return_exceptions=True)
    await provider.close()


async def test_real_labels_have_distinct_numbers(carrier_memory: Database) -> None:
    settings = Settings(carrier_sandbox=False)
    carrier = create_sandbox_carrier(settings, carrier_memory)
    client = create_carrier_client(settings, httpx.ASGITransport(carrier.app), QUICK)
    labels = [await CarrierStandard(client).create_fulfillment(shipment_request()) for _ in range(3)]
    await client.close()
    assert len({label.carrier_order_id for label in labels}) == 3
    assert len({label.tracking_number for label in labels}) == 3


async def test_invalid_contact_is_refused_without_a_request(
    provider: CarrierStandard, carrier: SandboxCarrier
) -> None:
    nobody = dataclasses.replace(SHOPPER, phone="123")
    with pytest.raises(InvalidData) as refused:
        await provider.create_fulfillment(shipment_request(destination=nobody))
    assert list(refused.value.fields) == ["destination.phone"]
    assert carrier.requests == []


@pytest.mark.parametrize("fault", [Fault.NO_RATES, Fault.NEGATIVE_RATES, Fault.BAD_GATEWAY, Fault.MALFORMED])
async def test_label_without_a_rate_is_refused(
    fault: Fault, provider: CarrierStandard, carrier: SandboxCarrier
) -> None:
    carrier.faults.plan(fault, Operation.QUOTATION)
    with pytest.raises(CarrierError):
        await provider.create_fulfillment(shipment_request())
    assert await carrier.ledger.list_labels() == []


@pytest.mark.parametrize("fault", [Fault.DROP, Fault.MALFORMED])
async def test_label_request_with_a_lost_response_raises_outcome_unknown(
    fault: Fault, carrier_url: str, carrier: SandboxCarrier
) -> None:
    carrier.faults.plan(fault, Operation.SHIPMENT)
    async with over_network(carrier_url) as networked:
        with pytest.raises(OutcomeUnknown):
            await networked.create_fulfillment(shipment_request())
    assert len(await carrier.ledger.list_labels()) == 1
    assert sum(path == "/shipment_sandbox" for _, path, _ in carrier.requests) == 1


async def test_error_about_missing_credit_contains_the_carriers_message(
    provider: CarrierStandard, carrier: SandboxCarrier
) -> None:
    carrier.faults.plan(Fault.NO_CREDIT, Operation.SHIPMENT)
    with pytest.raises(CarrierError, match="No tiene suficiente crédito"):
        await provider.create_fulfillment(shipment_request())


# cancellation


@pytest.fixture
async def label(provider: CarrierStandard) -> Label:
    return await provider.create_fulfillment(shipment_request())


async def test_label_can_be_cancelled_repeatedly(
    label: Label, provider: CarrierStandard, carrier: SandboxCarrier
) -> None:
    await provider.cancel_fulfillment(label)
    assert (await carrier.ledger.list_labels())[0].status == Status.CANCELLED
    await provider.cancel_fulfillment(label)  # no list has it any more, but its tracking shows it


async def test_cancellation_answered_with_empty_lists_raises_an_error(
    label: Label, provider: CarrierStandard, carrier: SandboxCarrier
) -> None:
    carrier.faults.plan(Fault.IGNORED, Operation.CANCELLATION)
    with pytest.raises(CarrierError, match="did not cancel"):
        await provider.cancel_fulfillment(label)
    assert (await carrier.ledger.list_labels())[0].status == Status.PENDING


async def test_collected_shipment_is_not_cancelled(
    label: Label, provider: CarrierStandard, carrier: SandboxCarrier
) -> None:
    await carrier.ledger.move_shipment(TEST_ORDER_ID, Status.COLLECTED)
    with pytest.raises(CarrierError, match="collected"):
        await provider.cancel_fulfillment(label)


async def test_cancellation_with_a_lost_response_is_verified_by_tracking(
    label: Label, provider: CarrierStandard, carrier: SandboxCarrier
) -> None:
    carrier.faults.plan(Fault.DROP, Operation.CANCELLATION)
    await provider.cancel_fulfillment(label)
    assert (await carrier.ledger.list_labels())[0].status == Status.CANCELLED


async def test_cancellation_without_a_response_and_tracking_raises_outcome_unknown(
    label: Label, provider: CarrierStandard, carrier: SandboxCarrier, caplog: pytest.LogCaptureFixture
) -> None:
    carrier.faults.plan(Fault.SERVER_ERROR)
    with pytest.raises(OutcomeUnknown):
        await provider.cancel_fulfillment(label)
    assert "cannot be tracked" in caplog.text


async def test_unknown_label_is_not_cancelled(provider: CarrierStandard) -> None:
    with pytest.raises(CarrierError, match="orders not found"):
        await provider.cancel_fulfillment(Label(tracking_number="NADA", carrier_order_id=5))
    with pytest.raises(CarrierError):
        await provider.cancel_fulfillment(Label())
