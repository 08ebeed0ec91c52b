"""Ten thousand carts with promotions of every kind: never negative, exact to the peso, and always the same."""

import os
import random

import pytest

from backend.pricing import SHIPPING, PricedLine, ShippingCharge, price_cart
from backend.promotions.discount_calculation import apply_offers
from backend.promotions.offers import Budget, Offer, TargetLine
from backend.promotions.rules import CATEGORY, PRODUCT, Operator, Rule

CARTS = int(os.environ.get("PROMOTION_CARTS", "10000"))


def make_line(
    id_: str, price: int, quantity: int = 1, *, category: str = "juegos", rate: int = 19
) -> TargetLine:
    facts = {PRODUCT: frozenset({id_}), CATEGORY: frozenset({category, "juguetes"})}
    return TargetLine(PricedLine(id_, quantity, price, rate), facts)


def make_offer(
    value: int,
    method: str = "percentage",
    target: str = "items",
    allocation: str = "across",
    most: int | None = None,
    *,
    rules: tuple[Rule, ...] = (),
    budget: Budget | None = None,
    id_: str = "promo_1",
) -> Offer:
    return Offer(id_, "OFERTA", method, target, allocation, value, most, "", rules, budget)


def compute_discounts(
    offers: list[Offer], lines: list[TargetLine], shipping: int | None = None
) -> dict[str, int]:
    """Return the sum of the discounts in pesos for each target, such as a line or the shipping."""
    off: dict[str, int] = {}
    for one in apply_offers(offers, lines, shipping).adjustments:
        off[one.target] = off.get(one.target, 0) + one.amount
    return off


def test_ten_thousand_random_carts_have_consistent_totals() -> None:
    dice = random.Random(20_261_123)
    for number in range(CARTS):
        lines = [
            make_line(
                f"line_{i}",
                dice.choice((0, 1, 3, 99, 10_003, 45_900, dice.randrange(1, 3_000_000))),
                dice.randrange(1, 30),
                category=dice.choice(("juegos", "madera")),
                rate=dice.choice((0, 5, 19)),
            )
            for i in range(dice.randrange(0, 6))
        ]
        shipping = dice.choice((None, 0, 7_900, dice.randrange(1, 60_000)))
        pesos = Budget("procamp_1", dice.choice((0, 5_000, 60_000, 10**9)), is_spend=True)
        uses = Budget("procamp_2", dice.choice((0, 1, 2)))
        offers = [
            _random_offer(dice, f"promo_{i}", dice.choice((None, None, pesos, uses)))
            for i in range(dice.randrange(0, 5))
        ]
        adjustments = apply_offers(offers, lines, shipping).adjustments
        priced = [one.priced for one in lines]
        totals = price_cart(priced, None if shipping is None else ShippingCharge(shipping), adjustments)
        before = price_cart(priced, None if shipping is None else ShippingCharge(shipping))
        why = (number, offers, lines, shipping)
        assert adjustments == apply_offers(offers, lines, shipping).adjustments, why
        assert all(one.amount > 0 for one in adjustments), why
        for part in (*totals.lines, totals.shipping):
            assert part.total >= 0, why
            assert part.discount_total == sum(one.amount for one in part.adjustments), why
        # nothing was said to be taken that the totals did not take, and the parts are the whole
        assert totals.discount_total == sum(one.amount for one in adjustments), why
        assert totals.total == before.total - totals.discount_total, why
        assert totals.total == totals.item_total + totals.shipping_total, why
        assert sum(totals.discounts_by_promotion.values()) == totals.discount_total, why
        assert sum(amount for _code, amount in totals.savings) == totals.discount_total, why
        assert 0 <= totals.tax_total <= totals.total, why
        took = totals.discounts_by_promotion
        assert (
            sum(took.get(one.promotion_id, 0) for one in offers if one.budget is pesos) <= pesos.remaining
        ), why
        assert sum(one.promotion_id in took for one in offers if one.budget is uses) <= uses.remaining, why


def _random_offer(dice: random.Random, id_: str, budget: Budget | None) -> Offer:
    method = dice.choice(("percentage", "fixed"))
    target = dice.choice(("items", "order", "shipping_methods"))
    wanted = Rule(CATEGORY, dice.choice((Operator.IN, Operator.NE)), ("madera",))
    return make_offer(
        dice.randrange(1, 101) if method == "percentage" else dice.randrange(1, 200_000),
        method,
        target,
        dice.choice(("each", "across", "once")),
        dice.choice((None, 1, 2, 7)),
        rules=(wanted,) if target == "items" and dice.random() < 0.5 else (),
        budget=budget,
        id_=id_,
    )


