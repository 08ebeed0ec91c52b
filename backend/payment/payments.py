"""Payments as staff handle them: finding, capturing, giving back.

A payment is an authorized payment session; its id is the session's under another prefix. `refund` asks the provider,
and none of the shop's own offers that (spec: Errors, refundPayment); `book_refund` records what a person gave back by a
bank transfer.
"""

from collections.abc import Iterable, Sequence

from sqlalchemy import bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.core.db.database import Database
from backend.core.errors import (
    InvalidData,
    NotAllowed,
    NotFound,
    NotImplementedByProvider,
    OutcomeUnknown,
    ShopError,
)
from backend.core.events import publish
from backend.core.money import Cop
from backend.edge.wire import sibling_id
from backend.payment.events import RefundBooked
from backend.payment.models import PaymentCollection, PaymentSession, Refund
from backend.payment.providers.base import PaymentProvider
from backend.payment.service import PaymentService
from backend.payment.sessions import started_payment
from backend.payment.states import SessionState
from backend.payment.transitions import apply_report, lock_session
from backend.staff.rights import Actor, Right

MADE = (SessionState.AUTHORIZED, SessionState.CAPTURED)
REFUNDED = "refunded_amount"
"""The key in a session's `data` of how many pesos its provider has refunded."""


async def find_payment(session: AsyncSession, payment_id: str) -> PaymentSession:
    """The payment.

    Raises:
        NotFound: there is none, or nobody has authorized it yet.
    """
    payment = await session.get(PaymentSession, sibling_id("payses", payment_id), populate_existing=True)
    if payment is None or payment.state not in MADE:
        raise NotFound(f"Payment with id: {payment_id} was not found")
    return payment


async def capture(
    database: Database, actor: Actor, payments: PaymentService, payment_id: str, amount: Cop | None = None
) -> PaymentSession:
    """Take the authorized money. One that is captured stays so, with the same capture.

    Raises:
        NotFound: there is no such payment.
        InvalidData: another amount than was authorized is to be taken.
        NotAllowed: the provider did not give the money.
        OutsideFailure: the provider could not be asked.
    """
    actor.require(Right.CAPTURE_PAYMENTS)
    async with database.read() as session:
        payment = await find_payment(session, payment_id)
    if amount not in (None, payment.amount):
        raise InvalidData(f"A payment is captured as a whole: {payment.amount}")
    if payment.state != SessionState.CAPTURED:
        report = await _provider_of(payments, payment).capture(started_payment(payment))
        if await apply_report(database, payment.id, report, by=actor) is not SessionState.CAPTURED:
            raise NotAllowed(f"Payment {payment_id} was not captured by {payment.provider_id}")
    async with database.read() as session:
        return await find_payment(session, payment_id)


async def refund(
    database: Database, actor: Actor, payments: PaymentService, payment_id: str, amount: Cop | None = None
) -> PaymentSession:
    """Have the provider give captured money back: `amount` of it, or all that is left.

    What was given back is kept on the session before the provider is asked, so that two presses never give back twice.

    Raises:
        NotFound: there is no such payment.
        NotImplementedByProvider: the provider gives nothing back; neither of the shop's own does (spec: refundPayment).
        NotAllowed: the money was not captured, or not so much of it is left.
        OutsideFailure: it was not given back.
        OutcomeUnknown: it may have been; it stays booked.
    """
    actor.require_role(Right.BOOK_REFUNDS)
    async with database.read() as session:
        payment = await find_payment(session, payment_id)
    provider = _provider_of(payments, payment)
    if not provider.can_refund:
        raise NotImplementedByProvider(
            f"{provider.id}: refundPayment is not implemented: it is settled by hand"
        )
    actor.require(Right.BOOK_REFUNDS)  # after what a provider can do: that it gives nothing back is no secret
    booked = await _add_refunded(database, actor, payment.id, amount)
    try:
        await provider.refund(started_payment(payment), booked)
    except OutcomeUnknown:
        raise
    except ShopError:
        await _add_refunded(database, actor, payment.id, -booked)
        raise
    async with database.read() as session:
        return await find_payment(session, payment_id)


async def _add_refunded(database: Database, actor: Actor, session_id: str, amount: Cop | None) -> Cop:
    """Keep on the session that so much is given back; a negative amount takes it back."""
    async with database.transaction() as session:
        payment, _ = await lock_session(session, session_id)
        if payment.state != SessionState.CAPTURED:
            raise NotAllowed("The payment was not captured: there is nothing to give back")
        given = int(payment.data.get(REFUNDED, 0))
        captured = payment.captured_amount if payment.captured_amount is not None else payment.amount
        wanted = amount if amount is not None else captured - given
        if wanted == 0 or given + wanted > captured:
            raise NotAllowed(f"Of {captured}, {captured - given} can be given back")
        change = {REFUNDED: (given, given + wanted)}
        await record(session, actor, "refunded", Subject(Thing.PAYMENT, payment.id), change)
        payment.data = {**payment.data, REFUNDED: given + wanted}
        return wanted


def _provider_of(payments: PaymentService, payment: PaymentSession) -> PaymentProvider:
    provider = payments.provider(payment.provider_id)
    if provider is None:
        raise NotAllowed(f"The shop does not run with provider {payment.provider_id}")
    return provider


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


async def captured_and_refunded(session: AsyncSession, cart_id: str) -> tuple[Cop, Cop]:
    """What all sessions of the cart's order captured, and what of it was refunded, in pesos."""
    rows = (await session.execute(_CAPTURED, {"cart_id": cart_id})).all()
    ids = [session_id for session_id, _ in rows]
    refunded = (await session.execute(_REFUNDED, {"session_ids": ids})).scalar_one()
    return sum(amount or 0 for _, amount in rows), int(refunded)


async def refundable(session: AsyncSession, payment: PaymentSession) -> Cop:
    """What can still be refunded of what this session captured, in pesos."""
    if payment.state != SessionState.CAPTURED:
        return 0
    refunded = (await session.execute(_REFUNDED, {"session_ids": [payment.id]})).scalar_one()
    return (payment.captured_amount or 0) - int(refunded)


async def book_refund(session: AsyncSession, payment: PaymentSession, refund: Refund) -> Refund:
    """Book the refund on this payment session, which must be locked.

    Raises:
        NotAllowed: it is more than is left of what was captured.
    """
    left = await refundable(session, payment)
    if refund.amount > left:
        raise NotAllowed(f"You cannot refund more than what was captured: {left} is left of this payment")
    session.add(refund)
    await session.flush()
    await publish(session, RefundBooked(refund.id))
    return refund
