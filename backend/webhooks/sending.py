"""Sending of deliveries: one job for each endpoint, so that an endpoint that fails or is slow delays no other.

- At least once: a delivery waits until an answer with a status from 200 to 299 was stored. If the process ends before
  that, it is sent again with the same id. After that it is never sent again.
- A failed delivery is tried again after each of `RETRY_PAUSES`, then given up.
- While an endpoint fails, only one delivery is tried at a time, with growing pauses. An endpoint that fails for
  `GIVE_UP_AFTER` is switched off, and the owner is notified by an attention row.
"""

import asyncio
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind, raise_attention
from backend.attention.descriptions import REASON, TITLE
from backend.audit import Subject, SubjectType, record
from backend.core.clock import now
from backend.core.db.database import Database, database_now, db_now, lock_rows
from backend.core.errors import NotFound, OutsideFailure
from backend.core.ids import new_id
from backend.core.observability.logs import clean_text
from backend.core.texts import _
from backend.core.web.outside_post import OutsideAnswer, OutsideTarget, resolve_target
from backend.core.web.webhook_signing import build_signed_headers
from backend.edge.wire import iso
from backend.jobs import JobRun, RunAgain, job
from backend.rate_limit.limiter import Client, RateLimit, hit
from backend.staff.rights import Actor
from backend.webhooks.models import PING, DeliveryState, WebhookDelivery, WebhookEndpoint
from backend.webhooks.recording import SEND_JOB
from backend.webhooks.service import delete_deliveries, find_endpoint, get_host, lock_endpoint, read_secrets

log = logging.getLogger(__name__)

