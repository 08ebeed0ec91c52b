"""Where an order stands, and the only ways between (the platform's words; wire: commerce-api).

    of its      from                  to                    because
    ----------  --------------------  --------------------  ------------------------------------------------------
    status      pending               canceled              the payment is lost, or staff cancelled it
                canceled              pending               money came for it after all: it stands again; if staff
                                                            cancelled it, only after a person has accepted the money
    payment     awaiting              captured              the provider took the money
                                      authorized            the provider authorized it
                                      partially_captured    staff took a smaller amount for it
                                      canceled              the payment is finally lost
                authorized            captured, canceled    staff confirmed the money; it never came
                canceled              captured,             a late approval pays it
                                      partially_captured
                awaiting, canceled    refunded              money that did not fit, or came late, was given back
                partially_captured    captured              the rest of the money came
                captured,             partially_refunded,   refunds by hand were booked
                  partially_captured  refunded
                partially_refunded    refunded              the rest went back too
                partially_refunded,   captured,             another payment was taken for it
                  refunded            partially_captured

`move` is the only function that writes `Order.status` and `Order.payment_status`.
"""

from collections.abc import Iterable
from enum import StrEnum

from backend.core.clock import now
from backend.core.money import Cop
from backend.core.transitions import Transitions
from backend.orders.fulfillments import carrier_canceled
from backend.orders.models import Fulfillment, Order, OrderLine


class OrderStatus(StrEnum):
    """Whether the order stands."""

    PENDING = "pending"
    CANCELED = "canceled"


class PaymentStatus(StrEnum):
    """Whether it is paid. `awaiting`: the bank has not decided yet."""

    AWAITING = "awaiting"
    AUTHORIZED = "authorized"
    PARTIALLY_CAPTURED = "partially_captured"
    CAPTURED = "captured"
    PARTIALLY_REFUNDED = "partially_refunded"
    REFUNDED = "refunded"
    CANCELED = "canceled"


class FulfillmentStatus(StrEnum):
    """Whether it has left. Computed from its fulfillments (`fulfillment_status_of`)."""

    NOT_FULFILLED = "not_fulfilled"
    PARTIALLY_FULFILLED = "partially_fulfilled"
    FULFILLED = "fulfilled"
    PARTIALLY_SHIPPED = "partially_shipped"
    SHIPPED = "shipped"
    PARTIALLY_DELIVERED = "partially_delivered"
    DELIVERED = "delivered"


class LabelState(StrEnum):
    """How far the label of a fulfillment is. `backend.fulfillment.label_states` has the steps between these."""

    CREATING = "creating"
    """The carrier is being asked for it. Stored before it is asked."""
    CREATED = "created"
    FAILED = "failed"
    """None was made; it may be tried again."""
    UNKNOWN = "unknown"
    """Nobody knows whether it was made; a person must look."""
    TOO_EXPENSIVE = "too_expensive"
    """It costs more than may be spent without a person's decision; none was bought."""
    CANCELED = "canceled"


WITHOUT_LABEL = (LabelState.FAILED, LabelState.TOO_EXPENSIVE, LabelState.CANCELED)
"""States in which there is certainly no label."""
PACKED, UNPACKED = "packed_at", "unpacked_at"
"""Keys in a fulfillment's `data`: when its units left the warehouse, and when they came back."""
TAKEN_FROM = "taken_from"
"""Key in a fulfillment's `data`: the packed units by variant id, by the id of the location that they left."""
TAKEN_BACK = "taken_back"
"""Key in a fulfillment's `data`: of its packed units, by line id, those that came back or were paid back."""
WHY_FAILED = "why_failed"
"""Key in a fulfillment's `data`: why its label was not made, as the shop's people read it."""
TRACKING = "tracking"
TRACKING_URL, NO_NOTIFICATION, METADATA = "tracking_url", "no_notification", "metadata"
SAID = (TRACKING_URL, NO_NOTIFICATION, METADATA)
"""What programs of the staff said of a fulfillment, in its `data`."""
"""Key in a fulfillment's `data`: the carrier's own `words`, `expected_at` and `received_by`."""

