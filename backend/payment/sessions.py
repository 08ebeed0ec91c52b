"""Payment collections and the sessions that pay them."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import Caller
from backend.cart.models import Cart
from backend.channels.models import Region
from backend.core.db.database import Database, db_now, locked
from backend.core.db.tables import JsonObject, insert_row
from backend.core.errors import Conflict, NotFound, OutcomeUnknown, ShopError
from backend.core.ids import secret_ulid
from backend.core.money import Cop
from backend.core.observability.logs import log_scope
from backend.core.observability.tracing import traced
from backend.jobs import enqueue
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.providers.base import (
    Initiated,
    PaymentProvider,
    PaymentRequest,
    ProviderState,
    StartedPayment,
)
from backend.payment.states import LIVE, OPEN, SessionState
from backend.payment.transitions import CHECK, CloseReason, close, lock_session, mark_cart, move, pays

log = logging.getLogger(__name__)

RESERVATION_TIME = timedelta(minutes=35)
"""How long stock is reserved for a payment: longer than any bank session (wire: gateway 1.8, PSE up to 21 minutes), and
so that a second hold of the same units still is, within `backend.checkout.payment.stock_holds.MAX_TOTAL_TIME`."""
FIRST_CHECK = timedelta(minutes=7)
"""When a pending payment is first asked about (wire: checkout, probe pending)."""
CREATE_LIMIT = timedelta(seconds=90)
"""Longer than a provider may take to start a payment: one that is still being started after this was cut off."""

UNDER_WAY = (
    "A payment of this cart is at the bank already ({invoice}). Wait for it, or give it up: start another payment "
    "session with `data.replace`: true. The bank may still approve the earlier one"
)
HELD = "The gateway is looking into a payment of this cart ({invoice}): nothing can be paid before it has decided"
UNKNOWN_COLLECTION = "Payment collection with id: {collection_id} was not found"
PAID = "This cart is paid already ({invoice})"

# what every step of a purchase asks, built once
_TERMS = (
    select(PaymentCollection, PaymentSession, Region.payment_providers, db_now())
    .select_from(Cart)
    .join(Region, Region.id == Cart.region_id)
    .outerjoin(PaymentCollection, PaymentCollection.cart_id == Cart.id)
    .outerjoin(PaymentSession, PaymentSession.collection_id == PaymentCollection.id)
    .where(Cart.id == bindparam("cart_id"))
    .order_by(PaymentSession.created_at.desc(), PaymentSession.id.desc())
)
_SESSIONS = (
    select(PaymentSession)
    .join(PaymentCollection, PaymentCollection.id == PaymentSession.collection_id)
    .where(PaymentCollection.cart_id == bindparam("cart_id"))
    .order_by(PaymentSession.created_at.desc(), PaymentSession.id.desc())
)
_COLLECTION_SESSIONS = (
    select(PaymentCollection, PaymentSession)
    .outerjoin(PaymentSession, PaymentSession.collection_id == PaymentCollection.id)
    .where(PaymentCollection.id == bindparam("collection_id"))
    .order_by(PaymentSession.created_at.desc(), PaymentSession.id.desc())
)
_COLLECTED = (
    select(Cart, Region.payment_providers)
    .join(PaymentCollection, PaymentCollection.cart_id == Cart.id)
    .join(Region, Region.id == Cart.region_id)
    .where(PaymentCollection.id == bindparam("collection_id"))
)
_LOCK_COLLECTED = locked(
    select(Cart)
    .join(PaymentCollection, PaymentCollection.cart_id == Cart.id)
    .where(PaymentCollection.id == bindparam("collection_id")),
    of=Cart,
)
_MAY_PAY = {*LIVE, SessionState.HELD, SessionState.AUTHORIZED}


class PaymentUnderWay(Conflict):
    """Another payment session of the cart is at the bank, or is being started.

    Attributes:
        session_id: which.
        is_starting: the provider has not answered its start yet.
    """

    def __init__(self, payment: PaymentSession, *, retry_after: int | None = None) -> None:
        super().__init__(UNDER_WAY.format(invoice=payment.invoice), retry_after=retry_after)
        self.session_id = payment.id
        self.is_starting = payment.state == SessionState.INITIATING


@dataclass(frozen=True, slots=True)
class Terms:
    """Under what a cart is paid.

    Attributes:
        collection: what it owes so far; None before it was asked for.
        payment_sessions: every try to pay it, newest first.
        provider_ids: the providers that its region offers.
        moment: the database's clock.
    """

    collection: PaymentCollection | None
    payment_sessions: Sequence[PaymentSession]
    provider_ids: Sequence[str]
    moment: datetime


async def read_terms(session: AsyncSession, cart_id: str) -> Terms:
    """The terms of the (locked) cart."""
    rows = (await session.execute(_TERMS, {"cart_id": cart_id})).all()
    collection, _, provider_ids, moment = rows[0]
    return Terms(collection, [row[1] for row in rows if row[1] is not None], provider_ids, moment)


async def offered_providers(session: AsyncSession, region_id: str | None) -> frozenset[str]:
    """The ids of the providers that the region offers; without one, those that any region does."""
    offered = select(Region.payment_providers)
    if region_id is not None:
        offered = offered.where(Region.id == region_id)
    rows = await session.execute(offered)
    return frozenset(provider_id for ids in rows.scalars() for provider_id in ids)


async def upsert_collection(
    session: AsyncSession, collection: PaymentCollection | None, cart_id: str, amount: Cop
) -> PaymentCollection:
    """The cart's one payment collection, with this amount. `collection` is the one it has, None when it has none.

    The cart must be locked.
    """
    if collection is None:
        collection = PaymentCollection(cart_id=cart_id, amount=amount)
        await insert_row(session, collection)
    else:
        collection.amount = amount
        await session.flush()
    return collection


async def collected_cart(
    session: AsyncSession, collection_id: str, caller: Caller
) -> tuple[Cart, Sequence[str]]:
    """The caller's cart that this collection is to be paid for. Nothing is locked.

    Returns:
        The cart, and the ids of the providers that its region offers.

    Raises:
        NotFound: there is no such collection, or its cart is not the caller's.
    """
    found = (await session.execute(_COLLECTED, {"collection_id": collection_id})).one_or_none()
    cart, provider_ids = found or (None, ())
    return _of_caller(cart, collection_id, caller), provider_ids


async def read_collected_cart(session: AsyncSession, collection_id: str, caller: Caller) -> Cart:
    """The same cart alone.

    Raises:
        NotFound: see `collected_cart`.
    """
    cart, _ = await collected_cart(session, collection_id, caller)
    return cart


async def lock_collected_cart(session: AsyncSession, collection_id: str, caller: Caller) -> Cart:
    """The same cart, locked.

    Raises:
        NotFound: see `collected_cart`.
    """
    found = (await session.execute(_LOCK_COLLECTED, {"collection_id": collection_id})).scalar_one_or_none()
    return _of_caller(found, collection_id, caller)


def _of_caller(cart: Cart | None, collection_id: str, caller: Caller) -> Cart:
    if cart is None or cart.customer_id not in (None, caller.customer_id):
        raise NotFound(UNKNOWN_COLLECTION.format(collection_id=collection_id))
    return cart


async def read_collection_sessions(
    session: AsyncSession, collection_id: str
) -> tuple[PaymentCollection, list[PaymentSession]]:
    """The collection with this id, and every session that pays it, newest first.

    Raises:
        NotFound: there is none.
    """
    rows = (await session.execute(_COLLECTION_SESSIONS, {"collection_id": collection_id})).all()
    if not rows:
        raise NotFound(UNKNOWN_COLLECTION.format(collection_id=collection_id))
    return rows[0][0], [payment for _, payment in rows if payment is not None]


async def sessions_of(session: AsyncSession, cart_id: str) -> Sequence[PaymentSession]:
    """Every payment session of the cart, newest first."""
    return (await session.execute(_SESSIONS, {"cart_id": cart_id})).scalars().all()


async def decisive_session(session: AsyncSession, cart_id: str) -> PaymentSession | None:
    """The session that says how the payment stands: the paid one beside any others, else the newest."""
    payment_sessions = await sessions_of(session, cart_id)
    return min(payment_sessions, key=_rank, default=None)


def _rank(payment: PaymentSession) -> int:
    if pays(payment) or payment.state == SessionState.AUTHORIZED:
        return 0
    if payment.state in OPEN:
        return 1
    # the money of one that was given back says more than one that took nothing
    return 2 if payment.state == SessionState.CAPTURED else 3


def new_invoice() -> str:
    """A payment session's reference at the gateway. None tells another."""
    return f"TR{secret_ulid()}"


