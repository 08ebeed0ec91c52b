"""Checks of payment sessions: request the status of a payment from its provider, for the return page and for a job.

If the provider cannot be reached, or does not know the payment, nothing changes. If the provider reports *pending*
after the session's reservation has ended, the session is closed, but its checks continue.
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
from backend.payment.sessions import (
    PROVIDER_START_TIMEOUT,
    PaymentUnderWay,
    get_remaining_start_s,
    to_started_payment,
)
from backend.payment.states import AT_BANK_STATES, CHECKED_STATES, SessionState
from backend.payment.transitions import (
    APPROVED,
    CloseReason,
    apply_report,
    close,
    lock_session,
    move,
)

log = logging.getLogger(__name__)

MIN_CHECK_INTERVAL, MAX_CHECK_INTERVAL = timedelta(minutes=3), timedelta(hours=3)
"""Minimum and maximum time between two checks of a session (wire: checkout, probe pending)."""
MIN_RETURN_CHECK_INTERVAL = timedelta(seconds=3)
"""Minimum time between two checks of a session that its return page starts."""
CHECK_PERIOD = timedelta(hours=48)
"""How long a session is checked after its reservation has ended."""
UNRESOLVED = "the gateway has not reported the outcome for 48 hours; check its own pages"

_WITH_CLOCK = select(PaymentSession, db_now()).where(PaymentSession.id == bindparam("session_id"))
_CLOSABLE = (SessionState.UNKNOWN, SessionState.PENDING_AUTHORIZATION)


@traced
async def check_session(database: Database, providers: Providers, payment: PaymentSession) -> SessionState:
    """Request the status of this session from its provider, and apply the report.

    Returns:
        The session's state afterwards: `closed` if the reservation ended before the bank decided. A `held`
            session of a packed order stays `held`, even if the provider reports that no money will come.
    """
    report = await ask_provider(providers, payment, to_started_payment(payment))
    try:
        state = await apply_report(database, payment.id, report)
    except NotAllowed as error:
        if payment.state != SessionState.HELD:
            raise
        log.warning("payment %s stays held, and is checked again: %s", payment.id, error.message)
        return SessionState.HELD
    is_at_the_bank = report.state in (ProviderState.PENDING, ProviderState.PENDING_AUTHORIZATION)
    if is_at_the_bank and state in _CLOSABLE:
        return await _close_if_reservation_ended(database, payment.id)
    return state


async def ask_provider(
    providers: Providers, payment: PaymentSession, facts: StartedPayment
) -> ProviderReport:
    """Return the provider's report of a payment; a report in state UNKNOWN if the provider cannot be asked."""
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


async def _close_if_reservation_ended(database: Database, session_id: str) -> SessionState:
    """Close the session if its reservation has ended. Return its state."""
    async with database.read() as session:
        payment, moment = (await session.execute(_WITH_CLOCK, {"session_id": session_id})).one()
        if not _has_reservation_ended(payment, moment):
            return SessionState(payment.state)
    async with database.transaction() as session:
        payment, cart = await lock_session(session, session_id)
        if payment.state in _CLOSABLE and _has_reservation_ended(payment, await database_now(session)):
            await close(session, payment, cart, CloseReason.RESERVATION_ENDED)
        return SessionState(payment.state)


def _has_reservation_ended(payment: PaymentSession, moment: datetime) -> bool:
    return payment.expires_at is not None and payment.expires_at <= moment


async def check_on_return(database: Database, providers: Providers, session_id: str) -> None:
    """Check the session of a shopper who returned from the bank, unless it was checked a moment ago."""
    payment = await claim_check(database, session_id)
    if payment is not None:
        await check_session(database, providers, payment)


async def claim_check(database: Database, session_id: str) -> PaymentSession | None:
    """Store the time of the check, and return the session; None if it needs no check or was checked a moment ago."""
    async with database.transaction() as session:
        if cast("CursorResult[Any]", await session.execute(_CLAIM, {"session_id": session_id})).rowcount == 0:
            return None
        return await session.get_one(PaymentSession, session_id)


