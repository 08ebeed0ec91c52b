"""Promotions that cannot be combined: the customer gets the group that saves most."""

import pytest

from backend.pricing import PricedLine
from backend.promotions.combination import can_combine
from backend.promotions.discount_calculation import apply_offers
from backend.promotions.kinds import Combination
from backend.promotions.offers import Offer, TargetLine

LINES = [TargetLine(PricedLine("a", 1, 100_000))]
SHIPPING = 8_000


def make_offer(
    id_: str, pesos: int, combination: str = "all", target: str = "order", *, is_automatic: bool = False
) -> Offer:
    return Offer(
        id_, id_, "fixed", target, "across", pesos, combination=combination, is_automatic=is_automatic
    )


@pytest.mark.parametrize(
    ("offers", "applied", "excluded"),
    [
        ([make_offer("a", 5_000), make_offer("b", 3_000)], {"a", "b"}, set()),
        ([make_offer("a", 5_000, "none"), make_offer("b", 3_000)], {"a"}, {"b"}),
        ([make_offer("a", 5_000, "none"), make_offer("b", 3_000), make_offer("c", 3_000)], {"b", "c"}, {"a"}),
        ([make_offer("a", 5_000, "none"), make_offer("b", 9_000, "none")], {"b"}, {"a"}),
        # of two equal ones, the older applies
        ([make_offer("b", 5_000, "none"), make_offer("a", 5_000, "none")], {"a"}, {"b"}),
        (
            [make_offer("a", 5_000, "shipping"), make_offer("b", 3_000, target="shipping_methods")],
            {"a", "b"},
            set(),
        ),
        (
            [make_offer("a", 5_000, "automatic"), make_offer("b", 3_000, is_automatic=True)],
            {"a", "b"},
            set(),
        ),
        ([make_offer("a", 5_000, "automatic"), make_offer("b", 3_000)], {"a"}, {"b"}),
        (
            [
                make_offer("a", 5_000, "codes", is_automatic=True),
                make_offer("b", 3_000),
                make_offer("c", 1_000, is_automatic=True),
            ],
            {"a", "b"},
            {"c"},
        ),
        ([make_offer("a", 100_000), make_offer("b", 9_000, "none", "shipping_methods")], {"a"}, {"b"}),
    ],
)
def test_combinable_promotions_that_save_most_apply(
    offers: list[Offer], applied: set[str], excluded: set[str]
) -> None:
    found = apply_offers(offers, LINES, SHIPPING)
    assert {one.promotion_id for one in found.adjustments} == applied
    assert found.excluded == excluded
    assert apply_offers(list(reversed(offers)), LINES, SHIPPING) == found


def test_promotion_without_a_discount_excludes_no_other() -> None:
    code = make_offer("a", 100, Combination.NONE, "shipping_methods")
    found = apply_offers([code, make_offer("b", 5_000)], LINES, None)
    assert ([one.promotion_id for one in found.adjustments], found.excluded) == (["b"], {"a"})


def test_both_promotions_must_allow_each_other() -> None:
    alone, any_other = make_offer("a", 1, "none"), make_offer("b", 1)
    assert not can_combine(alone, any_other)
    assert not can_combine(any_other, alone)
    assert can_combine(any_other, any_other)
