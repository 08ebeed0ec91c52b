"""Where a parcel is on its way, in the shop's own words: what every carrier's words are understood as."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Stage(StrEnum):
    """How far a parcel is. `INCIDENT` may come at any moment, and pass again."""

    AWAITING_PICKUP = "awaiting_pickup"
    COLLECTED = "collected"
    IN_TRANSIT = "in_transit"
    OUT_FOR_DELIVERY = "out_for_delivery"
    INCIDENT = "incident"
    DELIVERED = "delivered"
    RETURNED = "returned"
    CANCELED = "canceled"

    @property
    def is_final(self) -> bool:
        """Whether nothing is to be expected any more."""
        return self in (Stage.DELIVERED, Stage.RETURNED, Stage.CANCELED)

    @property
    def has_left(self) -> bool:
        """Whether a parcel at this stage must have left the warehouse. After an incident nobody can say."""
        return self in (
            Stage.COLLECTED,
            Stage.IN_TRANSIT,
            Stage.OUT_FOR_DELIVERY,
            Stage.DELIVERED,
            Stage.RETURNED,
        )


@dataclass(frozen=True, slots=True)
class Sighting:
    """Where a provider says that a parcel is. Times are UTC; what it did not say is None or empty."""

    stage: Stage
    words: str = ""
    """The provider's own, for people to read."""
    picked_up_at: datetime | None = None
    delivered_at: datetime | None = None
    expected_at: datetime | None = None
    received_by: str = ""
