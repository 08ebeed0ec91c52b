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

from sqlalchemy import exists, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from backend.core.config.settings import Settings
from backend.core.db.database import Database, database_now
from backend.core.web.contact import tidy_email
from backend.core.web.signing import keyed_hash
from backend.jobs.models import Job
from backend.mail.models import SEND, Mail, MailKind, MailSlot
from backend.orders.models import Order
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
    """Result of a request for a slot.

    Attributes:
        verdict: decision on the mail.
        joined: ids of the waiting mails whose content is sent in this mail.
        after: with `WAIT`, the time until a slot may be free.
    """

    verdict: Verdict
    joined: Sequence[str] = ()
    after: timedelta = field(default=timedelta())


def hash_address(settings: Settings, address: str) -> str:
    """Return the keyed hash under which the mails of an address are counted."""
    return keyed_hash(settings.signing_key, "mail limits", tidy_email(address)).hex()[:32]


async def is_limited(session: AsyncSession, mail: Mail) -> bool:
    """Return True if a stranger can have caused the mail without paying."""
    if mail.kind in FREE_ORDER_KINDS:
        paid = select(Order.id).where(Order.id == mail.about, Order.total > 0)
        if mail.kind in UNPAID_ORDER_KINDS:
            paid = paid.where(Order.payment_status.in_(HAS_MONEY))
        return (await session.execute(paid)).first() is None
    return mail.kind in LIMITED_KINDS


async def take_slot(database: Database, mail: Mail, key: str) -> SlotResult:
    """Take a slot for the mail, and add the acknowledgements that wait for the same address to the mail.

    A mail that has a slot from a failed attempt keeps the slot and the mails that were added to it.
    """
    async with database.transaction() as session:
        await take_turns(session, f"mail {key}")
        moment = await database_now(session)
        taken = (
            await session.execute(
                select(MailSlot.mail_id, MailSlot.asked_at, MailSlot.taken_at)
                .where(MailSlot.address_key == key, MailSlot.taken_at > moment - DAY)
                .order_by(MailSlot.taken_at)
            )
        ).all()
        if await _is_joined(session, mail):
            return SlotResult(Verdict.WAIT, after=JOINED_PAUSE)
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
            session.add(MailSlot(address_key=key, mail_id=mail.id, asked_at=mail.updated_at, taken_at=moment))
            await session.flush()
            if mail.kind in ACKNOWLEDGEMENT_KINDS:
                await _join_waiting(session, mail, key)
        joined = select(Mail.id).where(Mail.joined_to == mail.id, Mail.sent_at.is_(None)).order_by(Mail.id)
        return SlotResult(Verdict.SEND, (await session.execute(joined)).scalars().all())


async def _record_waiting(session: AsyncSession, mail: Mail, key: str) -> None:
    """Store the hash of the waiting mail's address, so that another mail to the address can include its content."""
    await session.execute(
        update(Mail)
        .where(Mail.id == mail.id)
        .values(address_key=key, joined_to=None, updated_at=Mail.updated_at)
        .execution_options(synchronize_session=False)
    )


async def _join_waiting(session: AsyncSession, mail: Mail, key: str) -> None:
    """Join the acknowledgements that wait for this address to the mail."""
    waiting = (
        select(Mail.id)
        .where(
            Mail.address_key == key,
            Mail.kind.in_(sorted(ACKNOWLEDGEMENT_KINDS)),
            Mail.sent_at.is_(None),
            Mail.joined_to.is_(None),
            Mail.id != mail.id,
        )
        .order_by(Mail.id)
        .limit(MAX_JOINED)
    )
    ids = (await session.execute(waiting)).scalars().all()
    await session.execute(
        update(Mail)
        .where(Mail.id.in_(ids))
        .values(joined_to=mail.id, updated_at=Mail.updated_at)
        .execution_options(synchronize_session=False)
    )


async def _is_joined(session: AsyncSession, mail: Mail) -> bool:
    """Return True while another mail includes the content of this one and is neither sent nor given up."""
    leader = aliased(Mail)
    is_given_up = exists().where(Job.kind == SEND, Job.key == leader.id, Job.failed_at.is_not(None))
    waits = (
        select(Mail.id)
        .join(leader, leader.id == Mail.joined_to)
        .where(Mail.id == mail.id, leader.sent_at.is_(None), ~is_given_up)
    )
    return (await session.execute(waits)).first() is not None
