"""What becomes of orders, for the rooms that tell people about it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OrderPlaced:
    """There is a new order."""

    order_id: str


@dataclass(frozen=True, slots=True)
class OrderPaid:
    """The order's money is ours."""

    order_id: str


@dataclass(frozen=True, slots=True)
class OrderLost:
    """The order's payment is finally lost: it is cancelled."""

    order_id: str
