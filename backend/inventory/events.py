"""What the inventory tells the rooms above it."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StockChanged:
    """Units that can be sold came or went.

    `units` says how many, by variant id: negative when they went. Published in the transaction that moves them.
    """

    units: Mapping[str, int]
