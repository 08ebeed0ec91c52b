"""The inbox of the payment webhook (design: decision 6).

A notification is stored before it is handled, and the provider always gets the response 200. Only genuine
notifications are then handled (`handle_notification`). The signature of a notification need not cover the state
(wire: gateway 1.8). So the reported state is not trusted: the shop requests the payment's status from the provider.
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
from backend.payment.checks import MAX_CHECK_INTERVAL, check_session
from backend.payment.models import PaymentNotification, PaymentSession
from backend.payment.providers.base import Notification, PaymentProvider, Providers, ProviderState, Verdict
from backend.payment.second_transactions import (
    SecondTransaction,
    check_second_transaction,
    raise_unresolved,
)
from backend.payment.states import SessionState
from backend.payment.transitions import is_new_contradiction

log = logging.getLogger(__name__)

NOTIFICATION_JOB = "payment.notification"
"""The job that handles a stored notification; its key is the notification's id."""
MAX_BODY_BYTES = 64 * 1024
MAX_FIELDS, MAX_FIELD_TEXT = 80, 500
MAX_INEFFECTIVE_NOTIFICATIONS = 5_000
"""Maximum number of stored notifications that had no effect. Above this number, the oldest are deleted."""
RECHECK_DELAY = timedelta(seconds=20)
MAX_LAGGING_CHECKS = 8
"""How many times a session is checked while its provider's lookup does not report a final state that was notified."""
MAX_SECOND_CHECKS = 31
"""How many times a second transaction of an invoice is checked.

After `MAX_LAGGING_CHECKS` the intervals grow. All checks together take about two days.
"""
ANSWER_TIMEOUT_S = 0.8
"""How long storing a notification may delay the provider's 200, in seconds."""


class Inbox:
    """Receiver of the providers' notifications: it stores each one, and a job handles it later."""

    def __init__(self, database: Database, providers: Providers) -> None:
        self._database = database
        self._providers = providers
        self._storing: set[asyncio.Task[None]] = set()

    async def receive(
        self, provider_id: str, raw: bytes, headers: Mapping[str, str], query: Mapping[str, str]
    ) -> None:
        """Store a notification.

        Return after `ANSWER_TIMEOUT_S` at the latest; storing then continues in the background.
        """
        storing = asyncio.create_task(
            self._store(provider_id, raw, headers, query), name="store notification"
        )
        self._storing.add(storing)
        storing.add_done_callback(self._storing.discard)
        await asyncio.wait([storing], timeout=ANSWER_TIMEOUT_S)

    async def stop(self) -> None:
        """Wait until all received notifications are stored."""
        await asyncio.gather(*self._storing, return_exceptions=True)

    async def _store(
        self, provider_id: str, raw: bytes, headers: Mapping[str, str], query: Mapping[str, str]
    ) -> None:
        try:
            notification = parse_notification(self._providers.get(provider_id), raw, headers, query)
            await store_notification(self._database, provider_id, notification, _compute_digest(raw, query))
        except Exception:
            # nothing is lost: the provider sends it again, and the regular checks of the session ask the provider
            log.exception("a notification could not be stored")


def parse_notification(
    provider: PaymentProvider | None, raw: bytes, headers: Mapping[str, str], query: Mapping[str, str]
) -> Notification:
    """Return the parsed notification: `MALFORMED` if the shop does not use the provider or parsing fails."""
    if len(raw) > MAX_BODY_BYTES:
        return Notification(verdict=Verdict.OVERSIZED)
    if provider is None:
        return Notification(verdict=Verdict.MALFORMED, fields=query)
    try:
        return provider.read_notification(raw, headers, query)
    except Exception:
        log.exception("a notification of %s cannot be read", provider.id)
        return Notification(verdict=Verdict.MALFORMED)


async def store_notification(
    database: Database, provider_id: str, notification: Notification, digest: str
) -> None:
    """Store a notification only once, even if it arrives again.

    Schedule the job that handles it if it is new and genuine.
    """
    is_genuine = notification.verdict is Verdict.GENUINE
    row = {
        "id": new_id("paynot"),
        "provider_id": _to_bounded_text(provider_id, 80),
        "dedupe_key": (is_genuine and _to_bounded_text(notification.dedupe_key, 200)) or digest,
        "verdict": notification.verdict.value,
        "session_id": _to_bounded_text(notification.session_id or "", 80) or None,
        "reference": _to_bounded_text(notification.reference or "", 80) or None,
        "invoice": _to_bounded_text(notification.invoice or "", 80) or None,
        "is_final": notification.is_final,
        "said_state": notification.state,
        "fields": {
            _to_bounded_text(name, 80): _to_bounded_text(value, MAX_FIELD_TEXT)
            for name, value in list(notification.fields.items())[:MAX_FIELDS]
        },
        "times_received": 1,
        "created_at": now(),
        "updated_at": now(),
    }
    if not is_genuine:
        log.info("a notification of %r is %s: stored without effect", provider_id[:80], notification.verdict)
    async with database.transaction() as session:
        insert = insert_into(PaymentNotification).values(row)
        times_received = PaymentNotification.times_received
        again = insert.on_conflict_do_update(
            index_elements=["provider_id", "dedupe_key"],
            set_={"times_received": times_received + 1, "updated_at": now()},
        ).returning(times_received)
        is_new = (await session.execute(again)).scalar_one() == 1
        if is_genuine and is_new:
            await enqueue(session, NOTIFICATION_JOB, key=str(row["id"]))
        elif not is_genuine:
            await _delete_oldest(session)


