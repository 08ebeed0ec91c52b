"""Business days in Colombia, for legal deadlines, packing and couriers: Monday to Friday, except public holidays.

Ley 51 of 1983 moves most holidays to a Monday.
"""

import asyncio
from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from backend.core.dates import day_begin, today_in_colombia

if TYPE_CHECKING:
    from holidays import HolidayBase

SATURDAY = 5


def is_business_day(day: date) -> bool:
    """Return True if the day is neither on a weekend nor a holiday."""
    return day.weekday() < SATURDAY and day not in _holidays()


def is_holiday(day: date) -> bool:
    """Return True if the day is a public holiday."""
    return day in _holidays()


def add_business_days(day: date, count: int) -> date:
    """Return the business day `count` business days after this day; the day itself is not counted."""
    return add_counted_days(day, count, is_business_day)


def add_counted_days(day: date, count: int, is_counted: Callable[[date], bool]) -> date:
    """Return the day that is `count` days after this day. Only days for which `is_counted` returns True count.

    The day itself does not count. `is_counted` must return True for at least one day of every month.
    """
    while count > 0:
        day += timedelta(days=1)
        count -= is_counted(day)
    return day


def end_of_day(day: date) -> datetime:
    """Return the moment at which this day ends in Colombia, in UTC."""
    return day_begin(day + timedelta(days=1))


def due_date_after(moment: datetime, business_days: int) -> datetime:
    """Return the end of the day that is this number of business days after the day of `moment`."""
    return end_of_day(add_business_days(today_in_colombia(moment), business_days))


async def load_holidays() -> None:
    """Import the holidays in a thread, if they are not loaded yet: this takes a while."""
    if not _holidays.cache_info().currsize:
        await asyncio.to_thread(_holidays)


@cache
def _holidays() -> "HolidayBase":
    from holidays import country_holidays  # takes 11 MiB, and most processes never need it

    return country_holidays("CO")
