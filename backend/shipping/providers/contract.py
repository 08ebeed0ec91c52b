"""Tests that every fulfillment provider must pass. They are part of the program, so that other packages can use them.

In a package with a provider, with pytest and pytest-asyncio (`asyncio_mode = "auto"`):

    class TestMyCarrier(FulfillmentProviderContract):
        @pytest.fixture
        async def harness(self) -> AsyncIterator[CarrierHarness]:
            yield MyCarrierHarness()

`MyCarrierHarness` connects the provider to a test double of its service: see `CarrierHarness`. Tests about something
that the provider does not do, such as tracking, are skipped.
"""

import json
from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import asdict
from enum import StrEnum
from typing import NoReturn

import pytest

from backend.core.config.modules import split_providers
from backend.core.errors import InvalidData, NotImplementedByProvider, OutcomeUnknown, OutsideFailure
from backend.core.money import Cop
from backend.shipping.packages import DEFAULT_PACKAGE
from backend.shipping.providers.base import (
    Contact,
    FulfillmentProvider,
    Label,
    LabelRequest,
    LabelTooExpensive,
    QuoteRequest,
    TrackingStage,
    TrackingUpdate,
)

SENDER = Contact(
    dane_code="11001000",
    address="Calle 80 # 68-20",
    first_name="Bodega",
    last_name="Trompo",
    email="bodega@trompo.example",
    phone="6015550123",
    company="Juguetería Trompo",
)
RECIPIENT = Contact(
    dane_code="05001000",
    address="Carrera 43A # 1-50, apto 301",
    first_name="Luz Marina",
    last_name="Peña",
    email="luz@correo.example",
    phone="3001234567",
    suburb="El Poblado",
)


class CarrierFailure(StrEnum):
    """A fault of the provider's service, which the test double simulates."""

    REFUSAL = "refusal"
    """It refuses the next label."""
    LOST_ANSWER = "lost_answer"
    """It creates the next label, and the connection breaks before the answer."""
    OUTAGE = "outage"
    """It answers nothing until `recover` is called."""


class CarrierHarness(ABC):
    """A provider and a test double of its service, which the tests control.

    Attributes:
        failures: the faults that the test double can produce.
        tracks: True if the provider reports the progress of labels.
    """

    provider: FulfillmentProvider
    failures: frozenset[CarrierFailure] = frozenset(CarrierFailure)
    tracks: bool = True

    @abstractmethod
    async def count_labels(self) -> int:
        """Return the number of labels that the service has created and not cancelled."""

    def build_request(self, reference: str, max_price: Cop | None = None) -> LabelRequest:
        """Return a valid request with this reference, from Bogotá to Medellín."""
        return LabelRequest(
            reference, SENDER, RECIPIENT, (DEFAULT_PACKAGE,), content_value=89_900, max_price=max_price
        )

    def fail(self, failure: CarrierFailure) -> None:
        """Make the service fail in this way. Only an outage continues until `recover` is called."""
        self._lacks("fail")

    def recover(self) -> None:
        """Make the service answer again after `CarrierFailure.OUTAGE`."""
        self._lacks("recover")

    def _lacks(self, method: str) -> NoReturn:
        raise NotImplementedError(f"{type(self).__name__} does not implement {method}")


