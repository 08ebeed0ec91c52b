"""The settings screen (Ajustes): saving, conflicts, switching providers off, trials, and invalid input."""

from importlib.metadata import version
from typing import Any

import httpx
import pytest
from pydantic import SecretStr
from sqlalchemy import select

from backend.app import Shop
from backend.audit import AuditEntry
from backend.audit.models import AuditPersonalValue
from backend.core.caching.version_probe import VersionProbe
from backend.core.config.modules import CARRIER, GATEWAY_PSE, MANUAL
from backend.office.settings.page import Trial
from backend.office_settings.service import EffectiveSettings
from backend.operations.monitoring.alert_webhook import OwnersWebhook
from backend.staff.rights import Role
from storefront.office.settings.state import SettingsState
from tests.store_defaults import Defaults
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event

PATH = "/oficina/ajustes"


async def open_screen(
    browser_of: BrowserFactory, role: Role = Role.OWNER, *, second_factor: bool = True
) -> Any:
    screen: Any = await (await browser_of(role, PATH, second_factor=second_factor)).get_state(SettingsState)
    await send_event(screen, "load")
    return screen


def settings_form(screen: Any, **typed: str) -> dict[str, str]:
    return {**screen.content.texts, **typed, "seen": screen.content.seen}


async def test_second_owner_is_warned_of_a_conflicting_save(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory
) -> None:
    ana, berta = await open_screen(browser_of), await open_screen(browser_of)
    typed = settings_form(berta, store_hours="De 8 a 4", store_about="Hola")
    await send_event(ana, "save", settings_form(ana, store_hours="De 9 a 5", store_phone="no"))
    assert (list(ana.problems), ana.announcement.tone) == (["store_phone"], "problem")
    await send_event(ana, "save", settings_form(ana, store_hours="De 9 a 5"))
    assert (ana.problems, ana.announcement.text) == ({}, "Guardado: ya rige en toda la tienda.")
    await send_event(berta, "save", typed)
    assert list(berta.problems) == ["store_hours"]
    assert "«De 9 a 5»" in berta.problems["store_hours"]
    assert (await shop.effective_settings.now()).store_about == ""
    await send_event(berta, "save", {**typed, "seen": berta.content.seen})
    effective = await shop.effective_settings.now()
    assert (effective.store_hours, effective.store_about) == ("De 8 a 4", "Hola")


async def test_hour_of_the_daily_summary_is_saved_with_an_audit_entry(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory
) -> None:
    owner = await open_screen(browser_of)
    await send_event(owner, "save", settings_form(owner, daily_summary_hour="24"))
    assert list(owner.problems) == ["daily_summary_hour"]
    await send_event(owner, "save", settings_form(owner, daily_summary_hour="18"))
    assert (owner.problems, owner.content.texts["daily_summary_hour"]) == ({}, "18")
    async with shop.database.read() as session:
        entry = (await session.execute(select(AuditEntry))).scalar_one()
        values = (
            (await session.execute(select(AuditPersonalValue.after).order_by(AuditPersonalValue.place)))
            .scalars()
            .all()
        )
    assert (entry.action, entry.subject_type, values) == ("changed", "settings", ["daily_summary_hour", "18"])


async def test_settings_are_read_only_without_a_second_factor(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory
) -> None:
    owner = await open_screen(browser_of, second_factor=False)
    assert owner.content.missing == "enrol"
    await send_event(owner, "save", settings_form(owner, store_hours="De 9 a 5"))
    await send_event(owner, "switch_off", MANUAL, True)
    await send_event(owner, "try_out", "gateway")
    assert owner.announcement.text == "Para esto entra otra vez con el código de tu teléfono."
    assert (await shop.effective_settings.now()).store_hours == ""
    await send_event(owner, "find_towns", "Medell")
    assert owner.towns[0].label == "Medellín, Antioquia"


async def test_last_active_provider_is_switched_off_only_after_a_warning(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory
) -> None:
    owner = await open_screen(browser_of)
    pse = owner.content.payments[[row.id for row in owner.content.payments].index(GATEWAY_PSE)]
    assert (pse.is_on, pse.warning.startswith("Nadie podrá pagar")) == (True, True)
    assert owner.content.version == version("trompo")
    await send_event(owner, "switch_off", GATEWAY_PSE, False)
    assert (owner.announcement.tone, owner.content.cannot_sell) == ("problem", "")
    await send_event(owner, "switch_off", GATEWAY_PSE, True)
    assert owner.content.cannot_sell == (
        "Tu tienda no está vendiendo: no hay ninguna forma de pago encendida en sus páginas."
    )
    await send_event(owner, "switch_on", GATEWAY_PSE)
    await send_event(owner, "switch_off", CARRIER, False)
    assert owner.announcement.tone == "news"
    manual = next(row for row in owner.content.shippings if row.id == MANUAL)
    assert manual.warning.startswith("Nadie podrá comprar")


async def test_each_trial_of_the_settings_shows_if_it_succeeded(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory
) -> None:
    owner = await open_screen(browser_of)

    async def tried(trial: Trial) -> tuple[bool, str]:
        await send_event(owner, "try_out", trial.value)
        return owner.outcomes[trial].is_good, owner.outcomes[trial].text

    is_good, text = await tried(Trial.GATEWAY)
    assert (is_good, text.startswith("La pasarela de ensayo acepta tus llaves y da ")) == (True, True)
    assert "Bogotá, D.C. → Medellín: $" in (await tried(Trial.CARRIER))[1]
    assert (await tried(Trial.MAIL))[0] is False
    assert (await tried(Trial.TEST_MAIL))[1].startswith("La tienda no tiene servidor de correo")
    assert (await tried(Trial.WEBHOOK))[1].startswith("Todavía no hay dirección")
    calls: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        calls.append(request)
        return httpx.Response(204 if len(calls) == 1 else 404)

    settings = shop.settings.model_copy(
        update={"alert_webhook": "https://a.example/x", "alert_webhook_secret": SecretStr("whsec_x")}
    )
    shop.effective_settings = EffectiveSettings(settings, shop.database, VersionProbe(shop.database))
    shop.webhook = OwnersWebhook(shop.database, settings, httpx.MockTransport(answer))
    assert (await tried(Trial.WEBHOOK))[0] is True
    assert "webhook-signature" in calls[0].headers
    assert (await tried(Trial.WEBHOOK))[0] is False
    for _turn in range(20):
        await send_event(owner, "try_out", "mail")
    assert owner.announcement.text == "Vas muy rápido. Espera un momento e inténtalo otra vez."


@pytest.mark.parametrize("nonsense", [None, {}, {"seen": "{}"}, {"seen": "[1]", "store_name": "x" * 9000}, 7])
async def test_invalid_input_of_the_settings_screen_changes_nothing(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory, nonsense: Any
) -> None:
    owner = await open_screen(browser_of)
    before = await shop.effective_settings.now()
    for name in ("save", "try_out", "switch_on"):
        await send_event(owner, name, nonsense)
        assert owner.announcement.tone == "problem"
    await send_event(owner, "switch_off", nonsense, nonsense)
    assert owner.announcement.tone == "problem"
    assert await shop.effective_settings.now() == before