def _compute_digest(raw: bytes, query: Mapping[str, str]) -> str:
    """Return a hash of the content, which identifies a notification that is not genuine."""
    query_bytes = json.dumps(dict(query), sort_keys=True).encode()
    return hashlib.sha256(len(raw).to_bytes(8, "big") + raw + query_bytes).hexdigest()


def _to_bounded_text(value: object, max_length: int) -> str:
    """Convert a received value to text that can be stored.

    It has at most `max_length` characters, and no NUL or lone surrogates, which databases reject.
    """
    return to_storable_text(str(value)[:max_length])


async def _delete_oldest(session: AsyncSession) -> None:
    useless = PaymentNotification.verdict != Verdict.GENUINE
    count = (
        await session.execute(select(func.count()).select_from(PaymentNotification).where(useless))
    ).scalar_one()
    if count > MAX_INEFFECTIVE_NOTIFICATIONS:
        oldest = (
            select(PaymentNotification.id)
            .where(useless)
            .order_by(PaymentNotification.id)
            .limit(MAX_INEFFECTIVE_NOTIFICATIONS // 10)
        )
        await session.execute(delete(PaymentNotification).where(PaymentNotification.id.in_(oldest)))


@traced
async def handle_notification(
    database: Database, providers: Providers, notification_id: str, attempt: int
) -> timedelta | None:
    """Check the payment of the notification, as the job `payment.notification` does.

    Returns:
        The delay until the next check, if the provider's lookup does not report the notified state yet; None when
            done.
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
    """Check the payment of the notification. Return the delay until the next check; None when done."""
    payment = await _find_session(database, notification)
    if payment is None:
        log.warning("notification %s matches no payment of ours", notification.id)
        return None
    if notification.reference is not None and payment.reference not in (None, notification.reference):
        return await _check_second(database, providers, payment, notification, attempt)
    is_behind = await _lags_behind(database, providers, payment, notification)
    return RECHECK_DELAY if is_behind and attempt < MAX_LAGGING_CHECKS else None


async def _lags_behind(
    database: Database, providers: Providers, payment: PaymentSession, notification: PaymentNotification
) -> bool:
    """Check the session. Return True if the lookup does not yet report the final state in the notification."""
    is_known = payment.reference is not None
    # the answer with this number may have been lost
    payment.reference = notification.reference or payment.reference
    state = await check_session(database, providers, payment)
    if not is_known and not state.is_final and state is not SessionState.HELD:
        payment.reference = None  # the number may belong to another payment: look ours up by the invoice
        state = await check_session(database, providers, payment)
    if not notification.is_final or state is SessionState.HELD:
        return False
    return not state.is_final or await _contradicts_final_state(database, payment.id, notification)


async def _check_second(
    database: Database,
    providers: Providers,
    payment: PaymentSession,
    notification: PaymentNotification,
    attempt: int,
) -> timedelta | None:
    """Check a notified transaction that has the session's invoice, but another number than the session.

    It may be a second payment of the invoice. It may also belong to another invoice, because the signature of
    the notification does not cover the invoice.

    Returns:
        The delay until the next check; None when done.
    """
    reference = str(notification.reference)
    second = await check_second_transaction(database, providers, payment, reference)
    state = SessionState(payment.state)
    if second.report.state is ProviderState.UNKNOWN and not state.is_final:
        state = await check_session(database, providers, payment)
    if not notification.is_final:
        return None
    if attempt < MAX_LAGGING_CHECKS:
        is_behind = (
            not state.is_final and state is not SessionState.HELD
            if second.is_of_another_invoice
            else _is_second_behind(second, notification)
        )
        return RECHECK_DELAY if is_behind else None
    if second.has_ended or second.session is not None or second.is_of_another_invoice:
        return None
    # no other job asks about this number
    if not await raise_unresolved(database, payment, reference) or attempt >= MAX_SECOND_CHECKS:
        return None
    return min(RECHECK_DELAY * (1 << (attempt - MAX_LAGGING_CHECKS + 1)), MAX_CHECK_INTERVAL)


def _is_second_behind(second: SecondTransaction, notification: PaymentNotification) -> bool:
    """Return True if the lookup of `second` does not yet report the final state in the notification."""
    reported = notification.said_state
    if second.session is not None:
        return reported is not None and is_new_contradiction(second.session, ProviderState(reported))
    if not second.has_ended:
        return True
    return reported == ProviderState.CAPTURED and second.report.state is not ProviderState.CAPTURED


async def _contradicts_final_state(
    database: Database, session_id: str, notification: PaymentNotification
) -> bool:
    """Return True if the notified state contradicts the session's final state and no lookup has reported it yet."""
    if notification.said_state is None:
        return False
    async with database.read() as session:
        payment = await session.get_one(PaymentSession, session_id, populate_existing=True)
    return is_new_contradiction(payment, ProviderState(notification.said_state))


async def _find_session(database: Database, notification: PaymentNotification) -> PaymentSession | None:
    """Return the payment session of the notification, found by invoice, else by session id, else by reference."""
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
