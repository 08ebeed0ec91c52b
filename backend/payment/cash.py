"""Money that was captured and refunded in ranges of time."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.money import Cop
from backend.payment.models import PaymentSession, Refund


class CashSums(NamedTuple):
    """Captured and refunded pesos."""

    captured: Cop
    refunded: Cop


async def sum_cash(session: AsyncSession, ranges: Sequence[tuple[datetime, datetime]]) -> list[CashSums]:
    """Return the captured and refunded pesos of each time range. A range includes its start, but not its end."""
    sums: list[Any] = []
    for begin, end in ranges:
        captured = select(func.sum(PaymentSession.captured_amount)).where(
            PaymentSession.captured_at >= begin, PaymentSession.captured_at < end
        )
        refunded = select(func.sum(Refund.amount)).where(Refund.created_at >= begin, Refund.created_at < end)
        sums += [captured.scalar_subquery(), refunded.scalar_subquery()]
    found = [int(one or 0) for one in (await session.execute(select(*sums))).one()]
    return [CashSums(found[number], found[number + 1]) for number in range(0, len(found), 2)]
