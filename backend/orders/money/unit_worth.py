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
    *,
    with_shipping: bool = True,
) -> Cop:
    """Return the price of these units of the order's lines, plus the shipping if no other units remain.

    The shipping is added if `units` and `earlier_units` (of earlier withdrawals) are the whole order. A withdrawal
    (retracto) from a whole order refunds its shipping too (Ley 1480 of 2011, art. 47). An exchange is no
    withdrawal: its caller passes `with_shipping=False`.

    The price of a unit is rounded so that the prices of all units of a line add up to the line's total. This depends
    on the units that were refunded before: `earlier_units`, or by default the line's returned and withdrawn units.
    """
    by_line = compute_order_totals(order, lines).by_line
    parts = [
        price_of_units(
            by_line[line.id].total,
            line.quantity,
            units[line.id],
            _count_earlier_units(line, units[line.id], earlier_units),
        )
        for line in lines
        if units.get(line.id)
    ]
    if with_shipping and all(
        units.get(line.id, 0) + (earlier_units or {}).get(line.id, 0) == line.quantity for line in lines
    ):
        parts.append(order.shipping_total)
    return sum(parts)


def _count_earlier_units(line: OrderLine, units: int, earlier_units: Mapping[str, int] | None) -> int:
    earlier = line.returned + line.withdrawn if earlier_units is None else earlier_units.get(line.id, 0)
    return min(earlier, line.quantity - units)
