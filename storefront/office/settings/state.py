"""State of the settings screen: shop data, providers, and tests of outside services."""

import json
from typing import ClassVar

import reflex as rx

from backend.app import current_shop
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.news.topics import Topic
from backend.office.settings.form import FIELDS, MAX_FIELD_LENGTH, ShopClashes, save_shop
from backend.office.settings.page import LastProvider, ShopPage, Trial, shop_page, switch_shop_provider
from backend.operations.doctor.trials import TrialResult, run_trial
from backend.shipping.municipalities import search_municipalities
from backend.staff.rights import Actor, Right
from storefront.components.forms import Town, town_view
from storefront.office.settings.webhook_handlers import WebhookHandlers
from storefront.office.state import office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_id, checked_text, next_number

MAX_SEEN_LENGTH = 20_000


class SettingsState(WebhookHandlers, KnownClientState):
    """State of the settings screen: the saved settings, and the result of the latest test of each service."""

    content: rx.Field[ShopPage | None] = rx.field(None)
    outcomes: rx.Field[dict[str, TrialResult]] = rx.field(default_factory=dict)
    clash_count: rx.Field[int] = rx.field(0)
    """Number of times that a save conflicted with changes of another staff member."""
    towns: rx.Field[list[Town]] = rx.field(default_factory=list)
    towns_for: rx.Field[str] = rx.field("")

    _right: ClassVar[Right] = Right.CHANGE_SHOP
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.SETTINGS})

    async def _read_content(self, actor: Actor) -> ShopPage:
        shop = current_shop()
        async with shop.database.read() as session:
            return await shop_page(session, actor, shop.settings, *_running_providers())

    @office_event(Right.CHANGE_SHOP)
    async def save(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Save all fields of the form, or none."""
        typed = checked_fields(form_data, *FIELDS, max_length=MAX_FIELD_LENGTH)
        seen = _parse_seen(form_data)
        shop, self.problems = current_shop(), {}
        try:
            async with shop.database.transaction() as session:
                changed = await save_shop(session, actor, shop.settings, typed, seen)
        except ShopClashes as error:
            await self._show(actor)
            text = _("Otra persona lo cambió a «{theirs}». Si guardas otra vez, queda lo tuyo.")
            self.problems = {clash.name: text.format(theirs=clash.theirs) for clash in error.clashes}
            self.clash_count = next_number(self.clash_count)
            self._announce(_("Alguien cambió lo mismo. Mira lo marcado y guarda otra vez."), "problem")
        else:
            await self._show(actor)
            self._announce(_("Guardado: ya rige en toda la tienda.") if changed else _("No cambiaste nada."))

    @office_event(Right.CHANGE_SHOP)
    async def switch_on(self, actor: Actor, provider_id: str) -> None:
        """Enable a payment or shipping provider."""
        checked_provider_id = checked_id(provider_id)
        async with current_shop().database.transaction() as session:
            await switch_shop_provider(
                session, actor, checked_provider_id, is_on=True, installed=_running_providers()
            )
        self._announce(_("Encendido."))
        await self._show(actor)

    @office_event(Right.CHANGE_SHOP)
    async def switch_off(self, actor: Actor, provider_id: str, is_warned: bool) -> None:
        """Disable a payment or shipping provider.

        `is_warned` is True if the screen has warned the staff member that customers cannot buy without the
        provider.
        """
        checked_provider_id, is_sure = checked_id(provider_id), is_warned is True
        try:
            async with current_shop().database.transaction() as session:
                await switch_shop_provider(
                    session,
                    actor,
                    checked_provider_id,
                    is_on=False,
                    is_sure=is_sure,
                    installed=_running_providers(),
                )
        except LastProvider as error:
            self._announce(_("No lo apagamos. {warning}").format(warning=error.warning), "problem")
        else:
            self._announce(_("Apagado. Lo que ya está en camino termina."))
        await self._show(actor)

    @office_event(Right.CHANGE_SHOP, is_press=False)
    async def try_out(self, actor: Actor, trial: str) -> None:
        """Test an outside service and show the result."""
        if trial not in tuple(Trial):
            raise InvalidData("not a trial")
        outcome = await run_trial(current_shop(), actor, Trial(trial))
        self.outcomes = {**self.outcomes, trial: outcome}
        self._announce(outcome.text, "news" if outcome.is_good else "problem")

    @office_event(Right.READ_SETTINGS, supersedes=True, debounce=150)
    async def find_towns(self, _actor: Actor, text: str) -> None:
        """Find the municipalities that match the typed text."""
        text = checked_text(text, MAX_FIELD_LENGTH)
        self.towns = [town_view(town) for town in search_municipalities(text)]
        self.towns_for = text


def _running_providers() -> tuple[dict[str, str], list[str]]:
    """Return the loaded providers: names of the payment providers by id, and ids of the shipping providers."""
    shop = current_shop()
    names = {provider_id: provider.shopper_name for provider_id, provider in shop.payments.providers.items()}
    return names, list(shop.fulfillment_providers)


def _parse_seen(form: dict[str, str]) -> dict[str, str]:
    """Return the values that the form displayed, which the browser sent back: see `EditForm`.

    Raises:
        InvalidData: a field is missing, or the values cannot be parsed.
    """
    try:
        seen = json.loads(checked_text(form.get("seen", ""), MAX_SEEN_LENGTH))
    except ValueError:
        seen = None
    if not isinstance(seen, dict) or not form.keys() >= set(FIELDS) <= seen.keys():
        raise InvalidData("the form's seen values are incomplete")
    return checked_fields(seen, *FIELDS, max_length=MAX_FIELD_LENGTH)
