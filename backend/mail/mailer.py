"""When a mail is sent: events are noted in their own transaction, and a job writes and sends what was noted.

A mail is sent at least once: it counts as sent after it has left, and leaves again when the process dies in between.
It keeps its Message-ID then, so that a mailbox can tell that it has it.
"""

import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from email.message import EmailMessage

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.alerts import AlertBegan
from backend.attention import AttentionKind
from backend.attention.service import AttentionRaised, read_attention
from backend.content.areas import MailBody
from backend.content.mail_texts import read_mail
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database, db_now
from backend.core.db.tables import insert_into, table_of
from backend.core.errors import NotFound
from backend.core.events import subscribe
from backend.core.ids import new_id
from backend.core.observability.logs import hide_in_log
from backend.customers.events import PasswordChanged, PasswordChosen, ResetAsked
from backend.invoices.events import InvoiceIssued
from backend.jobs import JobRun, RetryLater, RunAgain, enqueue, job
from backend.mail.limits import SlotResult, Verdict, address_key, is_limited, take_slot
from backend.mail.messages import Message, joined_message, message_of
from backend.mail.models import SEND, Mail, MailKind
from backend.mail.rendering import MailRenderer
from backend.mail.smtp import MAX_DURATION
from backend.mail.transports import Lasts, MailInDoubt, MailRefused, Transport
from backend.office_settings import read_effective_settings
from backend.orders.events import (
    FulfillmentShipped,
    OrderLinkAsked,
    OrderLost,
    OrderPaid,
    OrderPlaced,
    OrderUnconfirmed,
)
from backend.orders.models import Fulfillment
from backend.orders.states import NO_NOTIFICATION
from backend.payment.events import RefundBooked
from backend.pqrs.service import PqrsAnswered, PqrsReceived
from backend.returns.events import ReturnMoved
from backend.returns.states import ReturnState
from backend.reviews.review_requests import ReviewsAsked
from backend.staff.events import StaffPasswordChanged
from backend.staff.invites import InviteAsked, note_sent
from backend.stock_notices.events import BackInStock, NoticeAsked

WRITING = frozenset({MailKind.PASSWORD_RESET, MailKind.STAFF_INVITE, MailKind.BACK_IN_STOCK})
"""Mails that change something when they are written: a link that is good once, a notice that goes on waiting."""

RENEWED = frozenset(
    {
        MailKind.PASSWORD_RESET,
        MailKind.STAFF_INVITE,
        MailKind.PASSWORD_CHANGED,
        MailKind.STAFF_PASSWORD_CHANGED,
    }
)
"""Mails that say something else each time they are written: each is a separate mail for a mailbox."""

LATER = timedelta(hours=4)
"""The pause before a mail is tried again that was refused for good or for a while, or may have left."""
MOST_REFUSED = 3
"""How often in a row a mail is tried that is refused for good."""
MOST_IN_DOUBT = 2
"""How often in a row a mail is tried that may have left."""

OF_RETURNS = {
    ReturnState.REQUESTED: MailKind.RETURN_REQUESTED,
    ReturnState.RECEIVED: MailKind.RETURN_RECEIVED,
    ReturnState.TO_PAY: MailKind.RETURN_APPROVED,
    ReturnState.DENIED: MailKind.RETURN_DENIED,
}
"""What the buyer is told in each state. That it is paid tells the mail of its refund."""

log = logging.getLogger(__name__)


