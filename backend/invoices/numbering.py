"""Numbers of documents. A number is taken in the transaction that stores its document.

So no number is used twice, and none is skipped.
"""

from datetime import date

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import lock_rows
from backend.core.db.tables import insert_into, table_of
from backend.core.errors import NotAllowed
from backend.core.texts import _
from backend.invoices.documents import Range
from backend.invoices.models import InvoiceSequence
from backend.office_settings.invoicing import Invoicing

_ROW = insert_into(table_of(InvoiceSequence)).on_conflict_do_nothing(index_elements=["prefix"])


class NoNumber(NotAllowed):
    """No number is available: the authorized range is incomplete, used up, or not valid today."""


def get_valid_range(invoicing: Invoicing, today: date) -> Range:
    """Return the saved range, if its numbers may be used today.

    Raises:
        NoNumber: the range is not complete, or is not valid today in Colombia.
    """
    problems = invoicing.problems()
    dated, first, last = invoicing.dated, invoicing.first, invoicing.last
    valid_from, valid_until = invoicing.valid_from, invoicing.valid_until
    if problems or not (dated and first and last and valid_from and valid_until):
        raise NoNumber(
            f"The numbering is not complete: {', '.join(sorted(problems)) or 'nothing is saved'}",
            staff_text=_("La numeración está incompleta."),
        )
    if not valid_from <= today <= valid_until:
        raise NoNumber(
            f"Resolution {invoicing.resolution} is valid from {valid_from} to {valid_until}, and today is {today}",
            staff_text=_("La resolución no está vigente hoy."),
        )
    return Range(invoicing.resolution, dated, first, last, valid_from, valid_until, invoicing.technical_key)


async def take_number(session: AsyncSession, prefix: str, within: Range | None) -> int:
    """Return the next number of this prefix. If the transaction rolls back, the next call returns the same number.

    Args:
        session: the caller's transaction, which stores the document with the number.
        prefix: the prefix of the numbers.
        within: the range of an invoice; None for a credit note, whose numbers need no authorization.

    Raises:
        NoNumber: the range is used up.
    """
    await session.execute(_ROW.values(prefix=prefix, last=0))
    row = (
        await session.execute(lock_rows(select(InvoiceSequence).where(InvoiceSequence.prefix == prefix)))
    ).scalar_one()
    number = max(row.last + 1, within.first if within is not None else 1)
    if within is not None and number > within.last:
        raise NoNumber(
            f"Resolution {within.resolution} ends with {prefix}{within.last}, which is used",
            staff_text=_("Se acabaron los números de la resolución."),
        )
    row.last = number
    await session.flush()
    return number


async def read_last_number(session: AsyncSession, prefix: str) -> int:
    """Return the latest used number of this prefix; 0 if there is none."""
    row = await session.get(InvoiceSequence, prefix, populate_existing=True)
    return row.last if row is not None else 0
