"""Checks that notify staff about late documents, and about number ranges that are nearly used up or expire soon."""

from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.descriptions import NUMBERS_LEFT, TITLE, UNTIL
from backend.attention.kinds import AttentionKind
from backend.attention.models import Attention
from backend.attention.service import raise_attention
from backend.core.dates import date_name, today_in_colombia
from backend.core.db.database import Database, database_now, db_now
from backend.core.db.tables import JsonObject
from backend.core.texts import _
from backend.invoices.models import Invoice
from backend.invoices.numbering import read_last_number
from backend.invoices.states import InvoiceState
from backend.jobs import JobRun, periodic
from backend.office_settings.invoicing import Invoicing, read_invoicing

LATE_AFTER = timedelta(hours=24)
"""Time after which a document that is not issued is late.

It is half of the DIAN's 48 hours for a contingency (Res. 165 of 2023).
"""
END_NOTICE = timedelta(days=30)
"""How long before the final day of a number range staff are notified. The DIAN authorizes a new range within days."""
BATCH_SIZE = 100


def compute_low_limit(invoicing: Invoicing) -> int:
    """Return the number of unused numbers at which staff are notified: a tenth of the range, at most 100."""
    return min(100, max(1, ((invoicing.last or 0) - (invoicing.first or 0) + 1) // 10))


class InvoiceWatch:
    """The hourly check for late invoices and credit notes, and for ranges that are nearly used up or expire soon."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @periodic("invoices.watch", every=timedelta(hours=1))
    async def watch(self, _run: JobRun) -> None:
        """Open an attention row for each late document, and for a range that is nearly used up or expires soon.

        Each of these is reported only once.
        """
        late = (
            select(Invoice)
            .where(Invoice.state == InvoiceState.PENDING, Invoice.created_at <= db_now(-LATE_AFTER))
            .where(
                ~select(Attention.id)
                .where(Attention.kind == AttentionKind.INVOICE_LATE, Attention.subject_id == Invoice.id)
                .exists()
            )
            .order_by(Invoice.created_at)
            .limit(BATCH_SIZE)
        )
        async with self._database.transaction() as session:
            for row in (await session.execute(late)).scalars().all():
                await raise_attention(
                    session,
                    AttentionKind.INVOICE_LATE,
                    subject_id=row.id,
                    order_id=row.order_id,
                    amount=row.amount,
                    message=f"{row.full_number or 'A document without a number'} was not issued within 24 hours",
                    data={TITLE: row.full_number or _("Sin número todavía")},
                )
            await _check_range(session, await read_invoicing(session))


async def _check_range(session: AsyncSession, invoicing: Invoicing) -> None:
    if not invoicing.is_on or invoicing.problems() or invoicing.first is None or invoicing.last is None:
        return
    name = f"{invoicing.resolution} {invoicing.prefix}{invoicing.first}-{invoicing.last}"
    left = invoicing.last - max(await read_last_number(session, invoicing.prefix), invoicing.first - 1)
    if left <= compute_low_limit(invoicing):
        left = max(left, 0)
        message = f"Resolution {name}: {left} numbers are left"
        await _raise_once(session, f"{name} numbers", message, {NUMBERS_LEFT: left})
    today = today_in_colombia(await database_now(session))
    if invoicing.valid_until is not None and invoicing.valid_until - today <= END_NOTICE:
        end = invoicing.valid_until
        await _raise_once(
            session, f"{name} {end}", f"Resolution {name} ends on {end}", {UNTIL: date_name(end)}
        )


async def _raise_once(session: AsyncSession, subject: str, message: str, data: JsonObject) -> None:
    """Open an attention row, unless this subject already has one, even one that staff dismissed."""
    known = select(Attention.id).where(
        Attention.kind == AttentionKind.INVOICE_NUMBERS, Attention.subject_id == subject
    )
    if (await session.execute(known.limit(1))).first() is None:
        await raise_attention(
            session, AttentionKind.INVOICE_NUMBERS, subject_id=subject, message=message, data=data
        )
