"""Working days of couriers in Colombia: Monday to Friday, except public holidays."""

from datetime import date, datetime, timedelta

from backend.core.dates import today_in_colombia

SATURDAY = 5


def get_next_working_day(moment: datetime) -> date:
    """Return the first working day after this time's day in Colombia."""
    return add_working_days(today_in_colombia(moment), 1)


def add_working_days(day: date, count: int) -> date:
    """Return the `count`-th working day after this day."""
    from holidays import country_holidays  # uses 11 MiB, so it is loaded only when needed

    holidays = country_holidays("CO")  # for any year: many holidays move to the next Monday
    for _turn in range(count):
        day += timedelta(days=1)
        while day.weekday() >= SATURDAY or day in holidays:
            day += timedelta(days=1)
    return day
