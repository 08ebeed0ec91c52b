"""The owner's webhook: signed calls, repeated until one is accepted, and none about the webhook itself."""

import base64
import hmac
import json
from hashlib import sha256

import httpx
from sqlalchemy import select, update

from backend.alerts import AlertKind, raise_alert
from backend.app import Shop
from backend.attention import AttentionKind
from backend.attention.service import raise_attention
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import db_now
from backend.core.events import publish
from backend.core.web.webhook_signing import build_signed_headers
from backend.jobs import JobFailed, Worker
from backend.jobs.models import Job
from backend.mail.models import Mail
from backend.operations.monitoring.alert_webhook import CALL_JOB, OwnersWebhook

SECRET = "whsec_" + base64.b64encode(b"a key of twenty-four byte").decode()


class WebhookReceiver:
    """A shop whose alerts are sent to a webhook that records the calls and answers `status`."""

    def __init__(self, shop: Shop, **settings: object) -> None:
        self.calls: list[httpx.Request] = []
        self.status = 204
        told = shop.settings.model_copy(
            update=Settings.model_validate(
                {"alert_webhook": "https://hooks.example/trompo", "alert_webhook_secret": SECRET}
            ).model_dump(include={"alert_webhook", "alert_webhook_secret"})
            | settings
        )
        webhook = OwnersWebhook(shop.database, told, httpx.MockTransport(self._answer))
        self.worker = Worker(shop.database, [webhook])

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.calls.append(request)
        return httpx.Response(self.status)


async def raise_test_alert(shop: Shop) -> None:
    async with shop.database.transaction() as session:
        await raise_alert(session, AlertKind.OUTSIDE, "gateway", "gateway has failed for 5 minutes")


async def test_webhook_call_is_signed(shop: Shop) -> None:
    hook = WebhookReceiver(shop)
    await raise_test_alert(shop)
    assert await hook.worker.run_due() == 1
    (call,) = hook.calls
    body = json.loads(call.content)
    assert (body["event"], body["kind"], body["subject"]) == ("began", "outside", "gateway")
    assert body["ended_at"] is None
    headers = call.headers
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + call.content
    expected = base64.b64encode(hmac.new(b"a key of twenty-four byte", content, sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert await hook.worker.run_due() == 0


async def test_refused_webhook_call_is_repeated_with_the_same_id(shop: Shop) -> None:
    hook = WebhookReceiver(shop)
    hook.status = 500
    await raise_test_alert(shop)
    await hook.worker.run_due()
    async with shop.database.transaction() as session:
        await session.execute(update(Job).where(Job.kind == CALL_JOB).values(run_at=db_now()))
    hook.status = 200
    await hook.worker.run_due()
    assert [call.headers["webhook-id"] for call in hook.calls] == [hook.calls[0].headers["webhook-id"]] * 2
    async with shop.database.read() as session:
        assert (await session.execute(select(Job).where(Job.kind == CALL_JOB))).first() is None


async def test_alert_webhook_without_a_url_is_not_called(shop: Shop) -> None:
    hook = WebhookReceiver(shop, alert_webhook="")
    await raise_test_alert(shop)
    assert await hook.worker.run_due() == 0
    assert hook.calls == []


async def test_alert_webhook_is_not_called_after_its_url_was_removed(shop: Shop) -> None:
    WebhookReceiver(shop)
    await raise_test_alert(shop)
    hook = WebhookReceiver(shop, alert_webhook="")
    assert await hook.worker.run_due() == 1
    assert hook.calls == []


async def test_new_attention_row_is_sent_to_the_webhook(shop: Shop) -> None:
    hook = WebhookReceiver(shop)
    async with shop.database.transaction() as session:
        await raise_attention(session, AttentionKind.STOCK_SHORT, message="one is gone", subject_id="x")
    await hook.worker.run_due()
    (call,) = hook.calls
    body = json.loads(call.content)
    assert (body["event"], body["kind"], body["message"]) == ("attention", "stock_short", "one is gone")


async def mails(shop: Shop) -> list[str]:
    async with shop.database.read() as session:
        return list((await session.execute(select(Mail.kind))).scalars())


async def give_up_job(shop: Shop, kind: str, key: str) -> None:
    async with shop.database.transaction() as session:
        await publish(session, JobFailed(7, kind, key, "refused"))


async def test_given_up_webhook_calls_are_reported_only_by_mail(shop: Shop) -> None:
    hook = WebhookReceiver(shop)
    await give_up_job(shop, CALL_JOB, "began:alert_1")
    assert await hook.worker.run_due() == 0
    assert await mails(shop) == ["attention"]


async def test_given_up_mails_are_reported_only_by_webhook(shop: Shop) -> None:
    hook = WebhookReceiver(shop)
    await give_up_job(shop, "mail.send", "mail_1")
    assert await hook.worker.run_due() == 1
    assert await mails(shop) == []


def test_webhook_secret_without_a_prefix_is_used_as_written() -> None:
    headers = build_signed_headers(["a secret"], "id", now(), b"{}")
    content = f"id.{headers['webhook-timestamp']}.{{}}".encode()
    expected = base64.b64encode(hmac.new(b"a secret", content, sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
