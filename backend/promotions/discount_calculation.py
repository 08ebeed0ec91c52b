"""What promotions take off a cart: a pure function, from offers, lines and shipping to adjustments.

Offers apply one after the other, each to what those before it have left. A percentage is rounded to the nearest peso,
once for each line, or once for all lines together where it is spread over them; what is spread comes to the peso. The
same cart costs the same whoever asks, and no line and no shipping ever costs less than nothing.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from backend.core.money import Cop
from backend.pricing import SHIPPING, Adjustment, PricedLine, percent_of, price_of_units, spread
from backend.promotions.kinds import Allocation, MethodType, TargetType
from backend.promotions.rules import Rule, hold


@dataclass(frozen=True, slots=True)
class Budget:
    """What is left of a campaign: pesos where it `is_spend`, else uses."""

    campaign_id: str
    left: int
    is_spend: bool = False


class Budgets:
    """What is left of campaigns while a cart takes of them, one promotion after the other."""

    def __init__(self) -> None:
        self._taken = Counter[str]()

    def take(self, budget: Budget | None, amount: Cop) -> bool:
        """Take one use of so many pesos. False, and nothing is taken, where less is left; None has no bound."""
        if budget is None:
            return True
        wanted = amount if budget.is_spend else 1
        if self._taken[budget.campaign_id] + wanted > budget.left:
            return False
        self._taken[budget.campaign_id] += wanted
        return True


@dataclass(frozen=True, slots=True)
class Offer:
    """A promotion that applies to the cart.

    Attributes:
        method_type, target_type, allocation: see `backend.promotions.kinds`.
        max_quantity: of how many units of a line (`each`), or of the cart (`once`); None: of all.
        budget: what is left of its campaign; None where there is no bound.
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
class OfferedLine:
    """A line of the cart, with what target rules compare."""

    priced: PricedLine
    facts: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Applied:
    """What offers take off, each pesos off one line or off the shipping.

    Attributes:
        refused: the ids of the promotions that do not apply: their campaigns have less left than they would take.
    """

    adjustments: list[Adjustment]
    refused: set[str]


def apply_offers(
    offers: Iterable[Offer], lines: Sequence[OfferedLine], shipping: Cop | None = None
) -> Applied:
    """Apply these offers in their order. What one takes is not left of its campaign for the next."""
    left = {line.priced.id: line.priced.amount for line in lines}
    left[SHIPPING] = shipping or 0
    applied, budgets = Applied([], set()), Budgets()
    for offer in offers:
        taken = _taken_by(offer, lines, left)
        if taken and not budgets.take(offer.budget, sum(taken.values())):
            applied.refused.add(offer.promotion_id)
            continue
        for target, amount in taken.items():
            left[target] -= amount
            applied.adjustments.append(
                Adjustment(amount, target, offer.code, offer.description, promotion_id=offer.promotion_id)
            )
    return applied


def eligible(offer: Offer, lines: Sequence[OfferedLine]) -> list[OfferedLine]:
    """The lines that the offer takes something off."""
    return [line for line in lines if hold(offer.target_rules, line.facts)]


def _taken_by(offer: Offer, lines: Sequence[OfferedLine], left: Mapping[str, Cop]) -> dict[str, Cop]:
    """What the offer takes off each of what is left, without what it takes nothing off."""
    if offer.target_type == TargetType.SHIPPING:
        return spread(_off(offer, left[SHIPPING]), {SHIPPING: left[SHIPPING]})
    chosen = eligible(offer, lines)
    if offer.target_type == TargetType.ORDER or offer.allocation == Allocation.ACROSS:
        costs = {line.priced.id: left[line.priced.id] for line in chosen}
        return spread(_off(offer, sum(costs.values())), costs)
    taken: dict[str, Cop] = {}
    for line, units in _units(offer, chosen):
        id_, quantity = line.priced.id, line.priced.quantity
        base = price_of_units(left[id_], quantity, units)
        amount = min(_off(offer, base, units), base)
        if amount:
            taken[id_] = amount
    return taken


def _units(offer: Offer, lines: Sequence[OfferedLine]) -> list[tuple[OfferedLine, int]]:
    """How many units of which lines the offer is for."""
    most = offer.max_quantity
    if offer.allocation == Allocation.EACH or most is None:
        return [(line, min(line.priced.quantity, most or line.priced.quantity)) for line in lines]
    chosen: list[tuple[OfferedLine, int]] = []
    for line in sorted(lines, key=lambda line: (line.priced.unit_price, line.priced.id)):
        units = min(line.priced.quantity, most)
        if units:
            chosen.append((line, units))
            most -= units
    return chosen


def _off(offer: Offer, price: Cop, units: int = 1) -> Cop:
    return (
        percent_of(price, offer.value, 1)
        if offer.method_type == MethodType.PERCENTAGE
        else offer.value * units
    )
