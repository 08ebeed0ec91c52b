"""Business days in Colombia, by which the law counts (Ley 51 of 1983 moves most holidays to a Monday)."""

from datetime import date, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from backend.core.dates import day_begin, today_in_colombia

if TYPE_CHECKING:
    from holidays import HolidayBase

SATURDAY = 5


def is_business_day(day: date) -> bool:
    """Whether the day is neither of a weekend nor a holiday."""
    return day.weekday() < SATURDAY and day not in _holidays()


def add_business_days(day: date, count: int) -> date:
    """The business day that is `count` after this day, which is not counted itself."""
    while count > 0:
        day += timedelta(days=1)
        count -= is_business_day(day)
    return day


def end_of(day: date) -> datetime:
    """The moment at which this day is over in Colombia, in UTC."""
    return day_begin(day + timedelta(days=1))


def due_after(moment: datetime, business_days: int) -> datetime:
    """The end of the last of these business days, counted from the day after this moment's."""
    return end_of(add_business_days(today_in_colombia(moment), business_days))


@cache
def _holidays() -> "HolidayBase":
    from holidays import country_holidays  # 11 MiB, which most processes never need

    return country_holidays("CO")
