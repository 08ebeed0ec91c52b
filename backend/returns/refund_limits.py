"""Most money that a return pays without a reason.

Units that come back by a retracto are worth what they cost, with the shipping where it is due. Everything else is
bounded by what was paid: units that were never sent, a whole order of which nothing was sent, a warranty that is paid
in money, and a reversal.
"""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.errors import InvalidData
from backend.core.money import Cop, format_cop
from backend.core.texts import _
from backend.core.web.contact import paragraphs
from backend.orders.models import Order, OrderLine
from backend.orders.money.unit_worth import worth
from backend.orders.service import lines_of_order
from backend.returns.models import Return, ReturnKind, ReturnLine
from backend.returns.refund_amounts import granted_units, is_nothing_sent, left_of
from backend.returns.requests import lines_in, unclaimed, unsent

MAX_REASON = 2000


async def units_paid_for(
    session: AsyncSession, order: Order, row: Return, sold: Sequence[OrderLine], lines: Sequence[ReturnLine]
) -> dict[str, int]:
    """Return the units by line id that its money is for: those that arrived, else all that are asked for."""
    if row.received_at is None:
        return {line.line_id: line.quantity for line in lines}
    spare, ordered = await unclaimed(session, order, sold), {line.id: line for line in sold}
    units = {}
    for line in lines:
        never_left = units_that_never_left(line, ordered[line.line_id], spare[line.line_id])
        units[line.line_id] = min(line.quantity, line.good + line.damaged + never_left)
    return units


async def money_bound(session: AsyncSession, order: Order, row: Return) -> Cop:
    """Return the most that the return pays without a reason, in pesos. The order is locked."""
    left = await left_of(session, order, besides=row.id)
    if row.kind != ReturnKind.WITHDRAWAL:
        return left
    sold = await lines_of_order(session, order.id)
    lines = (await session.execute(lines_in(row.id))).scalars().all()
    units = await units_paid_for(session, order, row, sold, lines)
    if is_nothing_sent(sold, units):
        return left
    before = await granted_units(session, order, besides=row.id)
    return min(left, worth(order, sold, units, before))


async def require_reason(session: AsyncSession, order: Order, row: Return, amount: Cop, why: str) -> None:
    """Check an amount against the bound; a reason for more is stored with the (locked) return.

    Raises:
        InvalidData: it is more, and `why` is empty or too long.
    """
    bound = await money_bound(session, order, row)
    if amount <= bound:
        return
    why = paragraphs(why)
    if not why or len(why) > MAX_REASON:
        problem = _(
            "Por las unidades que vuelven son máximo {most}. Si devuelves más, escribe por qué."
        ).format(most=format_cop(max(bound, 0)))
        raise InvalidData(f"{amount} is more than the units are worth: {bound}", fields={"why": problem})
    row.amount_reason = why


def units_that_never_left(line: ReturnLine, ordered: OrderLine, spare: int) -> int:
    """Units of a return that is to be decided that lie in no parcel any more. `spare`: of its line, see `unclaimed`."""
    # what arrived was sent before: only what is left of the line can lie in no parcel
    from_parcels = min(line.good + line.damaged, ordered.fulfilled - ordered.returned)
    return min(line.quantity - from_parcels, unsent(ordered), max(0, -spare))
