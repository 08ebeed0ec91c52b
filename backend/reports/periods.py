"""Periods of reports in days of Colombia, and their pieces for charts."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from babel.dates import format_date

from backend.core.dates import LOCALE, TIME_ZONE, day_begin
from backend.core.errors import InvalidData
from backend.core.texts import _, language_rules

TODAY, WEEK, MONTH, RANGE = "hoy", "semana", "mes", "rango"
"""Names of periods in an address."""
FIRST_YEAR, LAST_YEAR = 2000, 2100
MAX_PERIOD = timedelta(days=5 * 366)
MAX_CHART_DAYS = 62
"""Longest period, in days, that the chart shows by day. Longer periods are shown by month."""
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Period:
    """A range of days in Colombia that includes `since` and `until`. `name` is its value of `periodo`."""

    name: str
    since: date
    until: date

    @property
    def begin(self) -> datetime:
        """Return the start of the period, in UTC."""
        return day_begin(self.since)

    @property
    def end(self) -> datetime:
        """Return the end of the period in UTC: the first moment that is no longer part of it."""
        return day_begin(self.until + DAY)


class Piece(NamedTuple):
    """A part of a period, such as a month. `end` is the first moment that is no longer part of it."""

    label: str
    begin: datetime
    end: datetime


def parse_period(params: Mapping[str, str], today: date) -> Period:
    """Parse the period of an address or a form: `periodo`, or the days `desde` and `hasta`. The default is this week.

    Raises:
        InvalidData: a day is not valid, the days are in the wrong order, or they are more than `MAX_PERIOD` apart.
            `fields` has the invalid field.
    """
    if params.get("desde") or params.get("hasta"):
        return parse_range(params)
    name = params.get("periodo", "")
    if name == TODAY:
        return Period(TODAY, today, today)
    if name == MONTH:
        return Period(MONTH, today.replace(day=1), today)
    return Period(WEEK, today - today.weekday() * DAY, today)


def parse_range(params: Mapping[str, str]) -> Period:
    """Parse the days from `desde` to `hasta`.

    Raises:
        InvalidData: see `parse_period`.
    """
    since, until = _parse_day(params, "desde"), _parse_day(params, "hasta")
    if until < since:
        raise InvalidData("The last day is before the first", fields={"hasta": _("Es antes del primer día.")})
    if until - since > MAX_PERIOD:
        raise InvalidData("That is too long", fields={"hasta": _("Elige cinco años o menos.")})
    return Period(RANGE, since, until)


def split_period(period: Period) -> list[Piece]:
    """Split the period into hours, days or months, depending on its length."""
    days = (period.until - period.since).days + 1
    if days == 1:
        return [_hour_piece(period.since, hour) for hour in range(24)]
    if days <= MAX_CHART_DAYS:
        return [
            _to_piece(_format_day(day), day, day) for day in (period.since + n * DAY for n in range(days))
        ]
    return split_into_months(period)


def split_into_months(period: Period) -> list[Piece]:
    """Split the period into months. The first and the final month may be incomplete."""
    found, first = [], period.since
    while first <= period.until:
        following = (first.replace(day=1) + 31 * DAY).replace(day=1)
        found.append(_to_piece(_format_month(first), first, min(following - DAY, period.until)))
        first = following
    return found


def _parse_day(params: Mapping[str, str], name: str) -> date:
    try:
        day = date.fromisoformat(params.get(name, ""))
    except ValueError:
        day = date.min
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise InvalidData("A day is written YYYY-MM-DD", fields={name: _("Elige un día.")})
    return day


def _to_piece(label: str, first: date, last: date) -> Piece:
    return Piece(label, day_begin(first), day_begin(last + DAY))


def _hour_piece(day: date, hour: int) -> Piece:
    begin = datetime.combine(day, time(hour), TIME_ZONE).astimezone(UTC)
    return Piece(f"{hour}:00", begin, begin + timedelta(hours=1))


def _format_day(day: date) -> str:
    return format_date(day, language_rules.short_day, locale=LOCALE)


def _format_month(day: date) -> str:
    return format_date(day, "MMM y", locale=LOCALE)
