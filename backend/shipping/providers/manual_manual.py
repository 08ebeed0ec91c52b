"""The platform's built-in provider: the shop ships by hand, at a flat price (spec: Provider ids)."""

from backend.errors import NotImplementedByProvider
from backend.modules import MANUAL
from backend.shipping.providers.base import FulfillmentProvider, Guide, Quote, QuoteRequest, ShipmentRequest


class ManualManual(FulfillmentProvider):
    """Flat prices only. A fulfilment is a note that the parcel was sent; it has no guide."""

    id = MANUAL
    can_calculate = False
    gives_numbers = False

    async def calculate_price(self, request: QuoteRequest) -> Quote:  # noqa: ARG002 - the interface's
        """Always raises `NotImplementedByProvider`: the price is the option's own."""
        raise NotImplementedByProvider(f"calculatePrice is not implemented by {self.id}")

    async def create_fulfillment(self, request: ShipmentRequest) -> Guide:  # noqa: ARG002 - the interface's
        """A fulfilment without numbers: whoever sends the parcel has them."""
        return Guide()

    async def cancel_fulfillment(self, guide: Guide) -> None:
        """Nothing was ordered anywhere, so nothing is to be cancelled."""
