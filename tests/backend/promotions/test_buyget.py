"""Buyget promotions: 2×1, 3×2, the second unit at half price, a gift; and random carts with promotions of all kinds."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.pricing import PricedLine, ShippingCharge, price_cart, price_of_units
from backend.promotions.buyget import choose_units
from backend.promotions.combination import can_combine
from backend.promotions.discount_calculation import apply_offers
from backend.promotions.kinds import Combination
from backend.promotions.offers import Budget, BuyGet, Offer, TargetLine
from backend.promotions.rules import CATEGORY, PRODUCT, Operator, Rule

TOYS = (Rule(CATEGORY, Operator.IN, ("juguetes",)),)
GIFTS = (Rule(CATEGORY, Operator.IN, ("regalos",)),)


def make_line(id_: str, price: int, quantity: int = 1, category: str = "juguetes") -> TargetLine:
    facts = {PRODUCT: frozenset({id_}), CATEGORY: frozenset({category})}
    return TargetLine(PricedLine(id_, quantity, price), facts)


def make_buyget(
    buy: int,
    get: int,
    percent: int = 100,
    most: int | None = 99,
    *,
    buy_rules: tuple[Rule, ...] = TOYS,
    rules: tuple[Rule, ...] = TOYS,
    id_: str = "promo_1",
) -> Offer:
    buyget = BuyGet(buy, get, buy_rules)
    return Offer(
        id_, "OFERTA", "percentage", "items", "each", percent, most, target_rules=rules, buyget=buyget
    )


def compute_discounts(offers: list[Offer], lines: list[TargetLine]) -> dict[str, int]:
    off: dict[str, int] = {}
    for one in apply_offers(offers, lines).adjustments:
        off[one.target] = off.get(one.target, 0) + one.amount
    return off


@pytest.mark.parametrize(
    ("offer", "lines", "off"),
    [
        (make_buyget(1, 1), [make_line("a", 10_000)], {}),
        (make_buyget(1, 1), [make_line("a", 10_000, 2)], {"a": 10_000}),
        (make_buyget(1, 1), [make_line("a", 10_000, 5)], {"a": 20_000}),
        (make_buyget(1, 1, most=1), [make_line("a", 10_000, 5)], {"a": 10_000}),
        (make_buyget(1, 1, most=None), [make_line("a", 10_000, 5)], {"a": 10_000}),
        # the cheapest units are free
        (make_buyget(1, 1), [make_line("a", 10_000), make_line("b", 4_000)], {"b": 4_000}),
        (
            make_buyget(1, 1),
            [make_line("a", 10_000), make_line("b", 4_000, 2), make_line("c", 6_000)],
            {"b": 8_000},
        ),
        (make_buyget(2, 1), [make_line("a", 10_000, 2), make_line("b", 4_000)], {"b": 4_000}),
        (make_buyget(2, 1), [make_line("a", 10_000, 8)], {"a": 20_000}),
        (make_buyget(2, 2), [make_line("a", 10_000, 3)], {}),
        # a product without a price is not the free one
        (make_buyget(1, 1), [make_line("a", 10_000), make_line("b", 0)], {}),
        # half a peso is rounded up
        (make_buyget(1, 1, 50), [make_line("a", 10_001, 2)], {"a": 5_001}),
        # a gift for every toy: other products
        (
            make_buyget(1, 1, rules=GIFTS),
            [make_line("a", 10_000, 2), make_line("b", 3_000, 3, "regalos")],
            {"b": 6_000},
        ),
        (make_buyget(1, 1, rules=GIFTS), [make_line("b", 3_000, 3, "regalos")], {}),
        # a unit that may be bought and discounted is kept for buying if no other suffices
        (
            make_buyget(1, 1, buy_rules=TOYS, rules=(*TOYS, Rule(PRODUCT, Operator.IN, ("a",)))),
            [make_line("a", 5_000), make_line("b", 9_000)],
            {"a": 5_000},
        ),
        (
            make_buyget(2, 1, rules=(Rule(PRODUCT, Operator.IN, ("a", "b")),)),
            [make_line("a", 1_000, 1), make_line("b", 9_000, 1, "regalos"), make_line("c", 5_000, 1)],
            {"b": 9_000},
        ),
        # an offer that has lost its rules discounts nothing
        (make_buyget(1, 1, rules=()), [make_line("a", 10_000, 2)], {}),
        (make_buyget(1, 1, buy_rules=()), [make_line("a", 10_000, 2)], {}),
        (
            replace(make_buyget(1, 1), method_type="fixed", value=3_000),
            [make_line("a", 10_000, 4)],
            {"a": 6_000},
        ),
        (
            replace(make_buyget(1, 1), method_type="fixed", value=90_000),
            [make_line("a", 10_000, 2)],
            {"a": 10_000},
        ),
    ],
)
def test_discount_of_a_buyget_offer_has_the_expected_amount(
    offer: Offer, lines: list[TargetLine], off: dict[str, int]
) -> None:
    assert compute_discounts([offer], lines) == off


def test_unit_is_used_by_one_buyget_offer_only() -> None:
    pair, half = make_buyget(1, 1), make_buyget(1, 1, 50, id_="promo_0")
    assert compute_discounts([half, pair], [make_line("a", 10_000, 3)]) == {"a": 10_000}
    assert compute_discounts([pair], [make_line("a", 10_000, 3)]) == {"a": 10_000}
    limited = replace(pair, max_quantity=1)
    assert compute_discounts([half, limited], [make_line("a", 10_000, 4)]) == {"a": 15_000}


def test_buyget_offer_beyond_its_budget_uses_no_unit() -> None:
    pair = replace(make_buyget(1, 1), budget=Budget("c", 9_999, is_spend=True))
    half = make_buyget(1, 1, 50, id_="promo_2")
    found = apply_offers([pair, half], [make_line("a", 10_000, 2)])
    assert ([one.amount for one in found.adjustments], found.refused) == ([5_000], {"promo_1"})


def test_other_offers_apply_to_the_price_after_a_buyget_offer() -> None:
    tenth = Offer("promo_0", "DIEZ", "percentage", "order", "across", 10)
    applied = apply_offers([tenth, make_buyget(1, 1)], [make_line("a", 10_000, 2)])
    assert [(one.promotion_id, one.amount) for one in applied.adjustments] == [
        ("promo_1", 10_000), ("promo_0", 1_000),
    ]  # fmt: skip


prices = st.sampled_from([0, 1, 3, 99, 10_003, 45_900]) | st.integers(1, 3_000_000)
categories = st.sampled_from(["juguetes", "regalos", "libros"])
most_units = st.none() | st.integers(1, 9)
rules = st.sampled_from([(), TOYS, GIFTS, (*TOYS, Rule(PRODUCT, Operator.NE, ("line_0",)))])


@st.composite
def lines_of_carts(draw: st.DrawFn) -> list[TargetLine]:
    shapes = draw(st.lists(st.tuples(prices, st.integers(1, 12), categories), max_size=6))
    return [make_line(f"line_{i}", *shape) for i, shape in enumerate(shapes)]


@st.composite
def offers_of_carts(draw: st.DrawFn) -> list[Offer]:
    """Generate up to five offers of any kind. Some have a maximum of units; some share one budget."""
    shared = draw(st.sampled_from([None, Budget("c", 5_000, is_spend=True), Budget("c", 1)]))
    offers = []
    for i in range(draw(st.integers(0, 5))):
        buyget = draw(st.none() | st.builds(BuyGet, st.integers(1, 4), st.integers(1, 3), rules))
        method = draw(st.sampled_from(["percentage", "fixed"]))
        target = "items" if buyget else draw(st.sampled_from(["items", "order", "shipping_methods"]))
        offers.append(
            Offer(
                f"promo_{i}",
                f"CODIGO{i}",
                method,
                target,
                draw(st.sampled_from(["each", "across", "once"])),
                draw(st.integers(1, 100 if method == "percentage" else 200_000)),
                draw(most_units),
                target_rules=draw(rules) if target == "items" else (),
                budget=shared if draw(st.booleans()) else None,
                buyget=buyget,
                combination=draw(st.sampled_from([Combination.ALL, *Combination])),
                is_automatic=draw(st.booleans()),
            )
        )
    return offers


@given(
    lines_of_carts(), offers_of_carts(), st.none() | st.integers(0, 60_000), st.randoms(use_true_random=False)
)
def test_discounts_of_any_cart_are_exact_for_any_sequence_of_codes(
    lines: list[TargetLine], offers: list[Offer], shipping: int | None, dice: random.Random
) -> None:
    found = apply_offers(offers, lines, shipping)
    shuffled = list(offers)
    dice.shuffle(shuffled)
    assert apply_offers(shuffled, lines, shipping) == found
    priced = [one.priced for one in lines]
    charge = None if shipping is None else ShippingCharge(shipping)
    totals = price_cart(priced, charge, found.adjustments)
    assert all(one.amount > 0 for one in found.adjustments)
    assert all(part.total >= 0 for part in (*totals.lines, totals.shipping))
    assert totals.discount_total == sum(one.amount for one in found.adjustments)
    assert totals.total == price_cart(priced, charge).total - totals.discount_total
    assert sum(totals.discounts_by_promotion.values()) == totals.discount_total
    # promotions that apply together can be combined, and none of them is reported as excluded
    took = totals.discounts_by_promotion
    applied = [one for one in offers if one.promotion_id in took]
    assert all(can_combine(one, other) for one in applied for other in applied if one is not other)
    assert not found.excluded & set(took)
    spent = [took[one.promotion_id] for one in applied if one.budget and one.budget.is_spend]
    assert sum(spent) <= 5_000
    assert sum(1 for one in applied if one.budget and not one.budget.is_spend) <= 1


@given(lines_of_carts(), st.builds(BuyGet, st.integers(1, 4), st.integers(1, 3), rules), most_units, rules)
def test_buyget_offer_discounts_the_cheapest_units_and_no_unit_twice(
    lines: list[TargetLine], buyget: BuyGet, most: int | None, target_rules: tuple[Rule, ...]
) -> None:
    buy, get, buy_rules = buyget.buy_quantity, buyget.apply_quantity, buyget.buy_rules
    offer = make_buyget(buy, get, most=most, buy_rules=buy_rules, rules=target_rules)
    chosen = choose_units(offer, buyget, lines)
    quantities = {one.priced.id: one.priced.quantity for one in lines}
    for id_ in {*chosen.discounted, *chosen.bought}:
        assert chosen.discounted[id_] + chosen.bought[id_] <= quantities[id_]
    discounted, bought = chosen.discounted.total(), chosen.bought.total()
    assert discounted % get == 0
    assert bought == discounted // get * buy
    assert discounted <= (get if most is None else most)
    if buy_rules == target_rules and discounted:  # of the same products, the cheapest units are free
        unit_prices = {one.priced.id: one.priced.unit_price for one in lines}
        assert max(unit_prices[id_] for id_ in chosen.discounted) <= min(
            unit_prices[id_] for id_ in chosen.bought
        )


@given(st.integers(0, 10**7), st.lists(st.integers(1, 20), min_size=1, max_size=8))
def test_prices_of_all_units_of_a_line_add_up_to_its_total(total: int, groups: list[int]) -> None:
    quantity, earlier, amounts = sum(groups), 0, []
    for units in groups:
        amounts.append(price_of_units(total, quantity, units, earlier))
        earlier += units
    assert sum(amounts) == total
    assert min(amounts) >= 0
