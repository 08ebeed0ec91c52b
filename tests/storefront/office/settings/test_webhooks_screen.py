"""Webhooks on the settings screen (Ajustes)."""

import socket
from typing import Any

import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.audit.models import AuditEntry
from backend.core.web.outside_post import OutsideAnswer
from backend.staff.rights import Role
from backend.webhooks import sending
from backend.webhooks.models import WebhookDelivery, WebhookEndpoint, WebhookEvent
from backend.webhooks.recording import note_event
from storefront.office.settings.state import SettingsState
from tests.store_defaults import Defaults
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event

PATH = "/oficina/ajustes"
URL = "https://erp.example.com/trompo?clave=secreta"
FORM = {"form": "new", "url": URL, "event-order.placed": "yes", "event-product.updated": "yes"}


class FakeTarget:
    """The program behind a webhook: it gives these answers one after the other."""

    def __init__(self, *answers: OutsideAnswer) -> None:
        self.answers = list(answers)

    async def post(self, *_: object, **_more: object) -> OutsideAnswer:
        return self.answers.pop(0)


@pytest.fixture(autouse=True)
def _resolve_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give all names a public address, but `inside.example.com` a private one."""

    def resolve(host: str, port: int, **_more: object) -> list[Any]:
        ip = "192.168.0.9" if host == "inside.example.com" else "93.184.216.34"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)


@pytest.fixture
async def owner(defaults: Defaults, browser_of: BrowserFactory) -> Any:
    """Return the owner's settings screen."""
    screen: Any = await (await browser_of(Role.OWNER, PATH)).get_state(SettingsState)
    await send_event(screen, "load")
    return screen


async def add(owner: Any) -> Any:
    """Add a webhook, and return its row."""
    await send_event(owner, "save_webhook", FORM)
    assert owner.problems == {}
    return owner.content.webhooks[-1]


async def test_webhook_is_added_and_its_secret_is_shown_once(shop: Shop, owner: Any) -> None:
    assert owner.content.webhooks == []
    row = await add(owner)
    assert (row.host, row.events_label) == ("erp.example.com", "Pedido nuevo · Producto cambiado")
    assert (row.is_on, row.state, row.warning, row.deliveries) == (True, "Encendida", "", [])
    assert [tick.label for tick in row.ticks if tick.is_chosen] == ["Pedido nuevo", "Producto cambiado"]
    assert owner.webhook_secret.startswith("whsec_")
    assert owner.announcement.text == "Agregada: guarda su clave ahora."
    await send_event(owner, "forget_webhook_secret")
    assert owner.webhook_secret == ""
    async with shop.database.read() as session:
        entry = (await session.execute(select(AuditEntry))).scalar_one()
    assert (entry.action, entry.subject_type, entry.subject_id) == ("created", "webhook", row.id)


@pytest.mark.parametrize(
    ("typed", "name", "problem"),
    [
        ({"url": ""}, "url", "Escribe una dirección que empiece por https:// y exista."),
        (
            {"url": "http://erp.example.com"},
            "url",
            "Escribe una dirección que empiece por https:// y exista.",
        ),
        (
            {"url": "https://inside.example.com"},
            "url",
            "Esa dirección es de una red privada. Escribe una de internet.",
        ),
        (
            {"event-order.placed": "", "event-product.updated": ""},
            "events",
            "Elige por lo menos una novedad.",
        ),
    ],
)
async def test_invalid_webhook_form_marks_its_field(
    shop: Shop, owner: Any, typed: dict[str, str], name: str, problem: str
) -> None:
    await send_event(owner, "save_webhook", {**FORM, **typed})
    assert owner.problems == {f"webhook-new-{name}": problem}
    assert owner.announcement.tone == "problem"
    assert (owner.content.webhooks, owner.webhook_secret) == ([], "")


