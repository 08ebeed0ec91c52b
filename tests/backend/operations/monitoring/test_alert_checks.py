"""What the owner is told of by itself: sales that stop, a full disk, a certificate, services that fail."""

import shutil
from collections import namedtuple
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from backend.alerts.models import Alert
from backend.app import Shop
from backend.core.config.settings import Settings
from backend.core.db.database import db_now
from backend.core.web import http_client
from backend.core.web.http_client import HttpClient, RetryPolicy, ServiceUnavailable, failing_services
from backend.jobs import Worker
from backend.jobs.models import Job
from backend.mail.mailer import Mailer
from backend.mail.models import Mail, MailKind
from backend.mail.resend import resend_given_up
from backend.operations.monitoring import alert_checks as watching
from backend.operations.monitoring.alert_checks import Watch
from backend.orders.models import Order
from tests.backend.mail.conftest import Inbox, text_of
from tests.store_defaults import Defaults, make_toy
from tests.store_steps import bought

Usage = namedtuple("Usage", "total used free")


def watch(shop: Shop, **settings: Any) -> Watch:
    """A watch that looks for these things only."""
    off = {"alert_disk_free_mb": 0, "alert_certificate_days": 0, "alert_failing_minutes": 0}
    return Watch(shop.database, shop.settings.model_copy(update={**off, **settings}))


async def alerts(shop: Shop) -> list[tuple[str, str, str]]:
    async with shop.database.read() as session:
        rows = (await session.execute(select(Alert).order_by(Alert.id))).scalars()
        return [(alert.kind, alert.subject, alert.message) for alert in rows]


async def look(shop: Shop, **settings: Any) -> list[tuple[str, str, str]]:
    await Worker(shop.database, [watch(shop, **settings)]).run_due("alert.watch", "alert.certificate")
    return await alerts(shop)


async def schedule(shop: Shop) -> None:
    await Worker(shop.database, [watch(shop)]).schedule()


async def test_no_sale_for_hours(shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults) -> None:
    await schedule(shop)
    assert await look(shop, alert_no_sale_hours=6) == []  # a shop that has not sold yet is no surprise
    async with shop.database.transaction() as session:
        variant = await make_toy(session, shop_defaults, "trompo")
    await bought(store, variant)

    async def paid(hours: float) -> None:
        async with shop.database.transaction() as session:
            await session.execute(update(Order).values(paid_at=db_now(-timedelta(hours=hours))))

    async def again(**settings: Any) -> list[tuple[str, str, str]]:
        await watch(shop, **settings).look_at_the_shop(None)  # type: ignore[arg-type]
        return await alerts(shop)

    await paid(5.9)
    assert await again(alert_no_sale_hours=6) == []
    await paid(6.1)
    assert await again() == []  # nobody wants to know
    ((kind, _subject, message),) = await again(alert_no_sale_hours=6)
    assert (kind, message[:24]) == ("no_sale", "no order was paid since ")


async def test_a_disk_that_fills_up(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.settings.data_dir.mkdir(exist_ok=True)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: Usage(10**9, 0, 600 * 2**20))
    await watch(shop, alert_disk_free_mb=600).look_here()
    assert await alerts(shop) == []
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: Usage(10**9, 0, 599 * 2**20))
    await watch(shop, alert_disk_free_mb=600).look_here()
    ((kind, _host, message),) = await alerts(shop)
    assert (kind, message) == ("disk", "the data folder's disk has 599 MiB left")


@pytest.mark.parametrize(
    ("found", "told"), [(14, None), (13, "it is good for 13 days"), ("no TLS", "no TLS")]
)
async def test_a_certificate_that_expires(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, found: int | str, told: str | None
) -> None:
    async def days_left(_url: str, _moment: object) -> int | str:
        return found

    monkeypatch.setattr(watching, "days_left", days_left)
    await schedule(shop)
    url = "https://tienda.example"
    assert await look(shop, alert_certificate_days=14, public_url=url) == (
        [("certificate", url, told)] if told else []
    )


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


