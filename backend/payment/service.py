"""Payment collections and the tries to pay them."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession
from ulid import ULID

from backend.clock import now
from backend.database import Database
from backend.errors import Conflict, NotFound, OutcomeUnknown, OutsideFailure, PaymentFailed, ShopError
from backend.money import Cop
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.providers.base import (
    Initiated,
    PaymentProvider,
    PaymentRequest,
    ProviderReport,
    ProviderState,
    SessionFacts,
)
from backend.payment.settlement import lock_attempt, move
from backend.payment.states import LIVE, OPEN, SessionState

log = logging.getLogger(__name__)

HOLD_TIME = timedelta(minutes=40)
"""How long stock is held for a try to pay: longer than any bank session (wire: gateway 1.8, PSE up to 21 minutes)."""
FIRST_CHECK = timedelta(minutes=7)
"""When a pending payment is first asked for (wire: checkout, probe pending)."""
INITIATE_DEADLINE = timedelta(seconds=90)
"""A try that is still being started after this was cut off by a crash."""

# what every step of a purchase asks, built once
_COLLECTION = select(PaymentCollection).where(PaymentCollection.cart_id == bindparam("cart_id"))
_ATTEMPTS = (
    select(PaymentSession)
    .join(PaymentCollection, PaymentCollection.id == PaymentSession.collection_id)
    .where(PaymentCollection.cart_id == bindparam("cart_id"))
    .order_by(PaymentSession.created_at.desc(), PaymentSession.id.desc())
)
_OWED = (
    select(PaymentCollection, PaymentSession)
    .outerjoin(PaymentSession, PaymentSession.collection_id == PaymentCollection.id)
    .where(PaymentCollection.id == bindparam("collection_id"))
    .order_by(PaymentSession.created_at.desc(), PaymentSession.id.desc())
)
_LIVE_ATTEMPT = select(PaymentSession).where(
    PaymentSession.collection_id == bindparam("collection_id"), PaymentSession.state.in_(sorted(LIVE))
)


async def collection_for(session: AsyncSession, cart_id: str, amount: Cop) -> PaymentCollection:
    """The cart's one payment collection, owing `amount`. The cart must be locked."""
    collection = await read_collection(session, cart_id) or PaymentCollection(cart_id=cart_id, amount=amount)
    collection.amount = amount
    session.add(collection)
    await session.flush()
    return collection


async def read_collection(session: AsyncSession, cart_id: str) -> PaymentCollection | None:
    """The cart's payment collection, if one was made."""
    found = await session.execute(_COLLECTION, {"cart_id": cart_id})
    return found.scalar_one_or_none()


async def read_owed(
    session: AsyncSession, collection_id: str
) -> tuple[PaymentCollection, list[PaymentSession]]:
    """The collection with this id, and every try to pay it, newest first.

    Raises:
        NotFound: there is none.
    """
    rows = (await session.execute(_OWED, {"collection_id": collection_id})).all()
    if not rows:
        raise NotFound(f"Payment collection with id: {collection_id} was not found")
    return rows[0][0], [attempt for _, attempt in rows if attempt is not None]


async def attempts_of(session: AsyncSession, cart_id: str) -> Sequence[PaymentSession]:
    """Every try to pay for the cart, newest first."""
    return (await session.execute(_ATTEMPTS, {"cart_id": cart_id})).scalars().all()


async def decisive_attempt(session: AsyncSession, cart_id: str) -> PaymentSession | None:
    """The try that says how the payment stands: the paid one beside any others, else the newest."""
    attempts = await attempts_of(session, cart_id)
    ranked = sorted(attempts, key=lambda attempt: _WEIGHT.get(SessionState(attempt.state), 2))
    return ranked[0] if ranked else None


_WEIGHT = {SessionState.CAPTURED: 0, SessionState.AUTHORIZED: 0, **dict.fromkeys(OPEN, 1)}


