"""PQRS: a request gets a number and a deadline, and is answered once, by mail.

Ley 1480 of 2011, art. 58 no. 5 a: the shop answers a claim within 15 business days. Ley 1581 of 2012, art. 15: the
same for claims about personal data; art. 14: 10 days for a question about personal data, which the form sends as a
petition. The sender follows the request by a signed link, without an account.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.descriptions import TITLE
from backend.attention.kinds import RULES, AttentionKind
from backend.attention.service import close_attention, raise_attention
from backend.audit import Subject, SubjectType, record
from backend.core.business_days import due_date_after
from backend.core.db.database import Database, database_now, lock_rows
from backend.core.db.tables import get_or_404
from backend.core.errors import Conflict, InvalidData, NotFound
from backend.core.events import publish
from backend.core.texts import _
from backend.core.web.contact import AccountEmail, Line, field_error, read_form, require_length, to_paragraphs
from backend.core.web.signing import SignedLink
from backend.jobs import JobRun, enqueue, job
from backend.pqrs.models import KIND_NAMES, Pqrs, PqrsKind
from backend.presses.service import require_unused_press, use_press
from backend.rate_limit import limiter
from backend.rate_limit.limiter import Client, RateLimit
from backend.staff.rights import Actor, Right

ANSWER_BUSINESS_DAYS = {
    PqrsKind.PETITION: 10,
    PqrsKind.COMPLAINT: 15,
    PqrsKind.CLAIM: 15,
    PqrsKind.SUGGESTION: 15,
}
"""Business days for the answer, by kind."""
REMINDER = "pqrs.remind"
LIMIT = RateLimit("pqrs", per_pair=3, per_client=30, per_subject=10, per_day=20)
MAX_TEXT_LENGTH, MAX_ANSWER_LENGTH = 4000, 6000
PQRS_LINK = SignedLink(salt="pqrs page", noun="PQRS")


@dataclass(frozen=True, slots=True)
class PqrsReceived:
    """Event: a PQRS request was sent."""

    id: str


@dataclass(frozen=True, slots=True)
class PqrsAnswered:
    """Event: the shop answered a PQRS request."""

    id: str


def _require_kind(value: Any) -> str:
    if value not in tuple(PqrsKind):
        raise field_error(_("Elige qué es."))
    return str(value)


def _require_text(text: str) -> str:
    return require_length(text, 10, MAX_TEXT_LENGTH, _("Cuéntanos qué pasó."))


class PqrsForm(BaseModel):
    """The PQRS form and its validation."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    kind: Annotated[str, BeforeValidator(_require_kind)] = ""
    name: Annotated[
        Line, AfterValidator(lambda text: require_length(text, 2, 100, _("Escribe tu nombre.")))
    ] = ""
    email: AccountEmail = ""
    order_number: Annotated[
        Line, AfterValidator(lambda text: require_length(text, 1, 30, "") if text else "")
    ] = ""
    text: Annotated[str, BeforeValidator(to_paragraphs), AfterValidator(_require_text)] = ""


async def send_pqrs(database: Database, typed: Mapping[str, Any], *, client: Client) -> Pqrs:
    """Store a PQRS request. Enqueue the mail that confirms it, and the reminder for staff.

    Raises:
        InvalidData: `fields` has the errors.
        PressUsed: the same form submission was already stored; `subject` is the id of the stored request.
        TooManyRequests: there were too many recent requests from this client or this e-mail address.
    """
    form = read_form(PqrsForm, typed)
    async with database.read() as session:
        await require_unused_press(session)
    await limiter.hit(database, LIMIT, form.email, client)
    async with database.transaction() as session:
        moment = await database_now(session)
        due_at = due_date_after(moment, ANSWER_BUSINESS_DAYS[PqrsKind(form.kind)])
        row = Pqrs(**form.model_dump(), asked_at=moment, due_at=due_at)
        await use_press(session, row.id)
        session.add(row)
        await session.flush()
        left = row.due_at - moment - RULES[AttentionKind.PQRS_DUE].within
        await enqueue(session, REMINDER, key=row.id, after=max(left, timedelta()))
        await publish(session, PqrsReceived(row.id))
    return row


async def read_pqrs(session: AsyncSession, pqrs_id: str, *, lock: bool = False) -> Pqrs:
    """Return the PQRS request; with `lock`, lock it for a change.

    Raises:
        NotFound: the request does not exist.
    """
    query = select(Pqrs).where(Pqrs.id == pqrs_id)
    return await get_or_404(session, lock_rows(query) if lock else query, "PQRS", pqrs_id)


async def answer_pqrs(session: AsyncSession, actor: Actor, pqrs_id: str, answer: str) -> Pqrs:
    """Answer a PQRS request. It can be answered only once. The answer is mailed, and displayed on the sender's page.

    Raises:
        Forbidden: the actor lacks `Right.RESOLVE_ATTENTION`.
        NotFound: the request does not exist.
        InvalidData: the answer is empty or too long; `fields` has the error.
        Conflict: the request is already answered.
    """
    actor.require(Right.RESOLVE_ATTENTION)
    answer = to_paragraphs(answer)
    if not answer or len(answer) > MAX_ANSWER_LENGTH:
        raise InvalidData("The answer is empty or too long", fields={"answer": _("Escribe la respuesta.")})
    row = await read_pqrs(session, pqrs_id, lock=True)
    if row.answered_at is not None:
        raise Conflict(f"PQRS {row.number} is answered already")
    await record(session, actor, "answered", Subject(SubjectType.PQRS, row.id))
    row.answer, row.answered_at = answer, await database_now(session)
    await close_attention(session, AttentionKind.PQRS_DUE, row.id, note="answered")
    await publish(session, PqrsAnswered(row.id))
    return row


class PqrsReminders:
    """Job handler that reminds staff of unanswered requests before their deadline."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @job(REMINDER)
    async def remind(self, run: JobRun) -> None:
        """Open an attention row if the PQRS request is still unanswered."""
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
                    data={TITLE: f"{KIND_NAMES[PqrsKind(row.kind)]} {row.number}"},
                )


def pqrs_path(signing_key: str, pqrs_id: str) -> str:
    """Return the signed path of the page that shows a PQRS request to the person who sent it."""
    return f"/pqrs/{pqrs_id}?token={PQRS_LINK.token(signing_key, pqrs_id)}"
