"""Automatic alerts to the owner: no orders, a full disk, a certificate that expires, services that fail."""

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
from backend.mail.resend import resend_given_up_mails
from backend.operations.monitoring import alert_checks as watching
from backend.operations.monitoring.alert_checks import AlertChecks
from backend.orders.models import Order
from tests.backend.mail.conftest import Inbox, text_of
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase

Usage = namedtuple("Usage", "total used free")


def create_checks(shop: Shop, **settings: Any) -> AlertChecks:
    """Return alert checks with these settings only."""
    off = {"alert_disk_free_mb": 0, "alert_certificate_days": 0, "alert_failing_minutes": 0}
    return AlertChecks(shop.database, shop.settings.model_copy(update={**off, **settings}))


async def alerts(shop: Shop) -> list[tuple[str, str, str]]:
    async with shop.database.read() as session:
        rows = (await session.execute(select(Alert).order_by(Alert.id))).scalars()
        return [(alert.kind, alert.subject, alert.message) for alert in rows]


async def find_alerts(shop: Shop, **settings: Any) -> list[tuple[str, str, str]]:
    await Worker(shop.database, [create_checks(shop, **settings)]).run_due("alert.watch", "alert.certificate")
    return await alerts(shop)


async def schedule(shop: Shop) -> None:
    await Worker(shop.database, [create_checks(shop)]).schedule()


async def test_alert_is_raised_after_the_set_hours_without_an_order(
    shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    await schedule(shop)
    assert await find_alerts(shop, alert_no_sale_hours=6) == []  # a shop without any order gets no alert
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo")
    await complete_purchase(store, variant)

    async def paid(hours: float) -> None:
        async with shop.database.transaction() as session:
            await session.execute(update(Order).values(paid_at=db_now(-timedelta(hours=hours))))

    async def again(**settings: Any) -> list[tuple[str, str, str]]:
        await create_checks(shop, **settings).check_shop(None)  # type: ignore[arg-type]
        return await alerts(shop)

    await paid(5.9)
    assert await again(alert_no_sale_hours=6) == []
    await paid(6.1)
    assert await again() == []  # the alert is turned off
    ((kind, _subject, message),) = await again(alert_no_sale_hours=6)
    assert (kind, message[:20]) == ("no_sale", "El último pago es de")


async def test_disk_that_fills_up_raises_an_alert(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.settings.data_dir.mkdir(exist_ok=True)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: Usage(10**9, 0, 600 * 2**20))
    await create_checks(shop, alert_disk_free_mb=600).check_process()
    assert await alerts(shop) == []
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: Usage(10**9, 0, 599 * 2**20))
    await create_checks(shop, alert_disk_free_mb=600).check_process()
    ((kind, host, message),) = await alerts(shop)
    assert (kind, message) == ("disk", f"Quedan 599 MiB en {host}.")


@pytest.mark.parametrize(
    ("found", "expected"), [(14, None), (13, "Le quedan 13 días."), ("no TLS", "no TLS")]
)
async def test_certificate_that_expires_raises_an_alert(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, found: int | str, expected: str | None
) -> None:
    async def count_days_left(_url: str, _moment: object) -> int | str:
        return found

    monkeypatch.setattr(watching, "count_days_left", count_days_left)
    await schedule(shop)
    url = "https://tienda.example"
    assert await find_alerts(shop, alert_certificate_days=14, public_url=url) == (
        [("certificate", url, expected)] if expected else []
    )


class Clock:
    def __init__(self) -> None:
        self.now = 1e9  # failures of other tests are too old to count

    def __call__(self) -> float:
        return self.now


async def test_service_that_fails_for_minutes_raises_an_alert(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, answers = Clock(), [500]
    monkeypatch.setattr(http_client, "monotonic", clock)

    def answer(_request: httpx.Request) -> httpx.Response:
        if answers[0] == 0:
            raise httpx.ConnectError("away")
        return httpx.Response(answers[0])

    client = HttpClient("The kiosk", RetryPolicy(), transport=httpx.MockTransport(answer))

    async def call(status: int, after: float) -> dict[str, float]:
        clock.now += after
        answers[0] = status
        if status:
            await client.send("GET", "https://kiosk.example/", 5)
        else:
            with pytest.raises(ServiceUnavailable):
                await client.send("GET", "https://kiosk.example/", 5)
        return failing_services()

    assert await call(500, 0) == {}
    assert await call(0, 100) == {}
    assert await call(503, 100) == {"kiosk": 200}
    assert await call(404, 0) == {}  # the service answers
    for _thrice in range(3):
        await call(0, 120)
    await create_checks(shop, alert_failing_minutes=5).check_process()
    assert await alerts(shop) == []
    await call(0, 60)
    await create_checks(shop, alert_failing_minutes=5).check_process()
    assert await alerts(shop) == [("outside", "kiosk", "kiosk: sin respuesta desde hace 5 minutos.")]
    clock.now += 601
    assert failing_services() == {}  # no call was made since
    await call(200, 0)
    await client.close()


async def test_owner_gets_one_mail_per_alert(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    inbox, mail_settings = Inbox(), shop.settings.model_copy(update={"alert_email": "duena@correo.example"})
    shop.settings.data_dir.mkdir(exist_ok=True)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: Usage(10**9, 0, 5 * 2**20))
    for _twice in range(2):
        await create_checks(shop, alert_disk_free_mb=600).check_process()
    await Worker(shop.database, [Mailer(shop.database, mail_settings, inbox)]).run_due("mail.send")
    (mail,) = inbox.mails
    assert mail["To"] == "duena@correo.example"
    assert mail["Subject"] == "Aviso: Queda poco espacio en el disco"
    assert "Quedan 5 MiB" in text_of(mail)
    assert "Quedan 5 MiB" in text_of(mail, "html")


async def test_given_up_customer_mails_raise_one_alert(
    shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo")
    inbox = Inbox()
    worker = Worker(shop.database, [Mailer(shop.database, shop.settings, inbox)])

    async def fail_to_send() -> None:
        inbox.is_broken = True
        await worker.run_due("mail.send")
        async with shop.database.transaction() as session:
            since = db_now(-timedelta(days=4))
            await session.execute(update(Job).values(failing_since=since, run_at=db_now()))
        await worker.run_due("mail.send")
        inbox.is_broken = False

    async def look_again() -> list[tuple[str, str, str]]:
        await create_checks(shop).check_shop(None)  # type: ignore[arg-type]
        return await alerts(shop)

    assert await look_again() == []
    await complete_purchase(store, variant)
    await complete_purchase(store, variant)
    await fail_to_send()
    assert await look_again() == [("mail", "", "Correos que no salieron: 2.")]
    assert len(await look_again()) == 1
    await worker.run_due("mail.send")
    assert [mail["Subject"] for mail in inbox.mails] == ["Aviso: Hay correos que no salieron"]
    async with shop.database.transaction() as session:
        await session.execute(update(Alert).values(ended_at=db_now()))
        await session.execute(update(Mail).values(kind=MailKind.ALERT))
    assert len(await look_again()) == 1  # a failed alert mail causes no alert
    async with shop.database.transaction() as session:
        await session.execute(update(Mail).values(kind=MailKind.ORDER_PAID))
    await resend_given_up_mails(shop.database)
    assert len(await look_again()) == 1


def test_alert_webhook_without_a_secret_is_refused() -> None:
    with pytest.raises(ValueError, match="ALERT_WEBHOOK needs ALERT_WEBHOOK_SECRET"):
        Settings(alert_webhook="https://hooks.example/trompo")
