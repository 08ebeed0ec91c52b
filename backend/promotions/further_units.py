"""Find the extra unit that would earn a buyget discount, for the hint in the cart."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from backend.promotions.buyget import choose_units
from backend.promotions.combination import can_combine
from backend.promotions.eligibility import CandidateResult, Discounts, Obstacle
from backend.promotions.kinds import MethodType
from backend.promotions.offers import Offer, TargetLine


@dataclass(frozen=True, slots=True)
class FurtherUnit:
    """A line of the cart. If the shopper adds a unit to it, a promotion discounts one more unit by `percent`."""

    line_id: str
    percent: int


def find_further_unit(discounts: Discounts, line_ids: Collection[str]) -> FurtherUnit | None:
    """Return the cheapest line in `line_ids` for which one more unit earns a buyget discount.

    Return None if there is no such line, if the discount is not a percentage, or if several buyget promotions
    may apply: each unit counts for only one of them.
    """
    found = [one for one in discounts.results if one.candidate.offer.buyget is not None]
    offered = [one for one in found if one.obstacle in (None, Obstacle.TOO_FEW_UNITS)]
    if len(offered) != 1 or not _can_apply(offered[0], discounts):
        return None
    offer = offered[0].candidate.offer
    before = _count_discounted(offer, discounts.lines)
    for line in sorted(discounts.lines, key=lambda line: (line.priced.unit_price, line.priced.id)):
        more = [_with_one_more(one) if one is line else one for one in discounts.lines]
        if line.priced.id in line_ids and _count_discounted(offer, more) > before:
            return FurtherUnit(line.priced.id, offer.value)
    return None


def _can_apply(result: CandidateResult, discounts: Discounts) -> bool:
    """Return True if the promotion is a percentage that can be combined with the promotions that already apply."""
    offer = result.candidate.offer
    applied = [one.candidate.offer for one in discounts.results if one.obstacle is None and one is not result]
    return offer.method_type == MethodType.PERCENTAGE and all(can_combine(offer, other) for other in applied)


def _count_discounted(offer: Offer, lines: Sequence[TargetLine]) -> int:
    return choose_units(offer, offer.buyget, lines).discounted.total() if offer.buyget else 0


def _with_one_more(line: TargetLine) -> TargetLine:
    return replace(line, priced=replace(line.priced, quantity=line.priced.quantity + 1))
