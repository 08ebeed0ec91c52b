"""What becomes of parcels, for the rooms that tell people about it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ParcelShipped:
    """A parcel has left the warehouse. Whoever marks it shipped publishes this in the same transaction."""

    fulfillment_id: str
    order_id: str
