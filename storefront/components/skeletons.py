"""What holds the place of content that has not arrived, in the content's own measures."""

import reflex as rx

from backend.texts import _


def bar(width: str, height: str = "1em") -> rx.Component:
    """A line of text to come."""
    return rx.el.span(class_name="bone", style={"width": width, "height": height})


def card_skeleton() -> rx.Component:
    """A card to come."""
    return rx.el.li(
        rx.el.div(
            rx.el.div(class_name="card__picture bone"),
            rx.el.div(bar("80%"), bar("50%", "0.8em"), bar("40%"), class_name="card__text"),
            class_name="card card--waiting",
        )
    )


def grid_skeleton(count: int = 8, class_name: str = "grid") -> rx.Component:
    """Cards to come."""
    return rx.el.ul(*(card_skeleton() for _place in range(count)), class_name=class_name, aria_hidden="true")


def until(
    is_loaded: rx.Var[bool],
    has_failed: rx.Var[bool],
    again: object,
    skeleton: rx.Component,
    content: rx.Component,
) -> rx.Component:
    """The content once it is there; what holds its place until then; or that it cannot be had, and a way to try again.

    Args:
        is_loaded: whether the content is there.
        has_failed: whether loading it has failed.
        again: the event that loads it.
        skeleton: what holds its place.
        content: what was waited for.
    """
    failure = rx.el.div(
        rx.el.h2(_("No pudimos cargar esta página."), class_name="empty__title"),
        rx.el.button(
            _("Intentar otra vez"), type="button", class_name="button button--primary", on_click=again
        ),
        class_name="empty",
        role="alert",
        data_testid="page-failed",
    )
    return rx.cond(is_loaded, content, rx.cond(has_failed, failure, rx.fragment(skeleton, waiting())))


def waiting() -> rx.Component:
    """Says to those who do not see the grey boxes that something is on its way, and without scripts that nothing is."""
    return rx.fragment(
        rx.el.p(_("Cargando…"), class_name="sr-only", role="status"),
        rx.el.noscript(
            rx.el.p(
                _("Para esta página tu navegador necesita JavaScript. Actívalo y vuelve a cargarla."),
                class_name="empty",
            )
        ),
    )
