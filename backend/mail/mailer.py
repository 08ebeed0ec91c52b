"""Sending of mails: event handlers add a mail in the event's transaction, and a job renders and sends it.

A mail is sent at least once: it is marked as sent after it was sent, in the transaction that deletes its job. If the
process dies in between, it is sent again with the same Message-ID, so that the recipient's mailbox can recognise the
repetition.
"""

import logging
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import dataclass
from datetime import timedelta
from email.message import EmailMessage
from functools import partial

from sqlalchemy import bindparam, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.alerts import AlertBegan
from backend.attention import AttentionKind
from backend.attention.service import AttentionRaised, read_attention
from backend.cart_reminders.events import CartReminderDue
from backend.content.areas import MailBody
from backend.content.brand import Brand, resolve_brand
from backend.content.brand_files import read_logo
from backend.content.mail_texts import read_mail_content
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database, UtcDateTime, db_now
from backend.core.db.tables import insert_into, table_of
from backend.core.errors import NotFound
from backend.core.events import subscribe
from backend.core.ids import new_id
from backend.core.observability.logs import hide_in_log
from backend.customers.events import PasswordChanged, PasswordChosen, ResetRequested
from backend.draft_orders.events import PaymentLinkMailRequested
from backend.exchanges.preparation import is_completed_exchange
from backend.invoices.events import InvoiceIssued
from backend.jobs import Finished, JobRun, RetryLater, RunAgain, enqueue, job
from backend.mail.limits import SlotResult, Verdict, hash_address, is_limited, take_slot
from backend.mail.messages import Message, compose_message, join_messages
from backend.mail.models import SEND, Mail, MailKind
from backend.mail.rendering import MailRenderer
from backend.mail.smtp import MAX_DURATION
from backend.mail.transports import MailInDoubt, MailRefused, RefusalDuration, Transport
from backend.media.picture_store import open_picture_store
from backend.office_settings import read_effective_settings
from backend.orders.events import (
    AccountLinkRequested,
    FulfillmentReady,
    FulfillmentShipped,
    OrderEdited,
    OrderLinkRequested,
    OrderLost,
    OrderPaid,
    OrderPlaced,
    OrderUnconfirmed,
)
from backend.orders.models import Fulfillment
from backend.orders.origins import OrderOrigin
from backend.orders.states import NO_NOTIFICATION
from backend.payment.events import RefundBooked
from backend.payment.manual_methods import EXCHANGE_CREDIT
from backend.payment.models import Refund
from backend.pqrs.service import PqrsAnswered, PqrsReceived
from backend.returns.events import ReturnMoved
from backend.returns.states import ReturnState
from backend.reviews.review_requests import ReviewsRequested
from backend.staff.events import StaffPasswordChanged
from backend.staff.invites import InviteMailRequested, record_sent_mail
from backend.staff_notices.events import NoticeMailRequested
from backend.stock_notices.events import BackInStock, NoticeRequested

KINDS_THAT_WRITE = frozenset({MailKind.PASSWORD_RESET, MailKind.STAFF_INVITE, MailKind.BACK_IN_STOCK})
"""Mails that change data when they are composed: they create a single-use link, or make a stock notice wait again."""

KINDS_WITH_NEW_MESSAGE_ID = frozenset(
    {
        MailKind.ACCOUNT_LINK,
        MailKind.PASSWORD_RESET,
        MailKind.STAFF_INVITE,
        MailKind.PASSWORD_CHANGED,
        MailKind.STAFF_PASSWORD_CHANGED,
    }
)
"""Mails whose text is new each time they are sent: each time they get a new Message-ID."""

KINDS_SENT_AT_MOST_ONCE = frozenset({MailKind.CART_REMINDER})
"""Commercial messages (Ley 2300 de 2023): losing one is better than sending it twice."""

KINDS_NOT_REPEATED_IN_DOUBT = KINDS_SENT_AT_MOST_ONCE | {MailKind.PASSWORD_RESET}
"""E-mails that are not sent again after an attempt whose outcome is unknown."""

RETRY_DELAY = timedelta(hours=4)
"""Pause before the next attempt for a mail that was refused (permanently or by a quota) or may have been sent."""
MAX_REFUSALS = 3
"""Maximum number of consecutive attempts for a mail that the server refuses permanently."""
MAX_ATTEMPTS_IN_DOUBT = 2
"""Maximum number of consecutive attempts for a mail that may have been sent."""

