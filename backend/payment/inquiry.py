"""Asking the provider how a payment stands: from the return page, and again and again by the reconciler.

Whoever moves `next_check_at` (or `asked_at`) on is the one who asks: of several replicas one asks, none twice.
"""

import logging
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import CursorResult, or_, select, update

from backend.clock import now
from backend.database import Database
from backend.errors import OutsideFailure
from backend.payment.models import PaymentSession
from backend.payment.providers.base import PaymentProvider, ProviderReport, ProviderState, SessionFacts
from backend.payment.service import expired_report, facts_of
from backend.payment.settlement import settle, settle_second
from backend.payment.states import OPEN, SessionState

log = logging.getLogger(__name__)

GAPS = tuple(timedelta(minutes=minutes) for minutes in (3, 4, 6, 9, 13, 20, 30))
"""From one question to the next while the bank has not decided (wire: checkout, probe pending: at least 3 minutes)."""
HELD_GAP = timedelta(hours=3)
RETURN_PAGE_GAP = timedelta(seconds=3)
"""A shopper who returns from the bank, or whose page refreshes, has the gateway asked at most this often."""

Providers = dict[str, PaymentProvider]


async def ask_and_settle(database: Database, providers: Providers, attempt: PaymentSession) -> SessionState:
    """Ask the provider about this try and let it follow the answer. A try whose hold has ended undecided expires.

    A provider that cannot be reached changes nothing.
    """
    state = SessionState(attempt.state)
    report = await _ask(providers, attempt, facts_of(attempt))
    undecided = report.state in (
        ProviderState.PENDING,
        ProviderState.PENDING_AUTHORIZATION,
        ProviderState.UNKNOWN,
    )
    if undecided and state is not SessionState.HELD and _is_over(attempt):
        report = expired_report(attempt)
    return await settle(database, attempt.id, report)


async def settle_if_captured(
    database: Database, providers: Providers, attempt: PaymentSession, reference: str | None
) -> None:
    """Ask about another transaction of the same invoice: its approval counts, its refusal says nothing of ours."""
    facts = replace(facts_of(attempt), reference=reference, transaction_id=None, ticket_id=None)
    report = await _ask(providers, attempt, facts)
    if report.state is ProviderState.CAPTURED:
        await settle_second(database, attempt.id, report)


async def _ask(providers: Providers, attempt: PaymentSession, facts: SessionFacts) -> ProviderReport:
    try:
        return await providers[attempt.provider_id].status(facts)
    except OutsideFailure as error:
        log.warning("payment %s: the provider could not be asked: %s", attempt.id, error.message)
        return ProviderReport(state=ProviderState.UNKNOWN)


def _is_over(attempt: PaymentSession) -> bool:
    return attempt.expires_at is not None and attempt.expires_at <= now()


async def ask_on_return(database: Database, providers: Providers, session_id: str) -> None:
    """The shopper came back from the bank: ask now, unless someone asked a moment ago."""
    moment = now()
    asked_lately = PaymentSession.asked_at > moment - RETURN_PAGE_GAP
    async with database.transaction() as session:
        claim = (
            update(PaymentSession)
            .where(PaymentSession.id == session_id, PaymentSession.state.in_(OPEN))
            .where(or_(PaymentSession.asked_at.is_(None), ~asked_lately))
            .values(asked_at=moment)
            .execution_options(synchronize_session=False)
        )
        if cast("CursorResult[Any]", await session.execute(claim)).rowcount == 0:
            return
        attempt = await session.get_one(PaymentSession, session_id)
    await ask_and_settle(database, providers, attempt)


async def reconcile(
    database: Database, providers: Providers, *, everything: bool = False, limit: int = 100
) -> int:
    """Ask about every try that is due, oldest first; with `everything`, about every open one, due or not.

    Returns:
        How many were asked about.
    """
    asked = 0
    for session_id, due in await _due(database, everything=everything, limit=limit):
        attempt = await _claim(database, session_id, due)
        if attempt is not None:
            await ask_and_settle(database, providers, attempt)
            asked += 1
    return asked


async def _due(database: Database, *, everything: bool, limit: int) -> list[tuple[str, datetime | None]]:
    query = select(PaymentSession.id, PaymentSession.next_check_at).where(PaymentSession.state.in_(OPEN))
    if not everything:
        query = query.where(PaymentSession.next_check_at <= now())
    async with database.read() as session:
        rows = await session.execute(query.order_by(PaymentSession.next_check_at).limit(limit))
        return [(session_id, due) for session_id, due in rows]


async def _claim(database: Database, session_id: str, due: datetime | None) -> PaymentSession | None:
    """Move the next question on; None when a rival has done so since `due` was read."""
    async with database.transaction() as session:
        attempt = await session.get_one(PaymentSession, session_id)
        claim = (
            update(PaymentSession)
            .where(
                PaymentSession.id == session_id,
                PaymentSession.next_check_at == due
                if due is not None
                else PaymentSession.next_check_at.is_(None),
                PaymentSession.state.in_(OPEN),
            )
            .values(next_check_at=next_check(attempt), asked_at=now(), checks=PaymentSession.checks + 1)
            .execution_options(synchronize_session=False)
        )
        won = cast("CursorResult[Any]", await session.execute(claim)).rowcount == 1
        return attempt if won else None


def next_check(attempt: PaymentSession) -> datetime:
    """When to ask again: after growing gaps, but right when the hold ends if that is sooner."""
    moment = now()
    if attempt.state == SessionState.HELD:
        return moment + HELD_GAP
    later = moment + GAPS[min(attempt.checks, len(GAPS) - 1)]
    if attempt.expires_at is not None and moment < attempt.expires_at < later:
        return attempt.expires_at
    return later
