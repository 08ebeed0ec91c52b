"""Price of units of an order, for refunds."""

from collections.abc import Mapping, Sequence

from backend.core.money import Cop
from backend.orders.models import Order, OrderLine
from backend.orders.service import compute_order_totals
from backend.pricing import price_of_units


def compute_unit_worth(
    order: Order,
    lines: Sequence[OrderLine],
    units: Mapping[str, int],
    earlier_units: Mapping[str, int] | None = None,
) -> Cop:
    """Return the price of these units of the order's lines, with the shipping if they complete the whole order.

    A withdrawal (retracto) from the whole order also refunds the shipping (Ley 1480 of 2011, art. 47). So do
    several withdrawals that together cover the whole order: `earlier_units` are the units of the earlier
    withdrawals.
    """
    by_line = compute_order_totals(order, lines).by_line
    parts = [
        price_of_units(by_line[line.id].total, line.quantity, units[line.id])
        for line in lines
        if units.get(line.id)
    ]
    if all(units.get(line.id, 0) + (earlier_units or {}).get(line.id, 0) == line.quantity for line in lines):
        parts.append(order.shipping_total)
    return sum(parts)