RETURN_MAIL_KINDS = {
    ReturnState.REQUESTED: MailKind.RETURN_REQUESTED,
    ReturnState.RECEIVED: MailKind.RETURN_RECEIVED,
    ReturnState.TO_PAY: MailKind.RETURN_APPROVED,
    ReturnState.DENIED: MailKind.RETURN_DENIED,
}
"""Kind of the mail about each state of a return. A refunded return needs none: the mail about the refund is sent."""

_MAIL = table_of(Mail)
_MARK_SENT = (
    update(_MAIL)
    .where(
        _MAIL.c.id == bindparam("mail_id"),
        _MAIL.c.updated_at == bindparam("last_change", type_=UtcDateTime()),
    )
    .values(sent_at=db_now())
)
_CLAIM = (
    update(_MAIL)
    .where(_MAIL.c.id == bindparam("mail_id"), _MAIL.c.sent_at.is_(None))
    .values(sent_at=db_now(), updated_at=_MAIL.c.updated_at)
    .returning(_MAIL.c.id)
)
_RELEASE = (
    update(_MAIL)
    .where(_MAIL.c.id == bindparam("mail_id"))
    .values(sent_at=None, updated_at=_MAIL.c.updated_at)
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _MailParts:
    """The parts of a mail, as they were read from the database."""

    message: Message
    effective: Settings
    office_texts: MailBody
    brand: Brand


class Mailer:
    """Renders mails and sends them through the transport."""

    def __init__(self, database: Database, settings: Settings, transport: Transport) -> None:
        self._database = database
        self._pictures = open_picture_store(settings)
        self._settings = settings
        self._renderer = MailRenderer(settings)
        self._transport = transport

    @job(SEND, timeout=MAX_DURATION + timedelta(seconds=15), give_up_after=timedelta(days=3))
    async def send(self, run: JobRun) -> RunAgain | Finished | None:
        """Render the mail and send it, unless it was sent already or its subject no longer exists.

        A mail that a stranger can have caused waits while its address has reached its limit: see
        `backend.mail.limits`.

        Raises:
            OutsideFailure: the mail server does not answer or refuses.
            RetryLater: the server refuses the mail, or may have received it; the error sets the time of the next
                attempt.
            OSError: without a mail server, the file could not be written.
        """
        mail_id = str(run.key)
        async with self._database.read() as session:
            mail = await session.get(Mail, mail_id)
            if mail is None or mail.sent_at is not None:
                return None
            writes = mail.kind in KINDS_THAT_WRITE
            letter = None if writes else await self._compose(nullcontext(session), mail)
        slot = await self._take_slot(mail, mail.about) if mail.kind == MailKind.PASSWORD_RESET else None
        if slot is not None and slot.verdict is not Verdict.SEND:
            return self._postpone_or_skip(mail, slot)
        if writes:
            letter = await self._compose(self._database.transaction(), mail)
        if letter is not None:
            message, office_texts = letter.message, letter.office_texts
            hide_in_log({"email": message.to, "first_name": message.values.get("name")})
            if slot is None:
                slot = (
                    await self._take_slot(mail, message.to)
                    if is_limited(message)
                    else SlotResult(Verdict.SEND)
                )
            if slot.verdict is not Verdict.SEND:
                return self._postpone_or_skip(mail, slot)
            if slot.joined:
                message, office_texts = await self._join_messages(message, slot.joined), MailBody()
            written = self._renderer.render(
                message,
                letter.effective,
                office_texts,
                message_id=_get_message_id(mail),
                brand=letter.brand,
                logo_png=await read_logo(self._pictures, letter.brand),
            )
            if mail.kind in KINDS_SENT_AT_MOST_ONCE:
                await self._deliver_at_most_once(mail, written)
            else:
                await self._deliver(mail, written)
        joined = slot.joined if slot is not None else ()
        return Finished(partial(_record_sent, mail=mail, joined=joined, is_delivered=letter is not None))

    async def _compose(
        self, opened: AbstractAsyncContextManager[AsyncSession], mail: Mail
    ) -> _MailParts | None:
        """Read the parts of the mail in this session; None if it has no recipient, or its subject no longer exists."""
        try:
            async with opened as session:
                effective = await read_effective_settings(session, self._settings)
                message = await compose_message(session, effective, mail)
                office_texts, brand_body = await read_mail_content(session, mail.kind)
        except NotFound as error:
            log.warning("the subject of mail %s no longer exists: %s", mail.id, error.message)
            return None
        if message is None:
            return None
        return _MailParts(message, effective, office_texts, resolve_brand(brand_body, effective))

    async def _take_slot(self, mail: Mail, address: str) -> SlotResult:
        return await take_slot(self._database, mail, hash_address(self._settings, address))

    def _postpone_or_skip(self, mail: Mail, slot: SlotResult) -> RunAgain | Finished:
        """Make the mail wait until its address has a free slot, or skip it, depending on `slot.verdict`."""
        if slot.verdict is Verdict.WAIT:
            log.info("mail %s waits: its address has reached the limit", mail.id)
            return RunAgain(slot.after)
        log.info("mail %s is skipped: the same mail was sent within the hour", mail.id)
        return Finished(partial(_record_sent, mail=mail))

    async def _join_messages(self, message: Message, joined: Sequence[str]) -> Message:
        """Return one mail with the content of this message and of the joined mails.

        A joined mail is left out if its order or PQRS request does not exist any more.
        """
        parts = [message]
        async with self._database.read() as session:
            effective = await read_effective_settings(session, self._settings)
            for mail_id in joined:
                mail = await session.get(Mail, mail_id)
                with suppress(NotFound):
                    if (
                        mail is not None
                        and (other := await compose_message(session, effective, mail)) is not None
                    ):
                        parts.append(other)
        return join_messages(message.to, parts)

    async def _deliver_at_most_once(self, mail: Mail, written: EmailMessage) -> None:
        """Mark the mail as sent before it is sent, so that a killed process does not send it again.

        If it was certainly not sent, the mark is removed.
        """
        async with self._database.transaction() as session:
            if (await session.execute(_CLAIM, {"mail_id": mail.id})).scalar_one_or_none() is None:
                return
        try:
            await self._deliver(mail, written)
        except Exception:
            async with self._database.transaction() as session:
                await session.execute(_RELEASE, {"mail_id": mail.id})
            raise

    async def _deliver(self, mail: Mail, written: EmailMessage) -> None:
        try:
            await self._transport.send(written)
        except MailInDoubt as error:
            if mail.kind not in KINDS_NOT_REPEATED_IN_DOUBT:
                raise RetryLater(
                    error.message, after=RETRY_DELAY, max_failures=MAX_ATTEMPTS_IN_DOUBT
                ) from None
            log.warning("mail %s may have been sent; it is not sent again", mail.id)
        except MailRefused as error:
            if error.duration is RefusalDuration.TEMPORARY:
                raise
            if error.duration is RefusalDuration.QUOTA:
                raise RetryLater(error.message, after=RETRY_DELAY) from None
            raise RetryLater(
                error.message, after=RETRY_DELAY, max_failures=MAX_REFUSALS, cause="refused for good"
            ) from None


async def _record_sent(
    session: AsyncSession, *, mail: Mail, joined: Sequence[str] = (), is_delivered: bool = False
) -> None:
    """Mark the mail as sent, and the mails whose content it has included (`joined`)."""
    if joined:
        await session.execute(update(Mail).where(Mail.id.in_(joined)).values(sent_at=db_now()))
    # a request made while the mail was being sent changes `updated_at`: it stays unsent, and the job runs again
    await session.execute(_MARK_SENT, {"mail_id": mail.id, "last_change": mail.updated_at})
    if is_delivered and mail.kind == MailKind.STAFF_INVITE:
        await record_sent_mail(session, mail.about)


def _get_message_id(mail: Mail) -> str | None:
    """Return the local part of the Message-ID that all attempts share; None if each attempt needs a new Message-ID."""
    if mail.kind in KINDS_WITH_NEW_MESSAGE_ID:
        return None
    return f"{mail.id}.{int(mail.updated_at.timestamp() * 1_000_000)}"


@subscribe(OrderPlaced)
async def send_order_placed(session: AsyncSession, event: OrderPlaced) -> None:
    """Notify the customer that the order was placed. Skip a sale at the counter: see `send_order_paid`."""
    if event.origin == OrderOrigin.COUNTER:
        return
    await _enqueue(session, MailKind.ORDER_PLACED, event.order_id)


@subscribe(OrderPaid)
async def send_order_paid(session: AsyncSession, event: OrderPaid) -> None:
    """Send the customer an e-mail that confirms the payment of the order."""
    await _enqueue(session, MailKind.ORDER_PAID, event.order_id)


@subscribe(OrderEdited)
async def send_order_edited(session: AsyncSession, event: OrderEdited) -> None:
    """Send the customer an e-mail about the changes of the order, its new total and the difference."""
    await _enqueue(session, MailKind.ORDER_EDITED, event.edit_id)


@subscribe(OrderLost)
async def send_order_lost(session: AsyncSession, event: OrderLost) -> None:
    """Notify the customer that the bank did not approve the payment."""
    await _enqueue(session, MailKind.ORDER_LOST, event.order_id)


@subscribe(OrderUnconfirmed)
async def send_order_unconfirmed(session: AsyncSession, event: OrderUnconfirmed) -> None:
    """Notify the customer that the bank's confirmation did not arrive in time."""
    await _enqueue(session, MailKind.ORDER_UNCONFIRMED, event.order_id)


@subscribe(RefundBooked)
async def send_refunded(session: AsyncSession, event: RefundBooked) -> None:
    """Notify the payer of the refund. Send nothing about the credit of an exchange, because no money moves."""
    if (await session.get_one(Refund, event.refund_id)).method != EXCHANGE_CREDIT:
        await _enqueue(session, MailKind.REFUNDED, event.refund_id)


@subscribe(FulfillmentReady)
async def send_order_ready(session: AsyncSession, event: FulfillmentReady) -> None:
    """Notify the customer that the order can be collected, unless staff disabled the notification."""
    await _enqueue_shipment(session, event.fulfillment_id)


@subscribe(FulfillmentShipped)
async def send_order_shipped(session: AsyncSession, event: FulfillmentShipped) -> None:
    """Notify the customer that the order is on its way, unless staff disabled the notification."""
    await _enqueue_shipment(session, event.fulfillment_id)


async def _enqueue_shipment(session: AsyncSession, fulfillment_id: str) -> None:
    fulfillment = await session.get_one(Fulfillment, fulfillment_id)
    if not fulfillment.data.get(NO_NOTIFICATION):
        await _enqueue(session, MailKind.ORDER_SHIPPED, fulfillment_id)


@subscribe(ResetRequested)
async def send_password_reset(session: AsyncSession, event: ResetRequested) -> None:
    """Send a link for setting a new password. The account is looked up only when the mail is sent."""
    await _enqueue(session, MailKind.PASSWORD_RESET, event.address, again=True)


@subscribe(PasswordChosen)
async def cancel_password_resets(session: AsyncSession, event: PasswordChosen) -> None:
    """Cancel the reset links that wait to be sent. Someone else may have requested them before the password was set."""
    waits = (Mail.kind == MailKind.PASSWORD_RESET) & (Mail.about == event.address) & Mail.sent_at.is_(None)
    await session.execute(update(Mail).where(waits).values(sent_at=db_now()))


@subscribe(PasswordChanged)
async def send_password_changed(session: AsyncSession, event: PasswordChanged) -> None:
    """Notify a customer that the password of their account was changed."""
    await _enqueue(session, MailKind.PASSWORD_CHANGED, event.customer_id, again=True)


@subscribe(StaffPasswordChanged)
async def send_staff_password_changed(session: AsyncSession, event: StaffPasswordChanged) -> None:
    """Notify a staff member that their password was changed."""
    await _enqueue(session, MailKind.STAFF_PASSWORD_CHANGED, event.staff_id, again=True)


@subscribe(OrderLinkRequested)
async def send_order_link(session: AsyncSession, event: OrderLinkRequested) -> None:
    """Send an order's link to the customer. The job checks that the order belongs to the address."""
    await _enqueue(session, MailKind.ORDER_LINK, f"{event.number} {event.email}", again=True)


@subscribe(AccountLinkRequested)
async def send_account_link(session: AsyncSession, event: AccountLinkRequested) -> None:
    """Send a link with which the guest of this order can create an account, to the order's address."""
    await _enqueue(session, MailKind.ACCOUNT_LINK, event.order_id, again=True)


@subscribe(NoticeRequested)
async def send_notice_confirmation(session: AsyncSession, event: NoticeRequested) -> None:
    """Ask the owner of an e-mail address to confirm the request for a back-in-stock notice."""
    await _enqueue(session, MailKind.NOTICE_ASKED, event.notice_id, again=True)


@subscribe(BackInStock)
async def send_back_in_stock(session: AsyncSession, event: BackInStock) -> None:
    """Notify a waiting customer that a product is available, also if an earlier mail about it was sent."""
    await _enqueue(session, MailKind.BACK_IN_STOCK, event.notice_id, again=True)


@subscribe(ReviewsRequested)
async def send_review_request(session: AsyncSession, event: ReviewsRequested) -> None:
    """Ask the customer to review the products of an order."""
    await _enqueue(session, MailKind.REVIEWS_ASKED, event.order_id)


@subscribe(CartReminderDue)
async def send_cart_reminder(session: AsyncSession, event: CartReminderDue) -> None:
    """Remind a customer of their abandoned cart, once."""
    await _enqueue(session, MailKind.CART_REMINDER, event.reminder_id)


@subscribe(PaymentLinkMailRequested)
async def send_payment_link(session: AsyncSession, event: PaymentLinkMailRequested) -> None:
    """Send a payment link. If it was sent to this address before, send a new one."""
    await _enqueue(session, MailKind.PAYMENT_LINK, f"{event.draft_id} {event.address}", again=True)


@subscribe(InviteMailRequested)
async def send_invitation(session: AsyncSession, event: InviteMailRequested) -> None:
    """Send the link of an invitation to the office. If it was sent before, send a new link."""
    await _enqueue(session, MailKind.STAFF_INVITE, event.invite_id, again=True)


@subscribe(AttentionRaised)
async def send_attention(session: AsyncSession, event: AttentionRaised) -> None:
    """Notify the shop's staff of the attention row, unless its problem is that mails cannot be sent."""
    row = await read_attention(session, event.attention_id)
    if row.kind == AttentionKind.JOB_FAILED and row.data.get("kind") == SEND:
        return
    await _enqueue(session, MailKind.ATTENTION, event.attention_id)


@subscribe(NoticeMailRequested)
async def send_staff_notice(session: AsyncSession, event: NoticeMailRequested) -> None:
    """Notify a staff member of a batch of events."""
    await _enqueue(session, MailKind.STAFF_NOTICE, f"{event.batch_id} {event.staff_id}")


@subscribe(PqrsReceived)
async def send_pqrs_received(session: AsyncSession, event: PqrsReceived) -> None:
    """Send an acknowledgement to the sender of a PQRS request."""
    await _enqueue(session, MailKind.PQRS_RECEIVED, event.id)


@subscribe(PqrsAnswered)
async def send_pqrs_answer(session: AsyncSession, event: PqrsAnswered) -> None:
    """Send the shop's answer to the sender of a PQRS request."""
    await _enqueue(session, MailKind.PQRS_ANSWERED, event.id)


@subscribe(InvoiceIssued)
async def send_invoice(session: AsyncSession, event: InvoiceIssued) -> None:
    """Send the customer the links to the files of an invoice or a credit note."""
    await _enqueue(session, MailKind.INVOICE_ISSUED, event.invoice_id)


@subscribe(ReturnMoved)
async def send_return_state(session: AsyncSession, event: ReturnMoved) -> None:
    """Notify the customer of a return's new state. Do nothing for a completed exchange: its new order is mailed."""
    kind = RETURN_MAIL_KINDS.get(event.state)
    if kind is not None and not await is_completed_exchange(session, event.return_id):
        await _enqueue(session, kind, event.return_id)


@subscribe(AlertBegan)
async def send_alert(session: AsyncSession, event: AlertBegan) -> None:
    """Send the shop's staff an e-mail about a new alert."""
    await _enqueue(session, MailKind.ALERT, event.alert_id)


async def _enqueue(session: AsyncSession, kind: MailKind, about: str, *, again: bool = False) -> None:
    """Enqueue the mail of this kind about this subject, once. With `again`, enqueue it even if it was sent before."""
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
"""Both `_INSERT` and `_INSERT_AGAIN` return the mail's id if the mail must be sent, otherwise no row."""
