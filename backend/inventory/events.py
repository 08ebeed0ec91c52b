"""The events that the inventory publishes."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StockChanged:
    """More or fewer units can be sold.

    `units` is the difference by variant id, negative for fewer; `left`, where it is known, how many of each can be sold
    now. Published in the transaction of the change.
    """

    units: Mapping[str, int]
    left: Mapping[str, int] | None = None
