"""What promotions take off a cart: a pure function, from offers, lines and shipping to adjustments.

Offers apply one after the other, each to what those before it have left. A percentage is rounded to the nearest peso,
once for each line, or once for all lines together where it is spread over them; what is spread comes to the peso. The
same cart costs the same whoever asks, and no line and no shipping ever costs less than nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from backend.money import Cop
from backend.pricing import SHIPPING, Adjustment, PricedLine, percent_of, price_of_units, spread
from backend.promotions.kinds import Allocation, MethodType, TargetType
from backend.promotions.rules import Rule, hold


@dataclass(frozen=True, slots=True)
class Offer:
    """A promotion that applies to the cart.

    Attributes:
        method_type, target_type, allocation: see `backend.promotions.kinds`.
        max_quantity: of how many units of a line (`each`), or of the cart (`once`); None: of all.
        spend_left: how many pesos its campaign may still take off; None where there is no bound.
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
    spend_left: Cop | None = None


@dataclass(frozen=True, slots=True)
class OfferedLine:
    """A line of the cart, with what target rules compare."""

    priced: PricedLine
    facts: Mapping[str, frozenset[str]] = field(default_factory=dict)


def apply_offers(
    offers: Iterable[Offer], lines: Sequence[OfferedLine], shipping: Cop | None = None
) -> list[Adjustment]:
    """What these offers take off, in their order, each pesos off one line or off the shipping.

    An offer whose campaign has fewer pesos left than it would take does not apply.
    """
    left = {line.priced.id: line.priced.amount for line in lines}
    left[SHIPPING] = shipping or 0
    adjustments: list[Adjustment] = []
    for offer in offers:
        taken = _taken_by(offer, lines, left)
        if offer.spend_left is not None and sum(taken.values()) > offer.spend_left:
            continue
        for target, amount in taken.items():
            left[target] -= amount
            adjustments.append(
                Adjustment(amount, target, offer.code, offer.description, promotion_id=offer.promotion_id)
            )
    return adjustments


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
