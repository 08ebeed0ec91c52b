"""Commands of the fulfillment services. The Admin API and the back office create them from what staff send."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from backend.core.db.tables import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateFulfillment:
    """Units of an order to send together.

    Attributes:
        units: number of units by line id.
        location_id: the location from which the units are sent; None for the location where they are reserved.
        shipping_option_id: must be the order's option, if given.
        data: stored with the fulfillment.
        seen_parcels: number of finished fulfillments that the staff member has seen; None to skip this check.
    """

    units: Mapping[str, int]
    location_id: str | None = None
    shipping_option_id: str | None = None
    data: JsonObject = field(default_factory=dict)
    seen_parcels: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedLabel:
    """The label of a shipped fulfillment."""

    tracking_number: str
    tracking_url: str = ""
    label_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkShipped:
    """A report that the fulfillment has left.

    Attributes:
        units: number of units by line id. If given, they must be all units of the fulfillment.
        labels: labels with tracking numbers. If the fulfillment has a tracking number, they must match it.
        data: stored with the fulfillment.
    """

    units: Mapping[str, int] | None = None
    labels: Sequence[ShippedLabel] = ()
    data: JsonObject = field(default_factory=dict)
