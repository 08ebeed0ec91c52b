"""Facts about products in the form of search engines and shopping programs: structured data, and the merchant feed."""

import re
from dataclasses import dataclass

from backend.core.web.contact import to_one_line
from backend.core.web.html_text import to_plain_text

COUNTRY = "CO"
"""The country of the prices, the deliveries and the returns (ISO 3166)."""
CURRENCY = "COP"
KIDS_MIN_YEARS = 5
ADULT_MIN_YEARS = 12
"""Ages at which Google's age groups `kids` and `adult` (teens and older) begin."""
_AGE_RANGE = re.compile(r"([0-9]{1,2})(?:-([0-9]{1,2})|\+)")


@dataclass(frozen=True, slots=True)
class SuggestedAges:
    """The ages that a product is made for, in years. `max_years` is None if it has no upper limit."""

    min_years: int
    max_years: int | None

    @property
    def age_group(self) -> str:
        """Google's age group of the youngest age: `toddler`, `kids` or `adult`."""
        if self.min_years >= ADULT_MIN_YEARS:
            return "adult"
        return "kids" if self.min_years >= KIDS_MIN_YEARS else "toddler"


def parse_suggested_ages(age_range: str) -> SuggestedAges | None:
    """Return the ages of an age range such as `3-5` or `12+`; None for a text of another form."""
    found = _AGE_RANGE.fullmatch(age_range)
    if found is None:
        return None
    return SuggestedAges(int(found[1]), int(found[2]) if found[2] else None)


def to_plain_name(text: str) -> str:
    """Return a name without HTML, control characters and repeated spaces."""
    return to_one_line(to_plain_text(text))
