"""The fulfillment providers of this program pass the contract that providers of other packages must pass."""

from collections.abc import AsyncIterator

import httpx
import pytest

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.sandbox.carrier import Fault, SandboxCarrier, create_sandbox_carrier
from backend.sandbox.carrier.faults import ALL_OPERATIONS, Operation
from backend.sandbox.carrier.labels import Status
from backend.shipping.providers.base import FulfillmentProvider
from backend.shipping.providers.carrier.client import create_carrier_client
from backend.shipping.providers.carrier.provider import CarrierStandard
from backend.shipping.providers.contract import CarrierFailure, CarrierHarness, FulfillmentProviderContract
from backend.shipping.providers.registry import ManualProvider, OwnDeliveryProvider
from tests.backend.shipping.samples import QUICK

FAULTS = {
    CarrierFailure.REFUSAL: (Fault.NO_CREDIT, Operation.SHIPMENT),
    CarrierFailure.LOST_ANSWER: (Fault.DROP, Operation.SHIPMENT),
    CarrierFailure.OUTAGE: (Fault.BAD_GATEWAY, ALL_OPERATIONS),
}


class StandardHarness(CarrierHarness):
    """The provider of the carrier, and the embedded carrier."""

    def __init__(self, provider: CarrierStandard, carrier: SandboxCarrier) -> None:
        self.provider, self.carrier = provider, carrier

    async def count_labels(self) -> int:
        return sum(label.status != Status.CANCELLED for label in await self.carrier.ledger.list_labels())

    def fail(self, failure: CarrierFailure) -> None:
        self.carrier.faults.plan(*FAULTS[failure])

    def recover(self) -> None:
        self.carrier.faults.clear()


class TestCarrierStandard(FulfillmentProviderContract):
    @pytest.fixture
    async def harness(self, carrier_memory: Database) -> AsyncIterator[StandardHarness]:
        settings = Settings(carrier_sandbox=False)
        carrier = create_sandbox_carrier(settings, carrier_memory)
        client = create_carrier_client(settings, httpx.ASGITransport(carrier.app), QUICK)
        yield StandardHarness(CarrierStandard(client), carrier)
        await client.close()


class StaffHarness(CarrierHarness):
    """A provider without a service: staff ship, so nothing can fail and no label exists."""

    failures = frozenset()
    tracks = False

    def __init__(self, provider: FulfillmentProvider) -> None:
        self.provider = provider

    async def count_labels(self) -> int:
        return 0


class TestManualProvider(FulfillmentProviderContract):
    @pytest.fixture
    def harness(self) -> StaffHarness:
        return StaffHarness(ManualProvider())


class TestOwnDeliveryProvider(FulfillmentProviderContract):
    @pytest.fixture
    def harness(self) -> StaffHarness:
        return StaffHarness(OwnDeliveryProvider())
