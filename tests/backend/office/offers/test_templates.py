"""Templates of offers: the days of this year's season, or of the next one if it is over."""

from datetime import date

import pytest

from backend.office.offers.templates import TEMPLATES, fill_template


@pytest.mark.parametrize(
    ("name", "today", "starts", "ends"),
    [
        ("black-friday", date(2026, 10, 1), "2026-11-27", "2026-11-30"),
        ("black-friday", date(2026, 11, 30), "2026-11-27", "2026-11-30"),
        ("black-friday", date(2026, 12, 1), "2027-11-26", "2027-11-29"),
        ("black-friday", date(2028, 11, 1), "2028-11-24", "2028-11-27"),
        ("diciembre", date(2026, 12, 24), "2026-12-01", "2026-12-24"),
        ("diciembre", date(2026, 12, 25), "2027-12-01", "2027-12-24"),
    ],
)
def test_offer_template_is_filled_with_the_days_of_its_season(
    name: str, today: date, starts: str, ends: str
) -> None:
    form = fill_template(name, today)
    assert (form.starts, form.ends, form.way) == (starts, ends, "automatic")
    assert form.code.endswith(starts[:4])


def test_each_offer_template_has_its_own_code() -> None:
    codes = {fill_template(name, date(2026, 11, 1)).code for name in TEMPLATES}
    assert len(codes) == len(TEMPLATES)
    assert "" not in codes
