"""Moments in words, as the clocks in Colombia show them. Everything a shopper reads of time is formatted here."""

from datetime import datetime
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_datetime

TIME_ZONE = ZoneInfo("America/Bogota")


def time_label(moment: datetime) -> str:
    """A moment: «21 de noviembre de 2026, 3:05 p. m.»."""
    return format_datetime(moment, "d 'de' MMMM 'de' y, h:mm a", tzinfo=TIME_ZONE, locale="es_CO")


def day_label(moment: datetime) -> str:
    """A moment's day: «lunes 23 de noviembre»."""
    return format_date(moment.astimezone(TIME_ZONE).date(), "EEEE d 'de' MMMM", locale="es_CO")
