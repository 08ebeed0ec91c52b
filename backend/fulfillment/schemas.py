"""Request bodies of fulfillments (wire: commerce-api, Admin)."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from backend.core.web.contact import is_web_address
from backend.edge.schemas import Body, FilledName, Metadata, Name, Units, example, validation_error


def _parse_label_address(text: str) -> str:
    """Return the URL; empty for the `#` that the official dashboard sends if there is no URL."""
    if text in ("", "#"):
        return ""
    if not is_web_address(text):
        raise validation_error("A label's addresses begin with http:// or https://")
    return text


LabelAddress = Annotated[str, Field(max_length=2000), AfterValidator(_parse_label_address)]
NoData = Annotated[dict[str, Any], Field(max_length=0)] | None


class FulfillmentItem(Body):
    """Units of an order's line to send."""

    id: FilledName
    quantity: Annotated[Units, Field(gt=0)]


class NewFulfillment(Body):
    """Units to send together. They leave from `location_id`; without it, from the location where they are reserved.

    With `no_notification` the customer gets no e-mail when the fulfillment is shipped.
    """

    model_config = example(items=[{"id": "ordli_01JPZ6V3N8K4T2WQ7RXB5C9MHD", "quantity": 1}])

    items: Annotated[list[FulfillmentItem], Field(min_length=1, max_length=100)]
    location_id: Name | None = None
    shipping_option_id: Name | None = None
    requires_shipping: Literal[True] = True
    no_notification: bool | None = None
    metadata: Metadata | None = None
    additional_data: NoData = None


class ShipmentLabel(Body):
    """A label that was created outside the shop, or the shop's own label as returned by the API."""

    id: Name | None = None
    fulfillment_id: Name | None = None
    tracking_number: Name
    tracking_url: LabelAddress = ""
    label_url: LabelAddress = ""


class NewShipment(Body):
    """A report that the fulfillment was shipped, with its one label. With `no_notification` no e-mail is sent."""

    model_config = example(
        labels=[{"tracking_number": "034012345678", "tracking_url": "https://guias.example/034012345678"}]
    )

    items: Annotated[list[FulfillmentItem], Field(max_length=100)] | None = None
    labels: Annotated[list[ShipmentLabel], Field(max_length=10)] | None = None
    no_notification: bool | None = None
    metadata: Metadata | None = None
    additional_data: NoData = None
