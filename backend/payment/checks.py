"""Checks of payment sessions: the provider is asked how a payment stands, by the return page and by a job.

A provider that cannot be asked, or that does not know the payment, changes nothing. One that answers *pending* after
the reservation has ended closes the session; its checks go on.
"""

import logging
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import CursorResult, bindparam, or_, select, update

from backend.attention import AttentionKind, raise_attention
from backend.core.db.database import Database, database_now, db_now
from backend.core.errors import NotAllowed, ShopError
from backend.core.observability.logs import log_scope
from backend.core.observability.tracing import traced
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderReport, Providers, ProviderState, StartedPayment
from backend.payment.sessions import CREATE_LIMIT, PaymentUnderWay, seconds_to_start, started_payment
from backend.payment.states import AT_THE_BANK, CHECKED, SessionState
from backend.payment.transitions import (
    CloseReason,
    apply_report,
    close,
    lock_session,
    move,
)

log = logging.getLogger(__name__)

SHORTEST_GAP, LONGEST_GAP = timedelta(minutes=3), timedelta(hours=3)
"""Between two checks of a session (wire: checkout, probe pending: at least 3 minutes)."""
RETURN_PAGE_GAP = timedelta(seconds=3)
"""The least time between two checks that return pages start."""
CHECK_FOR = timedelta(hours=48)
"""How long a session is checked after its reservation has ended."""
UNRESOLVED = "the gateway has not said for 48 hours how it ended; look at its own pages"

_WITH_CLOCK = select(PaymentSession, db_now()).where(PaymentSession.id == bindparam("session_id"))
_CLOSABLE = (SessionState.UNKNOWN, SessionState.PENDING_AUTHORIZATION)


@traced
async def check_session(database: Database, providers: Providers, payment: PaymentSession) -> SessionState:
    """Ask the provider about this session and apply its report.

    Returns:
        The state it is in afterwards: `closed` when its reservation has ended and the bank has not decided; `held` as
        long as its order is packed, though the bank has said that no money comes.
    """
    report = await ask_provider(providers, payment, started_payment(payment))
    try:
        state = await apply_report(database, payment.id, report)
    except NotAllowed as error:
        if payment.state != SessionState.HELD:
            raise
        log.warning("payment %s stays held, and is checked again: %s", payment.id, error.message)
        return SessionState.HELD
    is_at_the_bank = report.state in (ProviderState.PENDING, ProviderState.PENDING_AUTHORIZATION)
    if is_at_the_bank and state in _CLOSABLE:
        return await _close_when_over(database, payment.id)
    return state


async def ask_provider(
    providers: Providers, payment: PaymentSession, facts: StartedPayment
) -> ProviderReport:
    """Ask the session's provider about a payment. Return state UNKNOWN, without an invoice, if that fails."""
    provider = providers.get(payment.provider_id)
    if provider is None:
        log.warning("payment %s: the shop does not run with %s", payment.id, payment.provider_id)
        return ProviderReport(state=ProviderState.UNKNOWN)
    with log_scope(payment_id=payment.id):
        try:
            return await provider.status(facts)
        except ShopError as error:
            log.warning("payment %s: the provider could not be asked: %s", payment.id, error.message)
            return ProviderReport(state=ProviderState.UNKNOWN)


async def _close_when_over(database: Database, session_id: str) -> SessionState:
    """Close the session if its reservation has ended. Returns its state."""
    async with database.read() as session:
        payment, moment = (await session.execute(_WITH_CLOCK, {"session_id": session_id})).one()
        if not _is_over(payment, moment):
            return SessionState(payment.state)
    async with database.transaction() as session:
        payment, cart = await lock_session(session, session_id)
        if payment.state in _CLOSABLE and _is_over(payment, await database_now(session)):
            await close(session, payment, cart, CloseReason.RESERVATION_ENDED)
        return SessionState(payment.state)


def _is_over(payment: PaymentSession, moment: datetime) -> bool:
    return payment.expires_at is not None and payment.expires_at <= moment


async def check_on_return(database: Database, providers: Providers, session_id: str) -> None:
    """Check the session of a shopper who came back from the bank, unless it was checked a moment ago."""
    payment = await claim_check(database, session_id)
    if payment is not None:
        await check_session(database, providers, payment)


