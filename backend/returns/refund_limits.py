"""Maximum refund that staff may approve without writing a reason.

The refund of a retracto is limited by the price of its units, plus the shipping if it is due. All other refunds
(unsent units, a whole unsent order, a warranty paid in money, a reversal) are limited by the paid amount.
"""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.errors import InvalidData
from backend.core.money import Cop, format_cop
from backend.core.texts import _
from backend.core.web.contact import to_paragraphs
from backend.orders.models import Order, OrderLine
from backend.orders.money.unit_worth import compute_unit_worth
from backend.orders.service import list_order_lines
from backend.returns.models import Return, ReturnKind, ReturnLine
from backend.returns.refund_amounts import compute_remaining_money, is_nothing_sent, sum_granted_units
from backend.returns.requests import count_unclaimed_units, count_unsent_units, select_return_lines

MAX_REASON_LENGTH = 2000


async def sum_refunded_units(
    session: AsyncSession, order: Order, row: Return, sold: Sequence[OrderLine], lines: Sequence[ReturnLine]
) -> dict[str, int]:
    """Return the units that the return refunds, by line id.

    Before the arrival, these are the requested units; afterwards, the units that arrived or can no longer be sent.
    """
    if row.received_at is None:
        return {line.line_id: line.quantity for line in lines}
    spare, ordered = await count_unclaimed_units(session, order, sold), {line.id: line for line in sold}
    units = {}
    for line in lines:
        never_left = count_units_never_sent(line, ordered[line.line_id], spare[line.line_id])
        units[line.line_id] = min(line.quantity, line.good + line.damaged + never_left)
    return units


async def compute_max_refund(session: AsyncSession, order: Order, row: Return) -> Cop:
    """Return the maximum refund that needs no reason, in pesos. The caller must have locked the order."""
    left = await compute_remaining_money(session, order, excluded_return_id=row.id)
    if row.kind != ReturnKind.WITHDRAWAL:
        return left
    sold = await list_order_lines(session, order.id)
    lines = (await session.execute(select_return_lines(row.id))).scalars().all()
    units = await sum_refunded_units(session, order, row, sold, lines)
    if is_nothing_sent(sold, units):
        return left
    before = await sum_granted_units(session, order, excluded_return_id=row.id)
    return min(left, compute_unit_worth(order, sold, units, before))


async def require_reason(session: AsyncSession, order: Order, row: Return, amount: Cop, why: str) -> None:
    """Check that an amount above the maximum refund has a reason, and store the reason in the (locked) return.

    Raises:
        InvalidData: the amount is above the maximum, and `why` is empty or too long.
    """
    bound = await compute_max_refund(session, order, row)
    if amount <= bound:
        return
    why = to_paragraphs(why)
    if not why or len(why) > MAX_REASON_LENGTH:
        problem = _(
            "Por las unidades que vuelven son máximo {most}. Si devuelves más, escribe por qué."
        ).format(most=format_cop(max(bound, 0)))
        raise InvalidData(f"{amount} is more than the units are worth: {bound}", fields={"why": problem})
    row.amount_reason = why


def count_units_never_sent(line: ReturnLine, ordered: OrderLine, spare: int) -> int:
    """Return the number of units of an undecided return's line that were never sent: their label was cancelled.

    `spare` is the result of `count_unclaimed_units` for the order's line.
    """
    # arrived units were sent before: only the rest of the line can be in no parcel
    from_parcels = min(line.good + line.damaged, ordered.fulfilled - ordered.returned)
    return min(line.quantity - from_parcels, count_unsent_units(ordered), max(0, -spare))