async def test_a_service_that_fails_for_minutes(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, answers = Clock(), [500]
    monkeypatch.setattr(http_client, "monotonic", clock)
    monkeypatch.setattr(http_client, "_failures", {})

    def answer(_request: httpx.Request) -> httpx.Response:
        if answers[0] == 0:
            raise httpx.ConnectError("away")
        return httpx.Response(answers[0])

    client = HttpClient("The gateway", RetryPolicy(), transport=httpx.MockTransport(answer))

    async def call(status: int, after: float) -> dict[str, float]:
        clock.now += after
        answers[0] = status
        if status:
            await client.send("GET", "https://gateway.example/", 5)
        else:
            with pytest.raises(ServiceUnavailable):
                await client.send("GET", "https://gateway.example/", 5)
        return failing_services()

    assert await call(500, 0) == {}
    assert await call(0, 100) == {}
    assert await call(503, 100) == {"gateway": 200}
    assert await call(404, 0) == {}  # it answers
    for _thrice in range(3):
        await call(0, 120)
    await watch(shop, alert_failing_minutes=5).look_here()
    assert await alerts(shop) == []
    await call(0, 60)
    await watch(shop, alert_failing_minutes=5).look_here()
    assert await alerts(shop) == [("outside", "gateway", "gateway has failed for 5 minutes")]
    clock.now += 601
    assert failing_services() == {}  # nobody has asked since
    await client.close()


async def test_the_owner_gets_one_mail(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    inbox, told = Inbox(), shop.settings.model_copy(update={"alert_email": "duena@correo.example"})
    shop.settings.data_dir.mkdir(exist_ok=True)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: Usage(10**9, 0, 5 * 2**20))
    for _twice in range(2):
        await watch(shop, alert_disk_free_mb=600).look_here()
    await Worker(shop.database, [Mailer(shop.database, told, inbox)]).run_due("mail.send")
    (mail,) = inbox.mails
    assert mail["To"] == "duena@correo.example"
    assert mail["Subject"] == "Aviso: Queda poco espacio en el disco"
    assert "5 MiB left" in text_of(mail)
    assert "5 MiB left" in text_of(mail, "html")


async def test_mails_that_were_given_up_are_told_once_and_not_those_to_the_owner(
    shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        variant = await make_toy(session, shop_defaults, "trompo")
    inbox = Inbox()
    worker = Worker(shop.database, [Mailer(shop.database, shop.settings, inbox)])

    async def send_in_vain() -> None:
        inbox.is_broken = True
        await worker.run_due("mail.send")
        async with shop.database.transaction() as session:
            since = db_now(-timedelta(days=4))
            await session.execute(update(Job).values(failing_since=since, run_at=db_now()))
        await worker.run_due("mail.send")
        inbox.is_broken = False

    async def look_again() -> list[tuple[str, str, str]]:
        await watch(shop).look_at_the_shop(None)  # type: ignore[arg-type]
        return await alerts(shop)

    assert await look_again() == []
    await bought(store, variant)
    await bought(store, variant)
    await send_in_vain()
    assert await look_again() == [("mail", "", "mails that were given up: 2")]
    assert len(await look_again()) == 1
    await worker.run_due("mail.send")
    assert [mail["Subject"] for mail in inbox.mails] == ["Aviso: Hay correos que no salieron"]
    async with shop.database.transaction() as session:
        await session.execute(update(Alert).values(ended_at=db_now()))
        await session.execute(update(Mail).values(kind=MailKind.ALERT))
    assert len(await look_again()) == 1  # nobody is told that telling failed
    async with shop.database.transaction() as session:
        await session.execute(update(Mail).values(kind=MailKind.ORDER_PAID))
    await resend_given_up(shop.database)
    assert len(await look_again()) == 1


def test_a_webhook_needs_its_secret() -> None:
    with pytest.raises(ValueError, match="ALERT_WEBHOOK needs ALERT_WEBHOOK_SECRET"):
        Settings(alert_webhook="https://hooks.example/trompo")
