"""The layout of every office screen: search, navigation and announcements."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from storefront.components.forms import SUGGESTIONS
from storefront.components.pictures import SHOP_ICON, drawing
from storefront.components.react_components import Arrival, sheet
from storefront.office.auth.sign_out import sign_out
from storefront.office.icons import icon
from storefront.office.navigation import OFFICE, PLACES, OfficePlace
from storefront.office.react_components import (
    ANNOUNCEMENT,
    ANNOUNCER,
    IS_OFFLINE,
    Announcer,
    OfficeSearch,
    OfficeShell,
)
from storefront.office.search import MAX_TEXT_LENGTH, OfficeSearchState, SearchHit
from storefront.office.state import StaffState, has_right, place_count, place_deadline
from storefront.reflex_ext.elements import A, has_too_many_connection_errors
from storefront.reflex_ext.hooks import ABSENT
from storefront.reflex_ext.numbers import grouped
from storefront.state.frame import FrameState

CONTENT = "contenido"
MORE_PLACES_SHEET = "mas"
OFFLINE_TEXT = _("Sin conexión: lo que ves puede estar viejo, y nada se guarda hasta que vuelva.")


def office_layout(
    state: Any,
    path: str,
    title: Any,
    *content: rx.Component,
    actions: tuple[rx.Component, ...] = (),
    undo: Any = None,
    class_name: str = "",
) -> rx.Component:
    """Render a whole screen around its content.

    Args:
        state: the screen's state.
        path: the address of the screen that the navigation marks as current.
        title: its heading.
        content: the components below the heading.
        actions: buttons next to the heading.
        undo: the event that undoes the announced action; it is called with the announcement's subject.
        class_name: a class of `<main>`.
    """
    return OfficeShell.create(
        A.create(_("Saltar al contenido"), href=f"#{CONTENT}", class_name="skip-link"),
        rx.el.header(
            rx.el.a(
                drawing(SHOP_ICON, 32), href=OFFICE, class_name="o-mark", aria_label=_("Oficina: ir a hoy")
            ),
            search_box(),
            class_name="o-bar",
        ),
        navigation(current=path),
        rx.el.main(
            rx.el.div(
                rx.el.h1(title, class_name="o-title"),
                *([rx.el.div(*actions, class_name="o-actions")] if actions else []),
                class_name="o-head",
            ),
            *content,
            id=CONTENT,
            class_name=f"o-main {class_name}".strip(),
            custom_attrs={"tabIndex": -1},
        ),
        more_places(current=path),
        toasts(state, undo),
        rx.el.p(
            rx.cond(has_too_many_connection_errors | IS_OFFLINE, OFFLINE_TEXT, ""),
            class_name="o-offline",
            role="status",
        ),
        Arrival.create(target=CONTENT),
        class_name="office",
    )


def count_badge(key: str) -> rx.Component:
    """Render the number of items that wait on a screen of the navigation; nothing if none waits."""
    number = place_count(key)
    is_positive = number > 0  # type: ignore[operator]  # numbers can be compared
    return rx.cond(is_positive, rx.el.b(grouped(number), class_name="o-count", data_testid=f"count-{key}"))


def deadline_of(place: OfficePlace) -> list[rx.Component]:
    """Render the days until the nearest legal deadline of a screen's waiting items; nothing without a deadline."""
    if not place.has_deadline:
        return []
    days = place_deadline(place.count_key)
    return [rx.cond(place_count(place.count_key) > 0, rx.el.span(days, class_name="o-place__deadline"))]  # type: ignore[operator]  # numbers can be compared


def place_link(place: OfficePlace, current: rx.Var[str], *, is_in_bar: bool) -> rx.Component:
    """Render the navigation's link to a place of the office, if the staff member has the right to open it."""
    link = rx.el.a(
        icon(place.icon),
        rx.el.span(place.label, *deadline_of(place), class_name="o-place__label"),
        *([count_badge(place.count_key)] if place.count_key else []),
        href=place.path,
        class_name="o-place",
        custom_attrs={"aria-current": rx.cond(current == place.path, "page", ABSENT)},
    )
    kind = "o-places__main" if place.is_main or not is_in_bar else "o-places__other"
    return rx.cond(has_right(place.right), rx.el.li(link, class_name=kind))


@rx.memo
def navigation(current: rx.Var[str]) -> rx.Component:
    """Render the navigation: all places on a large screen; on a phone, the main places and «Más» at the bottom."""
    return rx.el.nav(
        rx.el.ul(
            *(place_link(place, current, is_in_bar=True) for place in PLACES),
            rx.el.li(
                rx.el.button(
                    icon("more"),
                    rx.el.span(_("Más"), class_name="o-place__label"),
                    count_badge("more"),
                    type="button",
                    class_name="o-place",
                    data_opens=MORE_PLACES_SHEET,
                ),
                class_name="o-places__more",
            ),
            class_name="o-places",
        ),
        rx.el.div(
            rx.el.p(rx.cond(StaffState.member, StaffState.member.role, ""), class_name="o-who"),
            sign_out(),
            class_name="o-nav__end",
        ),
        class_name="o-nav",
        aria_label=_("Oficina"),
        data_testid="office-nav",
    )


