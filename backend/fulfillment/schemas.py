"""What staff send when they fulfill an order (wire: commerce-api, Admin)."""

from typing import Annotated, Any

from pydantic import Field

from backend.edge.schemas import Body, FilledName, Metadata, Name, Units, example


class FulfillmentItem(Body):
    """Units of an order's line that are sent."""

    id: FilledName
    quantity: Annotated[Units, Field(gt=0)]


class NewFulfillment(Body):
    """Units to send together. They leave from `location_id`; without it, from where they are reserved."""

    model_config = example(items=[{"id": "ordli_01JPZ6V3N8K4T2WQ7RXB5C9MHD", "quantity": 1}])

    items: Annotated[list[FulfillmentItem], Field(min_length=1, max_length=100)]
    location_id: Name | None = None
    shipping_option_id: Name | None = None
    requires_shipping: bool = True
    no_notification: bool | None = None
    metadata: Metadata | None = None
    additional_data: dict[str, Any] | None = None


class ShipmentLabel(Body):
    """A label that was made outside the shop, or the shop's own as it was shown."""

    id: Name | None = None
    fulfillment_id: Name | None = None
    tracking_number: Name
    tracking_url: Name = ""
    label_url: Name = ""


class NewShipment(Body):
    """The fulfillment has left."""

    model_config = example(
        labels=[{"tracking_number": "034012345678", "tracking_url": "https://guias.example/034012345678"}]
    )

    items: Annotated[list[FulfillmentItem], Field(max_length=100)] | None = None
    labels: Annotated[list[ShipmentLabel], Field(max_length=10)] | None = None
    no_notification: bool | None = None
    metadata: Metadata | None = None
    additional_data: dict[str, Any] | None = None
