"""Create and start the payment sessions that pay a cart's payment collection."""

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
from backend.core.db.database import Database, db_now, lock_rows
from backend.core.db.tables import JsonObject, insert_row
from backend.core.errors import Conflict, NotFound, OutcomeUnknown, ShopError
from backend.core.ids import secret_ulid
from backend.core.money import Cop
from backend.core.observability.logs import log_scope
from backend.core.observability.tracing import traced
from backend.jobs import enqueue
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.providers.base import (
    InitiationResult,
    PaymentProvider,
    PaymentRequest,
    ProviderState,
    StartedPayment,
)
from backend.payment.states import CHECKED_STATES, LIVE_STATES, OPEN_STATES, SessionState
from backend.payment.transitions import (
    CHECK_JOB,
    PAYS_DIFFERENCE,
    CloseReason,
    close,
    lock_session,
    mark_cart,
    move,
    pays,
)

log = logging.getLogger(__name__)

RESERVATION_TIME = timedelta(minutes=35)
"""How long stock is reserved for a payment.

It is longer than any bank session (wire: gateway 1.8, PSE up to 21 minutes), and short enough that a second hold of
the same units ends within `backend.checkout.payment.stock_holds.MAX_TOTAL_TIME`.
"""
FIRST_CHECK_DELAY = timedelta(minutes=7)
"""Time from the start of a payment to its first check (wire: checkout, probe pending)."""
PROVIDER_START_TIMEOUT = timedelta(seconds=90)
"""Time after which a start without an answer counts as cut off. It is longer than any provider's own timeout."""

UNDER_WAY = (
    "A payment of this cart is already at the bank ({invoice}). Wait for it, or close it: start another payment "
    "session with `data.replace`: true. The bank may still approve the earlier one"
)
HELD = (
    "The gateway is reviewing a payment of this cart ({invoice}): nothing can be paid before it has decided"
)
UNKNOWN_COLLECTION = "Payment collection with id: {collection_id} was not found"
PAID = "This cart is already paid ({invoice})"

