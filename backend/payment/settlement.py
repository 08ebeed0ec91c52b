"""The one completion path: return page, webhook and reconciler all end here (design: decision 5).

The cart is locked, then the try; its state is read inside the lock; the same state again is no change; amount and
currency are compared; a final state is never undone. Nothing here crosses the network: the report was had before.
"""

import logging
from dataclasses import replace
from decimal import Decimal

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.models import Cart
from backend.clock import now
from backend.database import Database, locked
from backend.errors import NotFound
from backend.events import publish
from backend.payment.events import PaidLate, PaymentSettled
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.providers.base import ProviderReport, ProviderState
from backend.payment.states import SessionState

log = logging.getLogger(__name__)

_DECISIVE = {
    ProviderState.AUTHORIZED: SessionState.AUTHORIZED,
    ProviderState.CAPTURED: SessionState.CAPTURED,
    ProviderState.REJECTED: SessionState.REJECTED,
    ProviderState.CANCELED: SessionState.CANCELED,
    ProviderState.EXPIRED: SessionState.EXPIRED,
    ProviderState.HELD: SessionState.HELD,
}

_LOCK_CART = (
    select(Cart.id)
    .join(PaymentCollection, PaymentCollection.cart_id == Cart.id)
    .join(PaymentSession, PaymentSession.collection_id == PaymentCollection.id)
    .where(PaymentSession.id == bindparam("session_id"))
    .with_for_update(of=Cart)
)
_LOCK_ATTEMPT = locked(select(PaymentSession).where(PaymentSession.id == bindparam("session_id")))


async def settle(database: Database, session_id: str, report: ProviderReport) -> SessionState:
    """Let the try to pay follow what the provider reported.

    Returns:
        The state it is in afterwards.

    Raises:
        NotFound: no try has this id.
    """
    async with database.transaction() as session:
        return await settle_in(session, session_id, report)


async def settle_in(session: AsyncSession, session_id: str, report: ProviderReport) -> SessionState:
    """`settle`, inside a transaction of the caller's."""
    attempt, cart_id = await lock_attempt(session, session_id)
    state = SessionState(attempt.state)
    _remember(attempt, report)
    wanted = _DECISIVE.get(report.state)
    if wanted is None or wanted is state:
        return state
    if wanted is SessionState.CAPTURED and (mismatch := _mismatch(attempt, report)):
        log.error("payment %s: the approval does not fit: %s", attempt.id, mismatch)
        attempt.data = {**attempt.data, "mismatch": mismatch}
        wanted = SessionState.HELD
    if not state.leads_to(wanted):
        if wanted is SessionState.CAPTURED and attempt.paid_late_at is None:
            log.error("payment %s: approved after it was %s; someone must settle it", attempt.id, state)
            attempt.paid_late_at = now()
            await session.flush()
            await publish(session, PaidLate(session_id=attempt.id, cart_id=cart_id))
        return state
    await move(session, attempt, wanted, cart_id)
    return wanted


async def settle_second(database: Database, session_id: str, report: ProviderReport) -> None:
    """The gateway approved a second transaction of a try's invoice (the shopper went back at the bank and paid again).

    While the try is open, that approval is its own. After it ended, the approval stands as a try of its own beside it,
    so that no final state is undone; when the first was paid too, a person must give one payment back.
    """
    async with database.transaction() as session:
        first, cart_id = await lock_attempt(session, session_id)
        if not SessionState(first.state).is_final:
            first.reference = report.reference
            await settle_in(session, session_id, report)
            return
        second = PaymentSession(
            collection_id=first.collection_id,
            provider_id=first.provider_id,
            state=SessionState.HELD,
            amount=first.amount,
            currency_code=first.currency_code,
            invoice=f"{first.invoice}/{report.reference}",
            data={name: first.data[name] for name in ("bank_name", "payer_ip") if name in first.data},
        )
        known = select(PaymentSession.id).where(PaymentSession.invoice == second.invoice)
        if (await session.execute(known)).first():
            return
        session.add(second)
        await session.flush()
        if first.state == SessionState.CAPTURED:
            log.error("payment %s: its invoice was paid twice; someone must settle it", first.id)
            second.paid_late_at = now()
            await publish(session, PaidLate(session_id=second.id, cart_id=cart_id))
        await settle_in(session, second.id, replace(report, invoice=second.invoice))


async def lock_attempt(session: AsyncSession, session_id: str) -> tuple[PaymentSession, str]:
    """Lock the try to pay, its cart first: everyone who needs both takes them in this order.

    Returns:
        The try, and the id of its cart.

    Raises:
        NotFound: no try has this id.
    """
    cart_id = (await session.execute(_LOCK_CART, {"session_id": session_id})).scalar_one_or_none()
    if cart_id is None:
        raise NotFound(f"Payment session with id: {session_id} was not found")
    attempt = await session.execute(_LOCK_ATTEMPT, {"session_id": session_id})
    return attempt.scalar_one(), cart_id


async def move(session: AsyncSession, attempt: PaymentSession, state: SessionState, cart_id: str) -> None:
    """Put the locked try into a state that its own leads to, and tell the rooms above."""
    attempt.state = state
    if state is SessionState.AUTHORIZED:
        attempt.authorized_at = now()
    if state is SessionState.CAPTURED:
        attempt.captured_at = now()
        attempt.authorized_at = attempt.authorized_at or attempt.captured_at
        collection = await session.get_one(PaymentCollection, attempt.collection_id)
        collection.status = "completed"
    if not state.is_open:
        attempt.next_check_at = None
    await session.flush()
    await publish(session, PaymentSettled(session_id=attempt.id, cart_id=cart_id, state=state))


def _mismatch(attempt: PaymentSession, report: ProviderReport) -> str | None:
    """How an approval differs from what was asked for; None when it does not."""
    if report.amount is None or report.amount != Decimal(attempt.amount):
        return f"amount {report.amount} instead of {attempt.amount}"
    if report.currency is None or report.currency.casefold() != attempt.currency_code.casefold():
        return f"currency {report.currency} instead of {attempt.currency_code.upper()}"
    if report.invoice is not None and report.invoice != attempt.invoice:
        return f"invoice {report.invoice} instead of {attempt.invoice}"
    return None


def _remember(attempt: PaymentSession, report: ProviderReport) -> None:
    """Keep what the result page must show. What a final try remembers is not overwritten."""
    if SessionState(attempt.state).is_final:
        return
    attempt.reference = attempt.reference or report.reference
    attempt.transaction_id = attempt.transaction_id or report.transaction_id
    attempt.ticket_id = attempt.ticket_id or report.ticket_id
    said = {
        "bank_name": report.bank_name,
        "reason": report.text,
        "code": report.code,
        "occurred_at": report.occurred_at.isoformat() if report.occurred_at else None,
    }
    attempt.data = {**attempt.data, **{name: value for name, value in said.items() if value is not None}}