async def open_session(
    session: AsyncSession,
    collection: PaymentCollection,
    provider_id: str,
    data: Mapping[str, Any],
    *,
    snapshot: JsonObject | None = None,
    hold: Mapping[str, Any] | None = None,
    cart: Cart | None = None,
    terms: Terms | None = None,
    leaves_shop: bool = True,
    replacing: str | None = None,
) -> PaymentSession:
    """A new payment session of the collection, before the provider is asked. The cart must be locked.

    Args:
        collection: what is owed.
        provider_id: who is to take the money.
        data: what is kept of the payer beside the session.
        snapshot: what is paid for; the order is made of it.
        hold: values of the session's columns that say which units it holds and for whom.
        cart: the locked cart, if it is known.
        terms: under what the cart is paid, if they were read since it was locked.
        leaves_shop: whether the shopper pays on a page of the bank's.
        replacing: the id of a session at the bank that is closed for this one.

    Raises:
        PaymentUnderWay: another session of this collection is at the bank (wire: checkout, double payment).
        Conflict: the cart is paid already.
    """
    cart = cart if cart is not None else await session.get_one(Cart, collection.cart_id)
    terms = terms or await read_terms(session, cart.id)
    moment = terms.moment
    await _end_previous(session, terms, cart, replacing)
    payment = PaymentSession(
        collection_id=collection.id,
        provider_id=provider_id,
        state=SessionState.INITIATING if leaves_shop else SessionState.PENDING,
        amount=collection.amount,
        invoice=new_invoice(),
        data=dict(data),
        snapshot=snapshot or {},
        created_at=moment,
        expires_at=moment + RESERVATION_TIME,
        **(hold or {}),
    )
    session.add(payment)
    mark_cart(payment, cart)
    await session.flush()
    if leaves_shop:
        await enqueue(session, CHECK, {"session_id": payment.id}, key=payment.id, after=FIRST_CHECK)
    return payment


