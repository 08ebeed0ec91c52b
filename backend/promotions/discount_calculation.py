"""Compute the discounts of promotions: a pure function, from offers, lines and shipping to adjustments.

Offers apply in sequence, each to the price that remains after the earlier ones. A percentage is rounded to the
nearest peso: once for each line, or once for all lines together if it is spread over them. The parts of a spread
discount add up to the exact peso. The same cart always has the same price, in whichever order its codes were typed,
and no line and no shipping ever has a negative price.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from backend.core.money import Cop
from backend.pricing import SHIPPING, Adjustment, percent_of, price_of_units, spread
from backend.promotions.buyget import ChosenUnits, choose_units
from backend.promotions.combination import choose_combination
from backend.promotions.kinds import Allocation, MethodType, TargetType
from backend.promotions.offers import Budget, Offer, TargetLine, filter_eligible_lines


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
class AppliedDiscounts:
    """Discounts of offers, each in pesos for one line or for the shipping.

    Attributes:
        refused: ids of the promotions that do not apply because their campaigns have too little budget left.
        excluded: ids of the promotions that do not apply because they cannot be combined with those that do.
    """

    adjustments: list[Adjustment]
    refused: set[str]
    excluded: set[str] = field(default_factory=set)


def apply_offers(
    offers: Iterable[Offer], lines: Sequence[TargetLine], shipping: Cop | None = None
) -> AppliedDiscounts:
    """Apply the offers that can be combined. The order in which they are given has no effect.

    Buyget offers apply first, then automatic ones, then codes. Each offer reduces its campaign's budget for the
    following offers.
    """
    in_order = sorted(offers, key=_order_key)

    def save(some: Sequence[Offer]) -> Counter[str]:
        return _sum_by_promotion(_apply_in_order(some, lines, shipping).adjustments)

    combined = choose_combination(in_order, save)
    applied = _apply_in_order(combined, lines, shipping)
    applied.excluded.update({one.promotion_id for one in in_order} - {one.promotion_id for one in combined})
    return applied


def _order_key(offer: Offer) -> tuple[object, ...]:
    """Return the sort key of an offer. Of several buyget offers, the one with the greatest `value` is first."""
    buyget = offer.buyget
    quantities = (-offer.value, -buyget.buy_quantity, -buyget.apply_quantity) if buyget else ()
    return (buyget is None, quantities, not offer.is_automatic, offer.promotion_id)


def _sum_by_promotion(adjustments: Iterable[Adjustment]) -> Counter[str]:
    amounts = Counter[str]()
    for one in adjustments:
        amounts[one.promotion_id or ""] += one.amount
    return amounts


def _apply_in_order(
    offers: Iterable[Offer], lines: Sequence[TargetLine], shipping: Cop | None
) -> AppliedDiscounts:
    remaining = {line.priced.id: line.priced.amount for line in lines}
    remaining[SHIPPING] = shipping or 0
    used = Counter[str]()
    applied, budgets = AppliedDiscounts([], set()), BudgetTracker()
    for offer in offers:
        chosen = choose_units(offer, offer.buyget, lines, used) if offer.buyget else None
        discounts = (
            _compute_buyget_discounts(offer, chosen, lines)
            if chosen
            else _compute_discounts(offer, lines, remaining)
        )
        if discounts and not budgets.take(offer.budget, sum(discounts.values())):
            applied.refused.add(offer.promotion_id)
            continue
        if chosen:
            used += chosen.discounted + chosen.bought
        for target, amount in discounts.items():
            remaining[target] -= amount
            applied.adjustments.append(
                Adjustment(amount, target, offer.code, offer.description, promotion_id=offer.promotion_id)
            )
    return applied


def _compute_buyget_discounts(
    offer: Offer, chosen: ChosenUnits, lines: Sequence[TargetLine]
) -> dict[str, Cop]:
    """Return the offer's discount for each line with discounted units, without zero discounts.

    Each of these units still has its whole price: buyget offers apply first, and a unit is discounted only once.
    """
    discounts: dict[str, Cop] = {}
    for line in lines:
        if units := chosen.discounted[line.priced.id]:
            price = price_of_units(line.priced.amount, line.priced.quantity, units)
            discounts[line.priced.id] = min(_compute_discount(offer, price, units), price)
    return {id_: amount for id_, amount in discounts.items() if amount}


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
