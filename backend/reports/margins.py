"""Margins: the price of sold units without IVA, minus the cost that the units had when they were sold."""

from dataclasses import dataclass
from typing import NamedTuple

from backend.core.money import Cop
from backend.pricing import tax_inside


class Margin(NamedTuple):
    """Price without IVA for which units were sold, and the cost of these units, both in pesos."""

    net: Cop = 0
    cost: Cop = 0

    @property
    def pesos(self) -> Cop:
        """Return the price minus the cost, in pesos; negative for units that were sold below their cost."""
        return self.net - self.cost

    @property
    def percent(self) -> int:
        """Return the margin in whole percent of the price without IVA; 0 for units that were given away."""
        return round(self.pesos * 100 / self.net) if self.net else 0

    def plus(self, other: "Margin") -> "Margin":
        """Return the sum of both margins."""
        return Margin(self.net + other.net, self.cost + other.cost)


def margin_of_price(price: Cop, tax_rate: int, cost: Cop) -> Margin:
    """Return the margin of units that are sold at this price, IVA included, and have this cost."""
    return Margin(price - tax_inside(price, tax_rate), cost)


class ProductMargin(NamedTuple):
    """The margin of a product's sold units whose cost is known."""

    title: str
    units: int
    margin: Margin


@dataclass(frozen=True, slots=True)
class MarginFigures:
    """The margins of a period.

    Attributes:
        total: the margin of all units whose cost is known.
        units: number of these units.
        unknown: number of sold units whose cost is unknown.
        products: the products with the largest margins.
    """

    total: Margin
    units: int
    unknown: int
    products: list[ProductMargin]
