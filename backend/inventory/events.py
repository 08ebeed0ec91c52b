"""The events that the inventory publishes."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StockChanged:
    """More or fewer units can be sold.

    `units` is the difference by variant id, negative for fewer. Published in the transaction of the change.
    """

    units: Mapping[str, int]
