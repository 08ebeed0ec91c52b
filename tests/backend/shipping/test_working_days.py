"""Working days of couriers in Colombia."""

from datetime import UTC, date, datetime

import pytest

from backend.shipping.working_days import add_working_days, get_next_working_day


@pytest.mark.parametrize(
    ("moment", "day"),
    [
        (datetime(2026, 11, 20, 15, tzinfo=UTC), date(2026, 11, 23)),  # Friday, so Monday
        (datetime(2026, 11, 21, 15, tzinfo=UTC), date(2026, 11, 23)),  # Saturday
        (datetime(2026, 11, 23, 3, tzinfo=UTC), date(2026, 11, 23)),  # Sunday evening in Colombia
        (datetime(2026, 11, 23, 15, tzinfo=UTC), date(2026, 11, 24)),
        (datetime(2026, 11, 13, 15, tzinfo=UTC), date(2026, 11, 17)),  # Friday; Monday the 16th is a holiday
        (datetime(2026, 12, 24, 15, tzinfo=UTC), date(2026, 12, 28)),  # Christmas Day is a Friday
        (datetime(2026, 12, 31, 15, tzinfo=UTC), date(2027, 1, 4)),  # New Year's Day of another year
        (datetime(2027, 3, 24, 15, tzinfo=UTC), date(2027, 3, 29)),  # Maundy Thursday and Good Friday
    ],
)
def test_packages_are_collected_on_the_next_working_day(moment: datetime, day: date) -> None:
    assert get_next_working_day(moment) == day


@pytest.mark.parametrize(
    ("count", "day"), [(1, date(2026, 12, 4)), (2, date(2026, 12, 7)), (3, date(2026, 12, 9))]
)
def test_working_days_are_counted_over_weekends_and_holidays(count: int, day: date) -> None:
    assert add_working_days(date(2026, 12, 3), count) == day  # a Thursday; Tuesday the 8th is a holiday
