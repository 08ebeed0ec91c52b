"""The screen of former addresses (Direcciones anteriores): redirects, unknown addresses, and a spreadsheet."""

from typing import Any, ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.catalog.redirects.addresses import MAX_TYPED_LENGTH
from backend.catalog.redirects.service import (
    ADDRESS_FIELD,
    TARGET_FIELD,
    create_redirect,
    delete_redirect,
    dismiss_unknown,
    resolve_address,
    resolve_target,
)
from backend.core.error_texts import CHECK_FIELDS, SESSION_ENDED
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.office.redirects import (
    FIELDS,
    MAX_TEXT_LENGTH,
    RedirectRow,
    RedirectsView,
    TargetSuggestion,
    UnknownAddressRow,
    redirects_view,
    suggest_targets,
)
from backend.staff.rights import Actor, Right
from storefront.components.forms import SubmitOnce, field
from storefront.office.components.feedback import (
    action_link,
    chip,
    empty_list,
    invitation,
    no_matches,
    screen,
)
from storefront.office.components.forms import confirm_button, hidden_field
from storefront.office.components.list_filters import ListFilters
from storefront.office.components.lists import fold_row, office_list, rows
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.list_state import OfficeList
from storefront.office.navigation import IMPORT, REDIRECTS
from storefront.office.state import answer_number, has_right, office_event
from storefront.reflex_ext.hooks import script, text_at
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_id

TITLE = _("Direcciones anteriores")
SUGGESTIONS = "redirect-targets"
"""Id of the list of suggested products and categories."""
NEW_FORM = "new"
DEBOUNCE_MS = 250
TEXTS = {
    "choose": _("Elegir la hoja"),
    "rules": _(
        "Excel (.xlsx) o CSV con dos columnas: la dirección anterior, y el SKU, el nombre o la dirección nueva."
    ),
    "sending": _("Enviando…"),
    "done": _("Nuevas: {created}. Cambiadas: {changed}. Ya estaban: {same}. Por corregir: {wrong}."),
    "row": _("Fila"),
    "more": _("Y {n} más."),
    "busy": _("La tienda está ocupada. Inténtalo en un momento."),
    "offline": _("Se cortó la conexión. Envíala otra vez."),
    "ended": SESSION_ENDED,
    "forbidden": _("Tu rol no permite hacer esto."),
    "too_large": _("Es demasiado grande."),
    "failed": _("No se pudo leer. Inténtalo otra vez."),
}


