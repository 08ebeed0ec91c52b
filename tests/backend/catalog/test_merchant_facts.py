"""Facts for search engines and shopping programs."""

import pytest

from backend.catalog.merchant_facts import SuggestedAges, parse_suggested_ages, to_plain_name
from backend.catalog.schemas.cell_words import AGE_RANGES


@pytest.mark.parametrize(
    ("age_range", "ages", "age_group"),
    [
        ("0-2", SuggestedAges(0, 2), "toddler"),
        ("3-5", SuggestedAges(3, 5), "toddler"),
        ("6-8", SuggestedAges(6, 8), "kids"),
        ("9-12", SuggestedAges(9, 12), "kids"),
        ("12+", SuggestedAges(12, None), "adult"),
    ],
)
def test_age_range_is_parsed_to_its_youngest_and_oldest_age(
    age_range: str, ages: SuggestedAges, age_group: str
) -> None:
    assert parse_suggested_ages(age_range) == ages
    assert ages.age_group == age_group


def test_every_age_range_of_the_shop_is_parsed_to_ages() -> None:
    assert all(parse_suggested_ages(age_range) for age_range in AGE_RANGES)


@pytest.mark.parametrize("age_range", ["", "todas", "3", "-5", "3-", "+", "3-5 años"])
def test_unknown_age_range_has_no_ages(age_range: str) -> None:
    assert parse_suggested_ages(age_range) is None


def test_tags_and_control_characters_are_removed_from_a_plain_name() -> None:
    assert to_plain_name("Oso <b>Tomás</b> &amp;\u0007\n Cía 🧸 3 < 4") == "Oso Tomás & Cía 🧸 3 < 4"
