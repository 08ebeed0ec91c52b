"""Placeholders for missing content: empty lists, unknown pages, and skeletons of content that is loading."""

import reflex as rx

from backend.core.texts import _
from storefront.components.pictures import illustration

EMPTY_CART_TITLE = _("Tu carrito está vacío")
EMPTY_CART_TEXT = _("Todavía no has puesto nada. Date una vuelta por la tienda.")


ICONS = {
    "empty-cart": "cart",
    "empty-wishlist": "heart",
    "empty-gift": "gift",
    "empty-shop": "store",
    "order-pending": "clock",
}
"""Icons of the drawings, for a shop that is not the demo; all others are `search`."""


def empty_state(
    name: str, title: str, text: str, *actions: rx.Component, test_id: str = "", level: int = 1
) -> rx.Component:
    """Build the message of a page or list without content: a drawing, a title, a sentence, and buttons (`actions`)."""
    heading = rx.el.h1 if level == 1 else rx.el.h2
    return rx.el.div(
        illustration(f"/brand/{name}.svg", ICONS.get(name, "search"), class_name="empty__drawing"),
        heading(title, class_name="empty__title"),
        rx.el.p(text, class_name="empty__text"),
        rx.el.div(*actions, class_name="empty__actions"),
        class_name="empty",
        data_testid=test_id,
    )


def link_button(text: str | rx.Var[str], href: str | rx.Var[str], kind: str = "primary") -> rx.Component:
    """Build a link that looks like a button."""
    return rx.el.a(text, href=href, class_name=f"button button--{kind}")


def empty_cart(level: int = 1) -> rx.Component:
    """Build the message that the cart is empty, for the cart page, the cart's drawer and the checkout."""
    return empty_state(
        "empty-cart",
        EMPTY_CART_TITLE,
        EMPTY_CART_TEXT,
        link_button(_("Ver el catálogo"), "/catalog"),
        test_id="empty-cart",
        level=level,
    )


def empty_shop() -> rx.Component:
    """Build the message that no product is for sale yet, for the catalogue and the gift finder."""
    return empty_state(
        "empty-shop",
        _("Estamos armando la vitrina"),
        _("Muy pronto habrá novedades por aquí."),
        link_button(_("Ir al inicio"), "/", kind="quiet"),
        level=2,
        test_id="bare-shop",
    )


def not_found_state(title: str, text: str, *actions: rx.Component) -> rx.Component:
    """Build the message that the requested content does not exist. `actions` are displayed before the usual links."""
    return empty_state(
        "not-found",
        title,
        text,
        *actions,
        link_button(_("Ver el catálogo"), "/catalog", kind="quiet" if actions else "primary"),
        link_button(_("Ir al inicio"), "/", kind="quiet"),
        test_id="not-found",
    )


def skeleton_bar(width: str, height: str = "1em") -> rx.Component:
    """Build the skeleton of a line of text."""
    return rx.el.span(class_name="bone", style={"width": width, "height": height})


def card_skeleton() -> rx.Component:
    """Build the skeleton of a product card."""
    return rx.el.li(
        rx.el.div(
            rx.el.div(class_name="card__picture bone"),
            rx.el.div(
                skeleton_bar("80%"),
                skeleton_bar("50%", "0.8em"),
                skeleton_bar("40%"),
                class_name="card__text",
            ),
            class_name="card card--waiting",
        )
    )


def grid_skeleton(count: int = 8, class_name: str = "grid") -> rx.Component:
    """Build the skeleton of a grid of product cards."""
    return rx.el.ul(*(card_skeleton() for _place in range(count)), class_name=class_name, aria_hidden="true")


def loaded_content(
    is_loaded: rx.Var[bool],
    has_failed: rx.Var[bool],
    retry: object,
    skeleton: rx.Component,
    content: rx.Component,
) -> rx.Component:
    """Build the content, a skeleton while the content loads, or an error message with a retry button.

    Args:
        is_loaded: True once the content is loaded.
        has_failed: True if loading has failed.
        retry: the event that loads the content.
        skeleton: the placeholder while the content loads.
        content: the loaded content.
    """
    failure = rx.el.div(
        rx.el.h2(_("No pudimos cargar esta página."), class_name="empty__title"),
        rx.el.button(
            _("Intentar otra vez"), type="button", class_name="button button--primary", on_click=retry
        ),
        class_name="empty",
        role="alert",
        data_testid="page-failed",
    )
    return rx.cond(is_loaded, content, rx.cond(has_failed, failure, rx.fragment(skeleton, loading_notice())))


def loading_notice() -> rx.Component:
    """Build the loading message for screen readers, and the message for browsers without scripts."""
    return rx.fragment(
        rx.el.p(_("Cargando…"), class_name="sr-only", role="status"),
        rx.el.noscript(
            rx.el.p(
                _("Para esta página tu navegador necesita JavaScript. Actívalo y vuelve a cargarla."),
                class_name="empty",
            )
        ),
    )
