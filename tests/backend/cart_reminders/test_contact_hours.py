"""Hours in which the law allows offers: Ley 2300 of 2023, art. 3."""

from datetime import UTC, datetime

import pytest

from backend.cart_reminders.contact_hours import is_contact_allowed
from backend.core.dates import TIME_ZONE


@pytest.mark.parametrize(
    ("moment", "is_allowed"),
    [
        ("2026-11-27T06:59:59", False),  # a Friday
        ("2026-11-27T07:00", True),
        ("2026-11-27T18:59:59", True),
        ("2026-11-27T19:00", False),
        ("2026-11-28T07:59:59", False),  # a Saturday
        ("2026-11-28T08:00", True),
        ("2026-11-28T14:59:59", True),
        ("2026-11-28T15:00", False),
        ("2026-11-29T12:00", False),  # a Sunday
        ("2026-12-08T12:00", False),  # a holiday on a Tuesday
        ("2026-11-02T12:00", False),  # a holiday that Ley 51 of 1983 moves to a Monday
        ("2026-12-07T12:00", True),
        ("2026-12-25T12:00", False),  # a holiday on a Friday
        ("2027-01-11T12:00", False),  # Epiphany, moved to a Monday
        ("2027-01-12T07:00", True),
        ("2027-03-26T12:00", False),  # Good Friday
        ("2027-07-20T12:00", False),  # a holiday on a Tuesday
        ("2027-05-01T09:00", False),  # a holiday on a Saturday
        ("2027-05-08T09:00", True),
    ],
)
async def test_contact_is_allowed_only_in_the_hours_that_the_law_permits(
    moment: str, is_allowed: bool
) -> None:
    local = datetime.fromisoformat(moment).replace(tzinfo=TIME_ZONE)
    assert await is_contact_allowed(local) is is_allowed
    assert await is_contact_allowed(local.astimezone(UTC)) is is_allowed
