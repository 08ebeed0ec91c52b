"""Pages and lists with nothing in them say so kindly and lead on."""

import reflex as rx

from backend.texts import _
from storefront.components.brand import drawing

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


def link_button(text: str, href: str, kind: str = "primary") -> rx.Component:
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


def not_found(title: str, text: str) -> rx.Component:
    """What was asked for does not exist."""
    return empty_state(
        "not-found",
        title,
        text,
        link_button(_("Ver el catálogo"), "/catalog"),
        link_button(_("Ir al inicio"), "/", kind="quiet"),
        test_id="not-found",
    )