_CLAIM = (
    update(PaymentSession)
    .where(PaymentSession.id == bindparam("session_id"), PaymentSession.state.in_(sorted(CHECKED_STATES)))
    .where(
        or_(
            PaymentSession.checked_at.is_(None),
            PaymentSession.checked_at <= db_now(-MIN_RETURN_CHECK_INTERVAL),
        )
    )
    .values(checked_at=db_now())
    .execution_options(synchronize_session=False)
)


async def check_all(database: Database, providers: Providers) -> int:
    """Check every undecided session, also if it is closed. Skip sessions that were checked a moment ago.

    Sessions whose reservation ended more than 48 hours ago are not checked any more.

    Returns:
        The number of sessions checked.
    """
    async with database.read() as session:
        to_check = (
            select(PaymentSession.id)
            .where(PaymentSession.state.in_(sorted(CHECKED_STATES)))
            .where(
                or_(PaymentSession.expires_at.is_(None), PaymentSession.expires_at > db_now(-CHECK_PERIOD))
            )
            .order_by(PaymentSession.created_at, PaymentSession.id)
        )
        ids = (await session.execute(to_check)).scalars().all()
    checked = 0
    for session_id in ids:
        payment = await claim_check(database, session_id)
        if payment is not None:
            await check_session(database, providers, payment)
            checked += 1
    return checked


async def check(database: Database, providers: Providers, session_id: str) -> timedelta | None:
    """Check a session, as the job `payment.check` does.

    Returns:
        The delay until the next check; None if the session has a final state, or 48 hours have passed since its
            reservation ended.
    """
    async with database.read() as session:
        found = (await session.execute(_WITH_CLOCK, {"session_id": session_id})).one_or_none()
    if found is None or found[0].state not in CHECKED_STATES:
        return None
    payment, moment = found
    if payment.state == SessionState.INITIATING:
        with suppress(PaymentUnderWay):
            await give_up_start(database, session_id)
    state = await check_session(database, providers, payment)
    if state not in CHECKED_STATES:
        return None
    if moment >= (payment.expires_at or payment.created_at) + CHECK_PERIOD:
        await _give_up(database, session_id)
        return None
    return compute_check_interval(payment, state, moment)


def compute_check_interval(payment: PaymentSession, state: SessionState, moment: datetime) -> timedelta:
    """Return the interval until the next check: two fifths of the session's age, within a minimum and a maximum.

    If the reservation ends earlier, the next check is at its end. A held session has the maximum interval.
    """
    if state is SessionState.HELD:
        return MAX_CHECK_INTERVAL
    gap = min((moment - payment.created_at) * 0.4, MAX_CHECK_INTERVAL)
    if payment.expires_at is not None and moment < payment.expires_at:
        gap = min(gap, payment.expires_at - moment)
    return max(gap, MIN_CHECK_INTERVAL)


async def give_up_start(database: Database, session_id: str) -> None:
    """Change the state of a session to `unknown` if the provider did not answer its start in time.

    Raises:
        PaymentUnderWay: the provider may still answer, or the payment is at the bank.
    """
    async with database.transaction() as session:
        payment, cart = await lock_session(session, session_id)
        moment = await database_now(session)
        if payment.state == SessionState.INITIATING and payment.created_at + PROVIDER_START_TIMEOUT <= moment:
            await move(session, payment, cart, SessionState.UNKNOWN)
        if payment.state in AT_BANK_STATES:
            raise PaymentUnderWay(payment, retry_after=get_remaining_start_s(payment, moment))


async def _give_up(database: Database, session_id: str) -> None:
    """Close a session that is still undecided after 48 hours, and open an attention row.

    Do nothing if the session was decided meanwhile, or if its provider has reported that it took money.
    """
    async with database.transaction() as session:
        payment, cart = await lock_session(session, session_id)
        if payment.state not in CHECKED_STATES or APPROVED in payment.data:
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
