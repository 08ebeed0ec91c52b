"""State of the screen of own deliveries and pickup points (Entregas)."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.core.error_texts import CHECK_FIELDS
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.news.topics import Topic
from backend.office.deliveries.form import (
    MAX_TOWNS,
    MAX_TYPED_LENGTH,
    POINT_FIELDS,
    ZONE_FIELDS,
    format_town_codes,
    parse_point_form,
    parse_town_codes,
    parse_zone_form,
)
from backend.office.deliveries.page import (
    NEW,
    NEW_POINT,
    DeliveriesPage,
    DeliveryForm,
    TownTag,
    build_tags,
    deliveries_page,
)
from backend.office.deliveries.saving import DeliveryChanged, delete_delivery, save_point, save_zone
from backend.shipping.models import ShippingOption
from backend.shipping.municipalities import search_municipalities
from backend.staff.rights import Actor, Right
from storefront.office.state import OfficeScreen, office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_id, checked_text

DEBOUNCE_MS = 200
MAX_TEXT_LENGTH = 80
MAX_SUGGESTIONS = 5


class DeliveriesState(OfficeScreen, KnownClientState):
    """State of the screen of own delivery: zones and pickup points, and the municipalities chosen in their forms.

    Attributes:
        towns: the chosen municipalities, by form id.
        codes: the codes of these municipalities, as the form's hidden field sends them, by form id.
        suggestions: municipalities that match the text typed in the form `suggested_for`.
    """

    content: rx.Field[DeliveriesPage | None] = rx.field(None)
    towns: rx.Field[dict[str, list[TownTag]]] = rx.field(default_factory=dict)
    codes: rx.Field[dict[str, str]] = rx.field(default_factory=dict)
    suggestions: rx.Field[list[TownTag]] = rx.field(default_factory=list)
    suggested_for: rx.Field[str] = rx.field("")

    _right: ClassVar[Right] = Right.READ_SETTINGS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.SETTINGS})

    async def _read_content(self, actor: Actor) -> DeliveriesPage:
        shop = current_shop()
        async with shop.database.read() as session:
            return await deliveries_page(session, actor, shop.settings, shop.fulfillment_providers)

    async def _show(self, actor: Actor) -> None:
        await super()._show(actor)
        self._reset_towns()
        self.suggestions, self.suggested_for = [], ""

    async def _refresh(self, actor: Actor) -> None:
        """Display the changed content. Forms that did not change keep the municipalities that are being chosen."""
        versions = {form.id: form.version for form in self._list_forms()}
        await super()._refresh(actor)
        self._reset_towns({form.id for form in self._list_forms() if versions.get(form.id) == form.version})

    def _reset_towns(self, kept: Collection[str] = ()) -> None:
        """Set the municipalities of all forms to the saved ones, except in the forms with the ids `kept`."""
        codes = {
            form.id: self.codes[form.id] if form.id in kept else form.texts["towns"]
            for form in self._list_forms()
        }
        if codes != self.codes:
            self.codes = codes
            self.towns = {form_id: build_tags(parse_town_codes(text)) for form_id, text in codes.items()}

    def _list_forms(self) -> list[DeliveryForm]:
        page = self.content
        if page is None:
            return []
        return [page.new_zone, page.new_point, *(row.form for row in (*page.zones, *page.points))]

    @office_event(Right.READ_SETTINGS, supersedes=True, debounce=DEBOUNCE_MS)
    async def find_towns(self, _actor: Actor, form_id: str, text: str) -> None:
        """Find the municipalities that match the text typed in a form."""
        typed = checked_text(text, MAX_TEXT_LENGTH)
        found = search_municipalities(typed, MAX_SUGGESTIONS) if typed else []
        self.suggested_for = checked_id(form_id)
        self.suggestions = build_tags([town.code for town in found])

    @office_event(Right.CHANGE_SETTINGS, is_press=False)
    async def add_town(self, _actor: Actor, form_id: str, code: str) -> None:
        """Add a municipality to a form. In the form of a pickup point, it replaces the current municipality."""
        chosen = [tag.code for tag in self.towns.get(checked_id(form_id), [])]
        is_point = self.content is not None and form_id in {
            NEW_POINT,
            *(row.id for row in self.content.points),
        }
        self._choose(form_id, [checked_id(code)] if is_point else [*chosen, checked_id(code)])

    @office_event(Right.CHANGE_SETTINGS, is_press=False)
    async def remove_town(self, _actor: Actor, form_id: str, code: str) -> None:
        """Remove a municipality from a form."""
        self._choose(
            form_id, [tag.code for tag in self.towns.get(checked_id(form_id), []) if tag.code != code]
        )

    def _choose(self, form_id: str, codes: list[str]) -> None:
        if form_id not in self.codes:
            raise InvalidData("not a form")
        text = format_town_codes(parse_town_codes(format_town_codes(codes))[:MAX_TOWNS])
        self.codes = {**self.codes, form_id: text}
        self.towns = {**self.towns, form_id: build_tags(parse_town_codes(text))}
        self.suggestions, self.suggested_for = [], ""

    @office_event(Right.CHANGE_SETTINGS)
    async def save_zone(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Add or change a zone of own delivery.

        The form contains `form` (`NEW` or the shipping option's id), the displayed `version` and `ZONE_FIELDS`.
        """
        typed = checked_fields(form_data, "form", "version", *ZONE_FIELDS, max_length=MAX_TYPED_LENGTH)
        saved = await self._save(actor, typed, new_id=NEW, parse=parse_zone_form, save=save_zone)
        if saved is None:
            return
        await self._announce_done(actor, _("Guardada: ya se ofrece."))
        zones = self.content.zones if self.content else []
        if warning := next((row.warning for row in zones if row.id == saved.id), ""):
            self._announce(_("Guardada. {warning}").format(warning=warning))

    @office_event(Right.CHANGE_SETTINGS)
    async def save_point(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Add or change a pickup point.

        The form contains `form` (`NEW_POINT` or the shipping option's id), the displayed `version` and
        `POINT_FIELDS`.
        """
        typed = checked_fields(form_data, "form", "version", *POINT_FIELDS, max_length=MAX_TYPED_LENGTH)
        saved = await self._save(actor, typed, new_id=NEW_POINT, parse=parse_point_form, save=save_point)
        if saved is not None:
            await self._announce_done(actor, _("Guardado: quien compra ve la dirección y el horario."))

    async def _save(
        self,
        actor: Actor,
        typed: Mapping[str, str],
        *,
        new_id: str,
        parse: Callable[[Mapping[str, str]], Any],
        save: Callable[..., Awaitable[ShippingOption]],
    ) -> ShippingOption | None:
        """Save a form and return its shipping option. If it cannot be saved, announce why and return None.

        `new_id` is the id of the form of a new zone or point.
        """
        form_id, shop, self.problems = checked_id(typed["form"]), current_shop(), {}
        option_id = "" if form_id == new_id else form_id
        try:
            form = parse(typed)
            async with shop.database.transaction() as session:
                return await save(
                    session,
                    actor,
                    shop.fulfillment_providers,
                    form,
                    option_id=option_id,
                    version=typed["version"],
                )
        except InvalidData as error:
            self.problems = {f"{form_id}-{name}": text for name, text in error.fields.items()}
            self._announce(CHECK_FIELDS if error.fields else error.staff_text or error.message, "problem")
        except DeliveryChanged as error:
            await self._show(actor)
            self._announce(error.staff_text or error.message, "problem")
        return None

    @office_event(Right.CHANGE_SETTINGS)
    async def delete(self, actor: Actor, option_id: str) -> None:
        """Delete a zone of own delivery or a pickup point."""
        async with current_shop().database.transaction() as session:
            await delete_delivery(session, actor, checked_id(option_id))
        await self._announce_done(actor, _("Borrada: nadie más la puede elegir."))
