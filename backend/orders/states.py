"""The words for where an order stands (the platform's; wire: commerce-api)."""

from enum import StrEnum


class OrderStatus(StrEnum):
    """Whether the order stands."""

    PENDING = "pending"
    COMPLETED = "completed"
    CANCELED = "canceled"


class PaymentStatus(StrEnum):
    """Whether it is paid. `awaiting`: the bank has not decided yet."""

    AWAITING = "awaiting"
    AUTHORIZED = "authorized"
    CAPTURED = "captured"
    CANCELED = "canceled"


class FulfillmentStatus(StrEnum):
    """Whether it has left."""

    NOT_FULFILLED = "not_fulfilled"
    PARTIALLY_FULFILLED = "partially_fulfilled"
    FULFILLED = "fulfilled"
    PARTIALLY_SHIPPED = "partially_shipped"
    SHIPPED = "shipped"
    PARTIALLY_DELIVERED = "partially_delivered"
    DELIVERED = "delivered"
    CANCELED = "canceled"
