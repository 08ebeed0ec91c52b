"""A part of a page under its title."""

import reflex as rx

from backend.texts import _
from storefront.components.browser import icon


def section(title: str, *content: rx.Component, more: str = "", class_name: str = "") -> rx.Component:
    """A part of the page under its title."""
    return rx.el.section(
        rx.el.div(
            rx.el.h2(title, class_name="section__title"),
            *(
                [rx.el.a(_("Ver todo"), icon("right", size=18), href=more, class_name="section__more")]
                if more
                else []
            ),
            class_name="section__head",
        ),
        *content,
        class_name=f"section {class_name}",
    )
