"""The days on which couriers in Colombia collect and deliver: Monday to Friday, no public holiday."""

from datetime import date, datetime, timedelta

from backend.core.dates import today_in_colombia

SATURDAY = 5


def next_working_day(moment: datetime) -> date:
    """The first working day after this moment's in Colombia."""
    return working_day_after(today_in_colombia(moment), 1)


def working_day_after(day: date, count: int) -> date:
    """The working day that is the `count`-th after this day."""
    from holidays import country_holidays  # 11 MiB, which only a shop that ships needs

    holidays = country_holidays("CO")  # of any year: many of them move to the Monday after
    for _turn in range(count):
        day += timedelta(days=1)
        while day.weekday() >= SATURDAY or day in holidays:
            day += timedelta(days=1)
    return day
