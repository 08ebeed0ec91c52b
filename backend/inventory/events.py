"""Events that the inventory publishes."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StockChanged:
    """Event: the number of units that can be sold changed. Published in the transaction of the change.

    `units` is the difference by variant id, negative for fewer units. `available` is the number of units of each
    variant that can be sold now, if it is known.
    """

    units: Mapping[str, int]
    available: Mapping[str, int] | None = None
