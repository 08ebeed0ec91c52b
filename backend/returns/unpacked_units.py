"""Withdraw units of a granted return if their label is cancelled before they are sent."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.events import subscribe
from backend.orders.events import FulfillmentUnpacked
from backend.orders.money.refunds import withdraw_units
from backend.orders.service import list_order_lines, lock_order
from backend.returns.models import Return, ReturnKind, ReturnLine
from backend.returns.refund_amounts import is_fully_refunded
from backend.returns.requests import (
    count_unclaimed_units,
    count_unsent_units,
    update_sending_status,
    withdraw_unsent_units,
)
from backend.returns.states import GRANTED


@subscribe(FulfillmentUnpacked)
async def withdraw_unpacked_units(session: AsyncSession, event: FulfillmentUnpacked) -> None:
    """Withdraw the units of granted returns that are in no parcel any more, because their label was cancelled.

    Returns whose units arrived are left out. If the order is fully refunded, withdraw all its unsent units.
    """
    order = await lock_order(session, event.order_id)
    lines = await list_order_lines(session, order.id)
    spare = await count_unclaimed_units(session, order, lines, by_granted=True)
    ordered = {line.id: line for line in lines}
    granted = (
        select(ReturnLine)
        .join(Return, Return.id == ReturnLine.return_id)
        .where(
            Return.order_id == order.id,
            Return.kind != ReturnKind.NOT_SENT,
            Return.state.in_(GRANTED),
            Return.received_at.is_(None),  # otherwise the refund was for the arrived units, not for these
        )
        .order_by(Return.number, ReturnLine.line_id)
    )
    is_withdrawn = False
    for line in (await session.execute(granted)).scalars():
        of_order = ordered[line.line_id]
        waited_for = line.quantity - line.good - line.damaged
        count = min(waited_for, count_unsent_units(of_order), max(0, -spare[line.line_id]))
        if count:
            await withdraw_units(session, order, of_order, count, restock=True)
            line.good += count
            spare[line.line_id] += count
            is_withdrawn = True
    # a manual refund does not stop an order that still has money
    is_over = await is_fully_refunded(session, order)
    if is_over:
        await withdraw_unsent_units(session, order, lines)
    if is_withdrawn or is_over:
        await update_sending_status(session, order, lines)
