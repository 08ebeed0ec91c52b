"""Deadlines of returns: for the customer's request, and for the shop's answer and payment.

- Retracto: the customer has 5 business days after the delivery. The shop refunds all the money within 15 calendar
  days after the request (Ley 1480 of 2011, art. 47, changed by Ley 2439 of 2024). Refunds for unsent units and
  reversals have the same deadline.
- Garantía: the customer has one year after the delivery (art. 8). It is a claim, which the shop must answer within
  15 business days (art. 58 no. 5 a). The shop pays within 15 calendar days after it has granted the claim.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from backend.core.business_days import due_date_after, end_of_day
from backend.core.dates import last_day, today_in_colombia
from backend.orders.models import Fulfillment
from backend.orders.states import PACKED
from backend.returns.models import ReturnKind

WITHDRAWAL_DAYS = 5
"""Business days after delivery."""
ANSWER_DAYS = 15
"""Business days after a warranty request."""
PAYMENT_PERIOD = timedelta(days=15)
WARRANTY_YEARS = 1


def compute_first_deadline(kind: ReturnKind, moment: datetime) -> datetime:
    """Return the shop's first deadline after a return is requested at this time.

    For a warranty claim it is the deadline of the answer, for other kinds the deadline of the payment.
    """
    return (
        due_date_after(moment, ANSWER_DAYS)
        if kind is ReturnKind.WARRANTY
        else compute_payment_deadline(moment)
    )


def compute_payment_deadline(moment: datetime) -> datetime:
    """Return the end of the 15th calendar day after this time."""
    return end_of_day(today_in_colombia(moment) + PAYMENT_PERIOD)


def find_delivery_time(fulfillments: Sequence[Fulfillment]) -> datetime | None:
    """Return the time when the order's latest parcel was delivered.

    None if a parcel is still on its way, or if no parcel was sent.
    """
    sent = [one for one in fulfillments if PACKED in one.data and one.canceled_at is None]
    moments = [one.delivered_at for one in sent if one.delivered_at is not None]
    return max(moments) if moments and len(moments) == len(sent) else None


def compute_withdrawal_deadline(delivered: datetime | None) -> datetime | None:
    """Return the end of the final day of the retracto; None before the delivery, when its period has not begun."""
    return due_date_after(delivered, WITHDRAWAL_DAYS) if delivered is not None else None


def compute_warranty_deadline(delivered: datetime | None) -> datetime | None:
    """Return the end of the final day of the legal warranty; None before the delivery, when it has not begun."""
    if delivered is None:
        return None
    day = today_in_colombia(delivered)
    is_leap_day = (day.month, day.day) == (2, 29)
    return end_of_day(day.replace(year=day.year + WARRANTY_YEARS, day=28 if is_leap_day else day.day))


def count_days_left(due_at: datetime, moment: datetime) -> int:
    """Return the number of days from `moment` to the final day: 0 on the final day itself, negative after it."""
    last = today_in_colombia(last_day(due_at))
    return (last - today_in_colombia(moment)).days
