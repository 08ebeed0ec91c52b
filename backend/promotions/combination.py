"""Choose the offers that apply together, if some of them cannot be combined with others.

The customer gets the group of offers that saves most. The result does not depend on the order in which codes were
typed.
"""

from collections.abc import Callable, Mapping, Sequence

from backend.core.money import Cop
from backend.promotions.kinds import Combination, TargetType
from backend.promotions.offers import Offer


def can_combine(one: Offer, other: Offer) -> bool:
    """Return True if both offers allow each other."""
    return _allows(one, other) and _allows(other, one)


def choose_combination(
    offers: Sequence[Offer], save: Callable[[Sequence[Offer]], Mapping[str, Cop]]
) -> list[Offer]:
    """Return the offers that apply together, in the given order: the combination that saves the most.

    Offers without a discount do not exclude others.

    Args:
        offers: all offers, in the order in which they apply.
        save: a function that returns the discounts of a group of offers, by promotion id.
    """
    if all(offer.combination == Combination.ALL for offer in offers):
        return list(offers)
    alone = {offer.promotion_id: sum(save([offer]).values()) for offer in offers}
    by_saving = sorted(offers, key=lambda offer: -alone[offer.promotion_id])
    saving = [offer for offer in by_saving if alone[offer.promotion_id]]
    best: list[Offer] = []
    best_amount = -1
    for seed in saving:
        group = _complete_group([seed], saving, offers)
        amount = sum(save(group).values())
        if amount > best_amount:
            best, best_amount = group, amount
    return _complete_group(best, by_saving, offers)


def _complete_group(group: Sequence[Offer], others: Sequence[Offer], offers: Sequence[Offer]) -> list[Offer]:
    """Return `group` and each of `others` that can be combined with it, in the order of `offers`."""
    complete = list(group)
    for offer in others:
        if offer not in complete and all(can_combine(offer, member) for member in complete):
            complete.append(offer)
    ids = {offer.promotion_id for offer in complete}
    return [offer for offer in offers if offer.promotion_id in ids]


def _allows(one: Offer, other: Offer) -> bool:
    match one.combination:
        case Combination.AUTOMATIC:
            return other.is_automatic
        case Combination.CODES:
            return not other.is_automatic
        case Combination.SHIPPING:
            return other.target_type == TargetType.SHIPPING
        case Combination.NONE:
            return False
        case _:
            return True
