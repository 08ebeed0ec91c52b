"""Refunds by hand: money that staff gave back by a bank transfer, booked on the payment session it came with.

The providers' own `refundPayment` is not implemented (spec: Errors); this is the record of what a person did.
"""

from collections.abc import Iterable, Sequence

from sqlalchemy import bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.errors import NotAllowed
from backend.events import publish
from backend.money import Cop
from backend.payment.events import RefundBooked
from backend.payment.models import PaymentCollection, PaymentSession, Refund
from backend.payment.states import SessionState

_OF_SESSIONS = (
    select(Refund)
    .where(Refund.payment_session_id.in_(bindparam("session_ids", expanding=True)))
    .order_by(Refund.created_at, Refund.id)
)
_CAPTURED = (
    select(PaymentSession.id, PaymentSession.captured_amount)
    .join(PaymentCollection, PaymentCollection.id == PaymentSession.collection_id)
    .where(PaymentCollection.cart_id == bindparam("cart_id"), PaymentSession.state == SessionState.CAPTURED)
)
_REFUNDED = select(func.coalesce(func.sum(Refund.amount), 0)).where(
    Refund.payment_session_id.in_(bindparam("session_ids", expanding=True))
)


async def refunds_of(session: AsyncSession, session_ids: Iterable[str]) -> Sequence[Refund]:
    """The refunds of these payment sessions, the oldest first."""
    return (await session.execute(_OF_SESSIONS, {"session_ids": list(session_ids)})).scalars().all()


async def money_of(session: AsyncSession, cart_id: str) -> tuple[Cop, Cop]:
    """What was captured for the cart's order by all its sessions, and what of it was given back."""
    rows = (await session.execute(_CAPTURED, {"cart_id": cart_id})).all()
    ids = [session_id for session_id, _ in rows]
    refunded = (await session.execute(_REFUNDED, {"session_ids": ids})).scalar_one()
    return sum(amount or 0 for _, amount in rows), int(refunded)


async def left_of(session: AsyncSession, payment: PaymentSession) -> Cop:
    """What the shop still has of the money that this session captured."""
    if payment.state != SessionState.CAPTURED:
        return 0
    refunded = (await session.execute(_REFUNDED, {"session_ids": [payment.id]})).scalar_one()
    return (payment.captured_amount or 0) - int(refunded)


async def book_refund(session: AsyncSession, payment: PaymentSession, refund: Refund) -> Refund:
    """Book the refund on this payment session, which must be locked.

    Raises:
        NotAllowed: it is more than is left of what was captured.
    """
    left = await left_of(session, payment)
    if refund.amount > left:
        raise NotAllowed(f"You cannot refund more than what was captured: {left} is left of this payment")
    session.add(refund)
    await session.flush()
    await publish(session, RefundBooked(refund.id))
    return refund