class FulfillmentProviderContract:
    """Tests for any fulfillment provider. A subclass has a fixture `harness`, which returns a new `CarrierHarness`."""

    async def test_provider_id_is_valid_in_the_setting(self, harness: CarrierHarness) -> None:
        assert split_providers(harness.provider.id) == [harness.provider.id]

    async def test_price_can_be_charged_and_stored(self, harness: CarrierHarness) -> None:
        _require(harness.provider.can_calculate)
        quote = await harness.provider.calculate_price(_to_quote_request(harness.build_request("A-1")))
        assert type(quote.amount) is int  # whole pesos, and no bool
        assert quote.amount >= 0
        assert quote.delivery_days is None or quote.delivery_days >= 0
        assert not quote.is_fallback
        json.dumps(asdict(quote))

    async def test_provider_without_prices_refuses_to_calculate_one(self, harness: CarrierHarness) -> None:
        _require(not harness.provider.can_calculate)
        with pytest.raises(NotImplementedByProvider):
            await harness.provider.calculate_price(_to_quote_request(harness.build_request("A-1")))

    async def test_label_can_be_stored_and_found(self, harness: CarrierHarness) -> None:
        label = await _create(harness)
        if harness.provider.gives_numbers:
            assert label.tracking_number or label.carrier_order_id is not None
        assert label.carrier_order_id is None or type(label.carrier_order_id) is int
        assert label.label_pdf is None or label.label_pdf.startswith(b"%PDF")
        assert label.label_url is None or label.label_url.startswith(("https://", "http://"))
        json.dumps(label.data)

    async def test_two_labels_have_different_numbers(self, harness: CarrierHarness) -> None:
        _require(harness.provider.gives_numbers)
        one, other = await _create(harness, "A-1"), await _create(harness, "A-2")
        assert (one.tracking_number, one.carrier_order_id) != (other.tracking_number, other.carrier_order_id)

    async def test_label_above_the_maximum_price_is_not_bought(self, harness: CarrierHarness) -> None:
        _require(harness.provider.can_calculate)
        with pytest.raises(LabelTooExpensive) as refused:
            await harness.provider.create_fulfillment(harness.build_request("A-1", max_price=1))
        assert refused.value.price > refused.value.max_price == 1
        assert await harness.count_labels() == 0

    async def test_label_at_its_own_price_is_bought(self, harness: CarrierHarness) -> None:
        _require(harness.provider.can_calculate)
        quote = await harness.provider.calculate_price(_to_quote_request(harness.build_request("A-1")))
        await harness.provider.create_fulfillment(harness.build_request("A-1", max_price=quote.amount))

    async def test_cancelled_label_is_gone_and_may_be_cancelled_again(self, harness: CarrierHarness) -> None:
        label = await _create(harness)
        await harness.provider.cancel_fulfillment(label)
        await harness.provider.cancel_fulfillment(label)
        assert await harness.count_labels() == 0

    async def test_refusal_creates_no_label(self, harness: CarrierHarness) -> None:
        _require(CarrierFailure.REFUSAL in harness.failures)
        harness.fail(CarrierFailure.REFUSAL)
        with pytest.raises((InvalidData, OutsideFailure)) as refused:
            await _create(harness)
        assert not isinstance(refused.value, OutcomeUnknown)  # the shop may ask again
        assert await harness.count_labels() == 0

    async def test_lost_answer_raises_outcome_unknown_and_creates_one_label(
        self, harness: CarrierHarness
    ) -> None:
        _require(CarrierFailure.LOST_ANSWER in harness.failures)
        harness.fail(CarrierFailure.LOST_ANSWER)
        with pytest.raises(OutcomeUnknown):
            await _create(harness)
        assert await harness.count_labels() == 1

    async def test_outage_creates_no_label_and_gives_no_invented_price(self, harness: CarrierHarness) -> None:
        _require(CarrierFailure.OUTAGE in harness.failures)
        label = await _create(harness)
        harness.fail(CarrierFailure.OUTAGE)
        if harness.provider.can_calculate:
            request = _to_quote_request(harness.build_request("A-2"))
            with suppress(OutsideFailure):  # then the shop charges the fixed price
                assert (await harness.provider.calculate_price(request)).is_fallback
        with pytest.raises(OutsideFailure):
            await _create(harness, "A-2")
        with pytest.raises(OutsideFailure):
            await harness.provider.cancel_fulfillment(label)
        if harness.tracks:
            with pytest.raises(OutsideFailure):
                await _track(harness, label)
        harness.recover()
        assert await harness.count_labels() == 1

    async def test_tracking_updates_are_in_the_order_of_the_labels(self, harness: CarrierHarness) -> None:
        _require(harness.tracks)
        label = await _create(harness)
        unknown = Label(tracking_number="does-not-exist")
        assert await _track(harness) == []
        before, first, after = await _track(harness, unknown, label, unknown)
        assert before is after is None
        assert first is not None
        assert not first.stage.is_final
        for moment in (first.picked_up_at, first.delivered_at, first.expected_at):
            assert moment is None or moment.tzinfo is not None

    async def test_cancelled_label_is_tracked_as_cancelled_or_unknown(self, harness: CarrierHarness) -> None:
        _require(harness.tracks)
        label = await _create(harness)
        await harness.provider.cancel_fulfillment(label)
        (update,) = await _track(harness, label)
        assert update is None or update.stage is TrackingStage.CANCELED

    async def test_provider_without_tracking_refuses_to_track(self, harness: CarrierHarness) -> None:
        _require(not harness.tracks)
        with pytest.raises(NotImplementedByProvider):
            await _track(harness, Label(tracking_number="A-1"))


def _require(is_possible: bool) -> None:
    if not is_possible:
        pytest.skip("the provider does not do this")


async def _create(harness: CarrierHarness, reference: str = "A-1") -> Label:
    return await harness.provider.create_fulfillment(harness.build_request(reference))


async def _track(harness: CarrierHarness, *labels: Label) -> list[TrackingUpdate | None]:
    """Call the provider's `track` like the shop: with only the numbers of the labels."""
    numbers = [Label(label.tracking_number, label.carrier_order_id) for label in labels]
    return await harness.provider.track(numbers)


def _to_quote_request(request: LabelRequest) -> QuoteRequest:
    return QuoteRequest(
        request.origin.shipping_place,
        request.destination.shipping_place,
        request.packages,
        request.content_value,
    )
