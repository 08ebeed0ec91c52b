"""How much of an order's money a return may take, and how much its units cost."""

from collections.abc import Mapping, Sequence

from sqlalchemy import case, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.errors import InvalidData
from backend.core.money import Cop
from backend.core.texts import _
from backend.orders.models import Order, OrderLine
from backend.orders.money.unit_worth import worth
from backend.payment.payments import captured_and_refunded
from backend.returns.models import Return, ReturnKind, ReturnLine
from backend.returns.states import GRANTED, ReturnState


async def left_of(session: AsyncSession, order: Order, besides: str = "") -> Cop:
    """What was captured for the order, less what went back, less what other returns than `besides` are to get."""
    captured, refunded = await captured_and_refunded(session, order.cart_id)
    promised = select(func.sum(Return.amount)).where(
        Return.order_id == order.id, Return.state == ReturnState.TO_PAY, Return.id != besides
    )
    return captured - refunded - ((await session.execute(promised)).scalar_one() or 0)


async def is_all_given_back(session: AsyncSession, order: Order) -> bool:
    """Whether money was captured for the order, and all of it went back or is to go back by its returns."""
    captured, _refunded = await captured_and_refunded(session, order.cart_id)
    return captured > 0 and await left_of(session, order) <= 0


def owed_unsent(order: Order, lines: Sequence[OrderLine], units: Mapping[str, int], left: Cop) -> Cop:
    """What goes back for so many units that are not sent; all that is `left` once nothing of the order is.

    What is not delivered is paid back in full, shipping included (Ley 1480 of 2011, art. 50 h).

    Raises:
        InvalidData: they cost nothing.
    """
    amount = left if is_nothing_sent(lines, units) else min(left, worth(order, lines, units))
    if amount <= 0:
        problem = _("No costaron nada: no hay dinero que devolver.")
        raise InvalidData("These units cost nothing", fields={"units": problem})
    return amount


def is_nothing_sent(lines: Sequence[OrderLine], units: Mapping[str, int]) -> bool:
    """Whether nothing of the order is sent once these units are not: then all of its money goes back."""
    return all(
        not line.fulfilled and line.withdrawn + units.get(line.id, 0) == line.quantity for line in lines
    )


async def granted_units(session: AsyncSession, order: Order, besides: str) -> dict[str, int]:
    """The units by the line's id that other returns of the order than `besides` were granted for, once they were sent.

    Of one whose units arrived, those that did.
    """
    for_units = case(
        (Return.received_at.is_not(None), ReturnLine.good + ReturnLine.damaged), else_=ReturnLine.quantity
    )
    query = (
        select(ReturnLine.line_id, func.sum(for_units))
        .join(Return, Return.id == ReturnLine.return_id)
        .where(
            Return.order_id == order.id,
            Return.id != besides,
            Return.kind != ReturnKind.NOT_SENT,
            Return.state.in_(GRANTED),
        )
        .group_by(ReturnLine.line_id)
    )
    return {line_id: int(units) for line_id, units in await session.execute(query)}
