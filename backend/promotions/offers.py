"""Input of the functions that compute discounts: offers, the lines of a cart, and the budgets of campaigns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from backend.pricing import PricedLine
from backend.promotions.kinds import Combination
from backend.promotions.rules import Rule, are_met


@dataclass(frozen=True, slots=True)
class Budget:
    """The remaining budget of a campaign: pesos if `is_spend` is True, otherwise a number of uses."""

    campaign_id: str
    remaining: int
    is_spend: bool = False


@dataclass(frozen=True, slots=True)
class BuyGet:
    """Quantities of a buyget promotion, and the rules of the lines whose units have to be bought.

    For every `buy_quantity` units of these lines, `apply_quantity` further units are discounted.
    """

    buy_quantity: int
    apply_quantity: int
    buy_rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    """A promotion that applies to the cart.

    Attributes:
        method_type, target_type, allocation, combination: see `backend.promotions.kinds`.
        max_quantity: maximum number of discounted units of each line (`each`) or of the cart (`once`); None: all
            units. For a buyget offer, the maximum of the cart; None: the offer applies once.
        budget: the remaining budget of its campaign; None without a limit.
        buyget: quantities and rules of a buyget offer; None for a standard promotion.
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
    buyget: BuyGet | None = None
    combination: str = Combination.ALL
    is_automatic: bool = False


@dataclass(frozen=True, slots=True)
class TargetLine:
    """A line of the cart, with the facts that target rules compare."""

    priced: PricedLine
    facts: Mapping[str, frozenset[str]] = field(default_factory=dict)


def filter_eligible_lines(offer: Offer, lines: Sequence[TargetLine]) -> list[TargetLine]:
    """Return the lines that the offer applies to."""
    return [line for line in lines if are_met(offer.target_rules, line.facts)]