async def claim_check(database: Database, session_id: str) -> PaymentSession | None:
    """The session, if it is to be checked and was not checked a moment ago; else None. Notes the time of the check."""
    async with database.transaction() as session:
        if cast("CursorResult[Any]", await session.execute(_CLAIM, {"session_id": session_id})).rowcount == 0:
            return None
        return await session.get_one(PaymentSession, session_id)


_CLAIM = (
    update(PaymentSession)
    .where(PaymentSession.id == bindparam("session_id"), PaymentSession.state.in_(sorted(CHECKED)))
    .where(or_(PaymentSession.checked_at.is_(None), PaymentSession.checked_at <= db_now(-RETURN_PAGE_GAP)))
    .values(checked_at=db_now())
    .execution_options(synchronize_session=False)
)


async def check_all(database: Database, providers: Providers) -> int:
    """Check every session of the last 48 hours that has no final state, closed ones too.

    Returns:
        How many were checked.
    """
    async with database.read() as session:
        to_check = (
            select(PaymentSession.id)
            .where(PaymentSession.state.in_(sorted(CHECKED)))
            .where(or_(PaymentSession.expires_at.is_(None), PaymentSession.expires_at > db_now(-CHECK_FOR)))
            .order_by(PaymentSession.created_at, PaymentSession.id)
        )
        ids = (await session.execute(to_check)).scalars().all()
    asked = 0
    for session_id in ids:
        payment = await claim_check(database, session_id)
        if payment is not None:
            await check_session(database, providers, payment)
            asked += 1
    return asked


async def check(database: Database, providers: Providers, session_id: str) -> timedelta | None:
    """The work of the job `payment.check`.

    Returns:
        After what time to check again; None when the session has a final state, or was checked for 48 hours.
    """
    async with database.read() as session:
        found = (await session.execute(_WITH_CLOCK, {"session_id": session_id})).one_or_none()
    if found is None or found[0].state not in CHECKED:
        return None
    payment, moment = found
    if payment.state == SessionState.INITIATING:
        with suppress(PaymentUnderWay):
            await give_up_start(database, session_id)
    state = await check_session(database, providers, payment)
    if state not in CHECKED:
        return None
    if moment >= (payment.expires_at or payment.created_at) + CHECK_FOR:
        await _give_up(database, session_id)
        return None
    return _gap(payment, state, moment)


def _gap(payment: PaymentSession, state: SessionState, moment: datetime) -> timedelta:
    """Two fifths of the session's age, within the limits, and not past the end of its reservation."""
    if state is SessionState.HELD:
        return LONGEST_GAP
    gap = min((moment - payment.created_at) * 0.4, LONGEST_GAP)
    if payment.expires_at is not None and moment < payment.expires_at:
        gap = min(gap, payment.expires_at - moment)
    return max(gap, SHORTEST_GAP)


async def give_up_start(database: Database, session_id: str) -> None:
    """Move a session whose start got no answer in time to `unknown`.

    Raises:
        PaymentUnderWay: its provider may still answer; or it has, and the payment is at the bank.
    """
    async with database.transaction() as session:
        payment, cart = await lock_session(session, session_id)
        moment = await database_now(session)
        if payment.state == SessionState.INITIATING and payment.created_at + CREATE_LIMIT <= moment:
            await move(session, payment, cart, SessionState.UNKNOWN)
        if payment.state in AT_THE_BANK:
            raise PaymentUnderWay(payment, retry_after=seconds_to_start(payment, moment))


async def _give_up(database: Database, session_id: str) -> None:
    """Close a session without a final state after 48 hours, and raise attention."""
    async with database.transaction() as session:
        payment, cart = await lock_session(session, session_id)
        if payment.state not in CHECKED or payment.captured_amount is not None:
            return
        if payment.state in _CLOSABLE:
            await close(session, payment, cart, CloseReason.UNRESOLVED)
        await raise_attention(
            session,
            AttentionKind.PAYMENT_UNRESOLVED,
            message=f"Payment {payment.invoice}: {UNRESOLVED}",
            amount=payment.amount,
            order_id=cart.order_id if cart.completed_at is not None else None,
            payment_session_id=payment.id,
            data={"state": payment.state, "reference": payment.reference},
        )