async def _end_previous(session: AsyncSession, terms: Terms, cart: Cart, replacing: str | None) -> None:
    for other in filter(_blocks, terms.payment_sessions):
        state = SessionState(other.state)
        if state is SessionState.PENDING:
            await move(session, other, cart, SessionState.CANCELED)
        elif state is SessionState.PENDING_AUTHORIZATION and other.id == replacing:
            await close(session, other, cart, CloseReason.REPLACED)
        elif state is SessionState.HELD:
            raise Conflict(HELD.format(invoice=other.invoice))
        elif state in LIVE:
            raise PaymentUnderWay(other, retry_after=seconds_to_start(other, terms.moment))
        else:
            raise Conflict(PAID.format(invoice=other.invoice))


def _blocks(payment: PaymentSession) -> bool:
    """Whether the session has paid the cart, or may: nothing else can be started to pay it then."""
    return payment.state in _MAY_PAY or pays(payment)


def seconds_to_start(payment: PaymentSession, moment: datetime) -> int | None:
    """For how long the provider may still take to start it, by the database's clock; None when it has started."""
    if payment.state != SessionState.INITIATING:
        return None
    return max(1, ceil((payment.created_at + CREATE_LIMIT - moment).total_seconds()))


@traced
async def initiate(
    database: Database, provider: PaymentProvider, payment: PaymentSession, request: PaymentRequest
) -> PaymentSession:
    """Ask the provider to start the session, outside any transaction, and store its answer.

    Raises:
        InvalidData, PaymentFailed, OutsideFailure: it was not started; the session is `failed`.
        OutcomeUnknown: it may have been; the session is `unknown` and is looked up, never repeated.
        Conflict: it took so long that another payment of the cart has begun.
    """
    try:
        with log_scope(payment_id=payment.id):
            started = await provider.initiate(
                replace(request, session_id=payment.id, invoice=payment.invoice)
            )
    except OutcomeUnknown as error:
        await _store_failure(database, payment.id, SessionState.UNKNOWN, error)
        raise
    except ShopError as error:
        await _store_failure(database, payment.id, SessionState.FAILED, error)
        raise
    except BaseException as error:
        # whatever it was, the provider may have acted
        await _store_failure(database, payment.id, SessionState.UNKNOWN, error)
        raise
    if payment.state == SessionState.PENDING and not (started.reference or started.data):
        return payment  # it has not left the shop, and there is nothing to store
    return await _store_started(database, payment.id, started)


async def _store_failure(
    database: Database, session_id: str, state: SessionState, error: BaseException
) -> None:
    async with database.transaction() as session:
        payment, cart = await lock_session(session, session_id)
        for name in ("reference", "transaction_id", "ticket_id"):
            setattr(payment, name, getattr(payment, name) or getattr(error, name, None))
        if isinstance(error, ShopError):
            payment.data = {**payment.data, "reason": error.message}
        if SessionState(payment.state).leads_to(state):
            await move(session, payment, cart, state)


async def _store_started(database: Database, session_id: str, started: Initiated) -> PaymentSession:
    async with database.transaction() as session:
        payment, cart = await lock_session(session, session_id)
        payment.reference = payment.reference or started.reference
        payment.transaction_id = payment.transaction_id or started.transaction_id
        payment.ticket_id = payment.ticket_id or started.ticket_id
        payment.redirect_url = started.redirect_url
        payment.data = {**started.data, **payment.data}
        is_pending = started.state is ProviderState.PENDING
        wanted = SessionState.PENDING if is_pending else SessionState.PENDING_AUTHORIZATION
        state = SessionState(payment.state)
        is_late = state is SessionState.UNKNOWN  # somebody did not wait for this answer
        if is_late and (is_pending or await _has_cart_moved_on(session, cart)):
            await session.flush()
        elif state.leads_to(wanted):
            # a notification may have been faster than this answer: then its word stands
            await move(session, payment, cart, wanted)
    if payment.state == SessionState.UNKNOWN:
        raise Conflict(UNDER_WAY.format(invoice=payment.invoice))
    return payment


async def _has_cart_moved_on(session: AsyncSession, cart: Cart) -> bool:
    """Whether the cart has gone on: it is an order, or another session pays it or may."""
    others = await sessions_of(session, cart.id)
    return cart.completed_at is not None or any(map(_blocks, others))


def started_payment(payment: PaymentSession) -> StartedPayment:
    """What the provider needs to know to find the payment."""
    return StartedPayment(
        session_id=payment.id,
        invoice=payment.invoice,
        amount=payment.amount,
        currency=payment.currency_code.upper(),
        reference=payment.reference,
        transaction_id=payment.transaction_id,
        ticket_id=payment.ticket_id,
    )
