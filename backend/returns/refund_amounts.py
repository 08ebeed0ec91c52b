"""The order's money that is available for a return, and the price of the returned units."""

from collections.abc import Mapping, Sequence

from sqlalchemy import case, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.errors import InvalidData
from backend.core.money import Cop
from backend.core.texts import _
from backend.orders.models import Order, OrderLine
from backend.orders.money.unit_worth import compute_unit_worth
from backend.payment.payments import sum_captured_and_refunded
from backend.returns.models import Return, ReturnKind, ReturnLine
from backend.returns.states import GRANTED, ReturnState


async def compute_remaining_money(session: AsyncSession, order: Order, excluded_return_id: str = "") -> Cop:
    """Return the captured pesos of the order minus its refunds and the approved refunds that are not paid yet.

    The refund of the return `excluded_return_id` is not subtracted.
    """
    captured, refunded = await sum_captured_and_refunded(session, order.cart_id)
    promised = select(func.sum(Return.amount)).where(
        Return.order_id == order.id, Return.state == ReturnState.TO_PAY, Return.id != excluded_return_id
    )
    return captured - refunded - ((await session.execute(promised)).scalar_one() or 0)


async def is_fully_refunded(session: AsyncSession, order: Order) -> bool:
    """Return True if the order has captured money and all of it is refunded or approved for refund."""
    captured, _refunded = await sum_captured_and_refunded(session, order.cart_id)
    return captured > 0 and await compute_remaining_money(session, order) <= 0


def compute_unsent_refund(
    order: Order, lines: Sequence[OrderLine], units: Mapping[str, int], left: Cop
) -> Cop:
    """Return the refund due for unsent units, in pesos. It is at most `left`, the money that is not refunded yet.

    If no unit of the order was packed, and `units` are all units to send, the refund is all of `left`: the law
    requires a full refund, including shipping, of an undelivered order (Ley 1480 of 2011, art. 50 h).

    Raises:
        InvalidData: the units cost nothing.
    """
    amount = left if is_nothing_sent(lines, units) else min(left, compute_unit_worth(order, lines, units))
    if amount <= 0:
        problem = _("No costaron nada: no hay dinero que devolver.")
        raise InvalidData("These units cost nothing", fields={"units": problem})
    return amount


def is_nothing_sent(lines: Sequence[OrderLine], units: Mapping[str, int]) -> bool:
    """Return True if no unit of the order was packed, and `units` are all units that remain to be sent."""
    return all(
        not line.fulfilled and line.withdrawn + units.get(line.id, 0) == line.quantity for line in lines
    )


async def sum_granted_units(session: AsyncSession, order: Order, excluded_return_id: str) -> dict[str, int]:
    """Return the number of sent units in the order's granted returns, by line id.

    The return `excluded_return_id` is left out. Of a return whose units arrived, only the arrived units count.
    """
    for_units = case(
        (Return.received_at.is_not(None), ReturnLine.good + ReturnLine.damaged), else_=ReturnLine.quantity
    )
    query = (
        select(ReturnLine.line_id, func.sum(for_units))
        .join(Return, Return.id == ReturnLine.return_id)
        .where(
            Return.order_id == order.id,
            Return.id != excluded_return_id,
            Return.kind != ReturnKind.NOT_SENT,
            Return.state.in_(GRANTED),
        )
        .group_by(ReturnLine.line_id)
    )
    return {line_id: int(units) for line_id, units in await session.execute(query)}