BATCH_SIZE = 8
"""Maximum number of simultaneous calls of one endpoint."""
CALL_TIMEOUT_S = 10.0
MAX_ANSWER_BYTES = 2_000
MAX_ANSWER_LENGTH = 300
"""Maximum number of stored characters of an answer."""
RETRY_PAUSES = tuple(
    timedelta(seconds=seconds)
    for seconds in (10, 60, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
)
"""Pauses before the second and each later attempt of a delivery: about three days together."""
MIN_ENDPOINT_PAUSE, MAX_ENDPOINT_PAUSE = timedelta(seconds=5), timedelta(hours=1)
"""Pause of an endpoint after one failure. It doubles with each further failure, up to the maximum."""
GIVE_UP_AFTER = timedelta(days=3)
MIN_FAILURES = 5
"""Minimum number of failures in a row before an endpoint is switched off."""
MAX_WAITING = 20_000
"""Maximum number of waiting deliveries. With more, an endpoint is switched off after `MIN_FAILURES` failures."""
TEST_LIMIT = RateLimit("webhook test", per_pair=20, per_client=1_000, per_subject=20)
NO_SECRET = "SECRET_KEY has changed since: rotate the secret"  # noqa: S105 - a message


@dataclass(frozen=True, slots=True)
class Attempt:
    """Result of an attempt to deliver an event: the answer, or the reason why there is none.

    Attributes:
        status: HTTP status of the answer; None without an answer.
    """

    delivery_id: str
    is_delivered: bool
    status: int | None
    answer: str


class WebhookSender:
    """Sends events to webhook endpoints.

    `allow_private` allows http URLs, and hosts with private addresses (this machine, its networks).
    """

    def __init__(self, database: Database, signing_key: str, *, allow_private: bool = False) -> None:
        self._database = database
        self._signing_key = signing_key
        self._allow_private = allow_private

    @job(SEND_JOB, give_up_after=None)
    async def send_due(self, run: JobRun) -> RunAgain | None:
        """Send the due deliveries of one endpoint, and store the results.

        If the endpoint was deleted, delete its deliveries. If it is paused, run again after the pause.
        """
        endpoint_id = str(run.key)
        async with self._database.read() as session:
            endpoint = await session.get(WebhookEndpoint, endpoint_id)
            if endpoint is not None:
                if not endpoint.is_active:
                    return None
                if (pause := await _read_pause(session, endpoint)) is not None:
                    return RunAgain(pause)
                due = await _read_due(session, endpoint)
        if endpoint is None:
            async with self._database.transaction() as session:
                await delete_deliveries(session, endpoint_id)
            return None
        attempts = await self._send_all(endpoint, due)
        async with self._database.transaction() as session:
            return await _store_attempts(session, endpoint_id, attempts)

    async def send_test(self, actor: Actor, endpoint_id: str) -> WebhookDelivery:
        """Send the event `ping` to an endpoint once, whether it is switched on or not, and store the delivery.

        Raises:
            NotFound: the endpoint does not exist.
            TooManyRequests: the actor ran too many tests recently.
        """
        async with self._database.read() as session:
            endpoint = await find_endpoint(session, actor, endpoint_id)
        await hit(self._database, TEST_LIMIT, actor.id, Client(actor.id))
        delivery = WebhookDelivery(endpoint_id=endpoint_id, event_id=new_id("evt"), event=PING)
        (attempt,) = await self._send_all(endpoint, [delivery])
        async with self._database.transaction() as session:
            await lock_endpoint(session, endpoint_id)
            await record(session, actor, "tried out", Subject(SubjectType.WEBHOOK, endpoint_id))
            _apply(delivery, attempt, await database_now(session))
            if not attempt.is_delivered:
                delivery.state, delivery.next_try_at = DeliveryState.FAILED, None
            session.add(delivery)
            await session.flush()
        return delivery

    async def _send_all(
        self, endpoint: WebhookEndpoint, deliveries: Sequence[WebhookDelivery]
    ) -> list[Attempt]:
        if not deliveries:
            return []
        until = endpoint.former_secret_until
        secrets = read_secrets(
            self._signing_key, endpoint, includes_former=until is not None and until > now()
        )
        try:
            if not secrets:
                raise OutsideFailure(NO_SECRET)
            target = await resolve_target(endpoint.callback_url, allow_private=self._allow_private)
        except OutsideFailure as error:
            return [
                Attempt(one.id, is_delivered=False, status=None, answer=error.message) for one in deliveries
            ]
        return await asyncio.gather(*(_send(target, secrets, one) for one in deliveries))


async def _read_pause(session: AsyncSession, endpoint: WebhookEndpoint) -> timedelta | None:
    """Return the time until the endpoint may be called again; None if it is not paused."""
    if endpoint.paused_until is None:
        return None
    rest = endpoint.paused_until - await database_now(session)
    return rest if rest > timedelta() else None


async def _read_due(session: AsyncSession, endpoint: WebhookEndpoint) -> Sequence[WebhookDelivery]:
    """Return the due deliveries: one if the latest attempt failed, otherwise at most `BATCH_SIZE`."""
    query = (
        select(WebhookDelivery)
        .where(WebhookDelivery.endpoint_id == endpoint.id, WebhookDelivery.next_try_at <= db_now())
        .order_by(WebhookDelivery.next_try_at, WebhookDelivery.id)
        .limit(1 if endpoint.failures else BATCH_SIZE)
    )
    return (await session.execute(query)).scalars().all()


async def _send(target: OutsideTarget, secrets: Sequence[str], delivery: WebhookDelivery) -> Attempt:
    body = build_body(delivery)
    headers = build_signed_headers(secrets, delivery.event_id, now(), body)
    try:
        answer = await target.post(body, headers, timeout_s=CALL_TIMEOUT_S, max_bytes=MAX_ANSWER_BYTES)
    except OutsideFailure as error:
        return Attempt(delivery.id, is_delivered=False, status=None, answer=error.message)
    return Attempt(delivery.id, answer.is_success, answer.status, _clean_answer(answer, secrets))


def build_body(delivery: WebhookDelivery) -> bytes:
    """Return the JSON of a delivery. It is the same for every attempt, and has no personal data."""
    body = {
        "id": delivery.event_id,
        "event": delivery.event,
        "created_at": iso(delivery.created_at),
        "data": delivery.data,
    }
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def _clean_answer(answer: OutsideAnswer, secrets: Sequence[str]) -> str:
    text = answer.text
    for secret in secrets:
        text = text.replace(secret, "")
    return clean_text(text, MAX_ANSWER_LENGTH)


async def _store_attempts(
    session: AsyncSession, endpoint_id: str, attempts: Sequence[Attempt]
) -> RunAgain | None:
    """Store the results. Switch the endpoint off if it has failed too long.

    Return when the job runs again; None if nothing waits, or if the endpoint is switched off or deleted.
    """
    try:
        endpoint = await lock_endpoint(session, endpoint_id)
    except NotFound:
        return None  # it was deleted in the meantime, with its deliveries
    moment = await database_now(session)
    query = (
        select(WebhookDelivery)
        .where(
            WebhookDelivery.id.in_([one.delivery_id for one in attempts]),
            WebhookDelivery.state == DeliveryState.WAITING,
        )
        .order_by(WebhookDelivery.id)
    )
    waiting = {one.id: one for one in (await session.execute(lock_rows(query))).scalars()}
    for attempt in attempts:
        if attempt.delivery_id in waiting:
            _apply(waiting[attempt.delivery_id], attempt, moment)
    await session.flush()
    if any(attempt.is_delivered for attempt in attempts):
        endpoint.failures, endpoint.failing_since, endpoint.paused_until = 0, None, None
    elif attempts:
        endpoint.failures += 1
        endpoint.failing_since = endpoint.failing_since or moment
        endpoint.paused_until = moment + _pause_after(endpoint.failures)
        if await _is_failing_too_long(session, endpoint, moment):
            await _switch_off(session, endpoint, attempts[-1])
            return None
    first = select(func.min(WebhookDelivery.next_try_at)).where(WebhookDelivery.endpoint_id == endpoint_id)
    next_try_at = (await session.execute(first)).scalar_one()
    if next_try_at is None or not endpoint.is_active:
        return None
    return RunAgain(max((endpoint.paused_until or moment) - moment, next_try_at - moment, timedelta()))


def _apply(delivery: WebhookDelivery, attempt: Attempt, moment: datetime) -> None:
    delivery.attempts += 1
    delivery.tried_at, delivery.status, delivery.answer = moment, attempt.status, attempt.answer
    delivery.next_try_at = None
    if attempt.is_delivered:
        delivery.state = DeliveryState.DELIVERED
    elif delivery.attempts > len(RETRY_PAUSES):
        delivery.state = DeliveryState.FAILED
    else:
        delivery.next_try_at = moment + RETRY_PAUSES[delivery.attempts - 1]


def _pause_after(failures: int) -> timedelta:
    doublings = min(failures - 1, 20)
    return min(MIN_ENDPOINT_PAUSE * (1 << doublings), MAX_ENDPOINT_PAUSE)


async def _is_failing_too_long(session: AsyncSession, endpoint: WebhookEndpoint, moment: datetime) -> bool:
    if endpoint.failures < MIN_FAILURES:
        return False
    if endpoint.failing_since is not None and moment - endpoint.failing_since >= GIVE_UP_AFTER:
        return True
    waiting = select(func.count()).where(
        WebhookDelivery.endpoint_id == endpoint.id, WebhookDelivery.next_try_at.is_not(None)
    )
    return (await session.execute(waiting)).scalar_one() > MAX_WAITING


async def _switch_off(session: AsyncSession, endpoint: WebhookEndpoint, latest: Attempt) -> None:
    endpoint.is_active, endpoint.is_given_up = False, True
    host = get_host(endpoint.callback_url)
    answer = f"status {latest.status}" if latest.status is not None else latest.answer
    reason = {} if latest.status is None else {REASON: _("respondió {status}").format(status=latest.status)}
    log.warning("webhook %s is switched off: %s", endpoint.id, answer)
    await raise_attention(
        session,
        AttentionKind.WEBHOOK_OFF,
        subject_id=endpoint.id,
        message=f"The webhook of {host} failed {endpoint.failures} times in a row and was switched off: {answer}",
        data={TITLE: host, **reason},
    )
