"""Asking the provider how a payment stands: from the return page, and again and again by a job.

Silence never ends a payment. A provider that cannot be asked, or does not know, changes nothing; one that says that the
bank has not decided only lets us stop waiting when the reservation has ended (`closed`), and is asked on.
"""

import logging
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import CursorResult, bindparam, case, or_, select, update

from backend.attention import AttentionKind, raise_attention
from backend.database import Database, database_now, db_now
from backend.errors import ShopError
from backend.payment.models import PaymentNotification, PaymentSession
from backend.payment.providers.base import ProviderReport, Providers, ProviderState, SessionFacts
from backend.payment.service import CREATE_LIMIT, PaymentUnderWay, facts_of, seconds_to_start
from backend.payment.settlement import CloseReason, close, lock_attempt, move, settle, settle_second
from backend.payment.states import ASKED, AT_THE_BANK, SessionState

log = logging.getLogger(__name__)

SHORTEST_GAP, LONGEST_GAP = timedelta(minutes=3), timedelta(hours=3)
"""From one question to the next (wire: checkout, probe pending: at least 3 minutes)."""
RETURN_PAGE_GAP = timedelta(seconds=3)
"""A shopper who returns from the bank, or whose page refreshes, has the gateway asked at most this often."""
ASK_AGAIN_AFTER = timedelta(seconds=20)
MOST_ASKED = 8
"""How often the provider is asked while its look-up lags behind the end that its notification told."""
ASK_FOR = timedelta(hours=48)
"""How long a payment is asked about after its reservation has ended."""
UNRESOLVED = "the gateway has not said for 48 hours how it ended; look at its own pages"

_DATED = select(PaymentSession, db_now()).where(PaymentSession.id == bindparam("session_id"))
_CLOSABLE = (SessionState.UNKNOWN, SessionState.PENDING_AUTHORIZATION)


async def ask_and_settle(database: Database, providers: Providers, attempt: PaymentSession) -> SessionState:
    """Ask the provider about this session and let it follow the answer.

    Returns:
        The state it is in afterwards: `closed` when its reservation has ended and the bank has not decided.
    """
    report = await _ask(providers, attempt, facts_of(attempt))
    state = await settle(database, attempt.id, report)
    is_at_the_bank = report.state in (ProviderState.PENDING, ProviderState.PENDING_AUTHORIZATION)
    if is_at_the_bank and state in _CLOSABLE:
        return await _close_when_over(database, attempt.id)
    return state


async def settle_if_captured(
    database: Database, providers: Providers, attempt: PaymentSession, reference: str | None
) -> None:
    """Ask about another transaction of the same invoice: its approval counts, its refusal says nothing of ours."""
    facts = replace(facts_of(attempt), reference=reference, transaction_id=None, ticket_id=None)
    report = await _ask(providers, attempt, facts)
    if report.state is ProviderState.CAPTURED:
        await settle_second(database, attempt.id, report)


async def _ask(providers: Providers, attempt: PaymentSession, facts: SessionFacts) -> ProviderReport:
    provider = providers.get(attempt.provider_id)
    if provider is None:
        log.warning("payment %s: the shop does not run with %s", attempt.id, attempt.provider_id)
        return ProviderReport(state=ProviderState.UNKNOWN)
    try:
        return await provider.status(facts)
    except ShopError as error:
        log.warning("payment %s: the provider could not be asked: %s", attempt.id, error.message)
        return ProviderReport(state=ProviderState.UNKNOWN)


async def _close_when_over(database: Database, session_id: str) -> SessionState:
    """Wait no longer for a bank that has not decided by the end of the reservation. Its stock is given back."""
    async with database.read() as session:
        attempt, moment = (await session.execute(_DATED, {"session_id": session_id})).one()
        if not _is_over(attempt, moment):
            return SessionState(attempt.state)
    async with database.transaction() as session:
        attempt, cart = await lock_attempt(session, session_id)
        if attempt.state in _CLOSABLE and _is_over(attempt, await database_now(session)):
            await close(session, attempt, cart, CloseReason.RESERVATION_ENDED)
        return SessionState(attempt.state)


def _is_over(attempt: PaymentSession, moment: datetime) -> bool:
    return attempt.expires_at is not None and attempt.expires_at <= moment


async def ask_on_return(database: Database, providers: Providers, session_id: str) -> None:
    """The shopper came back from the bank: ask now, unless someone asked a moment ago."""
    attempt = await claim_question(database, session_id)
    if attempt is not None:
        await ask_and_settle(database, providers, attempt)


async def claim_question(database: Database, session_id: str) -> PaymentSession | None:
    """The session, if the provider has still to say how it ends, and nobody has asked it a moment ago."""
    async with database.transaction() as session:
        if cast("CursorResult[Any]", await session.execute(_CLAIM, {"session_id": session_id})).rowcount == 0:
            return None
        return await session.get_one(PaymentSession, session_id)


_CLAIM = (
    update(PaymentSession)
    .where(PaymentSession.id == bindparam("session_id"), PaymentSession.state.in_(sorted(ASKED)))
    .where(or_(PaymentSession.asked_at.is_(None), PaymentSession.asked_at <= db_now(-RETURN_PAGE_GAP)))
    .values(asked_at=db_now())
    .execution_options(synchronize_session=False)
)


