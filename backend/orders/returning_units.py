"""Units of order lines that a return asks back, or that arrived and are not decided on.

The package of returns is above this one: its tables are read by their names.
"""

from typing import NamedTuple

from sqlalchemy import Case, ScalarSelect, case, column, func, select, table

from backend.orders.models import OrderLine

_RETURN = table("order_return", *map(column, ("id", "order_id", "kind", "state", "received_at")))
_UNITS = table("order_return_line", *map(column, ("return_id", "line_id", "quantity", "good", "damaged")))
_NOT_SENT, _DENIED, _RECEIVED = "not_sent", "denied", "received"
_UNDECIDED = ("requested", _RECEIVED)


class ComingBack(NamedTuple):
    """Units of one line: asked back and not arrived, and arrived without a decision yet."""

    requested: int = 0
    arrived: int = 0


NOTHING = ComingBack()


def requested_units() -> ScalarSelect[int]:
    """Select the units of an order line that returns ask back and that did not arrive.

    Once a return was granted for what arrived, the rest of its units stays with the buyer.
    """
    is_awaited = _RETURN.c.state.in_(_UNDECIDED) | _RETURN.c.received_at.is_(None)
    return _sum_of(case((is_awaited, _UNITS.c.quantity - _UNITS.c.good - _UNITS.c.damaged), else_=0))


def arrived_units() -> ScalarSelect[int]:
    """Select the units of an order line that arrived and that the shop has yet to decide on."""
    return _sum_of(case((_RETURN.c.state == _RECEIVED, _UNITS.c.good + _UNITS.c.damaged), else_=0))


def _sum_of(units: Case[int]) -> ScalarSelect[int]:
    return (
        select(func.coalesce(func.sum(units), 0))
        .select_from(_RETURN.join(_UNITS, _UNITS.c.return_id == _RETURN.c.id))
        .where(
            _RETURN.c.order_id == OrderLine.order_id,
            _UNITS.c.line_id == OrderLine.id,
            _RETURN.c.kind != _NOT_SENT,
            _RETURN.c.state != _DENIED,
        )
        .correlate(OrderLine)
        .scalar_subquery()
    )
