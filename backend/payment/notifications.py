"""The webhook's inbox (design: decision 6).

A notification is stored before anything acts on it, and the provider gets its 200 for anything it may send. What is
genuine is acted on afterwards (`handle_notification`): a signature need not cover the state (wire: gateway
1.8), so the notification is only a hint, and the provider itself is asked how the payment stands.
"""

import asyncio
import hashlib
import json
import logging
from collections.abc import Mapping
from datetime import timedelta

from sqlalchemy import case, delete, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.clock import now
from backend.core.db.database import Database, database_now
from backend.core.db.tables import insert_into
from backend.core.ids import new_id
from backend.core.observability.tracing import traced
from backend.core.web.outside_values import to_storable_text
from backend.jobs import enqueue
from backend.payment.checks import LONGEST_GAP, check_session
from backend.payment.models import PaymentNotification, PaymentSession
from backend.payment.providers.base import Notification, PaymentProvider, Providers, ProviderState, Verdict
from backend.payment.second_transactions import (
    SecondTransaction,
    check_second_transaction,
    raise_unresolved,
)
from backend.payment.states import SessionState
from backend.payment.transitions import has_unheard_report

log = logging.getLogger(__name__)

HANDLE = "payment.notification"
"""The job that acts on a stored notification; its key is the notification's id."""
MAX_BODY_BYTES = 64 * 1024
MAX_FIELDS, MAX_FIELD_TEXT = 80, 500
MAX_WITHOUT_EFFECT = 5_000
"""How many notifications without effect are stored; of more, the oldest are deleted."""
CHECK_AGAIN_AFTER = timedelta(seconds=20)
MOST_CHECKS = 8
"""How often a session is checked while the look-up lags behind a final notification."""
MAX_SECOND_CHECKS = 31
"""How often a second transaction is checked, with growing gaps after `MOST_CHECKS`: for about two days."""
ANSWER_WITHIN = 0.8
"""Seconds that storing a notification may take before the provider gets its 200 all the same."""


class Inbox:
    """Takes the notifications of these providers."""

    def __init__(self, database: Database, providers: Providers) -> None:
        self._database = database
        self._providers = providers
        self._storing: set[asyncio.Task[None]] = set()

    async def receive(
        self, provider_id: str, raw: bytes, headers: Mapping[str, str], query: Mapping[str, str]
    ) -> None:
        """Store a notification. Returns after `ANSWER_WITHIN` at the latest; storing goes on then."""
        storing = asyncio.create_task(
            self._store(provider_id, raw, headers, query), name="store notification"
        )
        self._storing.add(storing)
        storing.add_done_callback(self._storing.discard)
        await asyncio.wait([storing], timeout=ANSWER_WITHIN)

    async def stop(self) -> None:
        """Wait for what is still being stored."""
        await asyncio.gather(*self._storing, return_exceptions=True)

    async def _store(
        self, provider_id: str, raw: bytes, headers: Mapping[str, str], query: Mapping[str, str]
    ) -> None:
        try:
            notification = read(self._providers.get(provider_id), raw, headers, query)
            await store(self._database, provider_id, notification, _digest(raw, query))
        except Exception:
            # the provider sends again, and it is asked by itself: nothing is lost, but someone must know
            log.exception("a notification could not be stored")


def read(
    provider: PaymentProvider | None, raw: bytes, headers: Mapping[str, str], query: Mapping[str, str]
) -> Notification:
    """The notification as its provider reads it; malformed when the shop does not run with that provider."""
    if len(raw) > MAX_BODY_BYTES:
        return Notification(verdict=Verdict.OVERSIZED)
    if provider is None:
        return Notification(verdict=Verdict.MALFORMED, fields=query)
    try:
        return provider.read_notification(raw, headers, query)
    except Exception:
        log.exception("a notification of %s cannot be read", provider.id)
        return Notification(verdict=Verdict.MALFORMED)


async def store(database: Database, provider_id: str, notification: Notification, digest: str) -> None:
    """Store a notification, once however often it comes. A genuine one is to be acted on."""
    is_genuine = notification.verdict is Verdict.GENUINE
    row = {
        "id": new_id("paynot"),
        "provider_id": _storable(provider_id, 80),
        "dedupe_key": (is_genuine and _storable(notification.dedupe_key, 200)) or digest,
        "verdict": notification.verdict.value,
        "session_id": _storable(notification.session_id or "", 80) or None,
        "reference": _storable(notification.reference or "", 80) or None,
        "invoice": _storable(notification.invoice or "", 80) or None,
        "is_final": notification.is_final,
        "said_state": notification.state,
        "fields": {
            _storable(name, 80): _storable(value, MAX_FIELD_TEXT)
            for name, value in list(notification.fields.items())[:MAX_FIELDS]
        },
        "times_received": 1,
        "created_at": now(),
        "updated_at": now(),
    }
    if not is_genuine:
        log.info(
            "a notification of %r is %s: recorded, without effect", provider_id[:80], notification.verdict
        )
    async with database.transaction() as session:
        insert = insert_into(PaymentNotification).values(row)
        times_received = PaymentNotification.times_received
        again = insert.on_conflict_do_update(
            index_elements=["provider_id", "dedupe_key"],
            set_={"times_received": times_received + 1, "updated_at": now()},
        ).returning(times_received)
        is_new = (await session.execute(again)).scalar_one() == 1
        if is_genuine and is_new:
            await enqueue(session, HANDLE, key=str(row["id"]))
        elif not is_genuine:
            await _delete_oldest(session)


