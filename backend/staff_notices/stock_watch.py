"""Notices of products whose stock becomes low or sells out: one for each such change, not for each sale.

A periodic job compares the stock with the stored state. So a sale does no additional work. The job also notices
changes by API clients, and a changed threshold for low stock.
"""

from datetime import timedelta

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.low_stock import select_low_stock
from backend.core.db.database import Database
from backend.core.ids import new_id
from backend.jobs import JobRun, periodic
from backend.rate_limit.limiter import take_turns
from backend.staff_notices.kinds import NoticeKind
from backend.staff_notices.models import OUT_SUFFIX, LowStock
from backend.staff_notices.recording import record_notice

WATCH_INTERVAL = timedelta(minutes=1)


class StockWatch:
    """Job handler that finds products whose stock has become low."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @periodic("staff_notices.stock", every=WATCH_INTERVAL)
    async def watch(self, _run: JobRun) -> None:
        """Record a notice of each product whose stock became low or sold out since the previous run."""
        async with self._database.read() as session:
            current, known = await _read_current(session), await _read_known(session)
        if current == {product_id: row.is_out for product_id, row in known.items()}:
            return  # the usual case takes no lock
        async with self._database.transaction() as session:
            await take_turns(session, "low stock")
            await _store_changes(session)


async def _read_current(session: AsyncSession) -> dict[str, bool]:
    """Return the products whose stock is low now, by id: True if sold out, False if units are left."""
    found = await session.execute(await select_low_stock(session))
    return {product_id: units <= 0 for product_id, _title, units in found}


async def _read_known(session: AsyncSession) -> dict[str, LowStock]:
    return {row.product_id: row for row in (await session.execute(select(LowStock))).scalars()}


async def _store_changes(session: AsyncSession) -> None:
    """Store which products are low or sold out, and record a notice of each that has become low or sold out."""
    current, known = await _read_current(session), await _read_known(session)
    recovered = known.keys() - current.keys()
    await session.execute(delete(LowStock).where(LowStock.product_id.in_(recovered)))
    for product_id, is_out in current.items():
        row = known.get(product_id)
        if row is None:
            row = LowStock(product_id=product_id, is_out=is_out)
            session.add(row)
        elif row.is_out == is_out:
            continue
        elif is_out:
            row.is_out = True
        else:
            row.is_out = False
            row.notice_id = new_id("low")  # if it sells out again, that is another notice
            continue
        await record_notice(
            session, NoticeKind.STOCK, f"{row.notice_id}{OUT_SUFFIX}" if is_out else row.notice_id
        )
