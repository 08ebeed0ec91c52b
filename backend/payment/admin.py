"""Payments as staff handle them. A payment is an authorized try to pay: its id is the try's under another prefix."""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.database import Database
from backend.edge.wire import sibling_id
from backend.errors import (
    InvalidData,
    NotAllowed,
    NotFound,
    NotImplementedByProvider,
    OutcomeUnknown,
    ShopError,
)
from backend.money import Cop
from backend.payment.desk import PaymentDesk
from backend.payment.models import PaymentSession
from backend.payment.providers.base import PaymentProvider
from backend.payment.service import facts_of
from backend.payment.settlement import lock_attempt, settle
from backend.payment.states import SessionState

MADE = (SessionState.AUTHORIZED, SessionState.CAPTURED)
REFUNDED = "refunded_amount"
"""Where a session keeps how many pesos its provider gave back."""


async def find_payment(session: AsyncSession, payment_id: str) -> PaymentSession:
    """The payment.

    Raises:
        NotFound: there is none, or nobody has authorized it yet.
    """
    attempt = await session.get(PaymentSession, sibling_id("payses", payment_id), populate_existing=True)
    if attempt is None or attempt.state not in MADE:
        raise NotFound(f"Payment with id: {payment_id} was not found")
    return attempt


async def capture(
    database: Database, desk: PaymentDesk, payment_id: str, amount: Cop | None = None
) -> PaymentSession:
    """Take the authorized money. One that is captured stays so, with the same capture.

    Raises:
        NotFound: there is no such payment.
        InvalidData: another amount than was authorized is to be taken.
        NotAllowed: the provider did not give the money.
        OutsideFailure: the provider could not be asked.
    """
    async with database.read() as session:
        attempt = await find_payment(session, payment_id)
    if amount not in (None, attempt.amount):
        raise InvalidData(f"A payment is captured as a whole: {attempt.amount}")
    if attempt.state != SessionState.CAPTURED:
        report = await _provider(desk, attempt).capture(facts_of(attempt))
        if await settle(database, attempt.id, report) is not SessionState.CAPTURED:
            raise NotAllowed(f"Payment {payment_id} was not captured by {attempt.provider_id}")
    async with database.read() as session:
        return await find_payment(session, payment_id)


async def refund(
    database: Database, desk: PaymentDesk, payment_id: str, amount: Cop | None = None
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
    async with database.read() as session:
        attempt = await find_payment(session, payment_id)
    provider = _provider(desk, attempt)
    if not provider.gives_back:
        raise NotImplementedByProvider(
            f"{provider.id}: refundPayment is not implemented: it is settled by hand"
        )
    booked = await _book_refund(database, attempt.id, amount)
    try:
        await provider.refund(facts_of(attempt), booked)
    except OutcomeUnknown:
        raise
    except ShopError:
        await _book_refund(database, attempt.id, -booked)
        raise
    async with database.read() as session:
        return await find_payment(session, payment_id)


async def _book_refund(database: Database, session_id: str, amount: Cop | None) -> Cop:
    """Keep on the session that so much is given back; a negative amount takes it back."""
    async with database.transaction() as session:
        attempt, _ = await lock_attempt(session, session_id)
        if attempt.state != SessionState.CAPTURED:
            raise NotAllowed("The payment was not captured: there is nothing to give back")
        given = int(attempt.data.get(REFUNDED, 0))
        captured = attempt.captured_amount if attempt.captured_amount is not None else attempt.amount
        wanted = amount if amount is not None else captured - given
        if wanted == 0 or given + wanted > captured:
            raise NotAllowed(f"Of {captured}, {captured - given} can be given back")
        attempt.data = {**attempt.data, REFUNDED: given + wanted}
        return wanted


def _provider(desk: PaymentDesk, attempt: PaymentSession) -> PaymentProvider:
    provider = desk.provider(attempt.provider_id)
    if provider is None:
        raise NotAllowed(f"The shop does not run with provider {attempt.provider_id}")
    return provider
