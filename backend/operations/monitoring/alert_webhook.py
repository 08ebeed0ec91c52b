"""The owner's webhook: signed calls about new and ended alerts and about new attention rows. Failed calls are retried.

`backend.core.web.webhook_signing` signs the calls. A repeated call has the same id.
"""

import json
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
from backend.core.web.webhook_signing import build_signed_headers
from backend.jobs import JobRun, enqueue, job
from backend.office_settings import read_effective_settings

CALL_JOB = "alert.webhook"
"""Kind of the job that calls. Its key names the subject: `{began|ended|attention}:{id}`."""
CALL_TIMEOUT_S = 10.0
"""Timeout of a call."""

_settings: WeakKeyDictionary[Engine | Connection, Settings] = WeakKeyDictionary()
"""The settings with which the shop of a database was started, by the database's engine."""


class OwnersWebhook:
    """Client that calls the owner's webhook URL, if one is set. `transport` replaces the network connection."""

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

    @job(CALL_JOB)
    async def call(self, run: JobRun) -> None:
        """Send one call, unless the owner has removed the webhook URL.

        Raises:
            OutsideFailure: there is no response with a status from 200 to 299.
        """
        event, _, subject = str(run.key).partition(":")
        async with self._database.read() as session:
            url = (await read_effective_settings(session, self._settings)).alert_webhook
            if not url:
                return
            fields = await _build_call_fields(session, event, subject)
        await self._send(url, str(run.key), {"event": event, **fields})

    async def send_test_call(self, url: str) -> None:
        """Call this URL once with the event `test`, to check that it accepts calls.

        Raises:
            OutsideFailure: the URL did not accept the call.
        """
        await self._send(url, f"test:{new_id('call')}", {"event": "test"})

    async def _send(self, url: str, call_id: str, fields: dict[str, str | None]) -> None:
        body = json.dumps({"shop": self._settings.base_url, **fields}, ensure_ascii=False).encode()
        secret = self._settings.alert_webhook_secret.get_secret_value()
        headers = build_signed_headers([secret], call_id, now(), body)
        answer = await self._http.send("POST", url, CALL_TIMEOUT_S, headers=headers, content=body)
        if not answer.is_success:
            raise OutsideFailure(f"The owner's webhook answered with {answer.status_code}")


async def _build_call_fields(session: AsyncSession, event: str, subject: str) -> dict[str, str | None]:
    """Return the fields of the call about an alert or an attention row.

    Raises:
        NotFound: the alert or the attention row no longer exists.
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


@subscribe(AlertBegan)
async def enqueue_alert_began(session: AsyncSession, event: AlertBegan) -> None:
    """Enqueue the call of the owner's webhook that reports that an alert began."""
    await _enqueue(session, f"began:{event.alert_id}")


@subscribe(AlertEnded)
async def enqueue_alert_ended(session: AsyncSession, event: AlertEnded) -> None:
    """Enqueue a call to the owner's webhook that the alert ended."""
    await _enqueue(session, f"ended:{event.alert_id}")


@subscribe(AttentionRaised)
async def enqueue_attention_raised(session: AsyncSession, event: AttentionRaised) -> None:
    """Enqueue a call about a new attention row, unless the row is about failed calls of this webhook."""
    row = await read_attention(session, event.attention_id)
    if row.data.get("kind") != CALL_JOB:
        await _enqueue(session, f"attention:{event.attention_id}")


async def _enqueue(session: AsyncSession, key: str) -> None:
    settings = _settings.get(session.get_bind())
    if settings is not None and (await read_effective_settings(session, settings)).alert_webhook:
        await enqueue(session, CALL_JOB, key=key)
