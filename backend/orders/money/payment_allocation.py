"""What of an order's money was paid for which of its parts: each capture and each refund, shared out to the peso.

A capture pays what is still unpaid of lines and shipping, in proportion. A refund takes back the units that it names,
then money that paid nothing, then the rest in proportion to what was paid. So the shares of a payment are the payment,
those of a whole order are its lines and its shipping, and an order whose money went back has no IVA left.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from backend.core.db.tables import JsonObject
from backend.core.money import Cop
from backend.pricing import SHIPPING, price_of_units, spread, tax_inside


class Part(NamedTuple):
    """A line of an order, or its shipping: its rate of IVA in percent, what it cost, and how many units it has."""

    rate: int
    total: Cop
    quantity: int = 1


class Share(NamedTuple):
    """Pesos of a payment, and the IVA in them. `part` is a line's id, `SHIPPING`, or empty: they paid nothing."""

    part: str
    rate: int
    amount: Cop
    tax: Cop


class Event(NamedTuple):
    """A capture or a refund of an order. Sorted, they are in the order in which they happened.

    Attributes:
        units: what a refund is for, by line id.
        pays: False for money that paid nothing and was given back: it is beyond whatever is unpaid.
    """

    at: datetime
    is_refund: bool
    id: str
    amount: Cop
    units: Sequence[tuple[str, int]] = ()
    pays: bool = True


@dataclass(slots=True)
class Account:
    """What was paid for the parts of one order, so far. Without parts there is no order.

    Attributes:
        beyond: money that was paid for none of them.
    """

    parts: Mapping[str, Part]
    paid: dict[str, Cop] = field(default_factory=dict)
    beyond: Cop = 0

    def book(self, event: Event) -> list[Share]:
        """What a capture paid, or what a refund takes back. Together the shares are its amount."""
        if not event.pays:
            return self._move({}, event.amount, -1 if event.is_refund else 1)
        if event.is_refund:
            return self._give_back(event.amount, event.units)
        return self._take(event.amount)

    def _take(self, amount: Cop) -> list[Share]:
        unpaid = {id_: part.total - self.paid.get(id_, 0) for id_, part in self.parts.items()}
        shares = spread(amount, unpaid)
        return self._move(shares, amount - sum(shares.values()), 1)

    def _give_back(self, amount: Cop, units: Sequence[tuple[str, int]]) -> list[Share]:
        shares: dict[str, Cop] = {}
        left = amount
        for id_, count in units:
            if id_ in self.parts:
                _rate, total, quantity = self.parts[id_]
                worth = price_of_units(total, quantity, count)
                share = min(worth, self.paid.get(id_, 0) - shares.get(id_, 0), left)
                shares[id_] = shares.get(id_, 0) + share
                left -= share
        beyond = min(left, self.beyond)
        kept = {id_: pesos - shares.get(id_, 0) for id_, pesos in self.paid.items()}
        for id_, share in spread(left - beyond, kept).items():
            shares[id_] = shares.get(id_, 0) + share
        return self._move(shares, amount - sum(shares.values()), -1)

    def _move(self, shares: Mapping[str, Cop], beyond: Cop, sign: int) -> list[Share]:
        moved = []
        for id_, amount in shares.items():
            before = self.paid.get(id_, 0)
            self.paid[id_] = before + sign * amount
            rate = self.parts[id_].rate
            tax = abs(tax_inside(self.paid[id_], rate) - tax_inside(before, rate))
            moved.append(Share(id_, rate, amount, tax))
        if beyond:
            self.beyond += sign * beyond
            moved.append(Share("", 0, beyond, 0))
        return moved


def parts_of(
    lines: Sequence[tuple[str, int, int, Cop]], shipping: tuple[int, Cop], taken: Mapping[str, Cop]
) -> dict[str, Part]:
    """The parts of an order.

    Args:
        lines: of each line its id, its rate, its units and the price of one.
        shipping: its rate and what it costs after adjustments.
        taken: what adjustments took off, by line id.
    """
    parts = {
        id_: Part(rate, quantity * price - taken.get(id_, 0), quantity)
        for id_, rate, quantity, price in lines
    }
    rate, total = shipping
    return {**parts, SHIPPING: Part(rate, total)}


def taken_by_part(adjustments: Sequence[JsonObject]) -> dict[str, Cop]:
    """What an order's adjustments took off each of its lines and its shipping."""
    taken: dict[str, Cop] = defaultdict(int)
    for one in adjustments:
        taken[one["target"]] += one["amount"]
    return taken
