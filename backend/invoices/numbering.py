"""Numbers: each is taken once, in the transaction that stores what its document says, and none is left out."""

from datetime import date

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import locked
from backend.core.db.tables import insert_into, table_of
from backend.core.errors import NotAllowed
from backend.invoices.documents import Range
from backend.invoices.models import InvoiceSequence
from backend.office_settings.invoicing import Invoicing

_ROW = insert_into(table_of(InvoiceSequence)).on_conflict_do_nothing(index_elements=["prefix"])


class NoNumber(NotAllowed):
    """There is no number that may be taken: the range is used up, or is not valid on this day."""


def range_of(invoicing: Invoicing, today: date) -> Range:
    """The range that is saved, if numbers of it may be taken today.

    Raises:
        NoNumber: it is not complete, or not valid on this day in Colombia.
    """
    problems = invoicing.problems()
    dated, first, last = invoicing.dated, invoicing.first, invoicing.last
    valid_from, valid_until = invoicing.valid_from, invoicing.valid_until
    if problems or not (dated and first and last and valid_from and valid_until):
        raise NoNumber(f"The numbering is not complete: {', '.join(sorted(problems)) or 'nothing is saved'}")
    if not valid_from <= today <= valid_until:
        raise NoNumber(
            f"Resolution {invoicing.resolution} is valid from {valid_from} to {valid_until}, and today is {today}"
        )
    return Range(invoicing.resolution, dated, first, last, valid_from, valid_until, invoicing.technical_key)


async def take_number(session: AsyncSession, prefix: str, within: Range | None) -> int:
    """The next number of this prefix. Rolled back with the transaction, it is the next one again.

    Args:
        session: the caller's transaction, which stores the document that gets it.
        prefix: whose numbers.
        within: the range of an invoice; None for a credit note, whose numbers need no authorization.

    Raises:
        NoNumber: the range is used up.
    """
    await session.execute(_ROW.values(prefix=prefix, last=0))
    row = (
        await session.execute(locked(select(InvoiceSequence).where(InvoiceSequence.prefix == prefix)))
    ).scalar_one()
    number = max(row.last + 1, within.first if within is not None else 1)
    if within is not None and number > within.last:
        raise NoNumber(f"Resolution {within.resolution} ends with {prefix}{within.last}, which is taken")
    row.last = number
    await session.flush()
    return number


async def last_taken(session: AsyncSession, prefix: str) -> int:
    """The last number of this prefix that was taken; 0 when none was."""
    row = await session.get(InvoiceSequence, prefix, populate_existing=True)
    return row.last if row is not None else 0
