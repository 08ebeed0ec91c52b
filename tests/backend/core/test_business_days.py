"""Business days in Colombia."""

from datetime import date

import pytest

from backend.core.business_days import add_business_days, is_business_day, load_holidays


@pytest.mark.parametrize(
    ("day", "following"),
    [
        (date(2026, 11, 20), date(2026, 11, 23)),  # Friday, so Monday
        (date(2026, 11, 21), date(2026, 11, 23)),  # Saturday
        (date(2026, 11, 22), date(2026, 11, 23)),  # Sunday
        (date(2026, 11, 23), date(2026, 11, 24)),
        (date(2026, 11, 13), date(2026, 11, 17)),  # Friday; Monday the 16th is a holiday
        (date(2026, 12, 24), date(2026, 12, 28)),  # Christmas Day is a Friday
        (date(2026, 12, 31), date(2027, 1, 4)),  # New Year's Day of another year
        (date(2027, 3, 24), date(2027, 3, 29)),  # Maundy Thursday and Good Friday
    ],
)
async def test_next_business_day_is_after_weekends_and_holidays(day: date, following: date) -> None:
    await load_holidays()
    assert add_business_days(day, 1) == following
    assert is_business_day(following)


@pytest.mark.parametrize(
    ("count", "day"),
    [(0, date(2026, 12, 3)), (1, date(2026, 12, 4)), (2, date(2026, 12, 7)), (3, date(2026, 12, 9))],
)
def test_business_days_are_counted_over_weekends_and_holidays(count: int, day: date) -> None:
    assert add_business_days(date(2026, 12, 3), count) == day  # a Thursday; Tuesday the 8th is a holiday
