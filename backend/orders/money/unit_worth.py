"""Worth of units of an order."""

from collections.abc import Mapping, Sequence

from backend.core.money import Cop
from backend.orders.models import Order, OrderLine
from backend.orders.service import totals_of
from backend.pricing import price_of_units


def worth(
    order: Order,
    lines: Sequence[OrderLine],
    units: Mapping[str, int],
    before: Mapping[str, int] | None = None,
) -> Cop:
    """Return what so many units of the order's lines cost, and its shipping with the last of all that was sold.

    A retracto gives back everything, shipping included (Ley 1480 of 2011, art. 47), and so do several that together
    are for all of it: `before` are the units that others were granted for.
    """
    by_line = totals_of(order, lines).by_line
    parts = [
        price_of_units(by_line[line.id].total, line.quantity, units[line.id])
        for line in lines
        if units.get(line.id)
    ]
    if all(units.get(line.id, 0) + (before or {}).get(line.id, 0) == line.quantity for line in lines):
        parts.append(order.shipping_total)
    return sum(parts)
