"""PQRS: what somebody asks by the form gets a number and a day by which it is answered, once, by mail.

Ley 1480 of 2011, art. 58 no. 5 a: the shop answers a claim within 15 business days; Ley 1581 of 2012, art. 15 says the
same of claims about data, and gives a question about them 10 (art. 14): it comes as a petition. Whoever asked follows
it by a signed link, without an account.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.kinds import RULES, AttentionKind
from backend.attention.service import close_attention, raise_attention
from backend.audit import Subject, Thing, record
from backend.core.business_days import due_after
from backend.core.db.database import Database, database_now, locked
from backend.core.db.tables import get_or_404
from backend.core.errors import Conflict, InvalidData, NotFound
from backend.core.events import publish
from backend.core.texts import _
from backend.core.web.contact import AccountEmail, Line, invalid, paragraphs, read_form, require_length
from backend.core.web.signing import SignedLink
from backend.jobs import JobRun, enqueue, job
from backend.pqrs.models import KIND_NAMES, Pqrs, PqrsKind
from backend.presses.service import require_unused_press, use_press
from backend.rate_limit import limiter
from backend.rate_limit.limiter import Client, RateLimit
from backend.staff.rights import Actor, Right

ANSWER_WITHIN = {
    PqrsKind.PETITION: 10,
    PqrsKind.COMPLAINT: 15,
    PqrsKind.CLAIM: 15,
    PqrsKind.SUGGESTION: 15,
}
"""Business days."""
REMINDER = "pqrs.remind"
LIMIT = RateLimit("pqrs", per_pair=3, per_client=30, per_subject=10, per_day=20)
LONGEST_TEXT, LONGEST_ANSWER = 4000, 6000
PQRS_LINK = SignedLink(salt="pqrs page", noun="PQRS")


@dataclass(frozen=True, slots=True)
class PqrsReceived:
    """Event: somebody asked something by the form."""

    id: str


@dataclass(frozen=True, slots=True)
class PqrsAnswered:
    """Event: the shop answered."""

    id: str


def _kind(value: Any) -> str:
    if value not in tuple(PqrsKind):
        raise invalid(_("Elige qué es."))
    return str(value)


def _body(text: str) -> str:
    return require_length(text, 10, LONGEST_TEXT, _("Cuéntanos qué pasó."))


class PqrsForm(BaseModel):
    """What the form asks."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    kind: Annotated[str, BeforeValidator(_kind)] = ""
    name: Annotated[
        Line, AfterValidator(lambda text: require_length(text, 2, 100, _("Escribe tu nombre.")))
    ] = ""
    email: AccountEmail = ""
    order_number: Annotated[
        Line, AfterValidator(lambda text: require_length(text, 1, 30, "") if text else "")
    ] = ""
    text: Annotated[str, BeforeValidator(paragraphs), AfterValidator(_body)] = ""


async def ask(database: Database, typed: Mapping[str, Any], *, client: Client) -> Pqrs:
    """Store what somebody asks, have it acknowledged by mail, and the shop reminded in time.

    Raises:
        InvalidData: `fields` says what is wrong.
        PressUsed: an earlier sending of the same form has stored it; `subject` is its id.
        TooManyRequests: this client, or this address, asked too often lately.
    """
    form = read_form(PqrsForm, typed)
    async with database.read() as session:
        await require_unused_press(session)
    await limiter.hit(database, LIMIT, form.email, client)
    async with database.transaction() as session:
        moment = await database_now(session)
        due_at = due_after(moment, ANSWER_WITHIN[PqrsKind(form.kind)])
        row = Pqrs(**form.model_dump(), asked_at=moment, due_at=due_at)
        await use_press(session, row.id)
        session.add(row)
        await session.flush()
        left = row.due_at - moment - RULES[AttentionKind.PQRS_DUE].within
        await enqueue(session, REMINDER, key=row.id, after=max(left, timedelta()))
        await publish(session, PqrsReceived(row.id))
    return row


async def read_pqrs(session: AsyncSession, pqrs_id: str, *, lock: bool = False) -> Pqrs:
    """What was asked.

    Raises:
        NotFound: nothing has this id.
    """
    query = select(Pqrs).where(Pqrs.id == pqrs_id)
    return await get_or_404(session, locked(query) if lock else query, "PQRS", pqrs_id)


async def answer_pqrs(session: AsyncSession, actor: Actor, pqrs_id: str, answer: str) -> Pqrs:
    """Answer, once. The answer is mailed, and stands on the page of whoever asked.

    Raises:
        Forbidden: the role may not resolve what waits for the shop.
        NotFound: nothing has this id.
        InvalidData: the answer is empty or too long; `fields` says so.
        Conflict: it is answered already.
    """
    actor.require(Right.RESOLVE_ATTENTION)
    answer = paragraphs(answer)
    if not answer or len(answer) > LONGEST_ANSWER:
        raise InvalidData("The answer does not fit", fields={"answer": _("Escribe la respuesta.")})
    row = await read_pqrs(session, pqrs_id, lock=True)
    if row.answered_at is not None:
        raise Conflict(f"PQRS {row.number} is answered already")
    await record(session, actor, "answered", Subject(Thing.PQRS, row.id))
    row.answer, row.answered_at = answer, await database_now(session)
    await close_attention(session, AttentionKind.PQRS_DUE, row.id, note="answered")
    await publish(session, PqrsAnswered(row.id))
    return row


class PqrsReminders:
    """Tells the shop of what it has not answered while there is still time."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @job(REMINDER)
    async def remind(self, run: JobRun) -> None:
        """Raise attention for what is still without an answer."""
        async with self._database.transaction() as session:
            try:
                row = await read_pqrs(session, str(run.key), lock=True)
            except NotFound:
                return
            if row.answered_at is None:
                await raise_attention(
                    session,
                    AttentionKind.PQRS_DUE,
                    subject_id=row.id,
                    message=f"PQRS {row.number} ({KIND_NAMES[PqrsKind(row.kind)]}) must be answered in time",
                )


def pqrs_path(signing_key: str, pqrs_id: str) -> str:
    """Return the page of a petition, for the person who sent it."""
    return f"/pqrs/{pqrs_id}?token={PQRS_LINK.token(signing_key, pqrs_id)}"
