"""Allocation of each capture and refund to the parts of an order, exact to the peso.

A capture is allocated to the unpaid amounts of lines and shipping, in proportion. A refund is allocated first to
the units it lists, then to money that exceeded all parts, then to the paid amounts in proportion. So the shares of
a payment add up to its amount, the shares of a paid order add up to its lines and shipping, and an order whose
money was all refunded has no IVA left.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from backend.core.db.tables import JsonObject
from backend.core.money import Cop
from backend.pricing import SHIPPING, price_of_units, spread, tax_inside


class OrderPart(NamedTuple):
    """A line or the shipping of an order: its rate of IVA in percent, its total, and its number of units."""

    rate: int
    total: Cop
    quantity: int = 1


class Share(NamedTuple):
    """Pesos of a payment that are allocated to a part of the order, and the IVA included in them.

    `part` is a line's id, `SHIPPING`, or empty for money that was not allocated to a part.
    """

    part: str
    rate: int
    amount: Cop
    tax: Cop


class Event(NamedTuple):
    """A capture or a refund of an order. Events sort by time.

    Attributes:
        units: refunded units by line id.
        pays: False if the payment did not pay the order and was refunded. Its money is then allocated to no part.
    """

    at: datetime
    is_refund: bool
    id: str
    amount: Cop
    units: Sequence[tuple[str, int]] = ()
    pays: bool = True


@dataclass(slots=True)
class Account:
    """Balance of the booked captures and refunds of one order, by part.

    Attributes:
        parts: the parts of the order by id; empty for payments without an order.
        paid: captured minus refunded pesos of each part, by its id.
        unallocated: captured minus refunded pesos that belong to no part.
        refunded_units: number of units in the booked refunds, by line id.
    """

    parts: Mapping[str, OrderPart]
    paid: dict[str, Cop] = field(default_factory=dict)
    unallocated: Cop = 0
    refunded_units: Counter[str] = field(default_factory=Counter)

    def book(self, event: Event) -> list[Share]:
        """Book a capture or refund and return its shares. Their sum is the amount of the event."""
        if not event.pays:
            return self._add_shares({}, event.amount, -1 if event.is_refund else 1)
        if event.is_refund:
            return self._allocate_refund(event.amount, event.units)
        return self._allocate_capture(event.amount)

    def _allocate_capture(self, amount: Cop) -> list[Share]:
        unpaid = {id_: part.total - self.paid.get(id_, 0) for id_, part in self.parts.items()}
        shares = spread(amount, unpaid)
        return self._add_shares(shares, amount - sum(shares.values()), 1)

    def _allocate_refund(self, amount: Cop, units: Sequence[tuple[str, int]]) -> list[Share]:
        shares: dict[str, Cop] = {}
        left = amount
        for id_, count in units:
            if id_ in self.parts:
                _rate, total, quantity = self.parts[id_]
                earlier = max(0, min(self.refunded_units[id_], quantity - count))
                worth = price_of_units(total, quantity, count, earlier)
                self.refunded_units[id_] += count
                share = min(worth, self.paid.get(id_, 0) - shares.get(id_, 0), left)
                shares[id_] = shares.get(id_, 0) + share
                left -= share
        unallocated = min(left, self.unallocated)
        still_paid = {id_: pesos - shares.get(id_, 0) for id_, pesos in self.paid.items()}
        for id_, share in spread(left - unallocated, still_paid).items():
            shares[id_] = shares.get(id_, 0) + share
        return self._add_shares(shares, amount - sum(shares.values()), -1)

    def _add_shares(self, shares: Mapping[str, Cop], unallocated: Cop, sign: int) -> list[Share]:
        moved = []
        for id_, amount in shares.items():
            before = self.paid.get(id_, 0)
            self.paid[id_] = before + sign * amount
            rate = self.parts[id_].rate
            tax = abs(tax_inside(self.paid[id_], rate) - tax_inside(before, rate))
            moved.append(Share(id_, rate, amount, tax))
        if unallocated:
            self.unallocated += sign * unallocated
            moved.append(Share("", 0, unallocated, 0))
        return moved


def build_parts(
    lines: Sequence[tuple[str, int, int, Cop]], shipping: tuple[int, Cop], taken: Mapping[str, Cop]
) -> dict[str, OrderPart]:
    """Return the parts of an order by line id, with the shipping as `SHIPPING`.

    Args:
        lines: id, IVA rate, units and unit price of each line.
        shipping: the IVA rate of the shipping, and its price after discounts.
        taken: discount of each line in pesos, by line id.
    """
    parts = {
        id_: OrderPart(rate, quantity * price - taken.get(id_, 0), quantity)
        for id_, rate, quantity, price in lines
    }
    rate, total = shipping
    return {**parts, SHIPPING: OrderPart(rate, total)}


def sum_discounts_by_part(adjustments: Sequence[JsonObject]) -> dict[str, Cop]:
    """Return the sums of an order's discounts by line id, with the shipping as `SHIPPING`."""
    taken: dict[str, Cop] = defaultdict(int)
    for one in adjustments:
        taken[one["target"]] += one["amount"]
    return taken
