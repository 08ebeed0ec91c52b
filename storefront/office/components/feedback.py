"""What stands where there is nothing, nothing yet, or nothing for this role; and chips that say how a thing stands."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.views import ChipView
from storefront.components.placeholders import bar, waiting
from storefront.office.icons import icon


def empty(shape: str, title: str, text: str, *actions: rx.Component) -> rx.Component:
    """There is nothing to show: why, and what to do next."""
    return rx.el.div(
        icon(shape, size=36),
        rx.el.p(title, class_name="o-empty__title"),
        rx.el.p(text, class_name="o-empty__text"),
        *([rx.el.div(*actions, class_name="o-empty__actions")] if actions else []),
        class_name="o-empty",
    )


def chip(text: str | rx.Var[str], tone: str | rx.Var[str] = "plain") -> rx.Component:
    """How a thing stands, in a word or two.

    `tone`: `plain`, `good` (done), `wait` (for somebody) or `bad` (somebody must act).
    """
    return rx.el.span(text, class_name="o-chip", data_tone=tone)


def state_chip(state: ObjectVar[ChipView]) -> rx.Component:
    """How a thing stands, as a `ChipView` says it."""
    return chip(state.text, state.tone)


def rows_skeleton(count: int = 6) -> rx.Component:
    """Rows to come."""
    row = rx.el.li(bar("35%"), bar("60%", "0.85em"), class_name="o-row o-row--waiting")
    return rx.el.ul(*(row for _place in range(count)), class_name="o-list", aria_hidden="true")


def screen(state: Any, content: rx.Component, skeleton: rx.Component | None = None) -> rx.Component:
    """The content once it is there, what holds its place until then, or why it cannot be had.

    Args:
        state: the screen's state.
        content: what is shown of its `content`.
        skeleton: what holds its place.
    """
    again = rx.el.button(
        _("Intentar otra vez"),
        type="button",
        class_name="button button--small button--dark",
        on_click=state.load,
    )
    failed = rx.el.div(
        empty("warning", _("No pudimos cargar esta pantalla."), _("Puede ser la conexión."), again),
        role="alert",
        data_testid="screen-failed",
    )
    forbidden = empty(
        "lock", _("Tu rol no ve esta pantalla."), _("Si la necesitas, pídela al dueño de la tienda.")
    )
    missing = empty("search", _("Esto ya no existe."), _("Alguien lo quitó o la dirección está mal escrita."))
    ended = empty(
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
        rx.cond(state.is_ready, content, rx.fragment(skeleton or rows_skeleton(), waiting())),
    )
