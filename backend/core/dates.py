"""Dates and times in words, in Colombian time.

All dates and times that a customer reads are formatted here.
"""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_datetime, format_time, get_day_names

from backend.core.texts import language_rules

TIME_ZONE = ZoneInfo("America/Bogota")
LOCALE = language_rules.locale
"""Babel's locale of the store's language."""


def time_label(moment: datetime) -> str:
    """Format a moment: «21 de noviembre de 2026, 3:05 p. m.», in English «November 21, 2026, 3:05 PM»."""
    return format_datetime(moment, language_rules.time, tzinfo=TIME_ZONE, locale=LOCALE)


def short_time_label(moment: datetime) -> str:
    """Format a moment in a list: «21 nov, 3:05 p. m.», in English «Nov 21, 3:05 PM»."""
    return format_datetime(moment, language_rules.short_time, tzinfo=TIME_ZONE, locale=LOCALE)


def day_label(moment: datetime) -> str:
    """Format the day of a moment: «lunes 23 de noviembre», in English «Monday, November 23»."""
    return day_name(moment.astimezone(TIME_ZONE).date())


def weekday_label(moment: datetime) -> str:
    """Format the day of the week of a moment: «lunes», in English «Monday»."""
    return format_date(moment.astimezone(TIME_ZONE).date(), "EEEE", locale=LOCALE)


def weekday_name(weekday: int) -> str:
    """Format a day of the week, Monday being 0: «lunes», in English «Monday»."""
    return str(get_day_names("wide", "stand-alone", LOCALE)[weekday])


def day_name(day: date) -> str:
    """Format a day: «lunes 23 de noviembre», in English «Monday, November 23»."""
    return format_date(day, language_rules.day, locale=LOCALE)


def hour_label(hour: int) -> str:
    """Format an hour of the day: «7 a. m.», in English «7 AM»."""
    return format_time(time(hour), language_rules.hour, locale=LOCALE)


def date_label(moment: datetime) -> str:
    """Format the date of a moment: «23 de noviembre de 2026», in English «November 23, 2026»."""
    return date_name(moment.astimezone(TIME_ZONE).date())


def date_name(day: date) -> str:
    """Format a date: «23 de noviembre de 2026», in English «November 23, 2026»."""
    return format_date(day, language_rules.date, locale=LOCALE)


def day_begin(day: date) -> datetime:
    """Return the moment at which this day begins in Colombia, in UTC."""
    return datetime.combine(day, time.min, TIME_ZONE).astimezone(UTC)


def today_in_colombia(moment: datetime) -> date:
    """Return the day in Colombia at this moment."""
    return moment.astimezone(TIME_ZONE).date()


def last_day(end: datetime) -> datetime:
    """Return a moment on the last day of a period that ends just before `end`."""
    return end - timedelta(seconds=1)
