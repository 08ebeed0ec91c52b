"""Conversion of the Admin API's bodies into the commands of the fulfillment services."""

from collections import Counter
from collections.abc import Iterable

from backend.core.db.tables import JsonObject
from backend.fulfillment.commands import CreateFulfillment, MarkShipped, ShippedLabel
from backend.fulfillment.schemas import FulfillmentItem, NewFulfillment, NewShipment
from backend.orders.states import METADATA, NO_NOTIFICATION


def to_create_fulfillment(body: NewFulfillment) -> CreateFulfillment:
    """Convert the request's body to the command that creates the fulfillment."""
    return CreateFulfillment(
        units=_sum_units(body.items),
        location_id=body.location_id,
        shipping_option_id=body.shipping_option_id,
        data=_build_data(body),
    )


def to_mark_shipped(body: NewShipment) -> MarkShipped:
    """Convert the body to the command that records the shipment."""
    return MarkShipped(
        units=None if body.items is None else _sum_units(body.items),
        labels=[
            ShippedLabel(
                tracking_number=label.tracking_number,
                tracking_url=label.tracking_url,
                label_url=label.label_url,
            )
            for label in body.labels or ()
        ],
        data=_build_data(body),
    )


def _build_data(body: NewFulfillment | NewShipment) -> JsonObject:
    data = {NO_NOTIFICATION: body.no_notification, METADATA: body.metadata}
    return {name: value for name, value in data.items() if value is not None}


def _sum_units(items: Iterable[FulfillmentItem]) -> dict[str, int]:
    """Return the units by line id; repeated lines are summed."""
    units: Counter[str] = Counter()
    for item in items:
        units[item.id] += item.quantity
    return dict(units)
