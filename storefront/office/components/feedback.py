"""Empty states, placeholders, access problems, and chips that show a status."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.listing import ListView
from backend.office.views import ChipView
from storefront.components.placeholders import loading_notice, skeleton_bar
from storefront.office.icons import icon

NO_MATCHES, INVITATION = "list-no-matches", "list-invitation"
"""Test ids of the two messages of an empty list."""


def empty_state(shape: str, title: str, text: str, *actions: rx.Component, **marks: Any) -> rx.Component:
    """Render the message of an empty list: why there is nothing, and what the staff member can do.

    `marks` are more props, such as a test id.
    """
    return rx.el.div(
        icon(shape, size=36),
        rx.el.p(title, class_name="o-empty__title"),
        rx.el.p(text, class_name="o-empty__text"),
        *([rx.el.div(*actions, class_name="o-empty__actions")] if actions else []),
        class_name="o-empty",
        **marks,
    )


def invitation(shape: str, title: str, text: str, *actions: rx.Component) -> rx.Component:
    """Render the message of a list that has no rows yet: what it will contain, and how to add the first row."""
    return empty_state(shape, title, text, *actions, data_testid=INVITATION)


def no_matches(shape: str, title: str, text: str, path: str) -> rx.Component:
    """Render the message of a list whose filters match nothing, with a link to the unfiltered list at `path`."""
    return empty_state(shape, title, text, action_link(_("Quitar los filtros"), path), data_testid=NO_MATCHES)


def action_link(text: str, href: str) -> rx.Component:
    """Render a link below the message of an empty list."""
    return rx.el.a(text, href=href, class_name="button button--small button--dark")


def empty_list(view: ObjectVar[ListView], filtered: rx.Component, unfiltered: rx.Component) -> rx.Component:
    """Render an empty list.

    Args:
        view: the variable of the list's `ListView`.
        filtered: the message if a search or filter is set: see `no_matches`.
        unfiltered: the message of a list without rows: see `invitation`.
    """
    return rx.cond(view.filters.values().join() != "", filtered, unfiltered)


def chip(text: str | rx.Var[str], tone: str | rx.Var[str] = "plain") -> rx.Component:
    """Render a status in one or two words.

    `tone` is `plain`, `good` (done), `wait` (waiting for another person) or `bad` (staff must act).
    """
    return rx.el.span(text, class_name="o-chip", data_tone=tone)


def state_chip(state: ObjectVar[ChipView]) -> rx.Component:
    """Render the status of a `ChipView`."""
    return chip(state.text, state.tone)


def rows_skeleton(count: int = 6) -> rx.Component:
    """Render placeholders of rows."""
    row = rx.el.li(skeleton_bar("35%"), skeleton_bar("60%", "0.85em"), class_name="o-row o-row--waiting")
    return rx.el.ul(*(row for _number in range(count)), class_name="o-list", aria_hidden="true")


def screen(state: Any, content: rx.Component, skeleton: rx.Component | None = None) -> rx.Component:
    """Render the content, a placeholder while it loads, or the reason why it cannot be shown.

    Args:
        state: the screen's state.
        content: the component that renders the state's `content`.
        skeleton: the placeholder while the content loads.
    """
    retry_button = rx.el.button(
        _("Intentar otra vez"),
        type="button",
        class_name="button button--small button--dark",
        on_click=state.load,
    )
    failed = rx.el.div(
        empty_state(
            "warning", _("No pudimos cargar esta pantalla."), _("Puede ser la conexión."), retry_button
        ),
        role="alert",
        data_testid="screen-failed",
    )
    forbidden = empty_state(
        "lock", _("Tu rol no ve esta pantalla."), _("Si la necesitas, pídela al dueño de la tienda.")
    )
    missing = empty_state(
        "search", _("Esto ya no existe."), _("Alguien lo quitó o la dirección está mal escrita.")
    )
    ended = empty_state(
        "lock",
        _("Tu sesión terminó."),
        _("Dura 12 horas, o hasta que alguien la cierre."),
        rx.el.button(
            _("Entrar otra vez"),
            type="button",
            class_name="button button--small button--dark",
            on_click=state.load,
        ),
    )
    return rx.cond(
        state.problem != "",
        rx.match(state.problem, ("forbidden", forbidden), ("missing", missing), ("ended", ended), failed),
        rx.cond(state.is_ready, content, rx.fragment(skeleton or rows_skeleton(), loading_notice())),
    )
