"""Ajustes in the office: saving, clashes, switching off with a warning, trying out, and what a browser may not send."""

from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from backend.app import Shop
from backend.core.config.modules import CARRIER, GATEWAY_PSE, MANUAL
from backend.office.settings.page import Trial
from backend.operations.monitoring.alert_webhook import OwnersWebhook
from backend.staff.rights import Role
from storefront.office.settings.state import SettingsState
from tests.store_defaults import Defaults
from tests.storefront.office.conftest import At

PLACE = "/oficina/ajustes"


async def sent(screen: Any, name: str, *arguments: Any) -> Any:
    """What a browser sends."""
    return await type(screen).event_handlers[name].fn(screen, *arguments)


async def at(browser_of: At, role: Role = Role.OWNER, *, second_factor: bool = True) -> Any:
    screen: Any = await (await browser_of(role, PLACE, second_factor=second_factor)).get_state(SettingsState)
    await sent(screen, "load")
    return screen


def form(screen: Any, **typed: str) -> dict[str, str]:
    return {**screen.content.texts, **typed, "seen": screen.content.seen}


async def test_an_owner_saves_and_a_second_one_is_told(
    shop: Shop, defaults: Defaults, browser_of: At
) -> None:
    ana, berta = await at(browser_of), await at(browser_of)
    typed = form(berta, store_hours="De 8 a 4", store_about="Hola")
    await sent(ana, "save", form(ana, store_hours="De 9 a 5", store_phone="no"))
    assert (list(ana.problems), ana.told.tone) == (["store_phone"], "problem")
    await sent(ana, "save", form(ana, store_hours="De 9 a 5"))
    assert (ana.problems, ana.told.text) == ({}, "Guardado: ya rige en toda la tienda.")
    await sent(berta, "save", typed)
    assert list(berta.problems) == ["store_hours"]
    assert "«De 9 a 5»" in berta.problems["store_hours"]
    assert (await shop.effective_settings.now()).store_about == ""
    await sent(berta, "save", {**typed, "seen": berta.content.seen})
    effective = await shop.effective_settings.now()
    assert (effective.store_hours, effective.store_about) == ("De 8 a 4", "Hola")


async def test_without_the_second_factor_it_can_be_read_only(
    shop: Shop, defaults: Defaults, browser_of: At
) -> None:
    owner = await at(browser_of, second_factor=False)
    assert owner.content.missing == "enrol"
    await sent(owner, "save", form(owner, store_hours="De 9 a 5"))
    await sent(owner, "switch_off", MANUAL, True)
    await sent(owner, "try_out", "gateway")
    assert owner.told.text == "Para esto entra otra vez con el código de tu teléfono."
    assert (await shop.effective_settings.now()).store_hours == ""
    await sent(owner, "find_towns", "Medell")
    assert owner.towns[0].label == "Medellín, Antioquia"


async def test_the_last_way_goes_off_only_with_a_warning(
    shop: Shop, defaults: Defaults, browser_of: At
) -> None:
    owner = await at(browser_of)
    pse = owner.content.payments[[one.id for one in owner.content.payments].index(GATEWAY_PSE)]
    assert (pse.is_on, pse.warning.startswith("Nadie podrá pagar")) == (True, True)
    await sent(owner, "switch_off", GATEWAY_PSE, False)
    assert (owner.told.tone, owner.content.cannot_sell) == ("problem", "")
    await sent(owner, "switch_off", GATEWAY_PSE, True)
    assert owner.content.cannot_sell == "Tu tienda no está vendiendo: PSE está apagado."
    await sent(owner, "switch_on", GATEWAY_PSE)
    await sent(owner, "switch_off", CARRIER, False)
    assert owner.told.tone == "news"
    manual = next(one for one in owner.content.shippings if one.id == MANUAL)
    assert manual.warning.startswith("Nadie podrá comprar")


async def test_each_thing_is_tried_out_in_plain_words(shop: Shop, defaults: Defaults, browser_of: At) -> None:
    owner = await at(browser_of)

    async def tried(trial: Trial) -> tuple[bool, str]:
        await sent(owner, "try_out", trial.value)
        return owner.tried[trial].is_good, owner.tried[trial].text

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
    shop.effective_settings._settings = settings
    shop.effective_settings._probe._values.clear()  # type: ignore[attr-defined]
    shop.webhook = OwnersWebhook(shop.database, settings, httpx.MockTransport(answer))
    assert (await tried(Trial.WEBHOOK))[0] is True
    assert "webhook-signature" in calls[0].headers
    assert (await tried(Trial.WEBHOOK))[0] is False
    for _turn in range(20):
        await sent(owner, "try_out", "mail")
    assert owner.told.text == "Vas muy rápido. Espera un momento e inténtalo otra vez."


@pytest.mark.parametrize("nonsense", [None, {}, {"seen": "{}"}, {"seen": "[1]", "store_name": "x" * 9000}, 7])
async def test_nonsense_changes_nothing(
    shop: Shop, defaults: Defaults, browser_of: At, nonsense: Any
) -> None:
    owner = await at(browser_of)
    before = await shop.effective_settings.now()
    for name in ("save", "try_out", "switch_on"):
        await sent(owner, name, nonsense)
        assert owner.told.tone == "problem"
    await sent(owner, "switch_off", nonsense, nonsense)
    assert owner.told.tone == "problem"
    assert await shop.effective_settings.now() == before