async def ask_about_all(database: Database, providers: Providers) -> int:
    """Ask about every payment of the last 48 hours whose provider has not said how it ended, closed ones too.

    Returns:
        How many were asked about.
    """
    async with database.read() as session:
        unsettled = (
            select(PaymentSession.id)
            .where(PaymentSession.state.in_(sorted(ASKED)))
            .where(or_(PaymentSession.expires_at.is_(None), PaymentSession.expires_at > db_now(-ASK_FOR)))
            .order_by(PaymentSession.id)
        )
        ids = (await session.execute(unsettled)).scalars().all()
    asked = 0
    for session_id in ids:
        attempt = await claim_question(database, session_id)
        if attempt is not None:
            await ask_and_settle(database, providers, attempt)
            asked += 1
    return asked


async def check(database: Database, providers: Providers, session_id: str) -> timedelta | None:
    """What the job `payment.check` does: ask how the payment stands.

    Returns:
        After what time to ask again; None when the provider has said how it ended, or was asked for 48 hours.
    """
    async with database.read() as session:
        found = (await session.execute(_DATED, {"session_id": session_id})).one_or_none()
    if found is None or found[0].state not in ASKED:
        return None
    attempt, moment = found
    if attempt.state == SessionState.INITIATING:
        with suppress(PaymentUnderWay):
            await give_up_start(database, session_id)
    state = await ask_and_settle(database, providers, attempt)
    if state not in ASKED:
        return None
    if moment >= (attempt.expires_at or attempt.created_at) + ASK_FOR:
        await _give_up(database, session_id)
        return None
    return _gap(attempt, state, moment)


def _gap(attempt: PaymentSession, state: SessionState, moment: datetime) -> timedelta:
    """Two fifths of the payment's age, so that the pauses grow; but not past the end of its reservation."""
    if state is SessionState.HELD:
        return LONGEST_GAP
    gap = min((moment - attempt.created_at) * 0.4, LONGEST_GAP)
    if attempt.expires_at is not None and moment < attempt.expires_at:
        gap = min(gap, attempt.expires_at - moment)
    return max(gap, SHORTEST_GAP)


async def give_up_start(database: Database, session_id: str) -> None:
    """Stop waiting for the answer to a start that was cut off: whether it was started is unknown from now on.

    Raises:
        PaymentUnderWay: its provider may still answer; or it has, and the payment is at the bank.
    """
    async with database.transaction() as session:
        attempt, cart = await lock_attempt(session, session_id)
        moment = await database_now(session)
        if attempt.state == SessionState.INITIATING and attempt.created_at + CREATE_LIMIT <= moment:
            await move(session, attempt, cart, SessionState.UNKNOWN)
        if attempt.state in AT_THE_BANK:
            raise PaymentUnderWay(attempt, retry_after=seconds_to_start(attempt, moment))


async def _give_up(database: Database, session_id: str) -> None:
    """Nobody has said for 48 hours how the payment ended: a person must look."""
    async with database.transaction() as session:
        attempt, cart = await lock_attempt(session, session_id)
        if attempt.state not in ASKED or attempt.captured_amount is not None:
            return
        if attempt.state in _CLOSABLE:
            await close(session, attempt, cart, CloseReason.UNRESOLVED)
        await raise_attention(
            session,
            AttentionKind.PAYMENT_UNRESOLVED,
            message=f"Payment {attempt.invoice}: {UNRESOLVED}",
            amount=attempt.amount,
            order_id=cart.order_id if cart.completed_at is not None else None,
            payment_session_id=attempt.id,
            data={"state": attempt.state, "reference": attempt.reference},
        )


async def act_on(
    database: Database, providers: Providers, notification_id: str, attempt: int
) -> timedelta | None:
    """What the job `payment.notification` does: ask the provider of the payment that the notification names.

    Returns:
        After what time to ask again, where the provider's own look-up lags behind its notification; None when done.
    """
    async with database.read() as session:
        notification = await session.get(PaymentNotification, notification_id)
    if notification is None:
        return None
    if await _lags_behind(database, providers, notification) and attempt < MOST_ASKED:
        return ASK_AGAIN_AFTER
    async with database.transaction() as session:
        done = await session.get_one(PaymentNotification, notification_id)
        done.handled_at = await database_now(session)
    return None


async def _lags_behind(database: Database, providers: Providers, notification: PaymentNotification) -> bool:
    """Ask. Whether the provider's own look-up lags behind the end that its notification tells."""
    attempt = await _named_by(database, notification)
    if attempt is None:
        log.warning("notification %s names no payment of ours", notification.id)
        return False
    if attempt.reference not in (None, notification.reference):
        # the provider knows a second transaction for our invoice: only its approval says anything about the payment
        await settle_if_captured(database, providers, attempt, notification.reference)
        return False
    attempt.reference = notification.reference  # we may never have had the answer that named it
    state = await ask_and_settle(database, providers, attempt)
    return notification.tells_end and not state.is_final and state is not SessionState.HELD


async def _named_by(database: Database, notification: PaymentNotification) -> PaymentSession | None:
    """The payment session that the notification names: by its invoice, else by our id, else by the reference."""
    by_invoice = PaymentSession.invoice == notification.invoice
    by_id = PaymentSession.id == notification.session_id
    query = (
        select(PaymentSession)
        .where(
            PaymentSession.provider_id == notification.provider_id,
            or_(by_invoice, by_id, PaymentSession.reference == notification.reference),
        )
        .order_by(case((by_invoice, 0), (by_id, 1), else_=2), PaymentSession.id)
        .limit(1)
    )
    async with database.read() as session:
        return (await session.execute(query)).scalar_one_or_none()