def _digest(raw: bytes, query: Mapping[str, str]) -> str:
    """What tells a notification that is not genuine from another: its content."""
    asked = json.dumps(dict(query), sort_keys=True).encode()
    return hashlib.sha256(len(raw).to_bytes(8, "big") + raw + asked).hexdigest()


def _storable(value: object, most: int) -> str:
    """Text from outside as it can be kept: of bounded length, without the NUL and lone surrogates no database takes."""
    return to_storable_text(str(value)[:most])


async def _delete_oldest(session: AsyncSession) -> None:
    useless = PaymentNotification.verdict != Verdict.GENUINE
    count = (
        await session.execute(select(func.count()).select_from(PaymentNotification).where(useless))
    ).scalar_one()
    if count > MAX_WITHOUT_EFFECT:
        oldest = (
            select(PaymentNotification.id)
            .where(useless)
            .order_by(PaymentNotification.id)
            .limit(MAX_WITHOUT_EFFECT // 10)
        )
        await session.execute(delete(PaymentNotification).where(PaymentNotification.id.in_(oldest)))


@traced
async def handle_notification(
    database: Database, providers: Providers, notification_id: str, attempt: int
) -> timedelta | None:
    """Check the payment that the notification names: the work of the job `payment.notification`.

    Returns:
        After what time to check again, when the look-up lags behind the notification; None when done.
    """
    async with database.read() as session:
        notification = await session.get(PaymentNotification, notification_id)
    if notification is None:
        return None
    gap = await _check_payment(database, providers, notification, attempt)
    if gap is not None:
        return gap
    async with database.transaction() as session:
        done = await session.get_one(PaymentNotification, notification_id)
        done.handled_at = await database_now(session)
    return None


async def _check_payment(
    database: Database, providers: Providers, notification: PaymentNotification, attempt: int
) -> timedelta | None:
    """Check what the notification names. Return after what time to check again; None when done."""
    payment = await _find_session(database, notification)
    if payment is None:
        log.warning("notification %s names no payment of ours", notification.id)
        return None
    if notification.reference is not None and payment.reference not in (None, notification.reference):
        return await _check_second(database, providers, payment, notification, attempt)
    is_behind = await _lags_behind(database, providers, payment, notification)
    return CHECK_AGAIN_AFTER if is_behind and attempt < MOST_CHECKS else None


async def _lags_behind(
    database: Database, providers: Providers, payment: PaymentSession, notification: PaymentNotification
) -> bool:
    """Check the session. True if the provider's look-up does not yet report the end that the notification reported."""
    is_known = payment.reference is not None
    # we may never have had the answer that named it
    payment.reference = notification.reference or payment.reference
    state = await check_session(database, providers, payment)
    if not is_known and not state.is_final and state is not SessionState.HELD:
        payment.reference = None  # it may be another payment's number: our invoice finds ours
        state = await check_session(database, providers, payment)
    if not notification.is_final or state is SessionState.HELD:
        return False
    return not state.is_final or await _is_unheard(database, payment.id, notification)


async def _check_second(
    database: Database,
    providers: Providers,
    payment: PaymentSession,
    notification: PaymentNotification,
    attempt: int,
) -> timedelta | None:
    """Check a transaction of the session's invoice that has another number than the session knows.

    The signature does not cover the invoice. So the transaction may be another payment's, and that one's may be ours.

    Returns:
        After what time to check again; None when done.
    """
    reference = str(notification.reference)
    second = await check_second_transaction(database, providers, payment, reference)
    state = SessionState(payment.state)
    if second.report.state is ProviderState.UNKNOWN and not state.is_final:
        state = await check_session(database, providers, payment)
    if not notification.is_final:
        return None
    if attempt < MOST_CHECKS:
        is_behind = (
            not state.is_final and state is not SessionState.HELD
            if second.is_of_another_invoice
            else _is_second_behind(second, notification)
        )
        return CHECK_AGAIN_AFTER if is_behind else None
    if second.has_ended or second.session is not None or second.is_of_another_invoice:
        return None
    # no other job asks about this number
    if not await raise_unresolved(database, payment, reference) or attempt >= MAX_SECOND_CHECKS:
        return None
    return min(CHECK_AGAIN_AFTER * (1 << (attempt - MOST_CHECKS + 1)), LONGEST_GAP)


def _is_second_behind(second: SecondTransaction, notification: PaymentNotification) -> bool:
    """Return True if the look-up does not yet report the end that the notification reported."""
    reported = notification.said_state
    if second.session is not None:
        return reported is not None and has_unheard_report(second.session, ProviderState(reported))
    if not second.has_ended:
        return True
    return reported == ProviderState.CAPTURED and second.report.state is not ProviderState.CAPTURED


async def _is_unheard(database: Database, session_id: str, notification: PaymentNotification) -> bool:
    """True if the notification contradicts the session's final state, and the look-up does not yet."""
    if notification.said_state is None:
        return False
    async with database.read() as session:
        payment = await session.get_one(PaymentSession, session_id, populate_existing=True)
    return has_unheard_report(payment, ProviderState(notification.said_state))


async def _find_session(database: Database, notification: PaymentNotification) -> PaymentSession | None:
    """The payment session that the notification names: by its invoice, else by our id, else by the reference."""
    by_invoice = PaymentSession.invoice == notification.invoice
    by_id = PaymentSession.id == notification.session_id
    query = (
        select(PaymentSession)
        .where(
            PaymentSession.provider_id == notification.provider_id,
            or_(by_invoice, by_id, PaymentSession.reference == notification.reference),
        )
        .order_by(case((by_invoice, 0), (by_id, 1), else_=2), PaymentSession.created_at)
        .limit(1)
    )
    async with database.read() as session:
        return (await session.execute(query)).scalar_one_or_none()
