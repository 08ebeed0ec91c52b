"""States of an order and the allowed transitions (the platform's words; wire: commerce-api).

    field       from                  to                    reason
    ----------  --------------------  --------------------  ------------------------------------------------------
    status      pending               canceled              the payment is lost, or staff cancelled it
                canceled              pending               its money arrived after all: it is revived; if staff
                                                            cancelled it, only after staff accepted the money
    payment     awaiting              captured              the provider took the money
                                      authorized            the provider authorized it
                                      partially_captured    staff took a smaller amount for it
                                      canceled              the payment is finally lost
                authorized            captured, canceled    staff confirmed the money; it never arrived
                canceled              captured,             a late approval pays it
                                      partially_captured
                awaiting, canceled    refunded              money that did not match, or came late, was refunded
                partially_captured    captured              the rest of the money arrived
                captured              partially_captured    an edit raised the total: the difference is owed
                captured,             partially_refunded,   manual refunds were booked
                  partially_captured  refunded
                partially_refunded    refunded              the rest was refunded too
                partially_refunded,   captured,             another payment was accepted for it
                  refunded            partially_captured

`move` is the only function that writes `Order.status` and `Order.payment_status`.
"""

from collections.abc import Iterable
from enum import StrEnum

from backend.core.clock import now
from backend.core.money import Cop
from backend.core.transitions import Transitions
from backend.orders.fulfillments import is_canceled_by_carrier
from backend.orders.models import Fulfillment, Order, OrderLine


class OrderStatus(StrEnum):
    """Status of an order: active or cancelled."""

    PENDING = "pending"
    CANCELED = "canceled"


class PaymentStatus(StrEnum):
    """Payment status of an order. `awaiting`: the bank has not decided yet."""

    AWAITING = "awaiting"
    AUTHORIZED = "authorized"
    PARTIALLY_CAPTURED = "partially_captured"
    CAPTURED = "captured"
    PARTIALLY_REFUNDED = "partially_refunded"
    REFUNDED = "refunded"
    CANCELED = "canceled"


class FulfillmentStatus(StrEnum):
    """Progress of an order's fulfillment. Computed from its fulfillments (`compute_fulfillment_status`)."""

    NOT_FULFILLED = "not_fulfilled"
    PARTIALLY_FULFILLED = "partially_fulfilled"
    FULFILLED = "fulfilled"
    PARTIALLY_SHIPPED = "partially_shipped"
    SHIPPED = "shipped"
    PARTIALLY_DELIVERED = "partially_delivered"
    DELIVERED = "delivered"


class LabelState(StrEnum):
    """State of a fulfillment's label. `backend.fulfillment.label_states` has the transitions."""

    CREATING = "creating"
    """A label is being requested from the carrier. Stored before the request is sent."""
    CREATED = "created"
    FAILED = "failed"
    """No label was created; it can be tried again."""
    UNKNOWN = "unknown"
    """It is unknown if the label was created; a staff member must check."""
    TOO_EXPENSIVE = "too_expensive"
    """The label costs more than the limit for an automatic purchase. It was not bought; a staff member decides."""
    CANCELED = "canceled"


WITHOUT_LABEL = (LabelState.FAILED, LabelState.TOO_EXPENSIVE, LabelState.CANCELED)
"""States in which there is certainly no label."""
PACKED, UNPACKED = "packed_at", "unpacked_at"
"""Keys in a fulfillment's `data`: the time when its units left the warehouse, and the time when they came back."""
TAKEN_FROM = "taken_from"
"""Key in a fulfillment's `data`: the packed units by location id, then by variant id."""
TAKEN_BACK = "taken_back"
"""Key in a fulfillment's `data`: the packed units, by line id, that came back or were refunded."""
FAILURE_REASON = "why_failed"
"""Key in a fulfillment's `data`: the reason why its label was not created, worded for staff."""
TRACKING = "tracking"
"""Key in a fulfillment's `data`: the carrier's own `words`, `expected_at` and `received_by`."""
TRACKING_URL, NO_NOTIFICATION, METADATA = "tracking_url", "no_notification", "metadata"
STAFF_KEYS = (TRACKING_URL, NO_NOTIFICATION, METADATA)
"""Keys in a fulfillment's `data` whose values staff programs have sent."""

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
        P.CAPTURED: frozenset({P.PARTIALLY_CAPTURED, P.PARTIALLY_REFUNDED, P.REFUNDED}),
        P.PARTIALLY_REFUNDED: frozenset({P.REFUNDED, P.CAPTURED, P.PARTIALLY_CAPTURED}),
        P.REFUNDED: frozenset({P.CAPTURED, P.PARTIALLY_CAPTURED}),
    },
)
HAS_MONEY = frozenset({P.PARTIALLY_CAPTURED, P.CAPTURED, P.PARTIALLY_REFUNDED})
"""The payment statuses of orders for which the shop has money."""


def move(order: Order, *, status: OrderStatus | None = None, payment: PaymentStatus | None = None) -> None:
    """Change the status and payment status of the (locked) order. Nothing changes if it already has them.

    Raises:
        StepNotAllowed: the tables do not allow this transition; the order is unchanged.
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


def compute_payment_status(owed: Cop, captured: Cop, refunded: Cop) -> PaymentStatus:
    """Return the payment status of an order with the total `owed`, from the captured and refunded amounts.

    Money in excess of `owed` is ignored.

    Raises:
        ValueError: nothing was captured.
    """
    if captured <= 0:
        raise ValueError("nothing was captured")
    left = captured - refunded
    if left >= owed:
        return PaymentStatus.CAPTURED
    if left <= 0:
        return PaymentStatus.REFUNDED
    return PaymentStatus.PARTIALLY_REFUNDED if refunded else PaymentStatus.PARTIALLY_CAPTURED


def compute_fulfillment_status(
    lines: Iterable[OrderLine], fulfillments: Iterable[Fulfillment]
) -> FulfillmentStatus:
    """Return the fulfillment status of an order from its lines and fulfillments. Withdrawn units need not be sent."""
    lines = list(lines)
    sent = [one for one in fulfillments if PACKED in one.data and one.canceled_at is None]
    expected = sum(line.quantity - line.withdrawn for line in lines)
    for units, whole, part in (
        (_count_units(one for one in sent if one.delivered_at), S.DELIVERED, S.PARTIALLY_DELIVERED),
        (
            _count_units(one for one in sent if one.shipped_at and not is_canceled_by_carrier(one)),
            S.SHIPPED,
            S.PARTIALLY_SHIPPED,
        ),
        (sum(line.fulfilled for line in lines), S.FULFILLED, S.PARTIALLY_FULFILLED),
    ):
        if units:
            return whole if units >= expected else part
    return S.NOT_FULFILLED


S = FulfillmentStatus


def _count_units(fulfillments: Iterable[Fulfillment]) -> int:
    return sum(item["quantity"] for one in fulfillments for item in one.items)