class RedirectsState(OfficeList, KnownClientState):
    """State of the screen: the redirects, the unknown addresses, and the suggestions for the typed target."""

    content: rx.Field[RedirectsView | None] = rx.field(None)
    suggestions: rx.Field[list[TargetSuggestion]] = rx.field(default_factory=list)

    _right: ClassVar[Right] = Right.READ_CATALOG
    _filter_fields: ClassVar[tuple[str, ...]] = FIELDS
    _max_length: ClassVar[int] = MAX_TEXT_LENGTH
    _path: ClassVar[str] = REDIRECTS

    async def _read_page(self, actor: Actor, filters: dict[str, str], cursor: str = "") -> RedirectsView:
        async with current_shop().database.read() as session:
            return await redirects_view(session, actor, filters, cursor)

    @office_event(Right.READ_CATALOG, supersedes=True, debounce=DEBOUNCE_MS)
    async def suggest(self, actor: Actor, text: str) -> None:
        """Suggest products, categories and collections for a typed target."""
        if not isinstance(text, str) or len(text) > MAX_TEXT_LENGTH:
            raise InvalidData("not a text")
        async with current_shop().database.read() as session:
            self.suggestions = await suggest_targets(session, actor, text)

    @office_event(Right.CHANGE_CATALOG)
    async def save(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Create a redirect from a former address.

        The form contains the `address`, the `target`, and `form`, which precedes the field names in `problems`.
        """
        typed = checked_fields(form_data, ADDRESS_FIELD, TARGET_FIELD, "form", max_length=MAX_TYPED_LENGTH)
        self.problems = {}
        try:
            async with current_shop().database.transaction() as session:
                address = await resolve_address(session, typed[ADDRESS_FIELD])
                target = await resolve_target(session, typed[TARGET_FIELD])
                await create_redirect(session, actor, address, target)
        except InvalidData as error:
            form = checked_id(typed["form"])
            self.problems = {f"{form}-{name}": text for name, text in error.fields.items()}
            self._announce(CHECK_FIELDS if error.fields else error.staff_text or error.message, "problem")
            return
        self.suggestions = []
        await self._announce_done(actor, _("Guardada. Quien la visite llega a la página nueva."))

    @office_event(Right.CHANGE_CATALOG)
    async def delete(self, actor: Actor, redirect_id: str) -> None:
        """Delete a redirect."""
        async with current_shop().database.transaction() as session:
            await delete_redirect(session, actor, checked_id(redirect_id))
        await self._announce_done(actor, _("Borrada."))

    @office_event(Right.CHANGE_CATALOG)
    async def dismiss(self, actor: Actor, unknown_id: str) -> None:
        """Remove an unknown address from the list."""
        async with current_shop().database.transaction() as session:
            await dismiss_unknown(session, actor, checked_id(unknown_id))
        await self._announce_done(actor, _("Quitada de la lista."))

    @office_event(Right.READ_CATALOG, is_press=False)
    async def show_stored(self, actor: Actor) -> None:
        """Read the redirects again, because an uploaded spreadsheet has added some."""
        await self._show(actor)


class RedirectSheet(rx.Component):
    """Upload of a spreadsheet of redirects: see `assets/scripts/office/redirects.jsx`."""

    library = script("office/redirects")
    tag = "RedirectSheet"
    texts: rx.Var[dict[str, str]]
    on_sent: rx.EventHandler[rx.event.no_args_event_spec]  # type: ignore[type-arg, valid-type]


VIEW = RedirectsState.content
FILTERS = ListFilters("redirects", REDIRECTS, VIEW, RedirectsState.apply_filters)


def page() -> rx.Component:
    """Render the screen of former addresses."""
    nothing = empty_list(
        VIEW,
        no_matches(
            "signpost",
            _("Ninguna dirección así"),
            _("Con esta búsqueda no hay ninguna. Prueba con otra parte de la dirección o del producto."),
            REDIRECTS,
        ),
        invitation(
            "signpost",
            _("Ninguna dirección"),
            _(
                "Agrega las de tu tienda anterior, o impórtalas con tus productos: los enlaces viejos siguen sirviendo."
            ),
            action_link(_("Importar una lista"), IMPORT),
        ),
    )
    content = rx.el.div(
        rx.el.datalist(
            rx.foreach(
                RedirectsState.suggestions,
                lambda one: rx.el.option(one.label, value=one.value, key=one.value),
            ),
            id=rx.Var.create(SUGGESTIONS),
        ),
        rx.cond(VIEW.unknown.length() > 0, unknown_panel()),
        rx.cond(has_right(Right.CHANGE_CATALOG), rx.fragment(new_panel(), sheet_panel())),
        rx.el.section(
            rx.el.h2(_("Las que ya llevan a tu tienda"), class_name="o-section__title"),
            rx.el.p(VIEW.count_label, class_name="o-row__detail", data_testid="redirect-count"),
            FILTERS.search(_("Buscar direcciones"), _("Dirección o producto"), MAX_TEXT_LENGTH),
            rx.cond(VIEW.active.length() > 0, rx.el.a(_("Ver todas"), href=REDIRECTS, class_name="o-link")),
            office_list(
                RedirectsState,
                VIEW.rows,
                _redirect_row,
                nothing,
                label=TITLE,
                wrap=lambda listed: SubmitOnce.create(listed, answers=answer_number(RedirectsState)),
            ),
            class_name="o-former__list",
        ),
        class_name="o-former",
    )
    return office_layout(RedirectsState, REDIRECTS, TITLE, screen(RedirectsState, content))


def unknown_panel() -> rx.Component:
    """Render the unknown addresses that people visit, the most visited first."""
    return rx.el.section(
        rx.el.h2(_("Visitan y no existen"), class_name="o-section__title"),
        rx.el.p(
            _("Alguien siguió un enlace a estas direcciones y no encontró nada. Elige a dónde llevan."),
            class_name="o-row__detail",
        ),
        SubmitOnce.create(
            rows(VIEW.unknown, _unknown_row, rx.fragment(), label=_("Visitan y no existen")),
            answers=answer_number(RedirectsState),
        ),
        data_testid="unknown-addresses",
    )


def new_panel() -> rx.Component:
    """Render the form of a new redirect. It is emptied when the number of redirects changes."""
    return rx.el.section(
        rx.el.h2(_("Agregar una"), class_name="o-section__title"),
        SubmitOnce.create(
            rx.el.form(
                hidden_field("form", NEW_FORM),
                _text_field(
                    NEW_FORM,
                    ADDRESS_FIELD,
                    _("Dirección anterior"),
                    placeholder="/productos/mochila",
                    auto_capitalize="none",
                    spell_check=False,
                    max_length=MAX_TYPED_LENGTH,
                ),
                _target_field(NEW_FORM),
                _submit(_("Guardar"), "redirect-save"),
                class_name="o-attention__way",
                no_validate=True,
                key=VIEW.count_label,
                on_submit=RedirectsState.save,
            ),
            answers=answer_number(RedirectsState),
        ),
        class_name="o-panel o-import",
    )


def sheet_panel() -> rx.Component:
    """Render the upload of a spreadsheet."""
    return rx.el.section(
        rx.el.h2(_("Agregar muchas"), class_name="o-section__title"),
        RedirectSheet.create(texts=rx.Var.create(TEXTS), on_sent=RedirectsState.show_stored),
        class_name="o-panel o-import",
    )


def _unknown_row(row: ObjectVar[UnknownAddressRow]) -> rx.Component:
    return fold_row(
        rx.el.summary(
            rx.el.span(
                rx.el.span(row.address, class_name="o-row__title"),
                rx.el.span(row.visits_label, class_name="o-row__detail"),
                class_name="o-attention__what",
            ),
            icon("down", size=20),
            class_name="o-attention__head",
        ),
        rx.cond(
            has_right(Right.CHANGE_CATALOG),
            rx.el.div(
                rx.el.form(
                    hidden_field("form", row.id),
                    hidden_field(ADDRESS_FIELD, row.address),
                    _target_field(row.id, default_value=row.target),
                    _submit(_("Guardar"), "unknown-save"),
                    class_name="o-attention__way",
                    no_validate=True,
                    on_submit=RedirectsState.save,
                ),
                rx.el.button(
                    _("Quitar de la lista"),
                    type="button",
                    data_once="",
                    class_name="button button--small button--quiet",
                    on_click=RedirectsState.dismiss(row.id),
                    data_testid="unknown-dismiss",
                ),
                class_name="o-attention__body",
            ),
        ),
        row_id=row.id,
        class_name="o-attention",
        data_testid="unknown-row",
    )


def _redirect_row(row: ObjectVar[RedirectRow]) -> rx.Component:
    return fold_row(
        rx.el.summary(
            rx.el.span(
                rx.el.span(row.address, class_name="o-row__title"),
                rx.el.span("→ ", row.target, class_name="o-row__detail"),
                class_name="o-attention__what",
            ),
            rx.cond(row.is_hidden, chip(_("Oculto"), "wait")),
            icon("down", size=20),
            class_name="o-attention__head",
        ),
        rx.el.div(
            rx.el.a(_("Ver la página"), href=row.href, class_name="o-link"),
            rx.cond(
                has_right(Right.CHANGE_CATALOG),
                confirm_button(
                    _("Borrar"),
                    _("Quien la visite ya no encuentra nada."),
                    _("Sí, borrarla"),
                    RedirectsState.delete(row.id),
                ),
            ),
            class_name="o-attention__body",
        ),
        row_id=row.id,
        class_name="o-attention",
        data_testid="redirect-row",
    )


def _target_field(form: Any, **more: Any) -> rx.Component:
    return _text_field(
        form,
        TARGET_FIELD,
        _("A dónde lleva"),
        placeholder=_("Producto, SKU o categoría"),
        list=SUGGESTIONS,
        on_change=RedirectsState.suggest,
        max_length=MAX_TEXT_LENGTH,
        **more,
    )


def _text_field(form: Any, name: str, label: str, **more: Any) -> rx.Component:
    element_id = f"{form}-{name}"
    return field(
        name,
        label,
        element_id=element_id,
        problem=text_at(RedirectsState.problems, element_id),
        live="",
        auto_complete="off",
        **more,
    )


def _submit(text: str, test_id: str) -> rx.Component:
    return rx.el.button(
        text, type="submit", class_name="button button--small button--primary", data_testid=test_id
    )
