"""Units of order lines whose return is requested, and units that arrived and await a decision.

This module cannot import the tables of `backend.returns`, which imports this package. So it queries them by their
names.
"""

from typing import NamedTuple

from sqlalchemy import Case, ScalarSelect, case, column, func, select, table

from backend.orders.models import OrderLine

_RETURN = table("order_return", *map(column, ("id", "order_id", "kind", "state", "received_at")))
_UNITS = table("order_return_line", *map(column, ("return_id", "line_id", "quantity", "good", "damaged")))
_NOT_SENT, _DENIED, _RECEIVED = "not_sent", "denied", "received"
_UNDECIDED = ("requested", _RECEIVED)


class ReturningUnits(NamedTuple):
    """Units of one line: the requested units that have not arrived, and the arrived units without a decision."""

    requested: int = 0
    arrived: int = 0


NO_RETURNING_UNITS = ReturningUnits()


def select_requested_units() -> ScalarSelect[int]:
    """Return the query for the units of an order line that are requested by returns and have not arrived.

    If a return is approved after only some of its units arrived, the customer keeps the others: they do not count.
    """
    is_awaited = _RETURN.c.state.in_(_UNDECIDED) | _RETURN.c.received_at.is_(None)
    return _sum_of(case((is_awaited, _UNITS.c.quantity - _UNITS.c.good - _UNITS.c.damaged), else_=0))


def select_arrived_units() -> ScalarSelect[int]:
    """Return the query for the units of an order line that arrived and await the shop's decision."""
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
