"""Price calculation: the total is the exact sum of its parts, IVA per line, nothing negative (design: decision 14)."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.pricing import (
    CART,
    SHIPPING,
    Adjustment,
    CartTotals,
    PricedLine,
    ShippingCharge,
    Totals,
    percent_of,
    price_cart,
    price_of_units,
)

Cart = tuple[list[PricedLine], ShippingCharge | None, list[Adjustment]]

pesos = st.integers(min_value=0, max_value=10**9)
rates = st.sampled_from([0, 5, 19]) | st.integers(min_value=0, max_value=100)


@st.composite
def carts(draw: st.DrawFn) -> Cart:
    """Generate lines at any price and rate, optional shipping, and adjustments, also larger than their target."""
    shapes = draw(st.lists(st.tuples(st.integers(0, 99), pesos, rates), max_size=6))
    lines = [PricedLine(f"line_{i}", *shape) for i, shape in enumerate(shapes)]
    shipping = draw(st.none() | st.builds(ShippingCharge, amount=pesos, tax_rate=rates))
    targets = st.sampled_from([CART, SHIPPING, *(line.id for line in lines)])
    adjustments = st.builds(Adjustment, amount=pesos, target=targets, code=st.sampled_from(["", "NAVIDAD"]))
    return lines, shipping, draw(st.lists(adjustments, max_size=4))


def parts_of(totals: CartTotals) -> list[Totals]:
    return [*totals.lines, totals.shipping]


@given(carts())
def test_total_is_lines_plus_shipping_minus_adjustments(cart: Cart) -> None:
    lines, shipping, _ = cart
    totals = price_cart(*cart)
    before = sum(line.quantity * line.unit_price for line in lines) + (shipping.amount if shipping else 0)
    taken = sum(taken.amount for part in (*totals.lines, totals.shipping) for taken in part.adjustments)
    assert totals.original_total == before
    assert totals.discount_total == taken
    assert totals.total == before - taken


@given(carts())
def test_each_kind_of_cart_total_is_the_sum_over_lines_and_shipping(cart: Cart) -> None:
    totals = price_cart(*cart)
    for name in (
        "total", "subtotal", "tax_total", "original_total", "original_subtotal", "original_tax_total",
        "discount_total", "discount_subtotal", "discount_tax_total",
    ):  # fmt: skip
        assert getattr(totals, name) == sum(getattr(part, name) for part in parts_of(totals)), name
        assert getattr(totals.items, name) == sum(getattr(line, name) for line in totals.lines), name


@given(carts())
def test_base_plus_tax_is_the_total_and_neither_is_negative(cart: Cart) -> None:
    totals = price_cart(*cart)
    for part in (*parts_of(totals), totals.items, totals):
        assert part.subtotal + part.tax_total == part.total
        assert part.original_subtotal + part.original_tax_total == part.original_total
        assert part.discount_subtotal + part.discount_tax_total == part.discount_total
        # the platform's formula: price before discounts, minus discounts, plus tax
        assert part.original_subtotal - part.discount_subtotal + part.tax_total == part.total
        assert 0 <= part.subtotal <= part.total <= part.original_total
        assert 0 <= part.tax_total <= part.total
        assert min(part.discount_total, part.discount_subtotal, part.discount_tax_total) >= 0


@given(carts())
def test_tax_of_each_line_is_exact_to_half_a_peso(cart: Cart) -> None:
    totals = price_cart(*cart)
    for part in (*totals.lines, totals.shipping):
        exact = Fraction(part.total * part.tax_rate, 100 + part.tax_rate)
        assert abs(part.tax_total - exact) <= Fraction(1, 2)


@given(carts())
def test_discount_is_limited_to_the_remaining_price(cart: Cart) -> None:
    lines, shipping, adjustments = cart
    left = price_cart(lines, shipping)
    for count, adjustment in enumerate(adjustments, start=1):
        after = price_cart(lines, shipping, adjustments[:count])
        remaining = {CART: left.items.total, SHIPPING: left.shipping.total}
        if adjustment.target not in remaining:
            remaining[adjustment.target] = left.by_line[adjustment.target].total
        assert left.total - after.total == min(adjustment.amount, remaining[adjustment.target])
        if adjustment.target == CART:
            assert after.shipping == left.shipping
            for one, was in zip(after.lines, left.lines, strict=True):
                share = Fraction(was.total * (left.total - after.total), left.items.total or 1)
                assert abs((was.total - one.total) - share) < 1
        left = after


@given(carts())
def test_totals_stored_as_json_are_restored_unchanged(cart: Cart) -> None:
    totals = price_cart(*cart)
    assert CartTotals.from_json(json.loads(json.dumps(totals.as_json()))) == totals


@pytest.mark.parametrize(
    ("amount", "rate", "subtotal", "tax"),
    [
        (119_000, 19, 100_000, 19_000),
        (45_000, 19, 37_815, 7_185),
        (1, 19, 1, 0),
        (105_000, 5, 100_000, 5_000),
        (9_900, 5, 9_429, 471),
        (38_500, 0, 38_500, 0),
        (0, 19, 0, 0),
        (101, 2, 99, 2),  # 99.02
        (51, 100, 26, 25),  # 25.50: half a peso goes to the base
    ],
)
def test_amount_is_split_into_base_and_tax(amount: int, rate: int, subtotal: int, tax: int) -> None:
    (line,) = price_cart([PricedLine("a", 1, amount, rate)]).lines
    assert (line.subtotal, line.tax_total, line.total) == (subtotal, tax, amount)


def test_taxes_of_a_cart_with_three_tax_rates_are_computed_per_rate() -> None:
    totals = price_cart(
        [
            PricedLine("ball", 2, 119_000, 19),
            PricedLine("bicycle", 1, 105_000, 5),
            PricedLine("book", 3, 20_000, 0),
        ],
        ShippingCharge(11_900, 19),
    )
    assert [(line.subtotal, line.tax_total) for line in totals.lines] == [
        (200_000, 38_000),
        (100_000, 5_000),
        (60_000, 0),
    ]
    assert (totals.item_total, totals.items.subtotal, totals.items.tax_total) == (403_000, 360_000, 43_000)
    assert (totals.shipping_total, totals.shipping.subtotal, totals.shipping.tax_total) == (
        11_900,
        10_000,
        1_900,
    )
    assert (totals.total, totals.subtotal, totals.tax_total) == (414_900, 370_000, 44_900)
    parts = (*totals.lines, totals.shipping)
    taxes = [sum(part.tax_total for part in parts if part.tax_rate == rate) for rate in (0, 5, 19)]
    assert taxes == [0, 5_000, 39_900]


def test_cart_tax_is_the_sum_of_the_line_taxes() -> None:
    totals = price_cart([PricedLine(str(number), 1, 103) for number in range(10)])
    assert [line.tax_total for line in totals.lines] == [16] * 10
    assert (totals.total, totals.tax_total) == (1_030, 160)
    assert price_cart([PricedLine("all", 1, 1_030)]).tax_total == 164


def test_line_discount_lowers_the_tax() -> None:
    off = Adjustment(11_900, "ball", code="BALON10", description="10 % en balones", promotion_id="promo_1")
    totals = price_cart([PricedLine("ball", 1, 119_000), PricedLine("book", 1, 20_000, 0)], None, [off])
    ball, book = totals.lines
    assert (ball.total, ball.subtotal, ball.tax_total) == (107_100, 90_000, 17_100)
    assert (ball.discount_total, ball.discount_subtotal, ball.discount_tax_total) == (11_900, 10_000, 1_900)
    assert (ball.original_total, ball.original_tax_total) == (119_000, 19_000)
    assert (ball.adjustments, book.adjustments) == ((off,), ())
    assert (totals.total, totals.discount_total) == (127_100, 11_900)


def test_cart_discount_is_distributed_over_the_lines_to_the_peso() -> None:
    lines = [PricedLine("a", 1, 10_000), PricedLine("b", 1, 10_000), PricedLine("c", 1, 10_000, 0)]
    totals = price_cart(lines, ShippingCharge(5_000), [Adjustment(1_000, code="MIL")])
    assert [line.discount_total for line in totals.lines] == [334, 333, 333]
    assert [taken.amount for line in totals.lines for taken in line.adjustments] == [334, 333, 333]
    assert (totals.shipping_total, totals.total) == (5_000, 34_000)


def test_free_shipping_discount_applies_before_and_after_shipping_is_chosen() -> None:
    free = Adjustment(99_999, SHIPPING)
    totals = price_cart([PricedLine("a", 1, 10_000)], ShippingCharge(12_000), [free])
    assert (totals.shipping.original_total, totals.shipping_total, totals.total) == (12_000, 0, 10_000)
    assert totals.shipping.adjustments[0].amount == 12_000
    assert price_cart([PricedLine("a", 1, 10_000)], None, [free]).total == 10_000


def test_discounts_never_exceed_the_price() -> None:
    lines = [PricedLine("a", 1, 10_000), PricedLine("b", 1, 500)]
    totals = price_cart(lines, None, [Adjustment(8_000, "a"), Adjustment(5_000, "a"), Adjustment(9_000)])
    assert [line.total for line in totals.lines] == [0, 0]
    assert [taken.amount for taken in totals.by_line["a"].adjustments] == [8_000, 2_000]
    assert (totals.total, totals.tax_total, totals.discount_total) == (0, 0, 10_500)


def test_empty_cart_costs_nothing() -> None:
    totals = price_cart([], None, [Adjustment(5_000)])
    assert (totals.total, totals.tax_total, totals.lines) == (0, 0, ())


@pytest.mark.parametrize(
    ("lines", "shipping", "adjustments"),
    [
        ([PricedLine("a", -1, 100)], None, []),
        ([PricedLine("a", 1, -100)], None, []),
        ([PricedLine("a", 1, 100, -5)], None, []),
        ([PricedLine("a", 1, 100), PricedLine("a", 2, 100)], None, []),
        ([PricedLine(SHIPPING, 1, 100)], None, []),
        ([], ShippingCharge(-1), []),
        ([], ShippingCharge(1, -1), []),
        ([], None, [Adjustment(-1)]),
        ([PricedLine("a", 1, 100)], None, [Adjustment(1, "b")]),
    ],
)
def test_negative_or_inconsistent_amounts_of_a_cart_are_refused(
    lines: list[PricedLine], shipping: ShippingCharge | None, adjustments: list[Adjustment]
) -> None:
    with pytest.raises(ValueError, match=r"negative|id|adjustment|no line"):
        price_cart(lines, shipping, adjustments)


def test_discounts_and_savings_are_added_up_by_promotion_and_code() -> None:
    lines = [PricedLine("a", 1, 10_000), PricedLine("b", 1, 10_000)]
    adjustments = [
        Adjustment(1_000, "a", "NAVIDAD", promotion_id="promo_1"),
        Adjustment(500, "b", "AMIGOS"),  # not of a promotion
        Adjustment(2_000, "b", "NAVIDAD", promotion_id="promo_1"),
        Adjustment(700, SHIPPING, "ENVIO", promotion_id="promo_2"),
    ]
    totals = price_cart(lines, ShippingCharge(9_000), adjustments)
    assert list(totals.discounts_by_promotion.items()) == [("promo_1", 3_000), ("promo_2", 700)]
    assert totals.savings == [("NAVIDAD", 3_000), ("AMIGOS", 500), ("ENVIO", 700)]


def test_shipping_price_before_adjustments_is_computed_from_the_price_after() -> None:
    adjustments = [Adjustment(700, SHIPPING), Adjustment(300, SHIPPING), Adjustment(5_000, "a")]
    assert ShippingCharge.before_adjustments(8_000, adjustments, 5) == ShippingCharge(9_000, 5)


@pytest.mark.parametrize(
    ("total", "quantity", "units", "price"),
    [(10_000, 3, 1, 3_333), (10_000, 3, 2, 6_667), (10_000, 3, 3, 10_000), (5, 2, 1, 3), (0, 4, 1, 0)],
)
def test_price_of_some_units_is_rounded_to_the_peso(
    total: int, quantity: int, units: int, price: int
) -> None:
    assert price_of_units(total, quantity, units) == price


@pytest.mark.parametrize(
    ("price", "percent", "step", "nearest", "below"),
    [
        (10_000, 19, 1, 1_900, 1_900),
        (1_050, 10, 1, 105, 105),
        (1_005, 10, 1, 101, 100),  # a half is rounded up
        (1_004, 10, 1, 100, 100),
        (12_345, 50, 100, 6_200, 6_100),
        (12_300, 50, 100, 6_200, 6_100),
    ],
)
def test_percentage_of_a_price_is_rounded_to_the_step(
    price: int, percent: int, step: int, nearest: int, below: int
) -> None:
    assert percent_of(price, percent, step) == nearest
    assert percent_of(price, percent, step, rounds_down=True) == below
