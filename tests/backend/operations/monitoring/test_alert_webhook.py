"""The owner's webhook: signed, repeated until it is taken, and never about itself."""

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
from backend.jobs import JobFailed, Worker
from backend.jobs.models import Job
from backend.mail.models import Mail
from backend.operations.monitoring.alert_webhook import CALL, OwnersWebhook, signed

SECRET = "whsec_" + base64.b64encode(b"a key of twenty-four byte").decode()


class Hook:
    """Somebody who is called."""

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


async def alarm(shop: Shop) -> None:
    async with shop.database.transaction() as session:
        await raise_alert(session, AlertKind.OUTSIDE, "gateway", "gateway has failed for 5 minutes")


async def test_a_call_is_signed(shop: Shop) -> None:
    hook = Hook(shop)
    await alarm(shop)
    assert await hook.worker.run_due() == 1
    (call,) = hook.calls
    said = json.loads(call.content)
    assert (said["event"], said["kind"], said["subject"]) == ("began", "outside", "gateway")
    assert said["ended_at"] is None
    headers = call.headers
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + call.content
    expected = base64.b64encode(hmac.new(b"a key of twenty-four byte", content, sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert await hook.worker.run_due() == 0


async def test_a_call_that_is_not_taken_is_repeated_with_its_id(shop: Shop) -> None:
    hook = Hook(shop)
    hook.status = 500
    await alarm(shop)
    await hook.worker.run_due()
    async with shop.database.transaction() as session:
        await session.execute(update(Job).where(Job.kind == CALL).values(run_at=db_now()))
    hook.status = 200
    await hook.worker.run_due()
    assert [call.headers["webhook-id"] for call in hook.calls] == [hook.calls[0].headers["webhook-id"]] * 2
    async with shop.database.read() as session:
        assert (await session.execute(select(Job).where(Job.kind == CALL))).first() is None


async def test_without_an_address_nobody_is_called(shop: Shop) -> None:
    hook = Hook(shop, alert_webhook="")
    await alarm(shop)
    assert await hook.worker.run_due() == 0
    assert hook.calls == []


async def test_nobody_is_called_any_more(shop: Shop) -> None:
    Hook(shop)
    await alarm(shop)
    hook = Hook(shop, alert_webhook="")
    assert await hook.worker.run_due() == 1
    assert hook.calls == []


async def test_what_a_person_must_settle_is_told(shop: Shop) -> None:
    hook = Hook(shop)
    async with shop.database.transaction() as session:
        await raise_attention(session, AttentionKind.STOCK_SHORT, message="one is gone", subject_id="x")
    await hook.worker.run_due()
    (call,) = hook.calls
    said = json.loads(call.content)
    assert (said["event"], said["kind"], said["message"]) == ("attention", "stock_short", "one is gone")


async def mails(shop: Shop) -> list[str]:
    async with shop.database.read() as session:
        return list((await session.execute(select(Mail.kind))).scalars())


async def given_up(shop: Shop, kind: str, key: str) -> None:
    async with shop.database.transaction() as session:
        await publish(session, JobFailed(7, kind, key, "refused"))


async def test_calls_that_are_given_up_are_told_by_mail_only(shop: Shop) -> None:
    hook = Hook(shop)
    await given_up(shop, CALL, "began:alert_1")
    assert await hook.worker.run_due() == 0
    assert await mails(shop) == ["attention"]


async def test_mails_that_are_given_up_are_told_by_call_only(shop: Shop) -> None:
    hook = Hook(shop)
    await given_up(shop, "mail.send", "mail_1")
    assert await hook.worker.run_due() == 1
    assert await mails(shop) == []


def test_a_plain_secret_is_taken_as_it_stands() -> None:
    headers = signed("a secret", "id", now(), b"{}")
    content = f"id.{headers['webhook-timestamp']}.{{}}".encode()
    expected = base64.b64encode(hmac.new(b"a secret", content, sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
