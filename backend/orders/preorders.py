"""Lines of an order that were sold in a preorder, before their units arrived at the shop."""

from collections.abc import Iterable
from datetime import date

from backend.catalog.preorder_texts import describe_preorder_day, describe_variant
from backend.core.db.tables import JsonObject
from backend.orders.models import OrderLine

PREORDER_DAY = "preorder_day"
"""Key in the facts of a line: the day on which its units arrive at the shop, as an ISO date."""


def describe_preorder(line: OrderLine) -> str:
    """Return the sentence about a line that was sold in a preorder; empty for any other line."""
    return describe_preorder_day(parse_preorder_day(line.facts))


def describe_sold_variant(line: OrderLine) -> str:
    """Return the line's variant and its preorder, to display with the product's title."""
    return describe_variant(line.variant_title, parse_preorder_day(line.facts))


def parse_preorder_day(facts: JsonObject) -> date | None:
    """Return the day on which a line's preordered units arrive at the shop; None if it is no preorder."""
    return date.fromisoformat(facts[PREORDER_DAY]) if facts.get(PREORDER_DAY) else None


def has_same_preorder(line: OrderLine, other: OrderLine) -> bool:
    """Return True if the units of both lines arrive on the same day, or neither was sold in a preorder."""
    return parse_preorder_day(line.facts) == parse_preorder_day(other.facts)


def find_ready_day(facts: Iterable[JsonObject]) -> date | None:
    """Return the day on which the last preordered units arrive, from the lines' facts; None if none are preordered."""
    return max(filter(None, map(parse_preorder_day, facts)), default=None)
