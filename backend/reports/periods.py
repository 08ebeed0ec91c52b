"""The days that a report is of, as clocks in Colombia count them, and the pieces that its chart shows them in."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from babel.dates import format_date

from backend.core.dates import LOCALE, TIME_ZONE, day_begin
from backend.core.errors import InvalidData
from backend.core.texts import _

TODAY, WEEK, MONTH, RANGE = "hoy", "semana", "mes", "rango"
"""The periods that have a name, as an address says them."""
FIRST_YEAR, LAST_YEAR = 2000, 2100
LONGEST = timedelta(days=5 * 366)
MOST_DAYS = 62
"""Of more days than these, the chart shows months."""
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Period:
    """Days in Colombia, the first and the last included. `name` is how it was asked for."""

    name: str
    since: date
    until: date

    @property
    def begin(self) -> datetime:
        """The moment at which it begins, in UTC."""
        return day_begin(self.since)

    @property
    def end(self) -> datetime:
        """The moment at which it is over, in UTC: it belongs to the next day."""
        return day_begin(self.until + DAY)


class Piece(NamedTuple):
    """A piece of a period: what it is called, and from which moment to which it lasts."""

    label: str
    begin: datetime
    end: datetime


def period_asked(asked: Mapping[str, str], today: date) -> Period:
    """The period that an address or a form asks for: `periodo`, or the days `desde` and `hasta`. Else this week.

    Raises:
        InvalidData: a day is none, they are the wrong way round, or more than `LONGEST` apart. `fields` says which.
    """
    if asked.get("desde") or asked.get("hasta"):
        return range_asked(asked)
    name = asked.get("periodo", "")
    if name == TODAY:
        return Period(TODAY, today, today)
    if name == MONTH:
        return Period(MONTH, today.replace(day=1), today)
    return Period(WEEK, today - today.weekday() * DAY, today)


def range_asked(asked: Mapping[str, str]) -> Period:
    """The days from `desde` to `hasta`.

    Raises:
        InvalidData: see `period_asked`.
    """
    since, until = _day(asked, "desde"), _day(asked, "hasta")
    if until < since:
        raise InvalidData("The last day is before the first", fields={"hasta": _("Es antes del primer día.")})
    if until - since > LONGEST:
        raise InvalidData("That is too long", fields={"hasta": _("Elige cinco años o menos.")})
    return Period(RANGE, since, until)


def pieces(period: Period) -> list[Piece]:
    """The period hour by hour, day by day or month by month, whichever is read most easily."""
    days = (period.until - period.since).days + 1
    if days == 1:
        return [_hour(period.since, hour) for hour in range(24)]
    if days <= MOST_DAYS:
        return [_piece(_short(day), day, day) for day in (period.since + n * DAY for n in range(days))]
    return months(period)


def months(period: Period) -> list[Piece]:
    """The period month by month; of the first and the last, what is in it."""
    found, first = [], period.since
    while first <= period.until:
        following = (first.replace(day=1) + 31 * DAY).replace(day=1)
        found.append(_piece(_month(first), first, min(following - DAY, period.until)))
        first = following
    return found


def _day(asked: Mapping[str, str], name: str) -> date:
    try:
        day = date.fromisoformat(asked.get(name, ""))
    except ValueError:
        day = date.min
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise InvalidData("A day is written YYYY-MM-DD", fields={name: _("Elige un día.")})
    return day


def _piece(label: str, first: date, last: date) -> Piece:
    return Piece(label, day_begin(first), day_begin(last + DAY))


def _hour(day: date, hour: int) -> Piece:
    begin = datetime.combine(day, time(hour), TIME_ZONE).astimezone(UTC)
    return Piece(f"{hour}:00", begin, begin + timedelta(hours=1))


def _short(day: date) -> str:
    return format_date(day, {"es_CO": "d MMM", "en": "MMM d"}[LOCALE], locale=LOCALE)


def _month(day: date) -> str:
    return format_date(day, "MMM y", locale=LOCALE)
