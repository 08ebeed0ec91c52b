"""What is worth a mail is noted in the transaction in which it happens: none is lost, and none is of nothing."""

from enum import StrEnum

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind
from backend.attention.events import AttentionRaised
from backend.attention.resolving import read_attention
from backend.customers.events import ResetAsked
from backend.events import subscribe
from backend.jobs import enqueue
from backend.mail.models import Mail
from backend.orders.events import OrderLost, OrderPaid, OrderPlaced, OrderUnconfirmed
from backend.payment.events import RefundBooked
from backend.shipping.events import ParcelShipped

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


_NOTED = (
    select(Mail).where(Mail.kind == bindparam("kind"), Mail.about == bindparam("about")).with_for_update()
)


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


@subscribe(ParcelShipped)
async def shipped(session: AsyncSession, event: ParcelShipped) -> None:
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
    mail = (await session.execute(_NOTED, {"kind": kind, "about": about})).scalar_one_or_none()
    if mail is not None and not again:
        return
    if mail is None:
        mail = Mail(kind=kind, about=about)
        session.add(mail)
    mail.sent_at = None
    await session.flush()
    await enqueue(session, SEND, key=mail.id)
