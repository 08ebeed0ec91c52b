"""Deadlines of returns: for the customer's request, and for the shop's answer and payment.

- Retracto: within 5 business days after delivery; all money back within 15 calendar days after the request (Ley
  1480 of 2011, art. 47, as Ley 2439 of 2024 has it). The same for unsent units and a reversal.
- Garantía: within a year after delivery (art. 8). As a claim it is answered within 15 business days (art. 58 no. 5 a);
  the money goes back within 15 calendar days after it was granted.
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
    """Return the shop's deadline after a return request at this time.

    For a warranty claim it is the deadline of the answer, else that of the payment.
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
    """Return the delivery time of an order's latest parcel; None if one is on its way, or none was sent."""
    sent = [one for one in fulfillments if PACKED in one.data and one.canceled_at is None]
    moments = [one.delivered_at for one in sent if one.delivered_at is not None]
    return max(moments) if moments and len(moments) == len(sent) else None


def compute_withdrawal_deadline(delivered: datetime | None) -> datetime | None:
    """Return the end of the final day of the retracto; None if its period has not begun."""
    return due_date_after(delivered, WITHDRAWAL_DAYS) if delivered is not None else None


def compute_warranty_deadline(delivered: datetime | None) -> datetime | None:
    """Return the end of the final day of the legal warranty; None if its period has not begun."""
    if delivered is None:
        return None
    day = today_in_colombia(delivered)
    is_leap_day = (day.month, day.day) == (2, 29)
    return end_of_day(day.replace(year=day.year + WARRANTY_YEARS, day=28 if is_leap_day else day.day))


def count_days_left(due_at: datetime, moment: datetime) -> int:
    """Return the days from this time to the final day: 0 on the final day itself, negative after it."""
    last = today_in_colombia(last_day(due_at))
    return (last - today_in_colombia(moment)).days
