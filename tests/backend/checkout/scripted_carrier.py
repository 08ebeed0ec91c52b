"""A carrier with prices from the test; other tests use the sandbox."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from backend.core.money import Cop
from backend.shipping.providers.base import FulfillmentProvider, Label, LabelRequest, Quote, QuoteRequest
from tests.checkout_steps import MEDELLIN

LETICIA = "91001000"


@dataclass
class ScriptedCarrier(FulfillmentProvider):
    """A carrier with a price for each municipality. `on_call` is a function that runs inside each call."""

    id = "carrier_standard"
    can_calculate = True
    prices: dict[str, Cop] = field(default_factory=lambda: {MEDELLIN: 12_000, LETICIA: 48_000})
    asked: list[str] = field(default_factory=list)
    on_call: Callable[[], Awaitable[None]] | None = None

    async def calculate_price(self, request: QuoteRequest) -> Quote:
        self.asked.append(request.destination.dane_code)
        if self.on_call is not None:
            await self.on_call()
        return Quote(self.prices[request.destination.dane_code], carrier="Envía", delivery_days=3)

    async def create_fulfillment(self, request: LabelRequest) -> Label:
        raise NotImplementedError

    async def cancel_fulfillment(self, guide: Label) -> None:
        raise NotImplementedError
