"""Registry of the fulfillment providers by id."""

from collections.abc import Callable, Mapping

import httpx

from backend.core.config.external_providers import create_providers
from backend.core.config.modules import CARRIER, MANUAL, OWN_DELIVERY
from backend.core.config.settings import Settings
from backend.core.errors import NotImplementedByProvider
from backend.shipping.providers.base import FulfillmentProvider, Label, LabelRequest, Quote, QuoteRequest
from backend.shipping.providers.carrier.client import create_carrier_client
from backend.shipping.providers.carrier.provider import MAX_QUOTATION_CONNECTIONS, CarrierStandard
from backend.shipping.providers.carrier.quotes import LiveQuotes


class ManualProvider(FulfillmentProvider):
    """The platform's built-in provider: staff ship manually, at a flat price (spec: Provider ids)."""

    id = MANUAL
    can_calculate = False
    gives_numbers = False

    async def calculate_price(self, request: QuoteRequest) -> Quote:  # noqa: ARG002 - the interface's
        """Raise `NotImplementedByProvider`, because the price is set in the shipping option."""
        raise NotImplementedByProvider(f"calculatePrice is not implemented by {self.id}")

    async def create_fulfillment(self, request: LabelRequest) -> Label:  # noqa: ARG002 - the interface's
        """Return an empty label: its PDF and numbers exist only at the courier that staff choose."""
        return Label()

    async def cancel_fulfillment(self, label: Label) -> None:
        """Do nothing: no label was ordered."""


class OwnDeliveryProvider(ManualProvider):
    """Own delivery: the shop brings the parcel itself, at the price of the destination's zone.

    A parcel needs no carrier's label, so its `Label` is empty. Staff report that it left and that it arrived.
    """

    id = OWN_DELIVERY


def create_fulfillment_providers(
    places: Mapping[str, str], settings: Settings, carrier_transport: httpx.AsyncBaseTransport | None = None
) -> dict[str, FulfillmentProvider]:
    """Create the fulfillment providers, by id.

    Args:
        places: the result of `backend.core.config.modules.registered_providers`, which has checked the ids.
        settings: the shop's settings.
        carrier_transport: connects to the embedded carrier; None to use the real one.

    Raises:
        CannotStart: a provider from another package cannot be created.
    """
    factories: dict[str, Callable[[], FulfillmentProvider]] = {
        MANUAL: ManualProvider,
        OWN_DELIVERY: OwnDeliveryProvider,
        CARRIER: lambda: CarrierStandard(
            create_carrier_client(settings, carrier_transport),
            LiveQuotes(
                create_carrier_client(settings, carrier_transport, most_connections=MAX_QUOTATION_CONNECTIONS)
            ),
        ),
    }
    return create_providers(FulfillmentProvider, places, factories, settings)
