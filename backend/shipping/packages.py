"""Packs what was bought into packages within the carrier's limits (wire: carrier 2.2).

- A unit without a weight weighs 1 kg; a unit without all three sides takes 20 x 20 x 20 cm (spec: Default
  package).
- Everything goes into one package: the weights add up, and the box is the one nearest to a cube that holds
  the volume of all units and whose longest, middle and shortest side are no less than those of any unit.
- Where that box would pass 1000 kg or 300 cm, the units are spread over several boxes, the largest first.
- A unit that passes a limit alone is taken at the limit, and a package weighs at least 1 kg: the carrier
  takes no other numbers, and a price near the true one is better than none.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeGuard

from backend.core.money import Cop

DEFAULT_WEIGHT_KG = 1.0
DEFAULT_SIDE_CM = 20

MIN_WEIGHT_KG, MAX_WEIGHT_KG = 1.0, 1000.0
MIN_SIDE_CM, MAX_SIDE_CM = 1, 300
MAX_CONTENT_VALUE: Cop = 3_000_000

GRAM_DECIMALS = 3


@dataclass(frozen=True, slots=True)
class Item:
    """Units of one thing: weight in kg and sides in cm of one unit, None where they were never measured."""

    quantity: int
    weight: float | None = None
    length: float | None = None
    height: float | None = None
    width: float | None = None


@dataclass(frozen=True, slots=True)
class Package:
    """A box, in kg and cm. Length is its longest side, width its shortest."""

    weight: float
    length: int
    height: int
    width: int


DEFAULT_PACKAGE = Package(DEFAULT_WEIGHT_KG, DEFAULT_SIDE_CM, DEFAULT_SIDE_CM, DEFAULT_SIDE_CM)


def packages_for(items: Iterable[Item]) -> tuple[Package, ...]:
    """The packages that hold all units of all items; the default package when there is nothing to hold."""
    boxes: list[_Box] = []
    for unit in sorted(_units(items), key=lambda box: (box.volume, box.weight, box.sides), reverse=True):
        fuller = boxes[-1].with_(unit) if boxes else None
        if fuller is not None and fuller.is_within_limits:
            boxes[-1] = fuller
        else:
            boxes.append(unit)
    return tuple(box.package() for box in boxes) or (DEFAULT_PACKAGE,)


def content_value(amount: Cop) -> Cop:
    """The declared value of a shipment, within what the carrier takes: 0 to 3 000 000 COP."""
    return max(0, min(amount, MAX_CONTENT_VALUE))


@dataclass(frozen=True, slots=True)
class _Box:
    """Units packed together, in kg, cm and cm³. `sides` is the least box any unit needs, longest side first."""

    weight: float
    sides: tuple[int, int, int]
    volume: int

    def with_(self, other: "_Box") -> "_Box":
        """Both packed together."""
        longest, middle, shortest = (max(pair) for pair in zip(self.sides, other.sides, strict=True))
        return _Box(self.weight + other.weight, (longest, middle, shortest), self.volume + other.volume)

    @property
    def is_within_limits(self) -> bool:
        """Whether the carrier takes it: by its weight, and by what fits into the largest sides."""
        return (
            round(self.weight, GRAM_DECIMALS) <= MAX_WEIGHT_KG and self._grown_to(MAX_SIDE_CM) >= self.volume
        )

    def _grown_to(self, side: int) -> int:
        """The volume of the box when its sides shorter than `side` grow to it."""
        return math.prod(max(side, own) for own in self.sides)

    def package(self) -> Package:
        """The box nearest to a cube: the shortest sides grow until everything fits."""
        least = bisect_left(range(MAX_SIDE_CM), self.volume, key=self._grown_to)
        length, height, width = (max(least, own) for own in self.sides)
        weight = min(max(round(self.weight, GRAM_DECIMALS), MIN_WEIGHT_KG), MAX_WEIGHT_KG)
        return Package(weight, length, height, width)


def _units(items: Iterable[Item]) -> Iterator[_Box]:
    for item in items:
        sides = _sides(item)
        unit = _Box(_weight(item), sides, math.prod(sides))
        for _ in range(item.quantity):
            yield unit


def _weight(item: Item) -> float:
    return min(float(item.weight), MAX_WEIGHT_KG) if _is_measured(item.weight) else DEFAULT_WEIGHT_KG


def _sides(item: Item) -> tuple[int, int, int]:
    measured = [side for side in (item.length, item.height, item.width) if _is_measured(side)]
    if len(measured) < 3:
        return DEFAULT_SIDE_CM, DEFAULT_SIDE_CM, DEFAULT_SIDE_CM
    longest, middle, shortest = sorted((math.ceil(min(side, MAX_SIDE_CM)) for side in measured), reverse=True)
    return longest, middle, shortest


def _is_measured(value: float | None) -> TypeGuard[float]:
    return value is not None and math.isfinite(value) and value > 0
