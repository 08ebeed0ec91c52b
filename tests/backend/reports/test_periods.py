"""Days of a report, and the pieces of its chart."""

from datetime import UTC, date, datetime

import pytest

from backend.core.errors import InvalidData
from backend.reports.periods import Period, parse_period, split_period

SUNDAY = date(2026, 11, 22)


@pytest.mark.parametrize(
    ("params", "since", "until"),
    [
        ({}, date(2026, 11, 16), SUNDAY),
        ({"periodo": "semana"}, date(2026, 11, 16), SUNDAY),
        ({"periodo": "siempre"}, date(2026, 11, 16), SUNDAY),
        ({"periodo": "hoy"}, SUNDAY, SUNDAY),
        ({"periodo": "mes"}, date(2026, 11, 1), SUNDAY),
        ({"desde": "2025-12-31", "hasta": "2026-01-01"}, date(2025, 12, 31), date(2026, 1, 1)),
    ],
)
def test_requested_period_is_parsed(params: dict[str, str], since: date, until: date) -> None:
    period = parse_period(params, SUNDAY)
    assert (period.since, period.until) == (since, until)


@pytest.mark.parametrize(
    ("since", "until", "field"),
    [
        ("2026-11-02", "2026-11-01", "hasta"),
        ("ayer", "2026-11-01", "desde"),
        ("2026-11-01", "", "hasta"),
        ("0001-01-01", "2026-11-01", "desde"),
        ("2026-11-01", "9999-12-31", "hasta"),
        ("2010-01-01", "2026-11-01", "hasta"),
    ],
)
def test_invalid_period_is_refused(since: str, until: str, field: str) -> None:
    with pytest.raises(InvalidData) as refused:
        parse_period({"desde": since, "hasta": until}, SUNDAY)
    assert list(refused.value.fields) == [field]


def test_day_of_a_report_begins_at_midnight_in_colombia() -> None:
    day = Period("hoy", SUNDAY, SUNDAY)
    assert (day.begin, day.end) == (
        datetime(2026, 11, 22, 5, tzinfo=UTC),
        datetime(2026, 11, 23, 5, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("since", "until", "count", "first", "last"),
    [
        (SUNDAY, SUNDAY, 24, "0:00", "23:00"),
        (date(2026, 11, 16), SUNDAY, 7, "16 nov", "22 nov"),
        (date(2026, 10, 1), date(2026, 12, 1), 62, "1 oct", "1 dic"),
        (date(2026, 10, 15), date(2027, 1, 31), 4, "oct 2026", "ene 2027"),
    ],
)
def test_period_of_a_chart_is_split_into_contiguous_parts(
    since: date, until: date, count: int, first: str, last: str
) -> None:
    period = Period("rango", since, until)
    found = split_period(period)
    assert (len(found), found[0].label, found[-1].label) == (count, first, last)
    assert [one.end for one in found] == [*(one.begin for one in found[1:]), period.end]
    assert found[0].begin == period.begin
