"""Delivery of notifications to the merchant.

Each notification is sent until the merchant answers with 200, also after a restart.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import cast
from urllib.parse import urlsplit

import httpx
from sqlalchemy import select, update
from sqlmodel import col

from backend.core.db.database import Database, database_now, db_now, lock_rows
from backend.migrations.sandbox_tables import SandboxNotification, SandboxTransaction
from backend.payment.providers.pse.requests import GatewayCredentials
from backend.sandbox.gateway.debits import confirmation_method
from backend.sandbox.gateway.ledger import Ledger
from backend.sandbox.gateway.responses import notification_fields

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 12
ANSWER_TIMEOUT_S = 30.0
"""Seconds in which the merchant must answer with 200 (wire: gateway 1.8)."""
POLL_INTERVAL_S = 30.0
"""Seconds between checks of the queue without a wake-up, because another process may have added a notification."""


def pause_after(attempts: int) -> timedelta:
    """Return the pause after `attempts` failed attempts: 1, 2, 4 … seconds, at most 15 minutes."""
    return timedelta(seconds=min(2 ** (attempts - 1), 900))


@dataclass(frozen=True)
class WebhookDelivery:
    """One attempt to deliver one notification."""

    notification_id: int
    attempt: int
    method: str
    url: str
    fields: dict[str, str]


class Notifier:
    """Background task that delivers the queued notifications.

    Several processes may share a queue: each claims its rows.
    """

    def __init__(
        self,
        database: Database,
        ledger: Ledger,
        http: httpx.AsyncClient,
        keys: GatewayCredentials,
        *,
        may_reach: Callable[[str], bool],
        pause: Callable[[int], timedelta] = pause_after,
    ) -> None:
        self._database = database
        self._ledger = ledger
        self._http = http
        self._keys = keys
        self._may_reach = may_reach
        self._pause = pause
        self._woken = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start the delivery. Stored notifications are sent first."""
        if self._running is None:
            self._running = asyncio.create_task(self._run(), name="sandbox gateway notifier")

    async def stop(self) -> None:
        """Stop the delivery. Notifications that the merchant has not answered with 200 stay in the queue."""
        running, self._running = self._running, None
        if running is not None:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running

    def wake(self) -> None:
        """Wake the notifier because a notification was queued."""
        self._woken.set()

    async def deliver_due(self) -> int:
        """Try to deliver all due notifications at the same time. Return their number."""
        deliveries = await self._claim()
        async with asyncio.TaskGroup() as group:
            for delivery in deliveries:
                group.create_task(self._deliver(delivery))
        return len(deliveries)

    async def _run(self) -> None:
        async with asyncio.TaskGroup() as group:
            while True:
                self._woken.clear()
                try:
                    await self._ledger.abandon_overdue()
                    # a separate task for each: a slow merchant does not delay other notifications
                    for delivery in await self._claim():
                        group.create_task(self._deliver(delivery))
                    pause = await self._seconds_until_due()
                except Exception:
                    log.exception("the sandbox gateway could not send notifications")
                    pause = POLL_INTERVAL_S
                with suppress(TimeoutError):
                    async with asyncio.timeout(pause):
                        await self._woken.wait()

    async def _claim(self) -> list[WebhookDelivery]:
        """Claim the due notifications. Give up those whose address is not allowed.

        If an attempt does not end in time, other processes may claim its notification again.
        """
        query = (
            select(SandboxNotification)
            .where(
                col(SandboxNotification.delivered_at).is_(None), col(SandboxNotification.due_at) <= db_now()
            )
            .order_by(col(SandboxNotification.due_at), col(SandboxNotification.id))
        )
        deliveries = []
        async with self._database.transaction() as session:
            moment = await database_now(session)
            for row in (await session.execute(lock_rows(query))).scalars():
                transaction = await session.get_one(SandboxTransaction, row.ref_payco)
                if not self._may_reach(transaction.fields["url_confirmacion"]):
                    log.warning(
                        "the sandbox gateway notifies this shop only, not invoice %s", transaction.invoice
                    )
                    row.due_at = None
                    continue
                row.attempts += 1
                row.due_at = moment + timedelta(seconds=ANSWER_TIMEOUT_S) + self._pause(row.attempts)
                deliveries.append(self._delivery(row, transaction))
        return deliveries

    def _delivery(self, row: SandboxNotification, transaction: SandboxTransaction) -> WebhookDelivery:
        return WebhookDelivery(
            notification_id=cast("int", row.id),
            attempt=row.attempts,
            method=confirmation_method(transaction.fields),
            url=transaction.fields["url_confirmacion"],
            fields=notification_fields(transaction, row.state, self._keys, forged=row.forged),
        )

    async def _deliver(self, delivery: WebhookDelivery) -> None:
        """Run one attempt and record its result. It never raises: after an error, another attempt follows."""
        try:
            arrived = await self._send(delivery)
            await self._record(delivery, arrived=arrived)
        except Exception:
            log.exception("the sandbox gateway failed to record a notification; it will be sent again")

    async def _send(self, delivery: WebhookDelivery) -> bool:
        """Send the notification. Return True if the merchant answered with 200 in time."""
        timeout = httpx.Timeout(ANSWER_TIMEOUT_S, connect=10.0)
        if delivery.method == "POST":
            request = self._http.build_request("POST", delivery.url, data=delivery.fields, timeout=timeout)
        else:
            url = httpx.URL(delivery.url).copy_merge_params(delivery.fields)
            request = self._http.build_request("GET", url, timeout=timeout)
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                response = await self._http.send(request, follow_redirects=False)
        except (httpx.HTTPError, TimeoutError) as error:
            log.warning("a notification did not arrive (%s)", type(error).__name__)
            return False
        if response.status_code != 200:
            log.warning("a notification was answered with HTTP %s", response.status_code)
        return response.status_code == 200

    async def _record(self, delivery: WebhookDelivery, *, arrived: bool) -> None:
        async with self._database.transaction() as session:
            moment = await database_now(session)
            again = moment + self._pause(delivery.attempt) if delivery.attempt < MAX_ATTEMPTS else None
            outcome = {"delivered_at": moment, "due_at": None} if arrived else {"due_at": again}
            await session.execute(
                update(SandboxNotification)
                .where(col(SandboxNotification.id) == delivery.notification_id)
                .values(**outcome)
            )
        if not arrived:
            self.wake()  # the next attempt is due before the loop would wake up

    async def _seconds_until_due(self) -> float:
        """Return the seconds until the next notification is due, `POLL_INTERVAL_S` at most."""
        query = select(col(SandboxNotification.due_at), db_now()).where(
            col(SandboxNotification.delivered_at).is_(None), col(SandboxNotification.due_at).is_not(None)
        )
        async with self._database.read() as session:
            first = (await session.execute(query.order_by(col(SandboxNotification.due_at)).limit(1))).first()
        return (
            POLL_INTERVAL_S
            if first is None
            else min(max((first[0] - first[1]).total_seconds(), 0), POLL_INTERVAL_S)
        )


LOOPBACK = ("localhost", "127.0.0.1", "::1")


class AllowedAddresses:
    """The rule that notifications may be sent only to the shop's own address.

    If that address is a loopback address, such as `localhost`, every loopback address is allowed.
    """

    def __init__(self, shop_url: str) -> None:
        self._origin = _parse_origin(shop_url)
        self._is_local = self._origin[1] in LOOPBACK

    def __call__(self, url: str) -> bool:
        """Return True if a notification may be sent to this address."""
        origin = _parse_origin(url)
        return origin == self._origin or (self._is_local and origin[1] in LOOPBACK)


def allow_all_addresses(_url: str) -> bool:
    """Allow every address, for a sandbox gateway that a test runs outside the shop."""
    return True


def _parse_origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, (parts.hostname or "").casefold(), port