P = PaymentStatus
STATUS_STEPS = Transitions(
    "order status",
    {
        OrderStatus.PENDING: frozenset({OrderStatus.CANCELED}),
        OrderStatus.CANCELED: frozenset({OrderStatus.PENDING}),
    },
)
PAYMENT_STEPS = Transitions(
    "payment status",
    {
        P.AWAITING: frozenset({P.CAPTURED, P.AUTHORIZED, P.PARTIALLY_CAPTURED, P.REFUNDED, P.CANCELED}),
        P.AUTHORIZED: frozenset({P.CAPTURED, P.CANCELED}),
        P.CANCELED: frozenset({P.CAPTURED, P.PARTIALLY_CAPTURED, P.REFUNDED}),
        P.PARTIALLY_CAPTURED: frozenset({P.CAPTURED, P.PARTIALLY_REFUNDED, P.REFUNDED}),
        P.CAPTURED: frozenset({P.PARTIALLY_REFUNDED, P.REFUNDED}),
        P.PARTIALLY_REFUNDED: frozenset({P.REFUNDED, P.CAPTURED, P.PARTIALLY_CAPTURED}),
        P.REFUNDED: frozenset({P.CAPTURED, P.PARTIALLY_CAPTURED}),
    },
)
HAS_MONEY = frozenset({P.PARTIALLY_CAPTURED, P.CAPTURED, P.PARTIALLY_REFUNDED})
"""The payment statuses of orders for which the shop has money."""


def move(order: Order, *, status: OrderStatus | None = None, payment: PaymentStatus | None = None) -> None:
    """Move the (locked) order to this status and payment status. The one that it has already changes nothing.

    Raises:
        StepNotAllowed: the tables have no such step; the order is as it was.
    """
    before, paid_before = OrderStatus(order.status), PaymentStatus(order.payment_status)
    if status not in (None, before):
        STATUS_STEPS.require(before, status)
    if payment not in (None, paid_before):
        PAYMENT_STEPS.require(paid_before, payment)
    order.status, order.payment_status = status or before, payment or paid_before
    if order.status == OrderStatus.CANCELED:
        order.canceled_at = order.canceled_at or now()
    else:
        order.canceled_at = order.canceled_by = None
    if order.payment_status in (PaymentStatus.CAPTURED, PaymentStatus.PARTIALLY_CAPTURED):
        order.paid_at = order.paid_at or now()


def payment_status_of(owed: Cop, captured: Cop, refunded: Cop) -> PaymentStatus:
    """How an order that owes this much is paid, when so much was captured for it and so much of that given back.

    Money beyond what is owed does not make it less paid. Raises `ValueError` where nothing was captured.
    """
    if captured <= 0:
        raise ValueError("nothing was captured")
    left = captured - refunded
    if left >= owed:
        return PaymentStatus.CAPTURED
    if left <= 0:
        return PaymentStatus.REFUNDED
    return PaymentStatus.PARTIALLY_REFUNDED if refunded else PaymentStatus.PARTIALLY_CAPTURED


def fulfillment_status_of(
    lines: Iterable[OrderLine], fulfillments: Iterable[Fulfillment]
) -> FulfillmentStatus:
    """How far an order with these lines and fulfillments is. Units that a refund took out are not waited for."""
    lines = list(lines)
    sent = [one for one in fulfillments if PACKED in one.data and one.canceled_at is None]
    wanted = sum(line.quantity - line.withdrawn for line in lines)
    for units, whole, part in (
        (_units(one for one in sent if one.delivered_at), S.DELIVERED, S.PARTIALLY_DELIVERED),
        (
            _units(one for one in sent if one.shipped_at and not carrier_canceled(one)),
            S.SHIPPED,
            S.PARTIALLY_SHIPPED,
        ),
        (sum(line.fulfilled for line in lines), S.FULFILLED, S.PARTIALLY_FULFILLED),
    ):
        if units:
            return whole if units >= wanted else part
    return S.NOT_FULFILLED


S = FulfillmentStatus


def _units(fulfillments: Iterable[Fulfillment]) -> int:
    return sum(item["quantity"] for one in fulfillments for item in one.items)
