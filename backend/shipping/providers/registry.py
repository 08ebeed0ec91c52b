"""Which class answers to which provider id: the one list of the fulfillment providers there are."""

from collections.abc import Callable, Iterable

import httpx

from backend.core.config.modules import CARRIER, MANUAL
from backend.core.config.settings import Settings
from backend.core.errors import NotImplementedByProvider
from backend.shipping.providers.base import FulfillmentProvider, Label, LabelRequest, Quote, QuoteRequest
from backend.shipping.providers.carrier.client import carrier_client
from backend.shipping.providers.carrier.provider import MOST_QUOTATIONS, CarrierStandard
from backend.shipping.providers.carrier.quotes import LiveQuotes


class ManualProvider(FulfillmentProvider):
    """The platform's built-in provider: the shop ships by hand, at a flat price (spec: Provider ids)."""

    id = MANUAL
    can_calculate = False
    gives_numbers = False

    async def calculate_price(self, request: QuoteRequest) -> Quote:  # noqa: ARG002 - the interface's
        """Always raises `NotImplementedByProvider`: the price is the option's own."""
        raise NotImplementedByProvider(f"calculatePrice is not implemented by {self.id}")

    async def create_fulfillment(self, request: LabelRequest) -> Label:  # noqa: ARG002 - the interface's
        """A label without numbers: whoever sends the packages has them."""
        return Label()

    async def cancel_fulfillment(self, label: Label) -> None:
        """Nothing was ordered anywhere, so nothing is to be cancelled."""


def fulfillment_providers(
    ids: Iterable[str], settings: Settings, carrier_transport: httpx.AsyncBaseTransport | None = None
) -> dict[str, FulfillmentProvider]:
    """The providers with these ids, by id. `carrier_transport` leads to the embedded carrier, where that is used.

    Raises:
        KeyError: there is no such provider (`backend.core.config.modules.registered` refuses it before).
    """
    make: dict[str, Callable[[], FulfillmentProvider]] = {
        MANUAL: ManualProvider,
        CARRIER: lambda: CarrierStandard(
            carrier_client(settings, carrier_transport),
            LiveQuotes(carrier_client(settings, carrier_transport, most_connections=MOST_QUOTATIONS)),
        ),
    }
    return {provider_id: make[provider_id]() for provider_id in ids}
