"""Limits on the mails that a stranger can cause to be sent to an address.

Anyone can type the address of another person. Therefore each address has a few slots. A mail that can be caused
without a payment takes a slot before it is sent; if no slot is free, the mail waits. If the same mail took a slot
in the past hour, its repetition is skipped instead, except for an acknowledgement. The law requires
acknowledgements. When a slot is free, all acknowledgements that wait for the address are sent together in one mail.
A lock per address serves one request for a slot at a time, on all replicas.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum, auto

from sqlalchemy import and_, bindparam, exists, insert, literal, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.config.settings import Settings
from backend.core.db.database import Database, db_now
from backend.core.db.tables import table_of
from backend.core.web.contact import tidy_email
from backend.core.web.signing import keyed_hash
from backend.jobs.models import Job
from backend.mail.messages import Message
from backend.mail.models import SEND, Mail, MailKind, MailSlot
from backend.orders.states import HAS_MONEY
from backend.rate_limit.limiter import take_turns

MAX_MAILS_PER_HOUR = 5
MAX_MAILS_PER_DAY = 10
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
MAX_JOINED = 50
"""Maximum number of acknowledgements that are added to one mail; further ones wait for the next mail."""
JOINED_PAUSE = timedelta(minutes=10)
"""Interval at which a mail checks whether another mail, which includes its content, was sent."""

UNPAID_ORDER_KINDS = frozenset({MailKind.ORDER_PLACED, MailKind.ORDER_LOST, MailKind.ORDER_UNCONFIRMED})
ACKNOWLEDGEMENT_KINDS = UNPAID_ORDER_KINDS | {MailKind.PQRS_RECEIVED}
"""Mails that the law requires, and mails that correct them. Without a free slot they wait; they are never skipped."""
FREE_ORDER_KINDS = UNPAID_ORDER_KINDS | {MailKind.ORDER_PAID}
"""Mails about an order that are limited while no money was paid for it."""
LIMITED_KINDS = ACKNOWLEDGEMENT_KINDS | {
    MailKind.ACCOUNT_LINK,
    MailKind.CART_REMINDER,
    MailKind.NOTICE_ASKED,
    MailKind.ORDER_LINK,
    MailKind.PASSWORD_RESET,
}
"""Mails that a stranger can cause without paying."""


class Verdict(Enum):
    """Decision on a mail that has a limit."""

    SEND = auto()
    WAIT = auto()
    SKIP = auto()


@dataclass(frozen=True, slots=True)
class SlotResult:
    """Decision on a mail that needs a slot.

    Attributes:
        verdict: decision on the mail.
        joined: ids of the waiting mails whose content is sent in this mail.
        after: with `WAIT`, the time until the next attempt.
    """

    verdict: Verdict
    joined: Sequence[str] = ()
    after: timedelta = field(default=timedelta())


def hash_address(settings: Settings, address: str) -> str:
    """Return the keyed hash under which the mails of an address are counted."""
    return keyed_hash(settings.signing_key, "mail limits", tidy_email(address)).hex()[:32]


def is_limited(message: Message) -> bool:
    """Return True if a stranger can cause this mail without paying. Such mails are limited for each address."""
    if message.kind not in FREE_ORDER_KINDS:
        return message.kind in LIMITED_KINDS
    order = message.order
    if order is None or not order.total:
        return True
    return message.kind in UNPAID_ORDER_KINDS and order.payment_status not in HAS_MONEY


async def take_slot(database: Database, mail: Mail, key: str) -> SlotResult:
    """Decide on a mail that has a limit: send it now, let it wait, or skip it.

    A mail is sent if it has a slot or takes a free one. It waits if no slot is free, or if another mail will include
    its text. If no slot is free and the same mail took one in the past hour, it is skipped, unless it is an
    acknowledgement. An acknowledgement that takes a slot includes the others that wait for its address. A repeated
    attempt keeps its slot.
    """
    async with database.transaction() as session:
        await take_turns(session, f"mail {key}")
        rows = (await session.execute(_STATE_AND_SLOTS, {"mail_id": mail.id, "key": key})).all()
        moment, is_joined = rows[0].moment, rows[0].is_joined
        if is_joined:
            return SlotResult(Verdict.WAIT, after=JOINED_PAUSE)
        taken = [row for row in rows if row.taken_at is not None]
        if not any(slot.mail_id == mail.id and slot.asked_at == mail.updated_at for slot in taken):
            free_at = [moment]
            for most, window in ((MAX_MAILS_PER_HOUR, HOUR), (MAX_MAILS_PER_DAY, DAY)):
                counted = [slot.taken_at for slot in taken if slot.taken_at > moment - window]
                if len(counted) >= most:
                    free_at.append(counted[-most] + window)
            if (after := max(free_at) - moment) > timedelta():
                left = any(slot.mail_id == mail.id and slot.taken_at > moment - HOUR for slot in taken)
                if left and mail.kind not in ACKNOWLEDGEMENT_KINDS:
                    return SlotResult(Verdict.SKIP)
                await _record_waiting(session, mail, key)
                return SlotResult(Verdict.WAIT, after=after)
            slot = {"address_key": key, "mail_id": mail.id, "asked_at": mail.updated_at, "taken_at": moment}
            await session.execute(_INSERT_SLOT, slot)
            if mail.kind in ACKNOWLEDGEMENT_KINDS:
                return SlotResult(Verdict.SEND, await _join_waiting(session, mail, key))
        joined = (await session.execute(_JOINED, {"mail_id": mail.id})).scalars().all()
        return SlotResult(Verdict.SEND, joined)


async def _record_waiting(session: AsyncSession, mail: Mail, key: str) -> None:
    """Store the hash of the waiting mail's address, so that another mail to the address can include its content."""
    await session.execute(
        update(Mail)
        .where(Mail.id == mail.id)
        .values(address_key=key, joined_to=None, updated_at=Mail.updated_at)
        .execution_options(synchronize_session=False)
    )


