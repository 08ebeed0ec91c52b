"""Until when a buyer may ask, and until when the shop must have answered and paid.

- Retracto: within 5 business days after delivery; all money back within 15 calendar days after it was asked for (Ley
  1480 of 2011, art. 47, as Ley 2439 of 2024 has it). What was never sent, and a reversal, likewise.
- Garantía: within a year after delivery (art. 8). As a claim it is answered within 15 business days (art. 58 no. 5 a);
  the money goes back within 15 calendar days after it was granted.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from backend.core.business_days import due_after, end_of
from backend.core.dates import last_day, today_in_colombia
from backend.orders.models import Fulfillment
from backend.orders.states import PACKED
from backend.returns.models import ReturnKind

WITHDRAW_WITHIN = 5
"""Business days after delivery."""
ANSWER_WITHIN = 15
"""Business days after a warranty was asked for."""
PAY_WITHIN = timedelta(days=15)
WARRANTY_YEARS = 1


def due_when_asked(kind: ReturnKind, moment: datetime) -> datetime:
    """The end of the last day for the shop's next step, when it is asked for at this moment."""
    return due_after(moment, ANSWER_WITHIN) if kind is ReturnKind.WARRANTY else pay_until(moment)


def pay_until(moment: datetime) -> datetime:
    """The end of the 15th calendar day after this moment's."""
    return end_of(today_in_colombia(moment) + PAY_WITHIN)


def delivered_at(fulfillments: Sequence[Fulfillment]) -> datetime | None:
    """When the last parcel of an order was delivered; None while one is on its way, or none was sent."""
    sent = [one for one in fulfillments if PACKED in one.data and one.canceled_at is None]
    moments = [one.delivered_at for one in sent if one.delivered_at is not None]
    return max(moments) if moments and len(moments) == len(sent) else None


def withdraw_until(delivered: datetime | None) -> datetime | None:
    """The end of the last day of the retracto; None while its time has not begun to run."""
    return due_after(delivered, WITHDRAW_WITHIN) if delivered is not None else None


def warranty_until(delivered: datetime | None) -> datetime | None:
    """The end of the last day of the legal warranty; None while its time has not begun to run."""
    if delivered is None:
        return None
    day = today_in_colombia(delivered)
    is_leap_day = (day.month, day.day) == (2, 29)
    return end_of(day.replace(year=day.year + WARRANTY_YEARS, day=28 if is_leap_day else day.day))


def days_left(due_at: datetime, moment: datetime) -> int:
    """Whole days from this moment's to the last one: 0 on the last day itself, below 0 when it is over."""
    last = today_in_colombia(last_day(due_at))
    return (last - today_in_colombia(moment)).days
