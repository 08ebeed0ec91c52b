"""Commands of the fulfillment services. The Admin API makes them from its bodies, the office from its orders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from backend.core.db.tables import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateFulfillment:
    """Units of an order to send together.

    Attributes:
        units: how many of each line, by the lines' ids.
        location_id: where they leave from; None: where they are reserved.
        shipping_option_id: must be the order's.
        data: is stored with the fulfillment.
    """

    units: Mapping[str, int]
    location_id: str | None = None
    shipping_option_id: str | None = None
    data: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedLabel:
    """The label of a fulfillment that has left."""

    tracking_number: str
    tracking_url: str = ""
    label_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkShipped:
    """The fulfillment has left.

    Attributes:
        units: how many of each line, by the lines' ids: all that are in it.
        labels: must have its tracking number, if it has one.
        data: is stored with the fulfillment.
    """

    units: Mapping[str, int] | None = None
    labels: Sequence[ShippedLabel] = ()
    data: JsonObject = field(default_factory=dict)
