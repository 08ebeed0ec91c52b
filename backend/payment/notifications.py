"""The webhook's inbox (design: decision 6).

A notification is stored before anything acts on it, and the gateway gets its 200 for anything it may send. What is
genuine is acted on afterwards, as often as it takes: the signature does not cover the state (wire: gateway 1.8), so
the notification is only a hint, and the gateway itself is asked how the payment stands.
"""

import hashlib
import json
import logging
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, cast

from sqlalchemy import CursorResult, delete, func, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from backend.clock import now
from backend.database import Database
from backend.ids import new_id
from backend.payment.inquiry import Providers, ask_and_settle, settle_if_captured
from backend.payment.models import PaymentNotification, PaymentSession
from backend.payment.providers.base import Notification, PaymentProvider, Verdict
from backend.payment.states import SessionState

log = logging.getLogger(__name__)

MAX_BODY_BYTES = 64 * 1024
MAX_FIELDS, MAX_FIELD_TEXT = 80, 500
MAX_USELESS = 5_000
"""How many notifications without effect are kept; beyond that the oldest make room."""
RETRY_AFTER = timedelta(seconds=20)
MAX_TRIES = 8


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


def digest_of(raw: bytes, query: Mapping[str, str]) -> str:
    """What tells a notification that is not genuine from another: its content."""
    asked = json.dumps(dict(query), sort_keys=True).encode()
    return hashlib.sha256(len(raw).to_bytes(8) + raw + asked).hexdigest()


async def receive(database: Database, provider_id: str, notification: Notification, digest: str) -> bool:
    """Store a notification, once however often it comes.

    Returns:
        Whether there is something to act on.
    """
    verdict = notification.verdict
    is_genuine_one = verdict is Verdict.GENUINE
    row = {
        "id": new_id("paynot"),
        "provider_id": _kept_text(provider_id, 80),
        "dedupe_key": (is_genuine_one and _kept_text(notification.dedupe_key, 200)) or digest,
        "verdict": verdict.value,
        "reference": _kept_text(notification.reference or "", 80) or None,
        "invoice": _kept_text(notification.invoice or "", 80) or None,
        "state_code": 1 if notification.tells_end else None,
        "fields": {
            _kept_text(name, 80): _kept_text(value, MAX_FIELD_TEXT)
            for name, value in list(notification.fields.items())[:MAX_FIELDS]
        },
        "times_received": 1,
        "tries": 0,
        "next_try_at": now() if is_genuine_one else None,
        "created_at": now(),
        "updated_at": now(),
    }
    if not is_genuine_one:
        log.info("a notification of %r is %s: recorded, without effect", provider_id[:80], verdict)
    async with database.transaction() as session:
        insert = (sqlite if database.is_sqlite else postgresql).insert(PaymentNotification).values(row)
        times_received = PaymentNotification.times_received
        again = insert.on_conflict_do_update(
            index_elements=["provider_id", "dedupe_key"],
            set_={"times_received": times_received + 1, "updated_at": now()},
        ).returning(times_received)
        times = (await session.execute(again)).scalar_one()
        if not is_genuine_one:
            await _make_room(session)
    return is_genuine_one and times == 1


def _kept_text(value: object, most: int) -> str:
    """Text from outside as it can be kept: of bounded length, without the NUL and lone surrogates no database takes."""
    text = str(value)[:most].replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text.encode("utf-8", "replace").decode()


async def _make_room(session: AsyncSession) -> None:
    useless = PaymentNotification.verdict != Verdict.GENUINE
    count = (
        await session.execute(select(func.count()).select_from(PaymentNotification).where(useless))
    ).scalar_one()
    if count > MAX_USELESS:
        oldest = (
            select(PaymentNotification.id)
            .where(useless)
            .order_by(PaymentNotification.id)
            .limit(MAX_USELESS // 10)
        )
        await session.execute(delete(PaymentNotification).where(PaymentNotification.id.in_(oldest)))


async def handle_due(database: Database, providers: Providers, *, limit: int = 100) -> int:
    """Act on every stored notification that waits for it, oldest first.

    Returns:
        How many were acted on.
    """
    async with database.read() as session:
        waiting = (
            select(PaymentNotification.id)
            .where(PaymentNotification.next_try_at <= now())
            .order_by(PaymentNotification.id)
            .limit(limit)
        )
        ids = (await session.execute(waiting)).scalars().all()
    for notification_id in ids:
        notification = await _claim(database, notification_id)
        if notification is not None:
            await _handle(database, providers, notification)
    return len(ids)


async def _claim(database: Database, notification_id: str) -> PaymentNotification | None:
    """Take a waiting notification for this worker: until `RETRY_AFTER` it waits for nobody else."""
    async with database.transaction() as session:
        claim = (
            update(PaymentNotification)
            .where(
                PaymentNotification.id == notification_id,
                PaymentNotification.next_try_at <= now(),
            )
            .values(next_try_at=now() + RETRY_AFTER, tries=PaymentNotification.tries + 1)
            .execution_options(synchronize_session=False)
        )
        if cast("CursorResult[Any]", await session.execute(claim)).rowcount == 0:
            return None
        return await session.get_one(PaymentNotification, notification_id)


async def _handle(database: Database, providers: Providers, notification: PaymentNotification) -> None:
    attempt = await _attempt_of(database, notification)
    if attempt is None:
        log.warning("notification %s names no payment of ours", notification.id)
    elif attempt.reference not in (None, notification.reference):
        # the gateway knows a second transaction for our invoice: only its approval says anything about the payment
        await settle_if_captured(database, providers, attempt, notification.reference)
    else:
        attempt.reference = notification.reference  # we may never have had the answer that named it
        state = await ask_and_settle(database, providers, attempt)
        told_its_end = notification.state_code is not None
        if (
            told_its_end
            and state.is_open
            and state is not SessionState.HELD
            and notification.tries < MAX_TRIES
        ):
            return  # the gateway's own lookup lags behind its notification: it stays due and is tried again
    async with database.transaction() as session:
        done = await session.get_one(PaymentNotification, notification.id)
        done.next_try_at, done.handled_at = None, now()


async def _attempt_of(database: Database, notification: PaymentNotification) -> PaymentSession | None:
    async with database.read() as session:
        named = or_(
            PaymentSession.invoice == notification.invoice,
            PaymentSession.reference == notification.reference,
        )
        return (await session.execute(select(PaymentSession).where(named).limit(1))).scalar_one_or_none()
