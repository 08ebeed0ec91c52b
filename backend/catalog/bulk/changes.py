"""What a change of many products does to one of them: a pure function of the product as it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from backend.core.errors import InvalidData
from backend.core.money import MAX_AMOUNT, Cop, regular_price
from backend.pricing import percent_of

MOST_OFF = 90
MOST_MORE = 300
"""Percent."""
STEPS = (1, 50, 100, 1000)
"""Pesos that a new price is a multiple of."""


class Action(StrEnum):
    """What is done."""

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
"""Those that change prices."""


class Problem(StrEnum):
    """Why a product is not changed."""

    GONE = "gone"
    NO_PRICE = "no price"
    NOT_LOWER = "not lower"
    """A sale whose price would be no price, or not lower than the one before."""
    TOO_DEAR = "too dear"
    CHANGED_SINCE = "changed since"
    NO_TARGET = "no target"
    """The category or collection is gone."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be done with each product.

    Attributes:
        target: the id of the category or the collection; of a collection, empty for none.
        percent: of a sale, how much less (1 to `MOST_OFF`); of prices, how much more, or less when negative.
        step: a new price is a multiple of so many pesos: of a sale rounded down, else to the nearest.
    """

    action: Action
    target: str = ""
    percent: int = 0
    step: int = 50

    def check(self) -> None:
        """Check what was asked for.

        Raises:
            InvalidData: the percent is out of bounds, or the step is none.
        """
        lowest, highest = {Action.SALE: (1, MOST_OFF), Action.PRICES: (-MOST_OFF, MOST_MORE)}.get(
            self.action, (0, 0)
        )
        if not lowest <= self.percent <= highest or (self.action is Action.PRICES and not self.percent):
            raise InvalidData(f"Between {lowest} and {highest} percent")
        if self.step not in STEPS:
            raise InvalidData(f"Prices are rounded to one of {', '.join(map(str, STEPS))} pesos")
        if self.action in CATEGORIES and not self.target:
            raise InvalidData("A category is needed")


class Priced(NamedTuple):
    """A variant, what it costs, what it cost before its sale, and if it may be sold at 0."""

    id: str
    price: Cop
    before: Cop | None
    is_free: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """What there is to know of a product. `is_in_target`: whether it stands in the change's category."""

    status: str
    featured: bool
    collection_id: str | None
    is_in_target: bool
    variants: Sequence[Priced]


class Value(NamedTuple):
    """A value that changes.

    Attributes:
        on: the variant's id; empty for the product.
        field: `status`, `featured`, `collection_id`, `category` (whether it stands in it) or `price`.
        before: as it is; of a price, it and the one before its sale.
        after: as it will be.
    """

    on: str
    field: str
    before: Any
    after: Any


def values_of(change: Change, facts: Facts) -> list[Value] | Problem:
    """What the change changes of a product (nothing, if it is as wished), or why it does not."""
    if change.action in PRICED:
        return _prices(change, facts)
    is_priced = facts.variants and all(one.price > 0 or one.is_free for one in facts.variants)
    if change.action is Action.PUBLISH and not is_priced:
        return Problem.NO_PRICE
    name, before, after = _wish(change, facts)
    return [] if before == after else [Value("", name, before, after)]


def _wish(change: Change, facts: Facts) -> tuple[str, Any, Any]:
    """The field of the product, its value, and the one that is wished for."""
    match change.action:
        case Action.PUBLISH:
            return "status", facts.status, "published"
        case Action.HIDE:  # what is hidden in another way stays so
            return "status", facts.status, "draft" if facts.status == "published" else facts.status
        case Action.FEATURE | Action.UNFEATURE:
            return "featured", facts.featured, change.action is Action.FEATURE
        case Action.COLLECTION:
            return "collection_id", facts.collection_id, change.target or None
    return "category", facts.is_in_target, change.action is Action.ADD_TO_CATEGORY


def _prices(change: Change, facts: Facts) -> list[Value] | Problem:
    if not facts.variants:
        return Problem.NO_PRICE
    values: list[Value] = []
    for variant in facts.variants:
        after = _price_after(change, variant)
        if isinstance(after, Problem):
            return after
        if after != (variant.price, variant.before):
            values.append(Value(variant.id, "price", [variant.price, variant.before], list(after)))
    return values


def _price_after(change: Change, variant: Priced) -> tuple[Cop, Cop | None] | Problem:
    regular = regular_price(variant.price, variant.before)
    if change.action is Action.END_SALE:
        return regular, None
    if change.action is Action.SALE:
        # of the price without any sale: doing it again changes nothing
        price = percent_of(regular, 100 - change.percent, change.step, rounds_down=True)
        return (price, regular) if 0 < price < regular else Problem.NOT_LOWER
    price = percent_of(variant.price, 100 + change.percent, change.step)
    before = percent_of(regular, 100 + change.percent, change.step) if regular > variant.price else None
    if not 0 < price <= MAX_AMOUNT or (before or 0) > MAX_AMOUNT:
        return Problem.TOO_DEAR if price > MAX_AMOUNT or (before or 0) > MAX_AMOUNT else Problem.NOT_LOWER
    return (price, before) if before is None or before > price else Problem.NOT_LOWER
