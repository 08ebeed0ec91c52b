"""What is worth a mail is noted in the transaction in which it happens: none is lost, and none is of nothing."""

from enum import StrEnum
from functools import partial
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind
from backend.attention.service import AttentionRaised, read_attention
from backend.clock import now
from backend.customers.events import ResetAsked
from backend.events import subscribe
from backend.ids import new_id
from backend.jobs import enqueue
from backend.mail.models import Mail
from backend.orders.events import FulfillmentShipped, OrderLost, OrderPaid, OrderPlaced, OrderUnconfirmed
from backend.payment.events import RefundBooked
from backend.tables import for_each_dialect, table_of

SEND = "mail.send"
"""The job that sends a mail; its key is the mail's id."""


class Kind(StrEnum):
    """What a mail tells."""

    PLACED = "order_placed"
    PAID = "order_paid"
    LOST = "order_lost"
    UNCONFIRMED = "order_unconfirmed"
    SHIPPED = "parcel_shipped"
    RESET = "reset"
    REFUNDED = "refunded"
    ATTENTION = "attention"


@subscribe(OrderPlaced)
async def placed(session: AsyncSession, event: OrderPlaced) -> None:
    """We have the order."""
    await _note(session, Kind.PLACED, event.order_id)


@subscribe(OrderPaid)
async def paid(session: AsyncSession, event: OrderPaid) -> None:
    """We have the money."""
    await _note(session, Kind.PAID, event.order_id)


@subscribe(OrderLost)
async def lost(session: AsyncSession, event: OrderLost) -> None:
    """We do not get the money."""
    await _note(session, Kind.LOST, event.order_id)


@subscribe(OrderUnconfirmed)
async def unconfirmed(session: AsyncSession, event: OrderUnconfirmed) -> None:
    """We do not know whether we get the money."""
    await _note(session, Kind.UNCONFIRMED, event.order_id)


@subscribe(RefundBooked)
async def refunded(session: AsyncSession, event: RefundBooked) -> None:
    """The money went back."""
    await _note(session, Kind.REFUNDED, event.refund_id)


@subscribe(FulfillmentShipped)
async def shipped(session: AsyncSession, event: FulfillmentShipped) -> None:
    """It is on its way."""
    await _note(session, Kind.SHIPPED, event.fulfillment_id)


@subscribe(ResetAsked)
async def reset_asked(session: AsyncSession, event: ResetAsked) -> None:
    """A link for a new password. Whether there is an account is looked up when it is sent, and not before."""
    await _note(session, Kind.RESET, event.address, again=True)


@subscribe(AttentionRaised)
async def attention_raised(session: AsyncSession, event: AttentionRaised) -> None:
    """The shop's people have something to settle; that mails cannot leave is no mail."""
    row = await read_attention(session, event.attention_id)
    if row.kind == AttentionKind.JOB_FAILED and row.data.get("kind") == SEND:
        return
    await _note(session, Kind.ATTENTION, event.attention_id)


async def _note(session: AsyncSession, kind: Kind, about: str, *, again: bool = False) -> None:
    """One mail of a kind about a thing; `again` sends it once more when it was sent before."""
    moment = now()
    row = {"id": new_id("mail"), "kind": kind, "about": about, "created_at": moment, "updated_at": moment}
    statement = (_NOTE_AGAIN if again else _NOTE)[session.get_bind().dialect.name]
    mail_id = (await session.execute(statement, row)).scalar_one_or_none()
    if mail_id is not None:
        await enqueue(session, SEND, key=mail_id)


def _note_statement(dialect: Any, *, again: bool) -> Any:
    """Built once. Gives the mail's id when it is to be sent, and nothing when it was noted before."""
    mail = dialect.insert(table_of(Mail))
    if again:
        set_ = {"sent_at": None, "updated_at": mail.excluded.updated_at}
        return mail.on_conflict_do_update(index_elements=["kind", "about"], set_=set_).returning(Mail.id)
    return mail.on_conflict_do_nothing(index_elements=["kind", "about"]).returning(Mail.id)


_NOTE = for_each_dialect(partial(_note_statement, again=False))
_NOTE_AGAIN = for_each_dialect(partial(_note_statement, again=True))