async def open_attempt(
    session: AsyncSession, collection: PaymentCollection, provider_id: str, data: Mapping[str, Any]
) -> PaymentSession:
    """A new try to pay the collection, before the provider is asked. The cart must be locked.

    Raises:
        Conflict: another try of this collection is under way (wire: checkout, double payment).
    """
    await _make_way(session, collection)
    moment = now()
    attempt = PaymentSession(
        collection_id=collection.id,
        provider_id=provider_id,
        state=SessionState.INITIATING,
        amount=collection.amount,
        invoice=f"TR{ULID()}",
        data=dict(data),
        expires_at=moment + HOLD_TIME,
        next_check_at=moment + FIRST_CHECK,
    )
    session.add(attempt)
    await session.flush()
    return attempt


async def _make_way(session: AsyncSession, collection: PaymentCollection) -> None:
    live = (await session.execute(_LIVE_ATTEMPT, {"collection_id": collection.id})).scalar_one_or_none()
    if live is None:
        return
    state = SessionState(live.state)
    if state is SessionState.PENDING:
        live.state = SessionState.CANCELED
    elif state is SessionState.INITIATING and live.created_at < now() - INITIATE_DEADLINE:
        live.state = SessionState.UNKNOWN
    else:
        raise Conflict(f"A payment of this cart is pending already: {live.invoice}")
    await session.flush()


async def initiate(
    database: Database, provider: PaymentProvider, attempt: PaymentSession, request: PaymentRequest
) -> PaymentSession:
    """Ask the provider to start the try, outside any transaction, and keep what it answered.

    Raises:
        InvalidData, PaymentFailed, OutsideFailure: it was not started; the try is `failed`.
        OutcomeUnknown: it may have been; the try is `unknown` and is looked up, never repeated.
    """
    try:
        started = await provider.initiate(replace(request, session_id=attempt.id, invoice=attempt.invoice))
    except OutcomeUnknown as error:
        await _end_initiation(database, attempt.id, SessionState.UNKNOWN, error)
        raise
    except (PaymentFailed, OutsideFailure, ShopError) as error:
        await _end_initiation(database, attempt.id, SessionState.FAILED, error)
        raise
    return await _keep_started(database, attempt.id, started)


async def _end_initiation(database: Database, session_id: str, state: SessionState, error: ShopError) -> None:
    async with database.transaction() as session:
        attempt, cart_id = await lock_attempt(session, session_id)
        attempt.data = {**attempt.data, "reason": error.message}
        if SessionState(attempt.state).leads_to(state):
            await move(session, attempt, state, cart_id)


async def _keep_started(database: Database, session_id: str, started: Initiated) -> PaymentSession:
    async with database.transaction() as session:
        attempt, cart_id = await lock_attempt(session, session_id)
        attempt.reference = attempt.reference or started.reference
        attempt.transaction_id = attempt.transaction_id or started.transaction_id
        attempt.ticket_id = attempt.ticket_id or started.ticket_id
        attempt.redirect_url = started.redirect_url
        attempt.data = {**started.data, **attempt.data}
        if started.state is ProviderState.PENDING:
            # no bank page: the shop itself authorizes it when the cart is completed
            attempt.state, attempt.expires_at, attempt.next_check_at = SessionState.PENDING, None, None
        elif SessionState(attempt.state).leads_to(SessionState.PENDING_AUTHORIZATION):
            # a notification may have been faster than this answer: then its word stands
            await move(session, attempt, SessionState.PENDING_AUTHORIZATION, cart_id)
        await session.flush()
        return attempt


def facts_of(attempt: PaymentSession) -> SessionFacts:
    """What the provider needs to know to find the payment."""
    return SessionFacts(
        session_id=attempt.id,
        invoice=attempt.invoice,
        amount=attempt.amount,
        currency=attempt.currency_code.upper(),
        reference=attempt.reference,
        transaction_id=attempt.transaction_id,
        ticket_id=attempt.ticket_id,
    )


def expired_report(attempt: PaymentSession) -> ProviderReport:
    """What stands in for the bank's word when it never decided and the hold has ended."""
    return ProviderReport(state=ProviderState.EXPIRED, reference=attempt.reference)
