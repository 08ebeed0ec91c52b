"""Find, capture and refund payments, for staff.

A payment is an authorized payment session; its id is the session's id with another prefix. `refund` requests a
refund from the provider, but none of the shop's own providers offers refunds (spec: Errors, refundPayment).
`book_refund` records a refund that a staff member made.
"""

from collections.abc import Iterable, Sequence

from sqlalchemy import and_, bindparam, func, or_, select, true
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
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
from backend.edge.wire import derive_sibling_id
from backend.payment.events import RefundBooked
from backend.payment.models import PaymentCollection, PaymentSession, Refund
from backend.payment.providers.base import PaymentInstructions, PaymentProvider, parse_instructions
from backend.payment.service import PaymentService
from backend.payment.sessions import to_started_payment
from backend.payment.states import SessionState
from backend.payment.transitions import APPROVED, MONEY_DISMISSED, apply_report, lock_session
from backend.staff.rights import Actor, Right

PAYMENT_STATES = (SessionState.AUTHORIZED, SessionState.CAPTURED)
REFUNDED_KEY = "refunded_amount"
"""The key in a session's `data` of the pesos that its provider has refunded."""


async def find_payment(session: AsyncSession, payment_id: str) -> PaymentSession:
    """Return the payment with this id.

    Raises:
        NotFound: there is no such payment, or it is not authorized yet.
    """
    payment = await session.get(
        PaymentSession, derive_sibling_id("payses", payment_id), populate_existing=True
    )
    if payment is None or payment.state not in PAYMENT_STATES:
        raise NotFound(f"Payment with id: {payment_id} was not found")
    return payment


async def capture(
    database: Database, actor: Actor, payments: PaymentService, payment_id: str, amount: Cop | None = None
) -> PaymentSession:
    """Capture the authorized money. A captured payment is returned unchanged.

    Raises:
        NotFound: there is no such payment.
        InvalidData: `amount` is not the authorized amount.
        NotAllowed: the provider did not capture the money.
        OutsideFailure: the provider could not be reached.
    """
    actor.require(Right.CAPTURE_PAYMENTS)
    async with database.read() as session:
        payment = await find_payment(session, payment_id)
    if amount not in (None, payment.amount):
        raise InvalidData(f"A payment is captured as a whole: {payment.amount}")
    if payment.state != SessionState.CAPTURED:
        report = await _require_provider(payments, payment).capture(to_started_payment(payment))
        if await apply_report(database, payment.id, report, by=actor) is not SessionState.CAPTURED:
            raise NotAllowed(f"Payment {payment_id} was not captured by {payment.provider_id}")
    async with database.read() as session:
        return await find_payment(session, payment_id)


async def refund(
    database: Database, actor: Actor, payments: PaymentService, payment_id: str, amount: Cop | None = None
) -> PaymentSession:
    """Request from the provider a refund of captured money: `amount` pesos, or the whole remainder.

    The refund is stored on the session before the provider is called, so that a repeated call never refunds twice.

    Raises:
        NotFound: there is no such payment.
        NotImplementedByProvider: the provider has no refunds, like both providers of the shop (spec:
            refundPayment).
        NotAllowed: the money was not captured, or less than `amount` remains.
        OutsideFailure: the money was not refunded.
        OutcomeUnknown: the money may have been refunded; the refund stays booked.
    """
    actor.require_role(Right.BOOK_REFUNDS)
    async with database.read() as session:
        payment = await find_payment(session, payment_id)
    provider = _require_provider(payments, payment)
    if not provider.can_refund:
        raise NotImplementedByProvider(
            f"{provider.id}: refundPayment is not implemented: refunds are made by hand"
        )
    actor.require(
        Right.BOOK_REFUNDS
    )  # checked after `can_refund`: any caller may know that a provider has no refunds
    booked = await _add_refunded(database, actor, payment.id, amount)
    try:
        await provider.refund(to_started_payment(payment), booked)
    except OutcomeUnknown:
        raise
    except ShopError:
        await _add_refunded(database, actor, payment.id, -booked)
        raise
    async with database.read() as session:
        return await find_payment(session, payment_id)


