"""Find the free shipping that promotions give from a minimum value of products, for the bar in the cart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backend.core.money import Cop
from backend.promotions.combination import can_combine
from backend.promotions.eligibility import CandidateResult, Discounts, Obstacle
from backend.promotions.kinds import MethodType, TargetType
from backend.promotions.rules import CART_ATTRIBUTES, ITEM_TOTAL, are_met, compute_missing_amount, parse_rules

COUNTRY = CART_ATTRIBUTES["country"]


@dataclass(frozen=True, slots=True)
class FreeShipping:
    """Free shipping from a minimum value of products. `missing`: pesos below the minimum; 0 if it is reached."""

    minimum: Cop
    missing: Cop


def find_free_shipping(discounts: Discounts) -> FreeShipping | None:
    """Return the free shipping that the cart misses by the fewest pesos; None if no promotion gives any.

    A cart without an address counts as a cart to Colombia, because the shop sends to no other country.
    """
    results, facts = discounts.results, dict(discounts.facts)
    facts[COUNTRY] = facts.get(COUNTRY) or frozenset({"co"})
    found = [one for result in results if (one := _to_free_shipping(result, results, facts))]
    return min(found, key=lambda one: (one.missing, one.minimum), default=None)


def _to_free_shipping(
    result: CandidateResult, results: Sequence[CandidateResult], facts: Mapping[str, Any]
) -> FreeShipping | None:
    promotion, offer = result.candidate.promotion, result.candidate.offer
    is_free = (offer.target_type, offer.method_type, offer.value) == (
        TargetType.SHIPPING,
        MethodType.PERCENTAGE,
        100,
    )
    if not is_free or result.obstacle not in (None, Obstacle.BELOW_MINIMUM):
        return None
    rules = parse_rules(promotion.rules)
    missing = compute_missing_amount(rules, facts[ITEM_TOTAL])
    reached = {**facts, ITEM_TOTAL: facts[ITEM_TOTAL] + missing}
    others = [one.candidate.offer for one in results if one.obstacle is None and one is not result]
    if not are_met(rules, reached) or not all(can_combine(offer, other) for other in others):
        return None
    return FreeShipping(compute_missing_amount(rules, 0), missing)