async def _join_waiting(session: AsyncSession, mail: Mail, key: str) -> Sequence[str]:
    """Add to this mail the acknowledgements that wait for the same address.

    Returns:
        The ids of all mails that were added to it, now or by an earlier attempt.
    """
    rows = (await session.execute(_JOINED_AND_WAITING, {"key": key, "mail_id": mail.id})).all()
    waiting = [row.id for row in rows if row.joined_to is None]
    if waiting:
        await session.execute(
            update(Mail)
            .where(Mail.id.in_(waiting))
            .values(joined_to=mail.id, updated_at=Mail.updated_at)
            .execution_options(synchronize_session=False)
        )
    return sorted(row.id for row in rows)


# each confirmation of an order runs these queries, so they are built only once
_MAIL, _SLOT, _JOB = table_of(Mail), table_of(MailSlot), table_of(Job)
_LEADER = _MAIL.alias()
_IS_GIVEN_UP = exists().where(_JOB.c.kind == SEND, _JOB.c.key == _LEADER.c.id, _JOB.c.failed_at.is_not(None))
_IS_JOINED = exists().where(
    _MAIL.c.id == bindparam("mail_id"),
    _LEADER.c.id == _MAIL.c.joined_to,
    _LEADER.c.sent_at.is_(None),
    ~_IS_GIVEN_UP,
)
_ONE_ROW = select(literal(1)).subquery()
_STATE_AND_SLOTS = (
    select(
        db_now().label("moment"),
        _IS_JOINED.label("is_joined"),
        _SLOT.c.mail_id,
        _SLOT.c.asked_at,
        _SLOT.c.taken_at,
    )
    .select_from(
        _ONE_ROW.outerjoin(
            _SLOT, and_(_SLOT.c.address_key == bindparam("key"), _SLOT.c.taken_at > db_now(-DAY))
        )
    )
    .order_by(_SLOT.c.taken_at)
)
"""A row for each slot of the address in the past day, or one row without a slot.

Each row has the database's time, and whether another mail includes this one's content and is neither sent nor given up.
"""
_INSERT_SLOT = insert(_SLOT)
_IS_JOINED_TO_MAIL = _MAIL.c.joined_to == bindparam("mail_id")
_IS_WAITING = and_(
    _MAIL.c.address_key == bindparam("key"),
    _MAIL.c.kind.in_(sorted(ACKNOWLEDGEMENT_KINDS)),
    _MAIL.c.joined_to.is_(None),
    _MAIL.c.id != bindparam("mail_id"),
)
_JOINED = select(_MAIL.c.id).where(_IS_JOINED_TO_MAIL, _MAIL.c.sent_at.is_(None)).order_by(_MAIL.c.id)
_JOINED_AND_WAITING = (
    select(_MAIL.c.id, _MAIL.c.joined_to)
    .where(_MAIL.c.sent_at.is_(None), or_(_IS_JOINED_TO_MAIL, _IS_WAITING))
    .order_by(_MAIL.c.joined_to.is_(None), _MAIL.c.id)
    .limit(MAX_JOINED)
)
