"""The owner's webhook: alerts with their ends, and what a person must settle, as signed calls that are repeated.

Signed as Standard Webhooks says (standardwebhooks.com): the headers `webhook-id`, `webhook-timestamp` (seconds) and
`webhook-signature`, which is `v1,` and the base64 of the HMAC-SHA256 over `{id}.{timestamp}.{body}`. The id stays the
same when a call is repeated.
"""

import base64
import binascii
import hmac
import json
from datetime import datetime
from hashlib import sha256
from weakref import WeakKeyDictionary

import httpx
from sqlalchemy import Connection, Engine
from sqlalchemy.ext.asyncio import AsyncSession

from backend.alerts import AlertBegan, AlertEnded, read_alert
from backend.attention.service import AttentionRaised, read_attention
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import OutsideFailure
from backend.core.events import subscribe
from backend.core.ids import new_id
from backend.core.web.http_client import HttpClient, RetryPolicy
from backend.jobs import JobRun, enqueue, job
from backend.office_settings import read_effective_settings

CALL = "alert.webhook"
"""The job that calls; its key says about what: `{began|ended|attention}:{id}`."""
WITHIN = 10.0
"""Seconds for a call."""
BASE64_SECRET = "whsec_"  # noqa: S105 - how such a secret begins


_settings: WeakKeyDictionary[Engine | Connection, Settings] = WeakKeyDictionary()
"""The first values of the settings of each shop, by its database."""


class OwnersWebhook:
    """Calls the owner's address, if there is one. `transport` carries the calls in place of a socket."""

    def __init__(
        self, database: Database, settings: Settings, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self._database = database
        self._settings = settings
        self._http = HttpClient("the owner's webhook", RetryPolicy(), transport=transport)
        _settings[database.engine.sync_engine] = settings

    async def close(self) -> None:
        """Close the connections."""
        await self._http.close()

    @job(CALL)
    async def call(self, run: JobRun) -> None:
        """Tell it, unless nobody wants to hear it any more.

        Raises:
            OutsideFailure: it was not taken (with a status from 200 to 299).
        """
        event, _, subject = str(run.key).partition(":")
        async with self._database.read() as session:
            url = (await read_effective_settings(session, self._settings)).alert_webhook
            if not url:
                return
            what = await _what(session, event, subject)
        await self._send(url, str(run.key), {"event": event, **what})

    async def try_out(self, url: str) -> None:
        """Call this address once, to see whether it takes calls: the event is `test`.

        Raises:
            OutsideFailure: it was not taken.
        """
        await self._send(url, f"test:{new_id('call')}", {"event": "test"})

    async def _send(self, url: str, call_id: str, said: dict[str, str | None]) -> None:
        body = json.dumps({"shop": self._settings.base_url, **said}, ensure_ascii=False).encode()
        headers = signed(self._settings.alert_webhook_secret.get_secret_value(), call_id, now(), body)
        answer = await self._http.send("POST", url, WITHIN, headers=headers, content=body)
        if not answer.is_success:
            raise OutsideFailure(f"The owner's webhook answered with {answer.status_code}")


async def _what(session: AsyncSession, event: str, subject: str) -> dict[str, str | None]:
    """What there is to tell.

    Raises:
        NotFound: it is gone.
    """
    if event == "attention":
        row = await read_attention(session, subject)
        due = row.due_at.isoformat() if row.due_at else None
        return {
            "id": row.id,
            "kind": row.kind,
            "message": row.message,
            "order_id": row.order_id,
            "due_at": due,
        }
    alert = await read_alert(session, subject)
    return {
        "id": alert.id,
        "kind": alert.kind,
        "subject": alert.subject,
        "message": alert.message,
        "began_at": alert.began_at.isoformat(),
        "ended_at": alert.ended_at.isoformat() if alert.ended_at else None,
    }


def signed(secret: str, call_id: str, moment: datetime, body: bytes) -> dict[str, str]:
    """The headers of a call."""
    timestamp = str(int(moment.timestamp()))
    content = b".".join((call_id.encode(), timestamp.encode(), body))
    signature = base64.b64encode(hmac.new(_key(secret), content, sha256).digest()).decode()
    return {
        "content-type": "application/json",
        "webhook-id": call_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{signature}",
    }


def _key(secret: str) -> bytes:
    """The secret itself, or what `whsec_…` stands for."""
    if secret.startswith(BASE64_SECRET):
        try:
            return base64.b64decode(secret.removeprefix(BASE64_SECRET), validate=True)
        except binascii.Error:
            pass  # then it is taken as it stands
    return secret.encode()


@subscribe(AlertBegan)
async def alert_began(session: AsyncSession, event: AlertBegan) -> None:
    """Tell that it began."""
    await _enqueue(session, f"began:{event.alert_id}")


@subscribe(AlertEnded)
async def alert_ended(session: AsyncSession, event: AlertEnded) -> None:
    """Tell that it is over."""
    await _enqueue(session, f"ended:{event.alert_id}")


@subscribe(AttentionRaised)
async def attention_raised(session: AsyncSession, event: AttentionRaised) -> None:
    """Tell that somebody must settle something, unless it is that these calls are not taken."""
    row = await read_attention(session, event.attention_id)
    if row.data.get("kind") != CALL:
        await _enqueue(session, f"attention:{event.attention_id}")


async def _enqueue(session: AsyncSession, key: str) -> None:
    settings = _settings.get(session.get_bind())
    if settings is not None and (await read_effective_settings(session, settings)).alert_webhook:
        await enqueue(session, CALL, key=key)