async def test_webhook_is_changed_disabled_given_a_new_secret_and_deleted(shop: Shop, owner: Any) -> None:
    row = await add(owner)
    changed = {"form": row.id, "url": "https://other.example.com/x", "event-payment.captured": "yes"}
    await send_event(owner, "save_webhook", changed)
    (shown,) = owner.content.webhooks
    assert (shown.host, shown.events_label) == ("other.example.com", "Pago recibido")
    assert shown.version != row.version
    await send_event(owner, "switch_webhook", row.id, False)
    assert (owner.content.webhooks[0].state, owner.content.webhooks[0].tone) == ("Apagada", "bad")
    await send_event(owner, "switch_webhook", row.id, True)
    assert owner.content.webhooks[0].is_on
    first = owner.webhook_secret
    await send_event(owner, "rotate_webhook", row.id)
    assert owner.webhook_secret not in ("", first)
    await send_event(owner, "delete_webhook", row.id)
    assert owner.content.webhooks == []


async def test_webhook_responses_are_shown_and_failed_events_are_sent_again(
    shop: Shop, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = await add(owner)
    target = FakeTarget(OutsideAnswer(500, "sin clave"), OutsideAnswer(204, ""), OutsideAnswer(200, "ok"))

    async def resolve(*_: object, **_more: object) -> FakeTarget:
        return target

    monkeypatch.setattr(sending, "resolve_target", resolve)
    await send_event(owner, "try_webhook", row.id)
    assert owner.announcement.text == "El programa no recibió bien la prueba."
    await send_event(owner, "try_webhook", row.id)
    assert owner.announcement.text == "El programa recibió la prueba."
    received, refused = owner.content.webhooks[0].deliveries
    assert (received.title, received.state, received.can_retry) == ("Prueba", "Llegó", False)
    assert (refused.state, refused.tone, refused.can_retry) == ("No llegó", "bad", False)
    assert refused.detail.endswith(" · respondió 500: «sin clave»")
    async with shop.database.transaction() as session:
        note_event(session, WebhookEvent.ORDER_PLACED, "order_1")
    async with shop.database.transaction() as session:
        await session.execute(
            update(WebhookDelivery)
            .where(WebhookDelivery.event == "order.placed")
            .values(state="failed", next_try_at=None)
        )
    await send_event(owner, "load")
    failed = owner.content.webhooks[0].deliveries[0]
    assert (failed.title, failed.can_retry) == ("Pedido nuevo", True)
    await send_event(owner, "retry_webhook", row.id, failed.id)
    assert owner.content.webhooks[0].deliveries[0].state == "Por enviar"
    await shop.worker.run_due("webhook.send")
    await send_event(owner, "load")
    assert owner.content.webhooks[0].deliveries[0].state == "Llegó"


async def test_webhook_that_the_shop_has_disabled_shows_the_reason(shop: Shop, owner: Any) -> None:
    await add(owner)
    async with shop.database.transaction() as session:
        await session.execute(update(WebhookEndpoint).values(is_active=False, is_given_up=True))
    await send_event(owner, "load")
    row = owner.content.webhooks[0]
    assert (row.state, row.warning.split(".")[0]) == (
        "Apagada",
        "La apagamos porque no respondió durante días",
    )


async def test_webhooks_are_read_only_without_a_second_factor(
    shop: Shop, owner: Any, browser_of: BrowserFactory
) -> None:
    row = await add(owner)
    screen: Any = await (await browser_of(Role.OWNER, PATH, second_factor=False)).get_state(SettingsState)
    await send_event(screen, "load")
    assert [one.host for one in screen.content.webhooks] == ["erp.example.com"]
    await send_event(screen, "save_webhook", {**FORM, "url": "https://2.example.com"})
    for name in ("try_webhook", "rotate_webhook", "delete_webhook"):
        await send_event(screen, name, row.id)
    await send_event(screen, "switch_webhook", row.id, False)
    await send_event(owner, "load")
    assert [(one.id, one.is_on) for one in owner.content.webhooks] == [(row.id, True)]
    assert owner.content.webhooks[0].deliveries == []


async def test_other_roles_see_no_webhooks(shop: Shop, owner: Any, browser_of: BrowserFactory) -> None:
    await add(owner)
    screen: Any = await (await browser_of(Role.SHOP, PATH)).get_state(SettingsState)
    await send_event(screen, "load")
    await send_event(screen, "save_webhook", FORM)
    assert (screen.content, screen.problem, screen.webhook_secret) == (None, "forbidden", "")
