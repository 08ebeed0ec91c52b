"""Effect of a bulk change on one product, as a pure function of the product's current values."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from backend.core.errors import InvalidData
from backend.core.money import MAX_AMOUNT, Cop, regular_price
from backend.pricing import percent_of

MAX_DISCOUNT_PERCENT = 90
MAX_INCREASE_PERCENT = 300
"""Limit of a price increase, in percent; `MAX_DISCOUNT_PERCENT` is the limit of a decrease."""
ROUNDING_STEPS = (1, 50, 100, 1000)
"""Rounding steps of a new price, in pesos."""


class Action(StrEnum):
    """Kind of a bulk change."""

    PUBLISH = "publish"
    HIDE = "hide"
    ADD_TO_CATEGORY = "add to category"
    REMOVE_FROM_CATEGORY = "remove from category"
    COLLECTION = "collection"
    FEATURE = "feature"
    UNFEATURE = "unfeature"
    SALE = "sale"
    END_SALE = "end sale"
    PRICES = "prices"


CATEGORIES = frozenset({Action.ADD_TO_CATEGORY, Action.REMOVE_FROM_CATEGORY})
PRICED = frozenset({Action.SALE, Action.END_SALE, Action.PRICES})
"""Actions that change prices."""


class Problem(StrEnum):
    """Reason why a product is not changed."""

    GONE = "gone"
    NO_PRICE = "no price"
    NOT_LOWER = "not lower"
    """The new price would be 0, or the price during a sale would not be lower than the regular price."""
    TOO_DEAR = "too dear"
    CHANGED_SINCE = "changed since"
    NO_TARGET = "no target"
    """The category or collection does not exist any more."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Change:
    """A bulk change, as requested.

    Attributes:
        target: the id of the category or collection; empty to remove products from their collection.
        percent: for a sale, the discount (1 to `MAX_DISCOUNT_PERCENT`); for prices, the increase (negative:
            decrease).
        step: new prices are multiples of this many pesos. A sale rounds down, other changes round to the nearest
            multiple.
    """

    action: Action
    target: str = ""
    percent: int = 0
    step: int = 50

    def check(self) -> None:
        """Check that the change is valid.

        Raises:
            InvalidData: the percentage is out of range, the step is unknown, or a category is missing.
        """
        lowest, highest = {
            Action.SALE: (1, MAX_DISCOUNT_PERCENT),
            Action.PRICES: (-MAX_DISCOUNT_PERCENT, MAX_INCREASE_PERCENT),
        }.get(self.action, (0, 0))
        if not lowest <= self.percent <= highest or (self.action is Action.PRICES and not self.percent):
            raise InvalidData(f"Between {lowest} and {highest} percent")
        if self.step not in ROUNDING_STEPS:
            raise InvalidData(f"Prices are rounded to one of {', '.join(map(str, ROUNDING_STEPS))} pesos")
        if self.action in CATEGORIES and not self.target:
            raise InvalidData("A category is needed")


class PricedVariant(NamedTuple):
    """A variant's price, and its regular price during a sale. `is_free` is True if it may be sold at 0."""

    id: str
    price: Cop
    compare_at: Cop | None
    is_free: bool = False


@dataclass(frozen=True, slots=True)
class CurrentValues:
    """The values of a product that a change depends on.

    `is_in_target` is True if the product is in the category of the change.
    """

    status: str
    featured: bool
    collection_id: str | None
    is_in_target: bool
    variants: Sequence[PricedVariant]


class ChangedValue(NamedTuple):
    """A value that changes.

    Attributes:
        on: the variant's id; empty for the product.
        field: `status`, `featured`, `collection_id`, `category` (True if the product is in it) or `price`.
        before: the current value; for a price, the price and the regular price during a sale.
        after: the new value.
    """

    on: str
    field: str
    before: Any
    after: Any


def compute_changes(change: Change, facts: CurrentValues) -> list[ChangedValue] | Problem:
    """Return the values that change, or the reason why the product is refused.

    The list is empty if the product already has all new values.
    """
    if change.action in PRICED:
        return _price_changes(change, facts)
    is_priced = facts.variants and all(one.price > 0 or one.is_free for one in facts.variants)
    if change.action is Action.PUBLISH and not is_priced:
        return Problem.NO_PRICE
    name, before, after = _target_value(change, facts)
    return [] if before == after else [ChangedValue("", name, before, after)]


def _target_value(change: Change, facts: CurrentValues) -> tuple[str, Any, Any]:
    """Return the name of the field that the change sets, the field's current value and its new value."""
    match change.action:
        case Action.PUBLISH:
            return "status", facts.status, "published"
        case Action.HIDE:  # other hidden statuses stay as they are
            return "status", facts.status, "draft" if facts.status == "published" else facts.status
        case Action.FEATURE | Action.UNFEATURE:
            return "featured", facts.featured, change.action is Action.FEATURE
        case Action.COLLECTION:
            return "collection_id", facts.collection_id, change.target or None
    return "category", facts.is_in_target, change.action is Action.ADD_TO_CATEGORY


def _price_changes(change: Change, facts: CurrentValues) -> list[ChangedValue] | Problem:
    if not facts.variants:
        return Problem.NO_PRICE
    values: list[ChangedValue] = []
    for variant in facts.variants:
        after = _new_price(change, variant)
        if isinstance(after, Problem):
            return after
        if after != (variant.price, variant.compare_at):
            values.append(ChangedValue(variant.id, "price", [variant.price, variant.compare_at], list(after)))
    return values


def _new_price(change: Change, variant: PricedVariant) -> tuple[Cop, Cop | None] | Problem:
    regular = regular_price(variant.price, variant.compare_at)
    if change.action is Action.END_SALE:
        return regular, None
    if change.action is Action.SALE:
        # computed from the regular price, so that repeating the sale changes nothing
        price = percent_of(regular, 100 - change.percent, change.step, rounds_down=True)
        return (price, regular) if 0 < price < regular else Problem.NOT_LOWER
    price = percent_of(variant.price, 100 + change.percent, change.step)
    before = percent_of(regular, 100 + change.percent, change.step) if regular > variant.price else None
    if not 0 < price <= MAX_AMOUNT or (before or 0) > MAX_AMOUNT:
        return Problem.TOO_DEAR if price > MAX_AMOUNT or (before or 0) > MAX_AMOUNT else Problem.NOT_LOWER
    return (price, before) if before is None or before > price else Problem.NOT_LOWER
