"""Weekly schedules: the days and hours of an own delivery zone, or of a pickup point."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Any, TypeGuard

from babel.lists import format_list

from backend.core.business_days import is_holiday
from backend.core.dates import LOCALE, hour_label, weekday_name
from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData
from backend.core.texts import _

MAX_HOUR = 23
WEEKDAYS = range(7)
"""Days of the week, Monday being 0."""
MIN_RANGE_DAYS = 3
"""Consecutive days that are written as a range: «lunes a miércoles»."""


@dataclass(frozen=True, slots=True)
class WeeklySchedule:
    """Days of the week, Monday being 0, and the hours of delivery, or the opening hours of a pickup point.

    Attributes:
        weekdays: sorted; at least one.
        from_hour: first hour, from 0 to 22.
        to_hour: hour at which the delivery or the opening ends, later than `from_hour` and at most 23.
        on_holidays: True if public holidays count like the other days.
    """

    weekdays: tuple[int, ...]
    from_hour: int
    to_hour: int
    on_holidays: bool = False

    def to_data(self) -> JsonObject:
        """Convert the schedule to JSON values."""
        return {
            "weekdays": [*self.weekdays],
            "from_hour": self.from_hour,
            "to_hour": self.to_hour,
            "on_holidays": self.on_holidays,
        }


def is_open_day(day: date, weekdays: tuple[int, ...], *, on_holidays: bool) -> bool:
    """Return True if the day is one of these days of the week. Holidays count only with `on_holidays`."""
    return day.weekday() in weekdays and (on_holidays or not is_holiday(day))


def parse_schedule(data: Any) -> WeeklySchedule:
    """Return the schedule in these JSON values.

    Raises:
        InvalidData: it has no day, a value is missing or out of its range, or the hours are in the wrong order.
            `fields` has the field to correct.
    """
    sent: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
    days = sent.get("weekdays")
    if not isinstance(days, list | tuple) or not days or any(not is_integer_in(day, 0, 6) for day in days):
        raise InvalidData(
            "schedule.weekdays lists days from 0 (Monday) to 6 (Sunday)",
            fields={"weekdays": _("Marca al menos un día.")},
        )
    from_hour, to_hour = _parse_hour(sent.get("from_hour")), _parse_hour(sent.get("to_hour"))
    if from_hour is None or to_hour is None or from_hour >= to_hour:
        raise InvalidData(
            f"schedule.from_hour must be before schedule.to_hour, both from 0 to {MAX_HOUR}",
            fields={"to_hour": _("La hora final va después de la inicial.")},
        )
    return WeeklySchedule(tuple(sorted(set(days))), from_hour, to_hour, sent.get("on_holidays") is True)


def describe_schedule(schedule: WeeklySchedule) -> str:
    """Return the schedule in words: «lunes a sábado, 9 a. m. a 6 p. m.»."""
    text = _("{days}, {start} a {end}").format(
        days=_describe_days(schedule.weekdays),
        start=_hour(schedule.from_hour),
        end=_hour(schedule.to_hour),
    )
    return _("{text}, también festivos").format(text=text) if schedule.on_holidays else text


def _describe_days(weekdays: tuple[int, ...]) -> str:
    if len(weekdays) == len(WEEKDAYS):
        return _("todos los días")
    names = [weekday_name(day) for day in weekdays]
    is_range = all(following == day + 1 for day, following in pairwise(weekdays))
    if is_range and len(weekdays) >= MIN_RANGE_DAYS:
        return _("{first} a {last}").format(first=names[0], last=names[-1])
    return format_list(names, locale=LOCALE)


def _hour(hour: int) -> str:
    return hour_label(hour).replace(" ", "\N{NO-BREAK SPACE}")


def is_integer_in(value: object, least: int, most: int) -> TypeGuard[int]:
    """Return True if the value is an integer in this range, both ends included. True and False are no integers."""
    return type(value) is int and least <= value <= most


def _parse_hour(value: object) -> int | None:
    return value if is_integer_in(value, 0, MAX_HOUR) else None
