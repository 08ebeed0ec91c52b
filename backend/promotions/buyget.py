"""Choose the units that a buyget promotion discounts: 2×1, 3×2, the second unit at half price, a gift.

The cheapest units are discounted. A unit counts once: a unit that was bought to get another one is not discounted,
and a unit that an earlier buyget promotion of the cart has used is not used again.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from backend.promotions.offers import BuyGet, Offer, TargetLine, filter_eligible_lines
from backend.promotions.rules import are_met


@dataclass(frozen=True, slots=True)
class ChosenUnits:
    """Units of the cart that a buyget promotion uses, by line id: the discounted ones, and those bought for them."""

    discounted: Counter[str]
    bought: Counter[str]


@dataclass(frozen=True, slots=True)
class _FreeUnits:
    """Units of a line that no offer uses yet. They can be bought units, discounted units, or either."""

    line: TargetLine
    units: int
    may_be_bought: bool
    may_be_discounted: bool


def choose_units(
    offer: Offer, buyget: BuyGet, lines: Sequence[TargetLine], used: Counter[str] | None = None
) -> ChosenUnits:
    """Return the units that the offer discounts, and the units that count as bought for them.

    The offer applies as often as the cart's units and the offer's `max_quantity` allow; once if `max_quantity` is
    None. `used` has the number of units that earlier offers have used, by line id.
    """
    free_units = _list_free_units(offer, buyget, lines, used or Counter())
    bought_only = sum(one.units for one in free_units if not one.may_be_discounted)
    discounted_only = sum(one.units for one in free_units if not one.may_be_bought)
    either = sum(one.units for one in free_units) - bought_only - discounted_only
    buy, get = buyget.buy_quantity, buyget.apply_quantity
    groups = min(
        (bought_only + either) // buy,
        (discounted_only + either) // get,
        (bought_only + either + discounted_only) // (buy + get),
        1 if offer.max_quantity is None else offer.max_quantity // get,
    )
    # units that may be either are kept for buying if the others do not suffice
    spare = either - max(0, groups * buy - bought_only)
    discounted = _take_cheapest(free_units, groups * get, spare)
    bought = _take_bought(free_units, groups * buy, discounted)
    return ChosenUnits(discounted, bought)


def _list_free_units(
    offer: Offer, buyget: BuyGet, lines: Sequence[TargetLine], used: Counter[str]
) -> list[_FreeUnits]:
    """Return the unused units that the offer can use, the cheapest first. Units without a price are not counted.

    The result is empty if the offer has no target rules or no buy rules: staff may have deleted them.
    """
    if not offer.target_rules or not buyget.buy_rules:
        return []
    targets = {line.priced.id for line in filter_eligible_lines(offer, lines)}
    found = [
        _FreeUnits(
            line,
            line.priced.quantity - used[line.priced.id],
            are_met(buyget.buy_rules, line.facts),
            line.priced.id in targets,
        )
        for line in sorted(lines, key=lambda line: (line.priced.unit_price, line.priced.id))
        if line.priced.unit_price
    ]
    return [one for one in found if one.units > 0 and (one.may_be_bought or one.may_be_discounted)]


def _take_cheapest(free_units: Sequence[_FreeUnits], count: int, spare: int) -> Counter[str]:
    """Return the `count` cheapest units to discount, by line id.

    At most `spare` of them are units that could count as bought units instead.
    """
    taken = Counter[str]()
    for one in free_units:
        if one.may_be_discounted:
            units = min(one.units, count, spare if one.may_be_bought else count)
            count -= units
            spare -= units if one.may_be_bought else 0
            taken[one.line.priced.id] += units
    return +taken


def _take_bought(free_units: Sequence[_FreeUnits], count: int, discounted: Counter[str]) -> Counter[str]:
    """Return `count` units to count as bought, by line id.

    Units that cannot be discounted are taken first, then the most expensive ones.
    """
    taken = Counter[str]()
    dearest = sorted(free_units, key=lambda one: (one.may_be_discounted, -one.line.priced.unit_price))
    for one in dearest:
        if one.may_be_bought:
            units = min(one.units - discounted[one.line.priced.id], count)
            count -= units
            taken[one.line.priced.id] += units
    return +taken
