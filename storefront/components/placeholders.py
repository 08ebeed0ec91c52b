"""What stands where there is no content: empty lists, what was not found, and skeletons of what is being loaded."""

import reflex as rx

from backend.core.texts import _
from storefront.components.pictures import drawing

EMPTY_CART_TITLE = _("Tu carrito está vacío")
EMPTY_CART_TEXT = _("Todavía no has puesto ningún juguete. Date una vuelta por la tienda.")


def empty_state(
    name: str, title: str, text: str, *actions: rx.Component, test_id: str = "", level: int = 1
) -> rx.Component:
    """A drawing, a sentence and what to do next."""
    heading = rx.el.h1 if level == 1 else rx.el.h2
    return rx.el.div(
        drawing(f"/brand/{name}.svg", 240, 180, class_name="empty__drawing"),
        heading(title, class_name="empty__title"),
        rx.el.p(text, class_name="empty__text"),
        rx.el.div(*actions, class_name="empty__actions"),
        class_name="empty",
        data_testid=test_id,
    )


def link_button(text: str | rx.Var[str], href: str | rx.Var[str], kind: str = "primary") -> rx.Component:
    """A link that looks like what it is: the next step."""
    return rx.el.a(text, href=href, class_name=f"button button--{kind}")


def empty_cart(level: int = 1) -> rx.Component:
    """The cart without lines, for the cart's and the checkout's page."""
    return empty_state(
        "empty-cart",
        EMPTY_CART_TITLE,
        EMPTY_CART_TEXT,
        link_button(_("Ver el catálogo"), "/catalog"),
        test_id="empty-cart",
        level=level,
    )


def not_found(title: str, text: str, *actions: rx.Component) -> rx.Component:
    """What was asked for does not exist. `actions` come before the usual ways on."""
    return empty_state(
        "not-found",
        title,
        text,
        *actions,
        link_button(_("Ver el catálogo"), "/catalog", kind="quiet" if actions else "primary"),
        link_button(_("Ir al inicio"), "/", kind="quiet"),
        test_id="not-found",
    )


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