class Mailer:
    """Writes mails and sends them by the transport."""

    def __init__(self, database: Database, settings: Settings, transport: Transport) -> None:
        self._database = database
        self._settings = settings
        self._renderer = MailRenderer(settings)
        self._transport = transport

    @job(SEND, timeout=MAX_DURATION + timedelta(seconds=15), give_up_after=timedelta(days=3))
    async def send(self, run: JobRun) -> RunAgain | None:
        """Write the mail and send it, unless it was sent or what it is about is gone.

        A mail that a stranger can have caused waits while its address has had as many as it may: see
        `backend.mail.limits`.

        Raises:
            OutsideFailure: the mail server does not answer or refuses.
            RetryLater: it refuses for good or for a while, or may have the mail.
            OSError: the file in its place could not be written.
        """
        mail_id = str(run.key)
        async with self._database.read() as session:
            mail = await session.get(Mail, mail_id)
        if mail is None or mail.sent_at is not None:
            return None
        slot = await self._take_slot(mail, mail.about) if mail.kind == MailKind.PASSWORD_RESET else None
        if slot is not None and slot.verdict is not Verdict.SEND:
            return await self._put_off(mail, slot)
        try:
            # a link's token is stored as a hash before the mail leaves; for the others is only read
            changes = mail.kind in WRITING
            async with self._database.transaction() if changes else self._database.read() as session:
                effective = await read_effective_settings(session, self._settings)
                message = await message_of(session, effective, mail)
                said = await read_mail(session, mail.kind)
        except NotFound as error:
            log.warning("mail %s is about nothing any more: %s", mail_id, error.message)
            message = None
        if message is not None:
            hide_in_log({"email": message.to, "first_name": message.values.get("name")})
            if slot is None:
                slot = await self._take_slot(mail, message.to)
            if slot.verdict is not Verdict.SEND:
                return await self._put_off(mail, slot)
            if slot.joined:
                message, said = await self._join(message, slot.joined), MailBody()
            written = self._renderer.render(message, effective, said, message_id=_message_id(mail))
            await self._hand_over(mail, written)
        async with self._database.transaction() as session:
            if slot is not None and slot.joined:
                await session.execute(update(Mail).where(Mail.id.in_(slot.joined)).values(sent_at=db_now()))
            # whoever asked for it once more while it was leaving gets one more: the job runs again
            is_last = (Mail.id == mail_id) & (Mail.updated_at == mail.updated_at)
            await session.execute(update(Mail).where(is_last).values(sent_at=db_now()))
            if message is not None and mail.kind == MailKind.STAFF_INVITE:
                await note_sent(session, mail.about)
        return None

    async def _take_slot(self, mail: Mail, address: str) -> SlotResult:
        async with self._database.read() as session:
            has_limit = await is_limited(session, mail)
        if not has_limit:
            return SlotResult(Verdict.SEND)
        return await take_slot(self._database, mail, address_key(self._settings, address))

    async def _put_off(self, mail: Mail, slot: SlotResult) -> RunAgain | None:
        """Have the mail wait for a slot, or leave it out."""
        if slot.verdict is Verdict.WAIT:
            log.info("mail %s waits: its address has had as many as it may", mail.id)
            return RunAgain(slot.after)
        log.info("mail %s is left out: the same mail left within the hour", mail.id)
        async with self._database.transaction() as session:
            is_same = (Mail.id == mail.id) & (Mail.updated_at == mail.updated_at)
            await session.execute(update(Mail).where(is_same).values(sent_at=db_now()))
        return None

    async def _join(self, message: Message, joined: Sequence[str]) -> Message:
        """Return one mail that says what this message and the joined mails say. What is gone is skipped."""
        parts = [message]
        async with self._database.read() as session:
            effective = await read_effective_settings(session, self._settings)
            for mail_id in joined:
                mail = await session.get(Mail, mail_id)
                with suppress(NotFound):
                    if mail is not None and (other := await message_of(session, effective, mail)) is not None:
                        parts.append(other)
        return joined_message(message.to, parts)

    async def _hand_over(self, mail: Mail, written: EmailMessage) -> None:
        try:
            await self._transport.send(written)
        except MailInDoubt as error:
            if mail.kind != MailKind.PASSWORD_RESET:
                raise RetryLater(error.message, after=LATER, most=MOST_IN_DOUBT) from None
            log.warning("mail %s may have left; whoever needs a link asks for another", mail.id)
        except MailRefused as error:
            if error.lasts is Lasts.SHORT:
                raise
            if error.lasts is Lasts.A_WHILE:
                raise RetryLater(error.message, after=LATER) from None
            raise RetryLater(
                error.message, after=LATER, most=MOST_REFUSED, cause="refused for good"
            ) from None


def _message_id(mail: Mail) -> str | None:
    """The part of its Message-ID before the @, the same until the mail is asked for once more; None for a new one."""
    if mail.kind in RENEWED:
        return None
    return f"{mail.id}.{int(mail.updated_at.timestamp() * 1_000_000)}"


@subscribe(OrderPlaced)
async def order_placed(session: AsyncSession, event: OrderPlaced) -> None:
    """Tell the shopper that the order is stored."""
    await _enqueue(session, MailKind.ORDER_PLACED, event.order_id)


@subscribe(OrderPaid)
async def order_paid(session: AsyncSession, event: OrderPaid) -> None:
    """Tell the shopper that the payment is confirmed."""
    await _enqueue(session, MailKind.ORDER_PAID, event.order_id)


@subscribe(OrderLost)
async def order_lost(session: AsyncSession, event: OrderLost) -> None:
    """Tell the shopper that the bank did not approve the payment."""
    await _enqueue(session, MailKind.ORDER_LOST, event.order_id)


@subscribe(OrderUnconfirmed)
async def order_unconfirmed(session: AsyncSession, event: OrderUnconfirmed) -> None:
    """Tell the shopper that the bank's confirmation did not come in time."""
    await _enqueue(session, MailKind.ORDER_UNCONFIRMED, event.order_id)


@subscribe(RefundBooked)
async def refunded(session: AsyncSession, event: RefundBooked) -> None:
    """Tell the payer that the money went back."""
    await _enqueue(session, MailKind.REFUNDED, event.refund_id)


@subscribe(FulfillmentShipped)
async def order_shipped(session: AsyncSession, event: FulfillmentShipped) -> None:
    """Tell the shopper that the order is on its way, unless staff said not to."""
    fulfillment = await session.get_one(Fulfillment, event.fulfillment_id)
    if fulfillment.data.get(NO_NOTIFICATION):
        return
    await _enqueue(session, MailKind.ORDER_SHIPPED, event.fulfillment_id)


@subscribe(ResetAsked)
async def reset_asked(session: AsyncSession, event: ResetAsked) -> None:
    """Send a link for a new password. Whether the address has an account is looked up only when it is sent."""
    await _enqueue(session, MailKind.PASSWORD_RESET, event.address, again=True)


