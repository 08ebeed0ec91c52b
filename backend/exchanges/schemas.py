"""Bodies and parameters of exchanges (platform: exchanges)."""

from typing import Annotated

from pydantic import Field

from backend.checkout.schemas import Address
from backend.edge.schemas import (
    Body,
    FilledName,
    MomentParameters,
    Name,
    Pesos,
    SmallMetadata,
    example,
)
from backend.returns.schemas import Count, Note, ReturnItem

MAX_ITEMS = 60


class NewExchange(Body):
    """An exchange of units of an order."""

    model_config = example(order_id="order_01JPZ6V3N8K4T2WQ7RXB5C9MHD", internal_note="Quiere otro color")

    order_id: FilledName
    description: Note | None = None
    internal_note: Note | None = None
    metadata: SmallMetadata | None = None


class InboundItems(Body):
    """Units that come back. A `location_id` is accepted only if the units were sent from this location."""

    model_config = example(items=[{"id": "ordli_01JPZ6V3N8K4T2WQ7RXB5C9MHD", "quantity": 1}])

    location_id: Name | None = None
    items: Annotated[list[ReturnItem], Field(min_length=1, max_length=MAX_ITEMS)]


class OutboundItem(Body):
    """Units of a variant for the exchange's new order."""

    variant_id: FilledName
    quantity: Count
    unit_price: Pesos | None = None
    internal_note: Note | None = None
    allow_backorder: bool | None = None
    """Ignored: only units in stock are accepted."""
    metadata: SmallMetadata | None = None


class OutboundItems(Body):
    """Units of variants to add to the exchange's new order. A given price must be the shop's price."""

    model_config = example(items=[{"variant_id": "variant_01JPZ6V3N8K4T2WQ7RXB5C9MHD", "quantity": 1}])

    items: Annotated[list[OutboundItem], Field(min_length=1, max_length=MAX_ITEMS)]


class OutboundItemChange(Body):
    """The new number of units of a variant in the exchange's new order."""

    model_config = example(quantity=1)

    quantity: Count | None = None
    internal_note: Note | None = None


class ExchangeShipping(Body):
    """The shipping option of the exchange's new order. A `custom_amount` must be its live price.

    `shipping_address` is not a field of the platform. Without it, the new order goes to the original order's address.
    """

    model_config = example(shipping_option_id="so_01JPZ6V3N8K4T2WQ7RXB5C9MHD")

    shipping_option_id: FilledName
    shipping_address: Address | None = None
    custom_amount: Pesos | None = None
    description: Note | None = None
    internal_note: Note | None = None
    metadata: SmallMetadata | None = None


class ShippingChange(Body):
    """A request to price the chosen shipping option again. A `custom_amount` must be its live price."""

    model_config = example(internal_note="Sin afán")

    custom_amount: Pesos | None = None
    internal_note: Note | None = None
    metadata: SmallMetadata | None = None


class ExchangesParameters(MomentParameters):
    """Filters of exchanges."""

    id: list[Name] | None = None
    order_id: list[Name] | None = None
