"""Telling the shop of documents that are late, and of numbers that run out, while there is still time."""

from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.kinds import AttentionKind
from backend.attention.models import Attention
from backend.attention.service import raise_attention
from backend.core.dates import today_in_colombia
from backend.core.db.database import Database, database_now, db_now
from backend.invoices.models import Invoice
from backend.invoices.numbering import last_taken
from backend.invoices.states import InvoiceState
from backend.jobs import JobRun, periodic
from backend.office_settings.invoicing import Invoicing, read_invoicing

LATE_AFTER = timedelta(hours=24)
"""A document that its provider has not made by then is told of: the DIAN's 48 hours of a contingency (Res. 165 of 2023)
are half over."""
ENDS_SOON = timedelta(days=30)
"""How long before its last day a range is told of: the DIAN authorizes another one within days."""
MOST_AT_ONCE = 100


def few_left(invoicing: Invoicing) -> int:
    """With so many numbers left, a range is told of: a tenth of it, a hundred at most."""
    return min(100, max(1, ((invoicing.last or 0) - (invoicing.first or 0) + 1) // 10))


class InvoiceWatch:
    """Looks every hour."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @periodic("invoices.watch", every=timedelta(hours=1))
    async def watch(self, _run: JobRun) -> None:
        """Raise attention for what is late, and for a range that ends soon; each once."""
        late = (
            select(Invoice)
            .where(Invoice.state == InvoiceState.PENDING, Invoice.created_at <= db_now(-LATE_AFTER))
            .where(
                ~select(Attention.id)
                .where(Attention.kind == AttentionKind.INVOICE_LATE, Attention.subject_id == Invoice.id)
                .exists()
            )
            .order_by(Invoice.created_at)
            .limit(MOST_AT_ONCE)
        )
        async with self._database.transaction() as session:
            for row in (await session.execute(late)).scalars().all():
                await raise_attention(
                    session,
                    AttentionKind.INVOICE_LATE,
                    subject_id=row.id,
                    order_id=row.order_id,
                    amount=row.amount,
                    message=f"{row.full_number or 'A document without a number'} was not made within 24 hours",
                )
            await _look_at_range(session, await read_invoicing(session))


async def _look_at_range(session: AsyncSession, invoicing: Invoicing) -> None:
    if not invoicing.is_on or invoicing.problems() or invoicing.first is None or invoicing.last is None:
        return
    name = f"{invoicing.resolution} {invoicing.prefix}{invoicing.first}-{invoicing.last}"
    left = invoicing.last - max(await last_taken(session, invoicing.prefix), invoicing.first - 1)
    if left <= few_left(invoicing):
        await _once(session, f"{name} numbers", f"Resolution {name}: {max(left, 0)} numbers are left")
    today = today_in_colombia(await database_now(session))
    if invoicing.valid_until is not None and invoicing.valid_until - today <= ENDS_SOON:
        await _once(
            session, f"{name} {invoicing.valid_until}", f"Resolution {name} ends on {invoicing.valid_until}"
        )


async def _once(session: AsyncSession, subject: str, message: str) -> None:
    """Tell of it, unless it was told before: somebody may have dismissed it."""
    known = select(Attention.id).where(
        Attention.kind == AttentionKind.INVOICE_NUMBERS, Attention.subject_id == subject
    )
    if (await session.execute(known.limit(1))).first() is None:
        await raise_attention(session, AttentionKind.INVOICE_NUMBERS, subject_id=subject, message=message)
