"""Lines of an order that were sold in a preorder, before their units arrived at the shop."""

from datetime import date

from backend.catalog.preorder_texts import describe_preorder_day
from backend.orders.models import OrderLine

PREORDER_DAY = "preorder_day"
"""Key in the facts of a line: the day on which its units arrive at the shop, as an ISO date."""


def describe_preorder(line: OrderLine) -> str:
    """Return the sentence about a line that was sold in a preorder; empty for any other line."""
    return describe_preorder_day(parse_preorder_day(line))


def parse_preorder_day(line: OrderLine) -> date | None:
    """Return the day on which the line's units arrive at the shop; None if it was not sold in a preorder."""
    return date.fromisoformat(line.facts[PREORDER_DAY]) if line.facts.get(PREORDER_DAY) else None
