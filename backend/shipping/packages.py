"""Packing of order items into packages within the carrier's limits (wire: carrier 2.2).

- A unit without a weight weighs 1 kg. A unit without all three sides is a box of 20 x 20 x 20 cm (spec: Default
  package).
- All units are packed into one package, whose weight is the sum of their weights. The box has the volume of all
  units, and its sides are at least as long as those of every unit. Of these boxes, the one nearest to a cube is
  used.
- If that box exceeds 1000 kg or 300 cm, the units are split into several boxes, the largest units first.
- If a single unit exceeds a limit, the limit is used instead, and a package weighs at least 1 kg. The carrier
  accepts no other numbers, and an approximate price is better than none.
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
    """Units of one product: weight in kg and sides in cm of one unit, None if unknown."""

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


def pack_items(items: Iterable[Item]) -> tuple[Package, ...]:
    """Return the packages that hold all units of all items; the default package if there are no units."""
    boxes: list[_Box] = []
    for unit in sorted(
        _split_units(items), key=lambda box: (box.volume, box.weight, box.sides), reverse=True
    ):
        fuller = boxes[-1].combined_with(unit) if boxes else None
        if fuller is not None and fuller.is_within_limits:
            boxes[-1] = fuller
        else:
            boxes.append(unit)
    return tuple(box.package() for box in boxes) or (DEFAULT_PACKAGE,)


def limit_content_value(amount: Cop) -> Cop:
    """Return the declared value of a shipment, limited to the carrier's range: 0 to 3 000 000 COP."""
    return max(0, min(amount, MAX_CONTENT_VALUE))


@dataclass(frozen=True, slots=True)
class _Box:
    """Units packed together: weight in kg, volume in cm³.

    `sides` are the longest, middle and shortest side in cm that any of the units has. A box with these sides has room
    for each single unit, but not necessarily for all of them: see `package`.
    """

    weight: float
    sides: tuple[int, int, int]
    volume: int

    def combined_with(self, other: "_Box") -> "_Box":
        """Return a box that contains the units of this box and of the other one."""
        longest, middle, shortest = (max(pair) for pair in zip(self.sides, other.sides, strict=True))
        return _Box(self.weight + other.weight, (longest, middle, shortest), self.volume + other.volume)

    @property
    def is_within_limits(self) -> bool:
        """True if the carrier accepts the weight, and a box with the maximum sides has room for the units."""
        return (
            round(self.weight, GRAM_DECIMALS) <= MAX_WEIGHT_KG and self._grown_to(MAX_SIDE_CM) >= self.volume
        )

    def _grown_to(self, side: int) -> int:
        """Return the volume of the box after every side shorter than `side` is lengthened to `side`."""
        return math.prod(max(side, own) for own in self.sides)

    def package(self) -> Package:
        """Return the package for these units.

        The shortest sides of the box are lengthened until its volume is that of all units.
        """
        least = bisect_left(range(MAX_SIDE_CM), self.volume, key=self._grown_to)
        length, height, width = (max(least, own) for own in self.sides)
        weight = min(max(round(self.weight, GRAM_DECIMALS), MIN_WEIGHT_KG), MAX_WEIGHT_KG)
        return Package(weight, length, height, width)


def _split_units(items: Iterable[Item]) -> Iterator[_Box]:
    for item in items:
        sides = _limited_sides(item)
        unit = _Box(_limited_weight(item), sides, math.prod(sides))
        for _ in range(item.quantity):
            yield unit


def _limited_weight(item: Item) -> float:
    return min(float(item.weight), MAX_WEIGHT_KG) if _is_measured(item.weight) else DEFAULT_WEIGHT_KG


def _limited_sides(item: Item) -> tuple[int, int, int]:
    measured = [side for side in (item.length, item.height, item.width) if _is_measured(side)]
    if len(measured) < 3:
        return DEFAULT_SIDE_CM, DEFAULT_SIDE_CM, DEFAULT_SIDE_CM
    longest, middle, shortest = sorted((math.ceil(min(side, MAX_SIDE_CM)) for side in measured), reverse=True)
    return longest, middle, shortest


def _is_measured(value: float | None) -> TypeGuard[float]:
    return value is not None and math.isfinite(value) and value > 0
