"""Units of a granted return whose label is cancelled before they left: they are not sent again."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.events import subscribe
from backend.orders.events import FulfillmentUnpacked
from backend.orders.money.refunds import withdraw_units
from backend.orders.service import lines_of_order, lock_order
from backend.returns.models import Return, ReturnKind, ReturnLine
from backend.returns.refund_amounts import is_all_given_back
from backend.returns.requests import restate_sending, send_no_more, unclaimed, unsent
from backend.returns.states import GRANTED


@subscribe(FulfillmentUnpacked)
async def fulfillment_unpacked(session: AsyncSession, event: FulfillmentUnpacked) -> None:
    """Withdraw what was granted without waiting for it to arrive, and lies in no parcel any more."""
    order = await lock_order(session, event.order_id)
    lines = await lines_of_order(session, order.id)
    spare = await unclaimed(session, order, lines, by_granted=True)
    ordered = {line.id: line for line in lines}
    granted = (
        select(ReturnLine)
        .join(Return, Return.id == ReturnLine.return_id)
        .where(
            Return.order_id == order.id,
            Return.kind != ReturnKind.NOT_SENT,
            Return.state.in_(GRANTED),
            Return.received_at.is_(None),  # else the money was for what arrived, and not for these
        )
        .order_by(Return.number, ReturnLine.line_id)
    )
    is_withdrawn = False
    for line in (await session.execute(granted)).scalars():
        of_order = ordered[line.line_id]
        waited_for = line.quantity - line.good - line.damaged
        count = min(waited_for, unsent(of_order), max(0, -spare[line.line_id]))
        if count:
            await withdraw_units(session, order, of_order, count, restock=True)
            line.good += count
            spare[line.line_id] += count
            is_withdrawn = True
    # what was paid back by hand ends no order of which there is money left
    is_over = await is_all_given_back(session, order)
    if is_over:
        await send_no_more(session, order, lines)
    if is_withdrawn or is_over:
        await restate_sending(session, order, lines)