@pytest.mark.parametrize(
    ("one", "off"),
    [
        (
            make_offer(10),
            {"a": 1_000, "b": 4_001},
        ),  # 10 % of 50.007 is 5.001: spread in proportion, to the peso
        (make_offer(10, allocation="each"), {"a": 1_000, "b": 4_001}),
        (make_offer(15_000, "fixed", "order"), {"a": 3_000, "b": 12_000}),
        (make_offer(900_000, "fixed", "order"), {"a": 10_000, "b": 40_007}),  # never more than the price
        (make_offer(2_000, "fixed", allocation="each"), {"a": 4_000, "b": 2_000}),  # for each unit
        (make_offer(2_000, "fixed", allocation="each", most=1), {"a": 2_000, "b": 2_000}),
        (make_offer(50, allocation="each", most=1), {"a": 2_500, "b": 20_004}),  # half a peso is rounded up
        (make_offer(100, allocation="once", most=1), {"a": 5_000}),  # the cheapest unit
        (make_offer(100, allocation="once", most=3), {"a": 10_000, "b": 40_007}),
        (make_offer(100, target="shipping_methods"), {SHIPPING: 7_900}),
        (make_offer(3_000, "fixed", "shipping_methods"), {SHIPPING: 3_000}),
        (make_offer(9_000, "fixed", "shipping_methods"), {SHIPPING: 7_900}),
        (make_offer(50, rules=(Rule(PRODUCT, Operator.IN, ("b",)),)), {"b": 20_004}),
        (make_offer(50, rules=(Rule(CATEGORY, Operator.NE, ("madera",)),)), {"a": 5_000}),
        (make_offer(50, rules=(Rule(CATEGORY, Operator.EQ, ("juguetes",)),)), {"a": 5_000, "b": 20_004}),
        (make_offer(10, "percentage", "order", budget=Budget("c", 5_000, is_spend=True)), {}),
        (
            make_offer(10, "percentage", "order", budget=Budget("c", 5_001, is_spend=True)),
            {"a": 1_000, "b": 4_001},
        ),
        (make_offer(10, "percentage", "order", budget=Budget("c", 0)), {}),
        (make_offer(10, "percentage", "order", budget=Budget("c", 1)), {"a": 1_000, "b": 4_001}),
    ],
)
def test_discount_of_each_kind_of_offer_has_the_expected_amount(one: Offer, off: dict[str, int]) -> None:
    lines = [make_line("a", 5_000, 2), make_line("b", 40_007, category="madera")]
    assert compute_discounts([one], lines, 7_900) == off


def test_offers_apply_in_sequence_to_the_remaining_price() -> None:
    half, all_of_it = make_offer(50, id_="promo_1"), make_offer(8_000, "fixed", "order", id_="promo_2")
    applied = apply_offers([half, all_of_it, make_offer(10, id_="promo_3")], [make_line("a", 10_000)])
    assert [(one.promotion_id, one.amount) for one in applied.adjustments] == [
        ("promo_1", 5_000),
        ("promo_2", 5_000),
    ]


@pytest.mark.parametrize(
    ("budget", "applied", "refused"),
    [
        (None, [8_000, 8_000, 1_000], set()),
        (Budget("c", 16_000, is_spend=True), [8_000, 8_000], {"promo_3"}),
        (Budget("c", 10_000, is_spend=True), [8_000, 1_000], {"promo_2"}),
        (Budget("c", 2), [8_000, 8_000], {"promo_3"}),
        (Budget("c", 1), [8_000], {"promo_2", "promo_3"}),
        (Budget("c", -1), [], {"promo_1", "promo_2", "promo_3"}),
    ],
)
def test_offers_of_one_campaign_do_not_exceed_its_remaining_budget(
    budget: Budget | None, applied: list[int], refused: set[str]
) -> None:
    amounts = {"promo_1": 8_000, "promo_2": 8_000, "promo_3": 1_000}
    offers = [make_offer(pesos, "fixed", "order", id_=id_, budget=budget) for id_, pesos in amounts.items()]
    # a promotion without a discount uses no budget
    offers.insert(0, make_offer(100, target="shipping_methods", id_="promo_0", budget=budget))
    found = apply_offers(offers, [make_line("a", 100_000)])
    assert ([one.amount for one in found.adjustments], found.refused) == (applied, refused)


def test_offer_without_a_matching_line_or_shipping_gives_no_discount() -> None:
    assert compute_discounts([make_offer(50, target="shipping_methods")], [make_line("a", 10_000)]) == {}
    assert (
        compute_discounts(
            [
                make_offer(50),
                make_offer(900, "fixed", "order"),
                make_offer(9, "fixed", allocation="once", most=1),
            ],
            [],
        )
        == {}
    )
