"""Money: whole pesos, IVA included, one format for amounts (design: decision 3)."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.core.money import (
    format_cop,
    format_exact,
    format_number,
    parse_amount,
    parse_pesos,
    percent_off,
    regular_price,
)
from tests.amounts import cop

pesos = st.integers(min_value=0, max_value=10**12)


@pytest.mark.parametrize(
    ("amount", "label"),
    [(0, cop("$ 0")), (950, cop("$ 950")), (89_900, cop("$ 89.900")), (1_234_567, cop("$ 1.234.567"))],
)
def test_amount_is_formatted_for_colombia(amount: int, label: str) -> None:
    assert format_cop(amount) == label


def test_amount_does_not_break_after_its_sign_and_can_be_typed_back() -> None:
    assert format_cop(89_900) == "$\N{NO-BREAK SPACE}89.900"
    assert format_exact(Decimal("38000.40")) == "$\N{NO-BREAK SPACE}38.000,40"
    assert parse_pesos(format_cop(89_900)) == 89_900


def test_digits_of_a_number_are_grouped() -> None:
    assert [format_number(number) for number in (0, 999, 5_000_001, -1_200)] == [
        "0",
        "999",
        "5.000.001",
        "-1.200",
    ]


@given(pesos, pesos)
def test_discount_is_a_whole_percentage_and_never_exceeds_the_saving(price: int, compare_at: int) -> None:
    off = percent_off(price, compare_at)
    if off is None:
        assert compare_at <= price or (compare_at - price) * 100 < compare_at
    else:
        assert 1 <= off <= 100
        assert compare_at * off <= (compare_at - price) * 100


def test_price_without_a_higher_compare_at_price_has_no_discount() -> None:
    assert percent_off(1000, None) is None
    assert percent_off(1000, 1000) is None
    assert percent_off(75_000, 100_000) == 25


def test_regular_price_is_the_compare_at_price_only_if_it_is_higher() -> None:
    assert regular_price(8_000, 10_000) == 10_000
    assert regular_price(8_000, 7_000) == regular_price(8_000, 8_000) == regular_price(8_000, None) == 8_000


@given(st.text(max_size=40))
def test_any_text_parses_to_a_finite_amount_or_none(text: str) -> None:
    amount = parse_amount(text)
    assert amount is None or amount.is_finite()


def test_parsed_amounts_compare_as_decimals() -> None:
    assert parse_amount("38000") == parse_amount("38000.00") == Decimal(38000)
    assert parse_amount("38000.005") != Decimal(38000)
    assert parse_amount("NaN") is parse_amount("Infinity") is parse_amount("") is None