@subscribe(PasswordChosen)
async def password_chosen(session: AsyncSession, event: PasswordChosen) -> None:
    """Send no link that was asked for before: whoever asked may be whom the new password is to keep out."""
    waits = (Mail.kind == MailKind.PASSWORD_RESET) & (Mail.about == event.address) & Mail.sent_at.is_(None)
    await session.execute(update(Mail).where(waits).values(sent_at=db_now()))


@subscribe(PasswordChanged)
async def password_changed(session: AsyncSession, event: PasswordChanged) -> None:
    """Notify a customer of their new password."""
    await _enqueue(session, MailKind.PASSWORD_CHANGED, event.customer_id, again=True)


@subscribe(StaffPasswordChanged)
async def staff_password_changed(session: AsyncSession, event: StaffPasswordChanged) -> None:
    """Notify a staff member of their new password."""
    await _enqueue(session, MailKind.STAFF_PASSWORD_CHANGED, event.staff_id, again=True)


@subscribe(OrderLinkAsked)
async def order_link_asked(session: AsyncSession, event: OrderLinkAsked) -> None:
    """Send an order's link to its buyer. Whether it is theirs is looked up only when it is sent."""
    await _enqueue(session, MailKind.ORDER_LINK, f"{event.number} {event.email}", again=True)


@subscribe(NoticeAsked)
async def notice_asked(session: AsyncSession, event: NoticeAsked) -> None:
    """Ask the owner of an address whether to be told of a toy."""
    await _enqueue(session, MailKind.NOTICE_ASKED, event.notice_id, again=True)


@subscribe(BackInStock)
async def back_in_stock(session: AsyncSession, event: BackInStock) -> None:
    """Tell who waits for a toy. The same notice may have waited in vain before."""
    await _enqueue(session, MailKind.BACK_IN_STOCK, event.notice_id, again=True)


@subscribe(ReviewsAsked)
async def reviews_asked(session: AsyncSession, event: ReviewsAsked) -> None:
    """Ask the buyer of an order what its toys are like."""
    await _enqueue(session, MailKind.REVIEWS_ASKED, event.order_id)


@subscribe(InviteAsked)
async def invited(session: AsyncSession, event: InviteAsked) -> None:
    """Send the link of an invitation to work here, or a new one."""
    await _enqueue(session, MailKind.STAFF_INVITE, event.invite_id, again=True)


@subscribe(AttentionRaised)
async def attention_raised(session: AsyncSession, event: AttentionRaised) -> None:
    """Tell the shop's people, unless the trouble is that mails do not leave."""
    row = await read_attention(session, event.attention_id)
    if row.kind == AttentionKind.JOB_FAILED and row.data.get("kind") == SEND:
        return
    await _enqueue(session, MailKind.ATTENTION, event.attention_id)


@subscribe(PqrsReceived)
async def pqrs_received(session: AsyncSession, event: PqrsReceived) -> None:
    """Acknowledge what somebody asked by the form."""
    await _enqueue(session, MailKind.PQRS_RECEIVED, event.id)


@subscribe(PqrsAnswered)
async def pqrs_answered(session: AsyncSession, event: PqrsAnswered) -> None:
    """Send the shop's answer."""
    await _enqueue(session, MailKind.PQRS_ANSWERED, event.id)


@subscribe(InvoiceIssued)
async def invoice_issued(session: AsyncSession, event: InvoiceIssued) -> None:
    """Send the buyer the document with its files."""
    await _enqueue(session, MailKind.INVOICE_ISSUED, event.invoice_id)


@subscribe(ReturnMoved)
async def return_moved(session: AsyncSession, event: ReturnMoved) -> None:
    """Tell the buyer how a return stands."""
    if (kind := OF_RETURNS.get(event.state)) is not None:
        await _enqueue(session, kind, event.return_id)


@subscribe(AlertBegan)
async def alert_began(session: AsyncSession, event: AlertBegan) -> None:
    """Tell the shop's people that something is wrong."""
    await _enqueue(session, MailKind.ALERT, event.alert_id)


async def _enqueue(session: AsyncSession, kind: MailKind, about: str, *, again: bool = False) -> None:
    """Send one mail of this kind about this thing, once; with `again` also when it was sent before."""
    moment = now()
    row = {"id": new_id("mail"), "kind": kind, "about": about, "created_at": moment, "updated_at": moment}
    statement = _INSERT_AGAIN if again else _INSERT
    mail_id = (await session.execute(statement, row)).scalar_one_or_none()
    if mail_id is not None:
        await enqueue(session, SEND, key=mail_id)


_NEW = insert_into(table_of(Mail))
_INSERT = _NEW.on_conflict_do_nothing(index_elements=["kind", "about"]).returning(Mail.id)
_INSERT_AGAIN = _NEW.on_conflict_do_update(
    index_elements=["kind", "about"], set_={"sent_at": None, "updated_at": _NEW.excluded.updated_at}
).returning(Mail.id)
"""Both return the mail's id when it is to be sent, else nothing."""