async def _add_refunded(database: Database, actor: Actor, session_id: str, amount: Cop | None) -> Cop:
    """Add `amount` pesos to the session's refunded amount; None adds all captured money that is not refunded yet.

    A negative amount cancels an earlier addition. Return the pesos added.
    """
    async with database.transaction() as session:
        payment, _ = await lock_session(session, session_id)
        if payment.state != SessionState.CAPTURED:
            raise NotAllowed("The payment was not captured: there is nothing to refund")
        refunded = int(payment.data.get(REFUNDED_KEY, 0))
        captured = payment.captured_amount if payment.captured_amount is not None else payment.amount
        requested = amount if amount is not None else captured - refunded
        if requested == 0 or refunded + requested > captured:
            raise NotAllowed(f"Of {captured}, {captured - refunded} can be refunded")
        change = {REFUNDED_KEY: (refunded, refunded + requested)}
        await record(session, actor, "refunded", Subject(SubjectType.PAYMENT, payment.id), change)
        payment.data = {**payment.data, REFUNDED_KEY: refunded + requested}
        return requested


def _require_provider(payments: PaymentService, payment: PaymentSession) -> PaymentProvider:
    provider = payments.find_provider(payment.provider_id)
    if provider is None:
        raise NotAllowed(f"The shop does not run with provider {payment.provider_id}")
    return provider


_REFUNDS_OF_SESSIONS = (
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


async def list_refunds(session: AsyncSession, session_ids: Iterable[str]) -> Sequence[Refund]:
    """Return the refunds of these payment sessions, oldest first."""
    return (await session.execute(_REFUNDS_OF_SESSIONS, {"session_ids": list(session_ids)})).scalars().all()


async def sum_captured_and_refunded(session: AsyncSession, cart_id: str) -> tuple[Cop, Cop]:
    """Return how many pesos all sessions of the cart captured, and how many of them were refunded."""
    rows = (await session.execute(_CAPTURED, {"cart_id": cart_id})).all()
    ids = [session_id for session_id, _ in rows]
    refunded = (await session.execute(_REFUNDED, {"session_ids": ids})).scalar_one()
    return sum(amount or 0 for _, amount in rows), int(refunded)


def find_open_instructions(payment: PaymentSession | None) -> PaymentInstructions | None:
    """Return the instructions for an authorized payment; None if it is in another state or has none."""
    if payment is None or payment.state != SessionState.AUTHORIZED:
        return None
    return parse_instructions(payment.data)


HAS_UNUSED_MONEY = and_(
    PaymentSession.state != SessionState.CAPTURED,
    or_(PaymentSession.captured_amount.is_not(None), PaymentSession.data[APPROVED].as_boolean()),
)
"""Condition on `PaymentSession`: see `has_unused_money`."""
HAS_UNACCEPTED_MONEY = and_(
    HAS_UNUSED_MONEY, PaymentSession.data[MONEY_DISMISSED].as_boolean().is_not(true())
)
"""Condition on `PaymentSession`: see `has_unaccepted_money`."""


def has_unused_money(payment: PaymentSession) -> bool:
    """Return True if the provider has reported that it took money, and the payment pays no order.

    Its `captured_amount` is None if the provider named no amount in the shop's currency.
    """
    is_approved = payment.captured_amount is not None or APPROVED in payment.data
    return is_approved and payment.state != SessionState.CAPTURED


def has_unaccepted_money(payment: PaymentSession) -> bool:
    """Return True if the payment has unused money, and no staff member has decided about it yet."""
    return has_unused_money(payment) and MONEY_DISMISSED not in payment.data


async def get_refundable_amount(session: AsyncSession, payment: PaymentSession) -> Cop:
    """Return how many pesos of the session's captured money can still be refunded."""
    if payment.state != SessionState.CAPTURED:
        return 0
    refunded = (await session.execute(_REFUNDED, {"session_ids": [payment.id]})).scalar_one()
    return (payment.captured_amount or 0) - int(refunded)


async def book_refund(session: AsyncSession, payment: PaymentSession, refund: Refund) -> Refund:
    """Book the refund on this payment session, which must be locked.

    Raises:
        NotAllowed: the refund exceeds the captured money that remains.
    """
    remaining = await get_refundable_amount(session, payment)
    if refund.amount > remaining:
        raise NotAllowed(
            f"You cannot refund more than what was captured: {remaining} is left of this payment"
        )
    session.add(refund)
    await session.flush()
    await publish(session, RefundBooked(refund.id))
    return refund
