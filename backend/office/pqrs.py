"""Views of PQRS requests in the office: first the unanswered ones by their deadline, then the answered ones."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import last_day, short_time_label, time_label
from backend.core.db.database import database_now
from backend.office.listing import ListView, count_new_rows, exclude_next_pages, read_page
from backend.pqrs.models import KIND_NAMES, Pqrs, PqrsKind
from backend.staff.rights import Actor, Right

PAGE_SIZE = 200
"""Number of unanswered requests on a page. It is also the maximum number of answered requests."""
KEY = (Pqrs.due_at, Pqrs.number)


@dataclass(frozen=True, slots=True)
class PqrsRow:
    """A PQRS request. `asked_label`: when it was sent; `answered`: when it was answered, empty if it is unanswered."""

    id: str
    number: int
    kind: str
    name: str
    email: str
    order_number: str
    text: str
    asked_label: str
    due_label: str
    is_late: bool
    answer: str
    answered: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PqrsList(ListView):
    """Unanswered PQRS requests by their deadline. The first page also has the newest answered ones."""

    rows: list[PqrsRow]
    answered: list[PqrsRow] = field(default_factory=list)


async def pqrs_list(session: AsyncSession, actor: Actor, cursor: str = "") -> PqrsList:
    """Return a page of the PQRS requests.

    Raises:
        Forbidden: the actor may not see orders and their customers.
        InvalidData: the cursor does not belong to this list.
    """
    actor.require(Right.READ_ORDERS)
    moment = await database_now(session)
    waits = select(Pqrs).where(Pqrs.answered_at.is_(None))
    found, following = await read_page(session, waits, KEY, cursor, PAGE_SIZE)
    answered: Sequence[Pqrs] = []
    if not cursor:
        done = select(Pqrs).where(Pqrs.answered_at.is_not(None)).order_by(Pqrs.number.desc())
        answered = (await session.execute(done.limit(PAGE_SIZE))).scalars().all()
    return PqrsList(
        rows=[_pqrs_row(actor, row, moment) for (row,) in found],
        cursor=following,
        answered=[_pqrs_row(actor, row, moment) for row in answered],
    )


async def count_new_pqrs(session: AsyncSession, actor: Actor, known: Sequence[str], cursor: str = "") -> int:
    """Count the unanswered requests that are new since the list was read.

    These are the requests before `cursor` whose ids are not in `known`.

    Raises:
        Forbidden: the actor may not see orders and their customers.
    """
    actor.require(Right.READ_ORDERS)
    query = select(Pqrs.id).where(Pqrs.answered_at.is_(None), Pqrs.id.not_in(known))
    return await count_new_rows(session, exclude_next_pages(query, KEY, cursor))


def _pqrs_row(actor: Actor, row: Pqrs, moment: datetime) -> PqrsRow:
    return PqrsRow(
        id=row.id,
        number=row.number or 0,
        kind=KIND_NAMES[PqrsKind(row.kind)],
        name=row.name,
        email=row.email if actor.may(Right.READ_CUSTOMERS) else "",
        order_number=row.order_number,
        text=row.text,
        asked_label=time_label(row.asked_at),
        due_label=short_time_label(last_day(row.due_at)),
        is_late=row.answered_at is None and row.due_at < moment,
        answer=row.answer,
        answered=time_label(row.answered_at) if row.answered_at else "",
    )