@rx.memo
def more_places(current: rx.Var[str]) -> rx.Component:
    """Render the places that do not fit in a phone's navigation bar."""
    content = rx.fragment(
        rx.el.nav(
            rx.el.ul(
                *(place_link(place, current, is_in_bar=False) for place in PLACES),
                class_name="o-more-places",
            ),
            aria_label=_("Más lugares"),
        ),
        rx.el.div(
            rx.el.a(
                icon("store"),
                _("Ver la tienda"),
                href="/",
                class_name="o-place",
                custom_attrs={"reloadDocument": True},
            ),
            sign_out(),
            class_name="o-more-end",
        ),
    )
    return sheet(
        content,
        name=MORE_PLACES_SHEET,
        label=_("Más"),
        close_label=_("Cerrar"),
        side="bottom",
    )


def toasts(state: Any, undo: Any) -> rx.Component:
    """Render the screen's announcements and the notices of unexpected failures."""

    def toast(message: Any, *further: rx.Component) -> rx.Component:
        shown = rx.el.div(
            rx.el.p(ANNOUNCEMENT.text, class_name="o-toast__text"),
            *further,
            rx.el.button(
                icon("close", size=18),
                type="button",
                class_name="o-toast__close",
                aria_label=_("Cerrar"),
                special_props=[ANNOUNCER.dismiss],
            ),
            class_name="o-toast",
            data_tone=ANNOUNCEMENT.tone,
            data_testid="told",
            special_props=[ANNOUNCER.box],
        )
        return Announcer.create(rx.el.div(rx.cond(ANNOUNCER.shown, shown), role="status"), message=message)

    return rx.el.div(
        toast(state.announcement, *([undo_button(undo)] if undo is not None else [])),
        toast(FrameState.notice),
        class_name="o-toasts",
    )


def undo_button(undo: Any) -> rx.Component:
    """Render the undo button of an announcement. It is hidden if the announced action cannot be undone."""
    button = rx.el.button(
        icon("undo", size=18),
        _("Deshacer"),
        type="button",
        class_name="o-toast__undo",
        on_click=undo(ANNOUNCEMENT.subject),
        data_testid="undo",
    )
    return rx.cond(ANNOUNCEMENT.subject != "", button)


def search_box() -> rx.Component:
    """Render the search, which finds places, orders, products and customers."""
    return OfficeSearch.create(
        rx.el.label(_("Buscar o ir a…"), html_for="office-search", class_name="sr-only"),
        icon("search", size=20),
        rx.el.input(
            id=rx.Var.create("office-search"),
            type="search",
            name="text",
            placeholder=_("Buscar o ir a…"),
            max_length=MAX_TEXT_LENGTH,
            auto_complete="off",
            auto_capitalize="none",
            spell_check=False,
            enter_key_hint="go",
            class_name="o-search__input",
            data_testid="office-search",
        ),
        rx.el.kbd("Ctrl K", class_name="o-search__key", aria_hidden="true"),
        office_search_panel(),
        label=_("Buscar en la oficina"),
        answered=OfficeSearchState.answered_text,
        count=OfficeSearchState.hits.length(),
        on_ask=OfficeSearchState.find,
    )


@rx.memo
def office_search_panel() -> rx.Component:
    """Render the suggestions or "nothing found", also for screen readers."""
    hits = OfficeSearchState.hits
    nothing = _("Nada con «{text}»").format(text=SUGGESTIONS.typed)
    counted = rx.cond(hits.length() == 1, _("1 sugerencia"), _("{n} sugerencias").format(n=hits.length()))
    is_counted = SUGGESTIONS.is_listed & SUGGESTIONS.is_current
    panel = rx.el.div(
        rx.el.div(rx.foreach(hits, hit_option), role="listbox", aria_label=_("Sugerencias")),
        rx.cond(SUGGESTIONS.is_empty, rx.el.p(nothing, class_name="o-search__nothing")),
        class_name="o-search__panel",
        data_stale=rx.cond(SUGGESTIONS.is_current, ABSENT, "true"),
    )
    return rx.fragment(
        rx.cond(SUGGESTIONS.is_open, panel),
        rx.el.p(
            rx.cond(SUGGESTIONS.is_empty, nothing, rx.cond(is_counted, counted, "")),
            class_name="sr-only",
            role="status",
        ),
    )


def hit_option(hit: ObjectVar[SearchHit]) -> rx.Component:
    """Render a suggestion of the office's search."""
    return rx.el.a(
        icon(hit.icon, size=20),
        rx.el.span(hit.label, class_name="o-search__label"),
        rx.el.span(hit.detail, class_name="o-search__detail"),
        href=hit.path,
        role="option",
        class_name="o-search__hit",
        key=hit.path,
        custom_attrs={"tabIndex": -1},
    )
