"""Compute the discounts of promotions: a pure function, from offers, lines and shipping to adjustments.

Offers apply in sequence, each to the price that remains after the earlier ones. A percentage is rounded to the
nearest peso: once for each line, or once for all lines together if it is spread over them. The parts of a spread
discount add up to the exact peso. The same cart always has the same price, and no line and no shipping ever has a
negative price.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from backend.core.money import Cop
from backend.pricing import SHIPPING, Adjustment, PricedLine, percent_of, price_of_units, spread
from backend.promotions.kinds import Allocation, MethodType, TargetType
from backend.promotions.rules import Rule, are_met


@dataclass(frozen=True, slots=True)
class Budget:
    """The remaining budget of a campaign: pesos if `is_spend` is True, otherwise a number of uses."""

    campaign_id: str
    remaining: int
    is_spend: bool = False


class BudgetTracker:
    """The remaining budgets of campaigns while the promotions of a cart use them in sequence."""

    def __init__(self) -> None:
        self._taken = Counter[str]()

    def take(self, budget: Budget | None, amount: Cop) -> bool:
        """Subtract one use with this amount of pesos from the budget. A budget of None has no limit.

        Return False, without a change, if less remains.
        """
        if budget is None:
            return True
        cost = amount if budget.is_spend else 1
        if self._taken[budget.campaign_id] + cost > budget.remaining:
            return False
        self._taken[budget.campaign_id] += cost
        return True


@dataclass(frozen=True, slots=True)
class Offer:
    """A promotion that applies to the cart.

    Attributes:
        method_type, target_type, allocation: see `backend.promotions.kinds`.
        max_quantity: maximum number of discounted units of each line (`each`) or of the cart (`once`); None: all
            units.
        budget: the remaining budget of its campaign; None if it has no limit.
    """

    promotion_id: str
    code: str
    method_type: str
    target_type: str
    allocation: str
    value: int
    max_quantity: int | None = None
    description: str = ""
    target_rules: tuple[Rule, ...] = ()
    budget: Budget | None = None


@dataclass(frozen=True, slots=True)
class TargetLine:
    """A line of the cart, with the facts that target rules compare."""

    priced: PricedLine
    facts: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AppliedDiscounts:
    """Discounts of offers, each in pesos for one line or for the shipping.

    Attributes:
        refused: ids of the promotions that do not apply because their campaigns have too little budget left.
    """

    adjustments: list[Adjustment]
    refused: set[str]


def apply_offers(
    offers: Iterable[Offer], lines: Sequence[TargetLine], shipping: Cop | None = None
) -> AppliedDiscounts:
    """Apply these offers in their order. Each offer reduces its campaign's budget for the following offers."""
    remaining = {line.priced.id: line.priced.amount for line in lines}
    remaining[SHIPPING] = shipping or 0
    applied, budgets = AppliedDiscounts([], set()), BudgetTracker()
    for offer in offers:
        discounts = _compute_discounts(offer, lines, remaining)
        if discounts and not budgets.take(offer.budget, sum(discounts.values())):
            applied.refused.add(offer.promotion_id)
            continue
        for target, amount in discounts.items():
            remaining[target] -= amount
            applied.adjustments.append(
                Adjustment(amount, target, offer.code, offer.description, promotion_id=offer.promotion_id)
            )
    return applied


def filter_eligible_lines(offer: Offer, lines: Sequence[TargetLine]) -> list[TargetLine]:
    """Return the lines that the offer applies to."""
    return [line for line in lines if are_met(offer.target_rules, line.facts)]


def _compute_discounts(
    offer: Offer, lines: Sequence[TargetLine], remaining: Mapping[str, Cop]
) -> dict[str, Cop]:
    """Return the offer's discount for each line or the shipping, without zero discounts."""
    if offer.target_type == TargetType.SHIPPING:
        return spread(_compute_discount(offer, remaining[SHIPPING]), {SHIPPING: remaining[SHIPPING]})
    chosen = filter_eligible_lines(offer, lines)
    if offer.target_type == TargetType.ORDER or offer.allocation == Allocation.ACROSS:
        costs = {line.priced.id: remaining[line.priced.id] for line in chosen}
        return spread(_compute_discount(offer, sum(costs.values())), costs)
    discounts: dict[str, Cop] = {}
    for line, units in _choose_units(offer, chosen):
        id_, quantity = line.priced.id, line.priced.quantity
        base = price_of_units(remaining[id_], quantity, units)
        amount = min(_compute_discount(offer, base, units), base)
        if amount:
            discounts[id_] = amount
    return discounts


def _choose_units(offer: Offer, lines: Sequence[TargetLine]) -> list[tuple[TargetLine, int]]:
    """Return the lines to which the offer applies, each with the number of discounted units."""
    max_units = offer.max_quantity
    if offer.allocation == Allocation.EACH or max_units is None:
        return [(line, min(line.priced.quantity, max_units or line.priced.quantity)) for line in lines]
    chosen: list[tuple[TargetLine, int]] = []
    for line in sorted(lines, key=lambda line: (line.priced.unit_price, line.priced.id)):
        units = min(line.priced.quantity, max_units)
        if units:
            chosen.append((line, units))
            max_units -= units
    return chosen


def _compute_discount(offer: Offer, price: Cop, units: int = 1) -> Cop:
    return (
        percent_of(price, offer.value, 1)
        if offer.method_type == MethodType.PERCENTAGE
        else offer.value * units
    )