# every step of a purchase runs these queries, so they are built only once
_CART_PAYMENTS = (
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
_CART_AND_PROVIDERS = (
    select(Cart, Region.payment_providers)
    .join(PaymentCollection, PaymentCollection.cart_id == Cart.id)
    .join(Region, Region.id == Cart.region_id)
    .where(PaymentCollection.id == bindparam("collection_id"))
)
_LOCK_CART_OF_COLLECTION = lock_rows(
    select(Cart)
    .join(PaymentCollection, PaymentCollection.cart_id == Cart.id)
    .where(PaymentCollection.id == bindparam("collection_id")),
    of=Cart,
)
_BLOCKING_STATES = {*LIVE_STATES, SessionState.HELD, SessionState.AUTHORIZED}


class PaymentUnderWay(Conflict):
    """Another payment session of the cart is at the bank, or is being started.

    Attributes:
        session_id: the id of the other session.
        is_starting: True if the provider has not yet answered the start of the other session.
    """

    def __init__(self, payment: PaymentSession, *, retry_after: int | None = None) -> None:
        super().__init__(UNDER_WAY.format(invoice=payment.invoice), retry_after=retry_after)
        self.session_id = payment.id
        self.is_starting = payment.state == SessionState.INITIATING


@dataclass(frozen=True, slots=True)
class CartPayments:
    """The payment collection of a cart, its sessions, and the providers that may be used.

    Attributes:
        collection: the amount owed; None if no collection was created yet.
        payment_sessions: all payment attempts, newest first.
        provider_ids: the providers that the cart's region offers.
        moment: the current time of the database.
    """

    collection: PaymentCollection | None
    payment_sessions: Sequence[PaymentSession]
    provider_ids: Sequence[str]
    moment: datetime


async def read_cart_payments(session: AsyncSession, cart_id: str) -> CartPayments:
    """Return the payment state of the cart. The cart should be locked."""
    rows = (await session.execute(_CART_PAYMENTS, {"cart_id": cart_id})).all()
    collection, _, provider_ids, moment = rows[0]
    return CartPayments(collection, [row[1] for row in rows if row[1] is not None], provider_ids, moment)


async def list_offered_providers(session: AsyncSession, region_id: str | None) -> frozenset[str]:
    """Return the ids of the providers that the region offers. If `region_id` is None, include all regions."""
    offered = select(Region.payment_providers)
    if region_id is not None:
        offered = offered.where(Region.id == region_id)
    rows = await session.execute(offered)
    return frozenset(provider_id for ids in rows.scalars() for provider_id in ids)


async def upsert_collection(
    session: AsyncSession, collection: PaymentCollection | None, cart_id: str, amount: Cop
) -> PaymentCollection:
    """Create the cart's payment collection, or set the amount of the existing `collection`. The cart must be locked."""
    if collection is None:
        collection = PaymentCollection(cart_id=cart_id, amount=amount)
        await insert_row(session, collection)
    else:
        collection.amount = amount
        await session.flush()
    return collection


async def read_cart_and_providers(
    session: AsyncSession, collection_id: str, caller: Caller
) -> tuple[Cart, Sequence[str]]:
    """Return the caller's cart to which this collection belongs, without a lock.

    Returns:
        The cart, and the ids of the providers that its region offers.

    Raises:
        NotFound: there is no such collection, or its cart is not the caller's.
    """
    found = (await session.execute(_CART_AND_PROVIDERS, {"collection_id": collection_id})).one_or_none()
    cart, provider_ids = found or (None, ())
    return _require_own_cart(cart, collection_id, caller), provider_ids


async def read_cart_of_collection(session: AsyncSession, collection_id: str, caller: Caller) -> Cart:
    """Return the caller's cart to which this collection belongs, without a lock.

    Raises:
        NotFound: see `read_cart_and_providers`.
    """
    cart, _ = await read_cart_and_providers(session, collection_id, caller)
    return cart


async def lock_cart_of_collection(session: AsyncSession, collection_id: str, caller: Caller) -> Cart:
    """Lock and return the caller's cart to which this collection belongs.

    Raises:
        NotFound: see `read_cart_and_providers`.
    """
    found = (
        await session.execute(_LOCK_CART_OF_COLLECTION, {"collection_id": collection_id})
    ).scalar_one_or_none()
    return _require_own_cart(found, collection_id, caller)


def _require_own_cart(cart: Cart | None, collection_id: str, caller: Caller) -> Cart:
    if cart is None or cart.customer_id not in (None, caller.customer_id):
        raise NotFound(UNKNOWN_COLLECTION.format(collection_id=collection_id))
    return cart


async def read_collection_sessions(
    session: AsyncSession, collection_id: str
) -> tuple[PaymentCollection, list[PaymentSession]]:
    """Return the collection with this id and all its sessions, newest first.

    Raises:
        NotFound: there is no such collection.
    """
    rows = (await session.execute(_COLLECTION_SESSIONS, {"collection_id": collection_id})).all()
    if not rows:
        raise NotFound(UNKNOWN_COLLECTION.format(collection_id=collection_id))
    return rows[0][0], [payment for _, payment in rows if payment is not None]


async def list_payment_sessions(session: AsyncSession, cart_id: str) -> Sequence[PaymentSession]:
    """Return all payment sessions of the cart, newest first."""
    return (await session.execute(_SESSIONS, {"cart_id": cart_id})).scalars().all()


async def find_decisive_session(session: AsyncSession, cart_id: str) -> PaymentSession | None:
    """Return the session that decides the cart's payment status; None if the cart has no session.

    It is the newest session that has paid or is authorized. If there is none, it is the newest open session, then
    the newest session whose money was refunded, then the newest session of all.
    """
    return choose_decisive_session(await list_payment_sessions(session, cart_id))


def choose_decisive_session(payment_sessions: Sequence[PaymentSession]) -> PaymentSession | None:
    """Return the decisive one of a cart's payment sessions. See `find_decisive_session`."""
    return min(payment_sessions, key=_rank, default=None)


async def find_checked_session(session: AsyncSession, cart_id: str) -> PaymentSession | None:
    """Return the session on which the cart's order depends, if its provider must still be asked; otherwise None.

    It is the decisive session (`find_decisive_session`) or, if that is decided, the newest payment of an edit's
    difference.
    """
    payment_sessions = await list_payment_sessions(session, cart_id)
    decisive = choose_decisive_session(payment_sessions)
    difference = next((payment for payment in payment_sessions if PAYS_DIFFERENCE in payment.data), None)
    for payment in (decisive, difference):
        if payment is not None and payment.state in CHECKED_STATES:
            return payment
    return None


def _rank(payment: PaymentSession) -> int:
    if pays(payment) or payment.state == SessionState.AUTHORIZED:
        return 0
    if payment.state in OPEN_STATES:
        return 1
    # a session whose money was refunded matters more than one that never took money
    return 2 if payment.state == SessionState.CAPTURED else 3


def generate_invoice() -> str:
    """Return a new, secret reference for a payment session at the gateway."""
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
    cart_payments: CartPayments | None = None,
    leaves_shop: bool = True,
    replacing: str | None = None,
) -> PaymentSession:
    """Create a payment session of the collection, before the provider is called. The cart must be locked.

    Args:
        session: a transaction.
        collection: the amount owed.
        provider_id: the provider that takes the money.
        data: details of the payer that are stored with the session.
        snapshot: the content of the purchase; the order is created from it.
        hold: values of the session's columns that describe the reserved units and the client that reserved them.
        cart: the locked cart, if the caller has it.
        cart_payments: the cart's payment state, if it was read after the cart was locked.
        leaves_shop: True if the shopper pays on a page of the bank.
        replacing: the id of a session at the bank that is closed in favor of the new one.

    Raises:
        PaymentUnderWay: another session of this collection is at the bank (wire: checkout, double payment).
        Conflict: the cart is already paid.
    """
    cart = cart if cart is not None else await session.get_one(Cart, collection.cart_id)
    cart_payments = cart_payments or await read_cart_payments(session, cart.id)
    moment = cart_payments.moment
    await _end_previous_sessions(session, cart_payments, cart, replacing)
    payment = PaymentSession(
        collection_id=collection.id,
        provider_id=provider_id,
        state=SessionState.INITIATING if leaves_shop else SessionState.PENDING,
        amount=collection.amount,
        invoice=generate_invoice(),
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
        await enqueue(session, CHECK_JOB, {"session_id": payment.id}, key=payment.id, after=FIRST_CHECK_DELAY)
    return payment


async def _end_previous_sessions(
    session: AsyncSession, cart_payments: CartPayments, cart: Cart, replacing: str | None
) -> None:
    for other in filter(_blocks_new_session, cart_payments.payment_sessions):
        state = SessionState(other.state)
        if state is SessionState.PENDING:
            await move(session, other, cart, SessionState.CANCELED)
        elif state is SessionState.PENDING_AUTHORIZATION and other.id == replacing:
            await close(session, other, cart, CloseReason.REPLACED)
        elif state is SessionState.HELD:
            raise Conflict(HELD.format(invoice=other.invoice))
        elif state in LIVE_STATES:
            raise PaymentUnderWay(other, retry_after=get_remaining_start_s(other, cart_payments.moment))
        else:
            raise Conflict(PAID.format(invoice=other.invoice))


def _blocks_new_session(payment: PaymentSession) -> bool:
    """Return True if the session has paid the cart or may still pay it, so that no other session can start."""
    return payment.state in _BLOCKING_STATES or pays(payment)


def get_remaining_start_s(payment: PaymentSession, moment: datetime) -> int | None:
    """Return the seconds that remain for the provider to start the session; None if it is not being started."""
    if payment.state != SessionState.INITIATING:
        return None
    return max(1, ceil((payment.created_at + PROVIDER_START_TIMEOUT - moment).total_seconds()))


@traced
async def initiate(
    database: Database, provider: PaymentProvider, payment: PaymentSession, request: PaymentRequest
) -> PaymentSession:
    """Request the start of the session from the provider, outside any transaction, and store the answer.

    Raises:
        InvalidData, PaymentFailed, OutsideFailure: the payment was not started; the session is `failed`.
        OutcomeUnknown: the payment may have been started. The session is `unknown`: it is looked up, and never
            started again.
        Conflict: the provider took so long that another payment of the cart has begun.
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
        # any other error: the provider may have started the payment
        await _store_failure(database, payment.id, SessionState.UNKNOWN, error)
        raise
    if payment.state == SessionState.PENDING and not (started.reference or started.data):
        return payment  # the provider was not contacted, and there is nothing to store
    return await _store_started(database, payment.id, started)


async def _store_failure(
    database: Database, session_id: str, state: SessionState, error: BaseException
) -> None:
    async with database.transaction() as session:
        payment, cart = await lock_session(session, session_id)
        for name in ("reference", "transaction_id", "ticket_id"):
            setattr(payment, name, getattr(payment, name) or getattr(error, name, None))
        if (
            isinstance(error, ShopError) and error.shopper_text
        ):  # customer and staff read it: never the API's message
            payment.data = {**payment.data, "reason": error.shopper_text}
        if SessionState(payment.state).leads_to(state):
            await move(session, payment, cart, state)


async def _store_started(database: Database, session_id: str, started: InitiationResult) -> PaymentSession:
    async with database.transaction() as session:
        payment, cart = await lock_session(session, session_id)
        payment.reference = payment.reference or started.reference
        payment.transaction_id = payment.transaction_id or started.transaction_id
        payment.ticket_id = payment.ticket_id or started.ticket_id
        payment.redirect_url = started.redirect_url
        payment.data = {**started.data, **payment.data}
        is_pending = started.state is ProviderState.PENDING
        target = SessionState.PENDING if is_pending else SessionState.PENDING_AUTHORIZATION
        state = SessionState(payment.state)
        is_late = state is SessionState.UNKNOWN  # the start was given up before this answer arrived
        if is_late and (is_pending or await _has_cart_moved_on(session, cart)):
            await session.flush()
        elif state.leads_to(target):
            # a notification may have arrived before this answer; it has priority
            await move(session, payment, cart, target)
    if payment.state == SessionState.UNKNOWN:
        raise Conflict(UNDER_WAY.format(invoice=payment.invoice))
    return payment


async def _has_cart_moved_on(session: AsyncSession, cart: Cart) -> bool:
    """Return True if the cart became an order, or if another session has paid it or may still pay it."""
    others = await list_payment_sessions(session, cart.id)
    return cart.completed_at is not None or any(map(_blocks_new_session, others))


def to_started_payment(payment: PaymentSession) -> StartedPayment:
    """Return the values that the provider needs to find the payment."""
    return StartedPayment(
        session_id=payment.id,
        invoice=payment.invoice,
        amount=payment.amount,
        currency=payment.currency_code.upper(),
        reference=payment.reference,
        transaction_id=payment.transaction_id,
        ticket_id=payment.ticket_id,
    )
