"""Sending of batches of notices to browsers.

A message is sent at least once. If it is sent twice, the browser replaces the first with the second, because both have
the same tag. A subscription that the push service no longer knows is deleted.
"""

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import orjson
from sqlalchemy import delete

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import OutsideFailure
from backend.core.web.outside_post import NotCallable, resolve_target
from backend.jobs import JobRun, RunAgain, job
from backend.office_settings import read_effective_settings
from backend.staff_notices.choices import Channel
from backend.staff_notices.content import read_batch
from backend.staff_notices.notice_content import NoticeContent
from backend.staff_notices.push.models import SEND_PUSH, PushSubscription

if TYPE_CHECKING:
    from backend.staff_notices.push.vapid import VapidKey

log = logging.getLogger(__name__)

TIMEOUT_S = 10.0
MAX_ANSWER_BYTES = 500
MESSAGE_LIFETIME = timedelta(days=1)
"""Time for which the push service stores a message of a browser that is not reachable."""
RETRY_PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 240))
MAX_BODY_LINES = 4
NO_ANSWER, PRIVATE = 0, 1
"""Instead of a status: there is no answer, or the address is not public."""
GONE = frozenset({401, 403, 404, 410, PRIVATE})
"""Statuses of subscriptions that do not exist any more, belong to another key of the shop, or must not be called."""


@dataclass(frozen=True, slots=True)
class _Message:
    """A message, and the subscription that gets it."""

    subscription: PushSubscription
    payload: bytes
    contact: str


class PushSender:
    """Sends notices to browsers. With `allow_private`, also to http URLs and to this machine and its networks."""

    def __init__(self, database: Database, settings: Settings, *, allow_private: bool = False) -> None:
        self._database = database
        self._settings = settings
        self._allow_private = allow_private
        self._key: VapidKey | None = None

    @job(SEND_PUSH)
    async def send(self, run: JobRun) -> RunAgain | None:
        """Send a batch to a browser, unless its staff member no longer gets notices of this kind.

        If the push service reports that the subscription is gone, delete it. After other failures, try again some
        times.
        """
        batch_id, subscription_id = str(run.key).split(" ")
        message = await self._read_message(batch_id, subscription_id)
        if message is None:
            return None
        try:
            status = await self._post(message)
        except OutsideFailure as error:
            log.info("a push message was not sent: %s", error.message)
            status = PRIVATE if isinstance(error, NotCallable) and error.is_private else NO_ANSWER
        if status in GONE:
            async with self._database.transaction() as session:
                gone = delete(PushSubscription).where(PushSubscription.id == subscription_id)
                await session.execute(gone)
            return None
        if 200 <= status < 300:
            return None
        if run.attempt > len(RETRY_PAUSES):
            log.warning("a push message is given up: the push service answers with %s", status)
            return None
        return RunAgain(RETRY_PAUSES[run.attempt - 1])

    async def _read_message(self, batch_id: str, subscription_id: str) -> _Message | None:
        async with self._database.read() as session:
            subscription = await session.get(PushSubscription, subscription_id)
            if subscription is None:
                return None
            batch = await read_batch(session, batch_id, subscription.staff_id, Channel.PUSH)
            if batch is None:
                return None
            _kind, content = batch
            contact = (await read_effective_settings(session, self._settings)).store_email
        return _Message(subscription, build_payload(content, batch_id), contact)

    async def _post(self, message: _Message) -> int:
        """Send a message to the push service, and return the status of its answer.

        Raises:
            NotCallable: the URL of the subscription cannot be called.
            OutsideFailure: there is no answer.
        """
        # large imports that only a shop with subscriptions needs
        from backend.staff_notices.push.encryption import encrypt, parse_browser_keys
        from backend.staff_notices.push.vapid import read_vapid_key

        self._key = self._key or read_vapid_key(self._settings)
        subscription = message.subscription
        target = await resolve_target(subscription.endpoint, allow_private=self._allow_private)
        keys = parse_browser_keys(subscription.p256dh, subscription.auth)
        headers = {
            "authorization": self._key.build_authorization(subscription.endpoint, message.contact),
            "content-encoding": "aes128gcm",
            "content-type": "application/octet-stream",
            "ttl": str(int(MESSAGE_LIFETIME.total_seconds())),
            "urgency": "high",
        }
        answer = await target.post(
            encrypt(message.payload, keys), headers, timeout_s=TIMEOUT_S, max_bytes=MAX_ANSWER_BYTES
        )
        return answer.status


def build_payload(content: NoticeContent, batch_id: str) -> bytes:
    """Return the message that the service worker displays, as JSON. Lines that do not fit are left out."""
    from backend.staff_notices.push.encryption import MAX_PAYLOAD_BYTES

    lines = content.lines[:MAX_BODY_LINES]
    while True:
        payload = orjson.dumps(
            {
                "title": content.title[:200],
                "body": "\n".join(lines),
                "path": content.path,
                "action": content.link_label,
                "picture": content.picture,
                "tag": batch_id,
            }
        )
        if len(payload) <= MAX_PAYLOAD_BYTES or not lines:
            return payload
        lines = lines[:-1]
