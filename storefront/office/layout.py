"""The frame of every screen of the office: search, places, what came of what was done."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from storefront.components.forms import SUGGESTIONS
from storefront.components.pictures import MARK, drawing
from storefront.components.react_components import Arrival, sheet
from storefront.office.auth.sign_out import sign_out
from storefront.office.icons import icon
from storefront.office.navigation import OFFICE, PLACES, Place
from storefront.office.react_components import IS_OFFLINE, NOW, SAID, OfficeSearch, OfficeShell, Telling
from storefront.office.search import LONGEST, Hit, OfficeSearchState
from storefront.office.state import StaffState, may, number_at
from storefront.reflex_ext.elements import A
from storefront.reflex_ext.hooks import ABSENT
from storefront.state.frame import FrameState

CONTENT = "contenido"
MORE = "mas"
OFFLINE = _("Sin conexión: lo que ves puede estar viejo, y nada se guarda hasta que vuelva.")


def office(
    state: Any,
    path: str,
    title: Any,
    *content: rx.Component,
    actions: tuple[rx.Component, ...] = (),
    undo: Any = None,
    class_name: str = "",
) -> rx.Component:
    """A whole screen around its content.

    Args:
        state: the screen's state.
        path: the place it belongs to, which its navigation marks.
        title: its heading.
        content: what is below the heading.
        actions: buttons beside the heading.
        undo: the event that undoes what was told last; it is called with the subject.
        class_name: a class of `<main>`.
    """
    return OfficeShell.create(
        A.create(_("Saltar al contenido"), href=f"#{CONTENT}", class_name="skip-link"),
        rx.el.header(
            rx.el.a(drawing(MARK, 32), href=OFFICE, class_name="o-mark", aria_label=_("Oficina: ir a hoy")),
            search(),
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
            rx.cond(IS_OFFLINE, OFFLINE, ""),
            class_name="o-offline",
            role="status",
        ),
        Arrival.create(target=CONTENT),
        class_name="office",
    )


def place_link(place: Place, current: rx.Var[str], *, is_in_bar: bool) -> rx.Component:
    """A place, while it may be gone to."""
    counted = (
        [
            rx.cond(
                number_at(place.counts) > 0,  # type: ignore[operator]  # numbers can be compared
                rx.el.b(number_at(place.counts), class_name="o-count"),
            )
        ]
        if place.counts
        else []
    )
    link = rx.el.a(
        icon(place.icon),
        rx.el.span(place.label, class_name="o-place__label"),
        *counted,
        href=place.path,
        class_name="o-place",
        custom_attrs={"aria-current": rx.cond(current == place.path, "page", ABSENT)},
    )
    kind = "o-places__main" if place.is_main or not is_in_bar else "o-places__other"
    return rx.cond(may(place.right), rx.el.li(link, class_name=kind))


@rx.memo
def navigation(current: rx.Var[str]) -> rx.Component:
    """All places beside a large screen; the main ones and «Más» below a telephone's."""
    return rx.el.nav(
        rx.el.ul(
            *(place_link(place, current, is_in_bar=True) for place in PLACES),
            rx.el.li(
                rx.el.button(
                    icon("more"),
                    rx.el.span(_("Más"), class_name="o-place__label"),
                    type="button",
                    class_name="o-place",
                    data_opens=MORE,
                ),
                class_name="o-places__more",
            ),
            class_name="o-places",
        ),
        rx.el.div(
            rx.el.p(rx.cond(StaffState.who, StaffState.who.role, ""), class_name="o-who"),
            sign_out(),
            class_name="o-nav__end",
        ),
        class_name="o-nav",
        aria_label=_("Oficina"),
        data_testid="office-nav",
    )


@rx.memo
def more_places(current: rx.Var[str]) -> rx.Component:
    """What a telephone's bar has no room for."""
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
        name=MORE,
        label=_("Más"),
        close_label=_("Cerrar"),
        side="bottom",
    )


def toasts(state: Any, undo: Any) -> rx.Component:
    """What came of what was done on this screen, and failures that no screen expects."""

    def toast(message: Any, *further: rx.Component) -> rx.Component:
        shown = rx.el.div(
            rx.el.p(SAID.text, class_name="o-toast__text"),
            *further,
            rx.el.button(
                icon("close", size=18),
                type="button",
                class_name="o-toast__close",
                aria_label=_("Cerrar"),
                special_props=[NOW.leaving],
            ),
            class_name="o-toast",
            data_tone=SAID.tone,
            data_testid="told",
            special_props=[NOW.hold],
        )
        return Telling.create(rx.el.div(rx.cond(NOW.shown, shown), role="status"), message=message)

    return rx.el.div(
        toast(state.told, *([undoing(undo)] if undo is not None else [])),
        toast(FrameState.notice),
        class_name="o-toasts",
    )


def undoing(undo: Any) -> rx.Component:
    """Undoes what was told, if it can be."""
    button = rx.el.button(
        icon("undo", size=18),
        _("Deshacer"),
        type="button",
        class_name="o-toast__undo",
        on_click=undo(SAID.subject),
        data_testid="undo",
    )
    return rx.cond(SAID.subject != "", button)


def search() -> rx.Component:
    """Goes anywhere: to a place, an order, a product."""
    return OfficeSearch.create(
        rx.el.label(_("Buscar o ir a…"), html_for="office-search", class_name="sr-only"),
        icon("search", size=20),
        rx.el.input(
            id=rx.Var.create("office-search"),
            type="search",
            name="text",
            placeholder=_("Buscar o ir a…"),
            max_length=LONGEST,
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
        answered=OfficeSearchState.answered,
        count=OfficeSearchState.hits.length(),
        on_ask=OfficeSearchState.find,
    )


@rx.memo
def office_search_panel() -> rx.Component:
    """Suggestions, or that there is nothing; said aloud too."""
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


def hit_option(hit: ObjectVar[Hit]) -> rx.Component:
    """Something that may be meant."""
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
