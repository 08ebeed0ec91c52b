"""`trompo mail resend`: retry mails that were not sent, and send a mail again on request.

The output contains no address: a mail is identified by its id, its kind and its order.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Select, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind
from backend.attention.service import close_attention
from backend.audit import Subject, SubjectType, record
from backend.core.db.database import Database, database_now
from backend.core.errors import NotFound
from backend.invoices.models import Invoice
from backend.jobs import enqueue
from backend.jobs.models import Job
from backend.mail.models import SEND, Mail, MailKind
from backend.order_edits.models import OrderEdit
from backend.orders.models import Fulfillment, Order
from backend.orders.search import MAX_NUMBER_DIGITS
from backend.payment.models import Refund
from backend.returns.models import Return
from backend.staff.rights import Actor, Right

MAX_GIVEN_UP_MAILS = 1000
NOTE = "resent from the command line"


@dataclass(frozen=True, slots=True)
class ResendResult:
    """The result for one mail: `is_sent_again`, and `outcome`, a line that explains it."""

    mail_id: str
    kind: str
    is_sent_again: bool
    outcome: str

    def __str__(self) -> str:
        return f"{self.mail_id}  {self.kind}: {self.outcome}"


async def resend_mail(database: Database, mail_id: str, *, again: bool = False) -> ResendResult:
    """Send the mail with this id if it was not sent yet; with `again`, also if it was sent before.

    Raises:
        NotFound: there is no such mail.
    """
    async with database.transaction() as session:
        return await _resend(session, mail_id, again=again)


async def resend_order_mails(database: Database, order: str, *, again: bool = False) -> list[ResendResult]:
    """Send the unsent mails about an order and its packages, refunds, returns and invoices, oldest first.

    Args:
        database: the shop's database.
        order: the order's number or id.
        again: also send the mails that were sent before.

    Raises:
        NotFound: there is no such order.
    """
    is_number = order.isascii() and order.isdigit() and len(order) <= MAX_NUMBER_DIGITS
    query = select(Order.id).where(Order.number == int(order) if is_number else Order.id == order)
    async with database.read() as session:
        order_id = (await session.execute(query)).scalar_one_or_none()
        if order_id is None:
            raise NotFound(f"There is no order {order}")
        mails = [mail.id for mail in await list_order_mails(session, order_id)]
    return [await resend_mail(database, mail_id, again=again) for mail_id in mails]


async def resend_given_up_mails(database: Database) -> list[ResendResult]:
    """Retry the mails that were given up, oldest first; at most `MAX_GIVEN_UP_MAILS`."""
    given_up = select(Job.key).where(Job.kind == SEND, Job.failed_at.is_not(None))
    async with database.read() as session:
        query = _select_oldest_first().where(Mail.id.in_(given_up)).limit(MAX_GIVEN_UP_MAILS)
        mails = (await session.execute(query)).scalars().all()
    return [await resend_mail(database, mail_id) for mail_id in mails]


async def list_order_mails(session: AsyncSession, order_id: str) -> Sequence[Mail]:
    """Return all mails about an order, its packages, refunds, edits, returns and invoices, oldest first."""
    about = or_(
        Mail.about == order_id,
        Mail.about.in_(select(Fulfillment.id).where(Fulfillment.order_id == order_id)),
        Mail.about.in_(select(Refund.id).where(Refund.order_id == order_id)),
        Mail.about.in_(select(OrderEdit.id).where(OrderEdit.order_id == order_id)),
        Mail.about.in_(select(Return.id).where(Return.order_id == order_id)),
        Mail.about.in_(select(Invoice.id).where(Invoice.order_id == order_id)),
    )
    query = select(Mail).where(about).order_by(Mail.created_at, Mail.id)
    return (await session.execute(query)).scalars().all()


async def resend_order_mail(database: Database, actor: Actor, order_id: str, mail_id: str) -> ResendResult:
    """Send a mail about this order again, or retry it immediately if it was not sent yet.

    Raises:
        NotFound: no mail about this order has this id.
    """
    actor.require(Right.FULFILL)
    async with database.transaction() as session:
        if mail_id not in [mail.id for mail in await list_order_mails(session, order_id)]:
            raise NotFound(f"Mail with id: {mail_id} was not found")
        await record(session, actor, "mail sent again", Subject(SubjectType.ORDER, order_id))
        return await _resend(session, mail_id, again=True)


def _select_oldest_first() -> Select[str]:
    return select(Mail.id).order_by(Mail.created_at, Mail.id)


async def _resend(session: AsyncSession, mail_id: str, *, again: bool) -> ResendResult:
    mail = await session.get(Mail, mail_id)
    if mail is None:
        raise NotFound(f"There is no mail {mail_id}")
    if mail.sent_at is not None:
        sent = f"{mail.sent_at:%Y-%m-%d %H:%M} UTC"
        if mail.kind == MailKind.PASSWORD_RESET:
            return ResendResult(
                mail.id, mail.kind, False, f"was sent {sent}; the customer can request another link"
            )
        if not again:
            return ResendResult(mail.id, mail.kind, False, f"was sent {sent}; --again sends it again")
        once = update(Mail).where(Mail.id == mail.id, Mail.sent_at.is_not(None)).values(sent_at=None)
        if (await session.execute(once.returning(Mail.id))).first() is None:
            return ResendResult(mail.id, mail.kind, False, "is on its way already")
        await enqueue(session, SEND, key=mail.id)
        return ResendResult(mail.id, mail.kind, True, "is sent again")
    of_mail = select(Job).where(Job.kind == SEND, Job.key == mail.id)
    job = (await session.execute(of_mail)).scalar_one_or_none()
    is_failing = job is not None and (job.failed_at is not None or job.run_at > await database_now(session))
    if job is not None and not (job.failures and is_failing):
        return ResendResult(mail.id, mail.kind, False, "is on its way already")
    if job is not None:
        # lock the attention row before the job, in the same order as when attention is resolved
        await close_attention(session, AttentionKind.JOB_FAILED, str(job.id), note=NOTE)
    await enqueue(session, SEND, key=mail.id)
    return ResendResult(mail.id, mail.kind, True, "is retried now")
