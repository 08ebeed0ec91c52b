"""The form of a delivery address on screens of staff."""

from typing import Any

import reflex as rx

from backend.core.texts import _
from backend.shipping.municipalities import search_municipalities
from backend.staff.rights import Actor
from storefront.components.forms import MAX_TEXT_LENGTH, Town, town_field, town_view
from storefront.office.components.forms import office_field
from storefront.office.icons import icon
from storefront.office.state import OfficeScreen, office_event
from storefront.reflex_ext.hooks import text_at
from storefront.state.handlers import checked_text


class AddressScreen(OfficeScreen, mixin=True):
    """State of a screen on which staff type an address: it suggests municipalities."""

    towns: rx.Field[list[Town]] = rx.field(default_factory=list)
    """Municipalities that match `towns_for`, the typed text."""
    towns_for: rx.Field[str] = rx.field("")

    @office_event(supersedes=True, debounce=150)
    async def find_towns(self, _actor: Actor, text: str) -> None:
        """Find the municipalities that match the typed text."""
        text = checked_text(text, MAX_TEXT_LENGTH)
        self.towns = [town_view(town) for town in search_municipalities(text)]
        self.towns_for = text


def fold_head(icon_name: str, text: str) -> rx.Component:
    """Render the summary of a `<details>` element: an icon, the text, and an arrow."""
    return rx.el.summary(
        rx.el.span(icon(icon_name, size=20), text, class_name="o-stock__receive"),
        icon("down", size=20),
        class_name="o-audit__head",
    )


def address_form(
    state: Any, form: str, on_submit: Any, towns_panel: rx.Component, asks_email: Any = True
) -> rx.Component:
    """Render the form of a delivery address.

    Args:
        state: the screen's state, an `AddressScreen`.
        form: the prefix of the fields' ids.
        on_submit: the event of the form.
        towns_panel: the suggested municipalities.
        asks_email: True if the e-mail address is not known yet.
    """

    def text_field(name: str, label: str, **more: Any) -> rx.Component:
        return office_field(state, form, name, label, auto_complete="off", **more)

    return rx.el.form(
        text_field("first_name", _("Nombre")),
        text_field("last_name", _("Apellido")),
        rx.cond(asks_email, text_field("email", _("Correo"), type="email", auto_capitalize="none")),
        text_field("phone", _("Celular"), type="tel"),
        town_field(
            _("Municipio"),
            state.towns,
            state.towns_for,
            state.find_towns,
            towns_panel,
            element_id=f"{form}-town",
            problem=text_at(state.problems, "town"),
            live="",
        ),
        text_field("address", _("Dirección")),
        text_field("suburb", _("Barrio")),
        text_field("reference", _("Cómo encontrarla"), is_optional=True),
        rx.el.button(_("Ver lo que cuesta"), type="submit", class_name="button button--small button--dark"),
        class_name="o-sell__form",
        no_validate=True,
        on_submit=on_submit,
    )
