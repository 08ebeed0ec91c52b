"""What holds the place of content that has not arrived, in the content's own measures."""

import reflex as rx

from storefront.locale import _


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


def waiting() -> rx.Component:
    """Says to those who do not see the grey boxes that something is on its way."""
    return rx.el.p(_("Cargando…"), class_name="sr-only", role="status")
