"""Notes of staff on customers and guests, for other staff."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.customers.directory import find_person
from backend.customers.models import CustomerNote
from backend.staff.rights import Actor, Right

MAX_NOTE_LENGTH = 1000


async def add_note(session: AsyncSession, actor: Actor, customer_id: str, text: str) -> CustomerNote:
    """Store a note on a customer or guest.

    Raises:
        NotFound: the customer or guest does not exist.
        InvalidData: the note is empty or too long; `fields` has the error.
    """
    actor.require(Right.CHANGE_CUSTOMERS)
    await find_person(session, customer_id, for_change=True)
    text = text.strip()
    if not 0 < len(text) <= MAX_NOTE_LENGTH:
        raise InvalidData("A note is empty or too long", fields={"text": _("Escribe la nota.")})
    await record(session, actor, "noted", Subject(SubjectType.CUSTOMER, customer_id))
    note = CustomerNote(customer_id=customer_id, text=text, created_by=actor.id)
    session.add(note)
    await session.flush()
    return note


async def notes_of(session: AsyncSession, customer_id: str) -> Sequence[CustomerNote]:
    """Return the notes on a customer or guest, the newest first."""
    query = select(CustomerNote).where(CustomerNote.customer_id == customer_id)
    return (
        (await session.execute(query.order_by(CustomerNote.created_at.desc(), CustomerNote.id.desc())))
        .scalars()
        .all()
    )
