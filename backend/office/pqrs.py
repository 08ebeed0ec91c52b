"""What the office shows of what people asked by the form: what has no answer yet first, the soonest due on top."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import last_day, short_time_label, time_label
from backend.core.db.database import database_now
from backend.pqrs.models import KIND_NAMES, Pqrs, PqrsKind
from backend.staff.rights import Actor, Right

MOST_ROWS = 200
"""How many are shown, of those with an answer the newest."""


@dataclass(frozen=True, slots=True)
class PqrsRow:
    """What somebody asked. `answered` is when it was answered; empty while it is not."""

    id: str
    number: int
    kind: str
    name: str
    email: str
    order_number: str
    text: str
    asked: str
    due: str
    is_late: bool
    answer: str
    answered: str


@dataclass(frozen=True, slots=True)
class PqrsList:
    """What waits, and what was answered."""

    open: list[PqrsRow]
    answered: list[PqrsRow]


async def pqrs_list(session: AsyncSession, actor: Actor) -> PqrsList:
    """What people asked.

    Raises:
        Forbidden: the role may not see orders and who bought them.
    """
    actor.require(Right.READ_ORDERS)
    moment = await database_now(session)
    waiting = select(Pqrs).where(Pqrs.answered_at.is_(None)).order_by(Pqrs.due_at, Pqrs.number)
    done = select(Pqrs).where(Pqrs.answered_at.is_not(None)).order_by(Pqrs.number.desc())
    rows = [
        [
            PqrsRow(
                id=row.id,
                number=row.number or 0,
                kind=KIND_NAMES[PqrsKind(row.kind)],
                name=row.name,
                email=row.email if actor.may(Right.READ_CUSTOMERS) else "",
                order_number=row.order_number,
                text=row.text,
                asked=time_label(row.asked_at),
                due=short_time_label(last_day(row.due_at)),
                is_late=row.answered_at is None and row.due_at < moment,
                answer=row.answer,
                answered=time_label(row.answered_at) if row.answered_at else "",
            )
            for row in (await session.execute(query.limit(MOST_ROWS))).scalars()
        ]
        for query in (waiting, done)
    ]
    return PqrsList(*rows)
